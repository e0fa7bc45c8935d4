"""The proof of the packages: it fails when a line fails, refuses in one line, and tidies up."""

import importlib
import os
import shutil
import subprocess
import sys
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
HAS_SCREEN = all(shutil.which(tool) for tool in ("Xvfb", "openbox", "xdotool", "import"))
pytestmark = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="of Linux")


@pytest.fixture
def script(monkeypatch):
    for folder in ("packaging", "packaging/linux"):
        monkeypatch.syspath_prepend(str(ROOT / folder))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    return importlib.import_module


@pytest.fixture
def proof(script, tmp_path):
    (tmp_path / "logs").mkdir()
    (tmp_path / "work").mkdir()
    return script("prove").Proof(out=tmp_path, is_again=True)


def run_it(*words, path):
    command = [sys.executable, "-B", str(ROOT / "packaging/prove.py"), *words]
    environment = {"PATH": str(path)}
    return subprocess.run(command, capture_output=True, text=True, check=False, env=environment)


def test_a_missing_tool_is_named_in_one_line(tmp_path):
    done = run_it("--out", str(tmp_path / "out"), path=tmp_path)
    assert done.returncode == 2
    (line,) = done.stderr.splitlines()
    assert line.startswith("prove.py: missing: debootstrap, ")
    assert not (tmp_path / "out").exists()


def test_a_line_that_fails_is_told_and_the_next_one_is_tried(proof, capsys):
    def fails():
        raise OSError("no room")

    proof.line("first", fails)
    proof.line("second", lambda: "3 of 3")
    assert [is_good for _name, is_good, _figure, _took in proof.lines] == [False, True]
    table = (proof.out / "table.txt").read_text(encoding="utf-8")
    assert table == capsys.readouterr().out
    first, second = table.splitlines()
    assert first.startswith("FAILED  first")
    assert first.endswith("OSError: no room")
    assert second.startswith("passed  second")


def test_a_tool_that_fails_is_told_with_its_last_words(proof):
    with pytest.raises(OSError, match=r"exit code 3: two; see tool\.log"):
        proof.run("sh", "-c", "echo one; echo two >&2; exit 3", log="tool")


@pytest.mark.parametrize(("size_mb", "is_good"), [(119, True), (121, False)])
def test_a_package_has_its_limit(script, proof, size_mb, is_good):
    folder = proof.out / "lean"
    folder.mkdir()
    with (folder / "dl-advisor-lean_1_amd64.deb").open("wb") as package:
        package.truncate(size_mb * 1_000_000)
    if is_good:
        assert script("prove").pack(proof, "lean") == f".deb {size_mb}.0 MB (limit 120 MB)"
    else:
        with pytest.raises(ValueError, match="more than 120 MB"):
            script("prove").pack(proof, "lean")


def test_sources_are_a_folder_or_a_commit(script, proof, tmp_path):
    prove = script("prove")
    folder = tmp_path / "mine"
    (folder / ".git").mkdir(parents=True)
    (folder / "file").write_text("x")
    assert prove.copy_sources(proof, str(folder)) == f"folder {folder}"
    assert [path.name for path in proof.source.iterdir()] == ["file"]
    proof.line("sources", lambda: prove.copy_sources(proof, "no-such-commit"))
    assert not proof.lines[-1][1]


def test_leftovers_are_seen_outside_the_home_and_the_books(script, tmp_path):
    root = script("clean_root").CleanRoot(tmp_path / "root", log=tmp_path / "log")
    for place in ("home/me/.cache/dl-advisor", "var/log/dl-advisor", "usr/lib/other"):
        (root.folder / place).mkdir(parents=True)
    assert root.leftovers() == []
    left = root.folder / "usr/lib/dl-advisor"
    left.mkdir()
    assert root.leftovers() == [str(left)]
    root.remove()
    assert not root.folder.exists()


def test_a_tool_of_the_clean_root_that_fails_is_told(script, tmp_path):
    root = script("clean_root").CleanRoot(tmp_path / "root", log=tmp_path / "log")
    with pytest.raises(OSError, match="chroot"):
        root.as_root("true")
    assert "$ chroot" in (tmp_path / "log").read_text(encoding="utf-8")


def test_the_icon_is_found_by_its_colour(script, tmp_path):
    from PIL import Image

    screen = script("screen")
    script("make_packages").put_icons(tmp_path)
    picture = Image.new("RGB", (640, 400), "white")
    path = tmp_path / "picture.png"
    picture.save(path)
    assert screen.icon_place(path) is None
    with Image.open(tmp_path / "48x48/apps/dl-advisor.png") as icon:
        picture.paste(icon, (200, 100), icon)
    picture.save(path)
    x, y = screen.icon_place(path)
    assert abs(x - 224) <= 1
    assert abs(y - 124) <= 1


@pytest.mark.skipif(not HAS_SCREEN, reason="no Xvfb, openbox, xdotool or ImageMagick")
def test_a_screen_ends_with_what_was_started_on_it(script, tmp_path, monkeypatch):
    module = script("screen")
    monkeypatch.setattr(module, "_END_S", 0.2)
    with module.Screen(tmp_path) as screen:
        screen.start("sleep", "60")
        assert screen.picture("seen").read_bytes()[:4] == b"\x89PNG"
        assert screen.windows("nobody") == []
        with pytest.raises(OSError, match=r"a window did not come.*failed\.png"):
            screen.wait(lambda: False, "a window", limit_s=0.2)
        children = list(screen._children)
    assert all(child.poll() is not None for child in children)
    assert (tmp_path / "failed.png").is_file()


@pytest.mark.skipif(not HAS_SCREEN, reason="no Xvfb, openbox, xdotool or ImageMagick")
@pytest.mark.slow
def test_a_window_that_never_comes_is_given_up(script, tmp_path, monkeypatch):
    hard, module = script("hard"), script("screen")
    monkeypatch.setattr(hard, "_GIVE_UP_S", 0.3)
    monkeypatch.setattr(module, "_END_S", 0.2)
    with module.Screen(tmp_path) as screen:
        began = time.monotonic()
        took_s = hard.until_visible(["sleep", "60"], environment=screen.environment)
    assert took_s == float("inf")
    assert time.monotonic() - began < 30
    assert os.environ.get("DISPLAY") != screen.display
