"""The log keeps warnings in the user's cache, and never stands in the way of anything."""

import logging

import pytest

from ui.logs import MAX_BYTES, N_OLD_FILES, kept_log, last_log_lines, log_fault, log_file

LOG = logging.getLogger("ui.some_module")


def fault():
    try:
        raise ZeroDivisionError("by nought")
    except ZeroDivisionError as error:
        return error


def test_nothing_happened_nothing_written(tmp_path):
    with kept_log():
        LOG.info("all is well")
    assert not log_file().parent.exists()
    assert last_log_lines() == ()


def test_a_fault_is_kept_with_where_it_came_from(tmp_path):
    with kept_log():
        log_fault(fault())
    text = log_file().read_text(encoding="utf-8")
    assert "ERROR ui.logs: unexpected error" in text
    assert "ZeroDivisionError: by nought" in text
    assert "test_logs.py" in text
    assert last_log_lines()[-1] == "ZeroDivisionError: by nought"


def test_the_log_lies_in_the_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "缓存"))
    with kept_log():
        LOG.warning("warm")
    assert log_file() == tmp_path / "缓存/dl-advisor/log/dl-advisor.log"
    assert log_file().is_file()


def test_afterwards_nothing_is_kept_any_more():
    with kept_log():
        pass
    LOG.warning("too late")
    assert not log_file().exists()


def test_the_log_does_not_grow_without_end():
    with kept_log():
        for number in range(1200):
            LOG.warning("%s %s", number, "x" * 1000)
    files = sorted(log_file().parent.iterdir())
    assert len(files) == N_OLD_FILES + 1
    assert sum(file.stat().st_size for file in files) <= (N_OLD_FILES + 1) * MAX_BYTES
    assert len(last_log_lines()) <= 20
    assert "1199" in last_log_lines()[-1]


@pytest.mark.parametrize("in_the_way", ["a file", "a folder"])
def test_where_it_cannot_be_written_nothing_is_said(in_the_way, capfd):
    log_file().parent.parent.mkdir(parents=True)
    if in_the_way == "a file":
        log_file().parent.write_text("not a folder")
    else:
        log_file().mkdir(parents=True)
    with kept_log():
        log_fault(fault())
    assert capfd.readouterr() == ("", "")
    assert last_log_lines() == ()
