"""The server runs on nothing but its own lock, installed anew with every hash checked."""

import re
import secrets
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from advisor.share.client import delete_upload, send_upload
from advisor.share.upload import canonical_bytes, id_of
from tests.advisor.share.builders import upload
from tests.advisor.share.servers import ROOT, Collector

LOCK = ROOT / "requirements-collector.lock"
OF_THE_APP = {
    "keras", "numpy", "pocl-binary-distribution", "pyopencl", "pyqtgraph", "pyside6-essentials",
    "reportlab", "tensorflow", "tensorflow-cpu",
}  # fmt: skip
MOST_BYTES = 150e6
_AWAY = re.compile(r"NewConnectionError|NameResolutionError|Network is unreachable")


def pinned(lock: Path) -> dict[str, str]:
    """Return the versions by name."""
    lines = re.findall(r"^([a-z0-9][^ =]*)==([^ ]+)", lock.read_text(), flags=re.MULTILINE)
    return {canonicalize_name(name): version for name, version in lines}


def test_the_lock_holds_the_server_and_nothing_of_the_app():
    groups = tomllib.loads((ROOT / "pyproject.toml").read_text())["dependency-groups"]
    wanted = {canonicalize_name(Requirement(line).name) for line in groups["collector"]}
    held = pinned(LOCK)
    assert wanted <= set(held)
    assert not OF_THE_APP & set(held)
    entries = re.split(r"\n(?=[a-z0-9])", LOCK.read_text())
    assert len(entries) == len(held)
    assert all("--hash=sha256:" in entry for entry in entries)


def test_the_tests_run_with_the_versions_that_are_served_with():
    tested = pinned(ROOT / "requirements-dev.lock")
    assert {name: tested.get(name) for name in pinned(LOCK)} == pinned(LOCK)


def copy_of_the_sources(folder: Path) -> Path:
    """Copy what the server needs of a checkout to a folder that nothing was set up in."""
    for name in ("advisor", "probes", "resources", "ui"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    for name in ("start.py", LOCK.name):
        shutil.copy(ROOT / name, folder)
    return folder


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_one_command_sets_the_server_up_and_it_serves(tmp_path, knowledge):
    sources = copy_of_the_sources(tmp_path / "sources")
    done = subprocess.run(
        [sys.executable, sources / "start.py", "collector", "migrate", "--database", "c.sqlite"],
        cwd=tmp_path, capture_output=True, text=True, timeout=400, check=False,
    )  # fmt: skip
    if _AWAY.search(done.stderr) or "cannot be downloaded" in done.stderr:
        pytest.skip("no package index can be reached")
    assert done.returncode == 0, done.stderr[-2000:]
    assert (tmp_path / "c.sqlite").exists()
    venv = sources / ".venv-collector"
    assert not (sources / ".venv").exists()
    size = sum(path.stat().st_size for path in venv.rglob("*") if not path.is_symlink())
    assert size < MOST_BYTES, f"{size / 1e6:.0f} MB"
    python = next(p for p in (venv / "bin/python", venv / "Scripts/python.exe") if p.exists())
    listed = subprocess.run(
        [python, "-m", "pip", "list", "--format=freeze"], capture_output=True, text=True, check=True
    ).stdout
    assert not OF_THE_APP & {canonicalize_name(line.split("==")[0]) for line in listed.split()}
    sent_and_deleted(python, tmp_path, canonical_bytes(upload(knowledge)))


def sent_and_deleted(python: Path, folder: Path, body: bytes) -> None:
    token = secrets.token_urlsafe(32)
    with Collector(folder / "c.sqlite", folder=folder, python=python) as server:
        sent = [send_upload(server.url, upload_id=id_of(token), body=body) for _ in range(2)]
        assert [reply.status for reply in sent] == [201, 200]
        assert delete_upload(server.url, token=token).status == 204
        assert send_upload(server.url, upload_id=id_of(token), body=body).status == 410
