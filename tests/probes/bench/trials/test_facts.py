"""Facts that only trials need, on machines that do not tell them."""

import sys

import pytest

from probes.bench.trials import facts


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="allocators are looked for there")
def test_a_search_that_cannot_even_begin_finds_no_allocator(monkeypatch):
    def nowhere(_name):
        raise FileNotFoundError(2, "No usable temporary directory found")

    monkeypatch.setattr(facts.ctypes.util, "find_library", nowhere)
    assert facts.installed_allocators() == ()


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="allocators are looked for there")
def test_an_allocator_is_told_by_its_path_once(monkeypatch, tmp_path):
    (tmp_path / "libfast.so.1").write_bytes(b"")
    monkeypatch.setattr(facts, "_LIBRARY_FOLDERS", (str(tmp_path / "none"), str(tmp_path)))
    monkeypatch.setattr(
        facts.ctypes.util, "find_library", lambda n: "libfast.so.1" if "tc" in n else None
    )
    (found,) = facts.installed_allocators()
    assert (found.name, found.value) == ("tcmalloc", str(tmp_path / "libfast.so.1"))
