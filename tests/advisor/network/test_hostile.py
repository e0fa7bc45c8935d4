"""Files that mean harm: refused in a line within two seconds and 500 MB, with nothing executed.

Each is read in a child process whose peak memory is measured and whose interpreter reports every
call that reading a file never needs. Seconds are of the processor: other tests run meanwhile.
"""

import io
import json
import os
import pickle
import subprocess
import sys
import zipfile
import zlib
from pathlib import Path

import pytest

from advisor.network.reading import MAX_CONFIG_BYTES
from tests.advisor.network.networks_data import encoded, functional, layer, sequential

resource = pytest.importorskip("resource", reason="peak memory is asked of the system")

ROOT = Path(__file__).resolve().parents[3]
CHILD = Path(__file__).with_name("hostile_child.py")
MOST_S, MOST_BYTES = 2.0, 500e6
SMALL = sequential((9,), layer("Dense", name="one", units=4))


def read(path):
    done = subprocess.run(
        [sys.executable, str(CHILD), str(path)],
        cwd=ROOT, env={"PYTHONPATH": str(ROOT)}, capture_output=True, check=True, timeout=30,
    )  # fmt: skip
    answer = json.loads(done.stdout)
    assert answer["seconds"] < MOST_S
    assert answer["peak_bytes"] < MOST_BYTES
    assert answer["done"] == []
    return answer


def refused(path):
    answer = read(path)
    assert "layers" not in answer
    assert "\n" not in answer["error"]
    assert answer["error"].startswith(f"{path.name}: ")
    return answer["error"]


def archive(path, entries):
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as made:
        for name, data in entries:
            made.writestr(name, data)
    return path


def test_a_gigabyte_of_json_is_not_read_whole(tmp_path):
    path = tmp_path / "huge.json"
    with path.open("wb") as file:
        file.write(b'{"class_name": "')
        file.truncate(1024**3)
    assert "MB" in refused(path)


class SameBlock:
    """Packs a block that repeats once only: to pack a gigabyte takes seven seconds."""

    def __init__(self, block):
        packer = zlib.compressobj(9, zlib.DEFLATED, -zlib.MAX_WBITS)
        self._block = block
        self._packed = packer.compress(block) + packer.flush(zlib.Z_FULL_FLUSH)
        self._end = packer.flush()

    def compress(self, block):
        assert block is self._block
        return self._packed

    def flush(self):
        return self._end


def test_a_bomb_of_a_gigabyte_is_not_unpacked(tmp_path):
    block = b" " * (4 * 1024**2)
    path = tmp_path / "bomb.keras"
    with (
        zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as made,
        made.open("config.json", "w", force_zip64=True) as entry,
    ):
        entry._compressor = SameBlock(block)
        for _ in range(256):
            entry.write(block)
    with zipfile.ZipFile(path) as made:
        assert made.getinfo("config.json").file_size == 1024**3
    assert path.stat().st_size < 2 * 1024**2
    assert "1024 MB" in refused(path)


def test_a_bomb_within_a_bomb_stays_closed(tmp_path):
    inner = io.BytesIO()
    archive(inner, [("config.json", b" " * 10**7)])
    path = archive(tmp_path / "nest.keras", [(f"{n}.zip", inner.getvalue()) for n in range(50)])
    assert "no config.json" in refused(path)


@pytest.mark.parametrize(
    "piece", ['{"":[]}', "[]", "{}", '""', '{"a":{"b":[0.5]}}'], ids=["pairs", "lists", "objects",
                                                                     "texts", "mixed"]
)  # fmt: skip
def test_text_of_very_many_small_values(tmp_path, piece):
    path = tmp_path / "many.json"
    count = (MAX_CONFIG_BYTES - 2) // (len(piece) + 1)
    path.write_text("[" + ",".join([piece] * count) + "]")
    refused(path)


class Payload:
    """Unpickling it would write a file."""

    def __init__(self, target):
        self.target = target

    def __reduce__(self):
        return (open, (str(self.target), "w"))


@pytest.mark.parametrize("name", ["config.json", "model.pkl", "assets/lambda.pkl"])
def test_a_pickle_in_the_archive_is_never_opened(tmp_path, name):
    target = tmp_path / "written"
    data = pickle.dumps(Payload(target))
    entries = [(name, data)] if name == "config.json" else [("config.json", encoded(SMALL)),
                                                           (name, data)]  # fmt: skip
    path = archive(tmp_path / "payload.keras", entries)
    answer = read(path)
    assert ("error" in answer) is (name == "config.json")
    assert not target.exists()


