"""The server runs on nothing but what its lock pins, installed anew with every hash checked."""

import importlib.metadata
import re
import secrets
import subprocess
import sys
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from advisor.share.client import delete_upload, send_upload
from advisor.share.upload import canonical_bytes, id_of
from tests.advisor.share.builders import upload
from tests.advisor.share.servers import ROOT, Collector

# The command line finds its folders by it; all else is of the extra.
_BESIDE = "platformdirs"
_AWAY = re.compile(r"NewConnectionError|NameResolutionError|Network is unreachable")


def extra_of_the_server() -> list[Requirement]:
    import tomllib

    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    return [Requirement(line) for line in project["optional-dependencies"]["collector"]]


def needed(wanted: list[Requirement]) -> set[str]:
    """Return the names of distributions and of all that they need here."""
    found, todo = set(), [(r.name, frozenset(r.extras)) for r in wanted]
    done = set()
    while todo:
        name, extras = todo.pop()
        if (name, extras) in done:
            continue
        done.add((name, extras))
        found.add(canonicalize_name(name))
        for line in importlib.metadata.requires(name) or ():
            inner = Requirement(line)
            marks = [{"extra": extra} for extra in ("", *extras)]
            if inner.marker is None or any(inner.marker.evaluate(mark) for mark in marks):
                todo.append((inner.name, frozenset(inner.extras)))
    return found


def part_of_lock(names: set[str]) -> str:
    """Return the entries of the lock for some names; the others are of the app itself."""
    entries = re.split(r"\n(?=[a-z0-9])", (ROOT / "requirements-collector.lock").read_text())
    by_name = {}
    for entry in entries:
        by_name.setdefault(canonicalize_name(entry.split("==")[0]), []).append(entry)
    missing = names - set(by_name)
    assert not missing, f"the lock does not pin {sorted(missing)}"
    return "\n".join(entry for name in sorted(names) for entry in by_name[name]) + "\n"


def test_the_lock_pins_all_that_the_server_needs_with_hashes():
    text = part_of_lock(needed([*extra_of_the_server(), Requirement(_BESIDE)]))
    assert len(re.findall(r"^[a-z0-9][^ ]*==", text, flags=re.MULTILINE)) > 15
    assert all("--hash=sha256:" in entry for entry in re.split(r"\n(?=[a-z0-9])", text))
    assert "tensorflow" not in text


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_a_fresh_environment_serves(tmp_path, knowledge):
    wanted = tmp_path / "wanted.txt"
    wanted.write_text(part_of_lock(needed([*extra_of_the_server(), Requirement(_BESIDE)])))
    folder = tmp_path / "venv"
    subprocess.run([sys.executable, "-m", "venv", folder], check=True, timeout=120)
    python = next(p for p in (folder / "bin/python", folder / "Scripts/python.exe") if p.exists())
    words = ["install", "--quiet", "--no-deps", "--require-hashes", "--only-binary=:all:", "-r"]
    done = subprocess.run(
        [python, "-m", "pip", *words, wanted], capture_output=True, text=True, timeout=400,
        check=False,
    )  # fmt: skip
    if _AWAY.search(done.stderr):
        pytest.skip("no package index can be reached")
    assert done.returncode == 0, done.stderr[-2000:]
    sent_and_deleted(python, tmp_path, canonical_bytes(upload(knowledge)))


def sent_and_deleted(python: Path, folder: Path, body: bytes) -> None:
    token = secrets.token_urlsafe(32)
    with Collector(folder / "c.sqlite", folder=folder, python=python) as server:
        sent = [send_upload(server.url, upload_id=id_of(token), body=body) for _ in range(2)]
        assert [reply.status for reply in sent] == [201, 200]
        assert delete_upload(server.url, token=token).status == 204
        assert send_upload(server.url, upload_id=id_of(token), body=body).status == 410
