"""The entry knows a worker from the command line before it loads anything."""

import sys

import pytest

import ui.__main__ as entry
from advisor.errors import InputError


def test_a_worker_is_started_by_its_name(monkeypatch):
    started = []
    monkeypatch.setattr(
        "probes.bench.commands.run_worker_here",
        lambda name, *, arguments: started.append((name, *arguments)),
    )
    for words in (["opencl_list"], ["opencl_linker", "-shared", "a.o"]):
        monkeypatch.setattr(sys, "argv", ["dl-advisor", "--worker", *words])
        assert entry.main() == 0
    assert started == [("opencl_list",), ("opencl_linker", "-shared", "a.o")]


@pytest.mark.parametrize("words", [[], ["../../etc/passwd"], ["nobody"]])
def test_a_worker_that_does_not_exist_is_refused(monkeypatch, words):
    monkeypatch.setattr(sys, "argv", ["dl-advisor", "--worker", *words])
    with pytest.raises(InputError):
        entry.main()


def test_everything_else_is_the_command_line(monkeypatch):
    got = []
    monkeypatch.setattr("ui.cli.run", lambda words: got.append(words) or 7)
    monkeypatch.setattr(sys, "argv", ["dl-advisor", "probe", "--json"])
    assert entry.main() == 7
    assert got == [["probe", "--json"]]


def test_ctrl_c_before_anything_is_loaded_is_no_fault(monkeypatch):
    def stopped(_words):
        raise KeyboardInterrupt

    monkeypatch.setattr("ui.cli.run", stopped)
    monkeypatch.setattr(sys, "argv", ["dl-advisor", "probe"])
    assert entry.main() == 130
