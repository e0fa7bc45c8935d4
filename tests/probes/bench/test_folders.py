"""Folders of killed runs are swept a day after; what may be in use stays."""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import pytest

from advisor.errors import InputError
from probes.bench.folders import sweep_leftovers, worker_folder

DAY_S = 86_400.0


@pytest.fixture
def dead():
    """The number of a process that has ended."""
    child = subprocess.Popen([sys.executable, "-c", ""])
    child.wait()
    return child.pid


def left(place, name):
    folder = place / name
    folder.mkdir()
    (folder / "keras.json").write_text("{}", encoding="utf-8")
    return folder


def test_what_a_dead_process_left_goes_a_day_after(tmp_path, dead):
    folder = left(tmp_path, f"dl-advisor-{dead}-abc")
    sweep_leftovers(tmp_path, now_s=time.time() + 0.9 * DAY_S)
    assert folder.exists()
    sweep_leftovers(tmp_path, now_s=time.time() + 1.1 * DAY_S)
    assert not folder.exists()


def test_what_lives_or_is_not_ours_stays(tmp_path, dead):
    living = left(tmp_path, f"dl-advisor-{os.getpid()}-abc")
    other = left(tmp_path, f"dl-advice-{dead}-abc")
    target = left(tmp_path, "of-the-user")
    link = tmp_path / f"dl-advisor-{dead}-link"
    link.symlink_to(target)
    sweep_leftovers(tmp_path, now_s=time.time() + 9 * DAY_S)
    assert living.exists()
    assert other.exists()
    assert (target / "keras.json").exists()


def test_a_place_that_is_not_there_is_nothing_to_sweep(tmp_path):
    sweep_leftovers(tmp_path / "gone", now_s=time.time())


def test_a_folder_tells_whose_it_is_and_goes_with_its_context():
    with worker_folder() as folder:
        assert Path(folder).name.startswith(f"dl-advisor-{os.getpid()}-")
        assert Path(folder).parent == Path(tempfile.gettempdir())
    assert not Path(folder).exists()


def test_no_place_for_temporary_files_says_what_to_do(monkeypatch):
    def nowhere():
        raise FileNotFoundError(2, "No usable temporary directory found in ['/tmp']")

    monkeypatch.setattr("probes.bench.folders.tempfile.gettempdir", nowhere)
    with pytest.raises(InputError, match="set TMPDIR to one that can"), worker_folder():
        pass


def test_ctrl_c_right_after_the_folder_was_made_leaves_none(monkeypatch, tmp_path):
    monkeypatch.setattr("probes.bench.folders.tempfile.gettempdir", lambda: str(tmp_path))
    usual = tempfile.mkdtemp

    def interrupted(*words):
        Path(usual(*words), "keras.json").write_text("{}", encoding="utf-8")
        raise KeyboardInterrupt

    monkeypatch.setattr(tempfile, "mkdtemp", interrupted)
    with pytest.raises(KeyboardInterrupt), worker_folder():
        pass
    assert list(tmp_path.iterdir()) == []


def test_folders_that_are_open_at_once_go_one_by_one(monkeypatch, tmp_path):
    monkeypatch.setattr("probes.bench.folders.tempfile.gettempdir", lambda: str(tmp_path))
    with worker_folder() as first:
        with pytest.raises(KeyboardInterrupt), worker_folder():
            raise KeyboardInterrupt
        assert Path(first).exists()
