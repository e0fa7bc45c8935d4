"""A machine of a few files, for tests of single parts of the probe."""

import json
from pathlib import Path
from urllib.parse import quote

import pytest

from probes.machine.recording import RecordedReader


@pytest.fixture
def make_machine(tmp_path):
    """Return a function that makes a recorded machine of path -> text."""
    made = []

    def make(files, *, commands=None, **facts):
        folder = tmp_path / f"machine{len(made)}"
        made.append(folder)
        (folder / "files").mkdir(parents=True)
        for path, text in files.items():
            parts = [quote(part, safe=" ()+,-._@[]{}~!") for part in path.split("/") if part]
            place = Path(folder, "files", *parts)
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_text(text, encoding="utf-8")
        (folder / "machine.json").write_text(json.dumps(facts), encoding="utf-8")
        if commands is not None:
            (folder / "commands.json").write_text(json.dumps(commands), encoding="utf-8")
        return RecordedReader(folder)

    return make
