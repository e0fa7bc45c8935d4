"""The tar installs itself for one user and goes without a trace; the app in it is a small one."""

import importlib.util
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.skipif(
    not sys.platform.startswith("linux") or shutil.which("xz") is None, reason="Linux with xz"
)


@pytest.fixture
def packages(monkeypatch):
    folder = ROOT / "packaging" / "linux"
    monkeypatch.syspath_prepend(str(folder))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    spec = importlib.util.spec_from_file_location("make_packages", folder / "make_packages.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.fixture
def app(tmp_path):
    folder = tmp_path / "app"
    folder.mkdir()
    for name in ("dl-advisor", "dl-advisor-gui"):
        (folder / name).write_text('#!/bin/sh\nprintf "%s|" "$0" "$@"\n')
        (folder / name).chmod(0o755)
    return folder


def make(packages, app, out):
    out.mkdir()
    return packages.make_tar(app, kind="lean", out=out, notice=None, compression="xz")


def test_the_same_app_gives_the_same_tar(packages, app, tmp_path):
    first = make(packages, app, tmp_path / "first").read_bytes()
    os.utime(app / "dl-advisor", (1, 1))
    assert make(packages, app, tmp_path / "second").read_bytes() == first


def test_it_installs_runs_and_leaves_only_what_is_the_users(packages, app, tmp_path):
    home = tmp_path / "家 of me"
    results = home / ".local/share/dl-advisor/last-recommendation.json"
    results.parent.mkdir(parents=True)
    results.write_text("{}")
    before = {path for path in home.rglob("*") if path.is_file()}
    archive = make(packages, app, tmp_path / "out")
    subprocess.run(["tar", "-C", str(tmp_path), "-xf", str(archive)], check=True)
    (script,) = tmp_path.glob("dl-advisor-*/install.sh")
    environment = {"HOME": str(home), "PATH": "/usr/local/bin:/usr/bin:/bin"}
    for _twice in range(2):
        subprocess.run([str(script)], check=True, env=environment, stdout=subprocess.DEVNULL)

    data = home / ".local/share"
    entry = (data / "applications/dl-advisor.desktop").read_text(encoding="utf-8")
    assert f'Exec="{home}/.local/lib/dl-advisor/dl-advisor-gui" %f\n' in entry
    assert (data / "icons/hicolor/48x48/apps/dl-advisor.png").read_bytes()[:4] == b"\x89PNG"
    assert (data / "metainfo/invalid.dl_advisor.dl_advisor.metainfo.xml").is_file()
    program = home / ".local/bin/dl-advisor"
    done = subprocess.run([program, "a b"], capture_output=True, text=True, check=True)
    assert done.stdout.endswith("dl-advisor|a b|")

    uninstall = [str(home / ".local/lib/dl-advisor/install.sh"), "--uninstall"]
    subprocess.run(uninstall, check=True, env=environment, stdout=subprocess.DEVNULL)
    left = {path for path in home.rglob("*") if path.is_file()}
    assert left == before
    assert results.read_text() == "{}"
