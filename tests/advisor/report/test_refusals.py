"""Every refusal that is raised anywhere has a form, so that it is told in the user's language."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from advisor.errors import AdvisorError
from advisor.i18n import translator_for
from advisor.model.workload import Job
from advisor.network.load import workload_from_file
from advisor.report.said import said_line
from advisor.share.upload import parse_upload

ROOT = Path(__file__).resolve().parents[3]
ZH = translator_for("zh_CN")
# Classes whose texts are shown to the user as they are.
SHOWN = (
    "InputError", "NetworkFileError", "DataError", "FormatError", "PriceError", "ShareError",
    "RefusedError", "StorageError", "ProtocolError", "UnsupportedKernel", "Unsupported", "refuse",
)  # fmt: skip
_PROSE = re.compile(r"[a-z]+,? [a-z]{2,}")
# Told to those who write schemas, and by names alone.
_KEPT = ("advisor/knowledge/schema.py",)


def _text(node: ast.expr) -> str:
    """Return the text of an expression, "X" where something varies."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else "X"
    if isinstance(node, ast.JoinedStr):
        return "".join(_text(v) if isinstance(v, ast.Constant) else "X" for v in node.values)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return _text(node.left) + _text(node.right)
    if isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "format":
        return re.sub(r"\{[^}]*\}", "X", _text(node.func.value))
    return "X"


def _raised(path: Path) -> Iterator[str]:
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Raise) and isinstance(node.exc, ast.Call):
            call = node.exc
            name = getattr(call.func, "id", None) or getattr(call.func, "attr", "")
            if name in SHOWN:
                yield from (_text(argument) for argument in call.args)


def test_everything_that_is_raised_has_a_form():
    texts = {
        (path.relative_to(ROOT).as_posix(), text)
        for package in ("advisor", "probes", "ui")
        for path in (ROOT / package).rglob("*.py")
        for text in _raised(path)
    }
    assert len(texts) > 300
    left = sorted(
        (place, text)
        for place, text in texts
        if _PROSE.search(text) and place not in _KEPT and said_line(text, ZH) == text
    )
    assert not left


@pytest.mark.parametrize(
    ("line", "words"),
    [
        ("devices[0].name: neither in our table nor a general name; month: not a month",
         "devices[0].name: 既不在我们的表中，也不是一般名称; month: 不是月份"),
        ("an upload has at most 65536 bytes", "一次上传最多 65536 字节"),
        ("collector.example: HTTP 503: the database does not answer: send it again",
         "collector.example: HTTP 503：数据库没有答复：请重新发送"),
        ("not as documented: path.upload_id", "与文档不符：path.upload_id"),
        ("figures[3]: 9e+20 flop/s is above the bound 1e+15",
         "figures[3]: 9e+20 flop/s 高于上限 1e+15"),
        ("net.keras: layer 'a' has no configuration", "net.keras: 层 'a' 没有配置"),
    ],
)  # fmt: skip
def test_said(line, words):
    assert said_line(line, ZH) == words


def test_what_a_server_answers_to_a_broken_upload_is_read():
    with pytest.raises(ValueError, match="not JSON") as caught:
        parse_upload(b"{")
    assert said_line(str(caught.value), ZH).startswith("不是 JSON：")
    with pytest.raises(ValueError, match="expected an object") as caught:
        parse_upload(b"[]")
    assert "应为 对象" in said_line(str(caught.value), ZH)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("x.onnx", "x.onnx: 不是 ONNX 文件，或不完整"),
        ("x.h5", "x.h5: 不读取旧的 Keras HDF5 文件：请将模型重新保存为 .keras"),
        ("x.tflite", "x.tflite: 不读取 TensorFlow Lite 文件：请给出其来源的 Keras 模型"),
    ],
)
def test_a_file_that_holds_no_model_is_refused_in_chinese(tmp_path, name, words):
    path = tmp_path / name
    path.write_bytes(b"\x00" * 64)
    with pytest.raises(AdvisorError) as caught:
        workload_from_file(path, job=Job())
    assert said_line(str(caught.value), ZH) == words