def test_a_bare_pickle_is_refused(tmp_path):
    target = tmp_path / "written"
    for name in ("model.keras", "model.json", "model.onnx"):
        path = tmp_path / name
        path.write_bytes(pickle.dumps(Payload(target)))
        refused(path)
    assert not target.exists()


def test_code_in_a_lambda_is_not_run(tmp_path):
    body = {"class_name": "__lambda__", "config": {"code": "4wEAAAAAAAAA", "defaults": None}}
    model = sequential((9,), layer("Lambda", name="evil", function=body))
    path = archive(tmp_path / "lambda.keras", [("config.json", encoded(model))])
    assert read(path)["layers"] >= 1


@pytest.mark.parametrize(
    "name", ["/etc/config.json", "../config.json", "../../etc/passwd", "C:\\config.json"]
)
def test_names_that_leave_the_archive_are_no_configuration(tmp_path, name):
    path = archive(tmp_path / "escape.keras", [(name, encoded(SMALL))])
    assert "no config.json" in refused(path)


def test_a_link_in_the_archive_is_not_followed(tmp_path):
    secret = tmp_path / "secret.json"
    secret.write_bytes(encoded(SMALL))
    link = zipfile.ZipInfo("config.json")
    link.create_system = 3
    link.external_attr = 0o120777 << 16
    path = tmp_path / "link.keras"
    with zipfile.ZipFile(path, "w") as made:
        made.writestr(link, str(secret))
    assert "holds no Keras JSON" in refused(path)


@pytest.mark.parametrize(
    ("key", "value"),
    [
        ("units", float("nan")), ("units", float("inf")), ("units", -4), ("units", 0),
        ("units", 10**30), ("units", 1e9), ("units", [4]), ("units", True),
    ],
)  # fmt: skip
def test_sizes_that_no_layer_has(tmp_path, key, value):
    model = sequential((9,), layer("Dense", name="one", **{key: value}))
    path = tmp_path / "size.json"
    path.write_text(json.dumps(model))
    refused(path)


@pytest.mark.parametrize("shape", [(-9,), (0,), (float("nan"),), (2**40, 2**40), (9,) * 200])
def test_inputs_that_no_network_has(tmp_path, shape):
    path = tmp_path / "shape.json"
    path.write_text(json.dumps(sequential(shape, layer("Dense", name="one", units=4))))
    refused(path)


def test_a_thousand_million_layers_in_a_short_text(tmp_path):
    """Nine levels, each with ten models of the level below: 10^9 layers when unfolded."""
    model = sequential((9,), layer("ReLU", name="relu"))
    for _ in range(9):
        is_short = len(encoded(model)) < 10**5
        model = sequential((9,), *ten_named(model)) if is_short else nested(model)
    path = tmp_path / "endless.json"
    path.write_bytes(encoded(model))
    assert "layers" in refused(path)


def test_models_that_unfold_without_end(tmp_path):
    """Ten levels of models that each call the one inside ten times: a short text."""
    model = sequential((9,), layer("ReLU", name="relu"))
    for _ in range(10):
        model = nested(model)
    path = tmp_path / "endless.json"
    path.write_bytes(encoded(model))
    assert path.stat().st_size < 10_000
    assert "more than 20000 layers" in refused(path)


def ten_named(model):
    return [{**model, "config": {**model["config"], "name": f"m{i}"}} for i in range(10)]


def nested(model):
    outer = functional({"feed": (9,)}, {"a": (model, ["feed"])}, ["a"])
    node = outer["config"]["layers"][1]
    late = int(node["class_name"] == "Functional")
    node["inbound_nodes"] += [[["a", call + late, 0, {}]] for call in range(9)]
    outer["config"]["output_layers"] = [["a", 9 + late, 0]]
    return outer


def test_a_model_that_holds_itself(tmp_path):
    model = functional({"feed": (9,)}, {"a": (layer("Dense", units=9), ["feed"])}, ["a"])
    model["config"]["layers"][1]["inbound_nodes"] = [[["a", 0, 0, {}]]]
    path = tmp_path / "self.json"
    path.write_bytes(encoded(model))
    assert "cycle" in refused(path)


@pytest.mark.parametrize("opening", ["[", '{"a":'])
def test_text_nested_without_end(tmp_path, opening):
    path = tmp_path / "deep.json"
    path.write_text(opening * 1_000_000)
    assert "nested too deeply" in refused(path)


def test_what_is_no_file_is_not_waited_for(tmp_path):
    pipe = tmp_path / "pipe.keras"
    os.mkfifo(pipe)
    assert "not a regular file" in refused(pipe)
    link = tmp_path / "zero.keras"
    link.symlink_to("/dev/zero")
    assert "not a regular file" in refused(link)
