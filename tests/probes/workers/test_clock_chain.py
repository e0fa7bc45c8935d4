"""The clock by a chain of machine code, run on this very processor."""

import platform
import sys
import threading
from pathlib import Path

import clock_chain
import pytest
from clock_chain import CLOCK_CYCLES, ClockRunner, Code, undisturbed_s
from worker_errors import UnsupportedKernel, WrongResult

pytestmark = pytest.mark.alone

IS_X86 = platform.machine().lower() in ("x86_64", "amd64")
only_x86 = pytest.mark.skipif(not IS_X86, reason="the code is that of x86-64")
SCALAR = {"shape": {"type": "ClockShape", "load": "scalar"}, "precision": "float32"}
VECTOR = {"shape": {"type": "ClockShape", "load": "vector"}, "precision": "float32"}
PEAK = {"shape": {"type": "PeakShape", "width": 0}, "precision": "float32"}
# Slower than any x86-64 processor of the last twenty years, faster than any.
SLOWEST_HZ, FASTEST_HZ = 4e8, 7e9


def flags():
    """Return the flags of this processor as far as they matter."""
    try:
        words = set(Path("/proc/cpuinfo").read_text(encoding="utf-8").split())
    except OSError:
        return []
    return sorted(words & {"avx512f", "avx2", "fma"})


def fastest_hz(prepared):
    return max(CLOCK_CYCLES * 20 / prepared.run(20) for _ in range(3))


@only_x86
def test_the_scalar_clock_is_one_that_can_be():
    prepared = ClockRunner({"isa": [], "threads": 1}).prepare(SCALAR)
    assert prepared.check() == "chain exact"
    assert SLOWEST_HZ < fastest_hz(prepared) < FASTEST_HZ
    prepared.close()


@only_x86
def test_twice_the_executions_take_twice_the_time():
    prepared = ClockRunner({"isa": [], "threads": 1}).prepare(SCALAR)
    few = min(prepared.run(10) for _ in range(5))
    many = min(prepared.run(40) for _ in range(5))
    assert 2.0 < many / few < 8.0


@only_x86
@pytest.mark.parametrize("flag", ["avx512f", "fma"])
def test_vectors_beside_the_chain_leave_it_the_longest_path(flag):
    if flag not in flags():
        pytest.skip("this processor has no such vectors")
    isa = ["avx512f"] if flag == "avx512f" else ["avx2", "fma"]
    scalar = fastest_hz(ClockRunner({"isa": isa, "threads": 1}).prepare(SCALAR))
    prepared = ClockRunner({"isa": isa, "threads": 1}).prepare(VECTOR)
    assert "sums of multiply-adds" in prepared.check()
    # Vectors may lower the clock, yet not to half of it.
    assert 0.5 < fastest_hz(prepared) / scalar < 1.5


@only_x86
@pytest.mark.parametrize("flag", ["avx512f", "fma"])
def test_the_peak_is_a_whole_number_of_units(flag):
    if flag not in flags():
        pytest.skip("this processor has no such vectors")
    isa = ["avx512f"] if flag == "avx512f" else ["avx2", "fma"]
    runner = ClockRunner({"isa": isa, "threads": 1})
    peak, clock = runner.prepare(PEAK), runner.prepare(VECTOR)
    assert "sums of multiply-adds" in peak.check()
    flop_per_s = max(5e9 / peak.run(5) for _ in range(5))
    per_cycle = flop_per_s / fastest_hz(clock)
    lanes = 16 if flag == "avx512f" else 8
    # One vector unit or two, two operations in each lane; a little less is lost to the loop.
    assert 0.7 * 2 * lanes < per_cycle < 1.3 * 4 * lanes


@only_x86
def test_what_a_processor_lacks_is_refused_before_it_is_run():
    runner = ClockRunner({"isa": ["avx"], "threads": 1})
    for kernel in (VECTOR, PEAK):
        with pytest.raises(UnsupportedKernel, match="no vector multiply-adds"):
            runner.prepare(kernel)
    with pytest.raises(UnsupportedKernel, match="clock and float32 peak"):
        ClockRunner({"isa": ["avx512f"]}).prepare({**PEAK, "precision": "float16"})


def test_another_kind_of_processor_has_no_figure(monkeypatch):
    monkeypatch.setattr(clock_chain.platform, "machine", lambda: "riscv64")
    with pytest.raises(UnsupportedKernel, match="riscv64"):
        ClockRunner({"isa": []}).prepare(SCALAR)


@only_x86
def test_a_chain_that_did_not_run_is_a_wrong_result(monkeypatch):
    prepared = ClockRunner({"isa": [], "threads": 1}).prepare(SCALAR)
    prepared._code = lambda _turns: (5, None)
    with pytest.raises(WrongResult, match="instead of"):
        prepared.check()


@pytest.mark.skipif(sys.platform == "win32", reason="pages are made another way there")
def test_a_system_that_forbids_such_pages_gives_no_figure(monkeypatch):
    class Library:
        @staticmethod
        def mprotect(*_arguments):
            return -1

    monkeypatch.setattr(clock_chain.ctypes, "CDLL", lambda *_a, **_k: Library)
    with pytest.raises(UnsupportedKernel, match="lets no program make code"):
        Code(b"\xc3")


@only_x86
def test_all_threads_run_and_none_is_left():
    before = threading.active_count()
    prepared = ClockRunner({"isa": [], "threads": 3}).prepare(SCALAR)
    assert prepared.run(2) > 0.0
    assert threading.active_count() == before


class Recorder:
    """Code that only tells how often it was called, and for how many turns."""

    def __init__(self):
        self.turns = []

    def sums(self):
        return None

    def call(self, turns, _sums):
        self.turns.append(turns)


@only_x86
@pytest.mark.parametrize("threads", [1, 4, 16, 64])
def test_a_piece_is_as_long_on_many_threads_as_on_one(threads):
    flag = clock_chain.clock_code.widest(frozenset({"avx512f"}))
    prepared = ClockRunner({"isa": ["avx512f"], "threads": threads})._peak(flag)
    alone = ClockRunner({"isa": ["avx512f"], "threads": 1})._peak(flag)
    assert prepared._turns >= alone._turns
    # Never less than 0.4 ms: two multiply-adds in a cycle of 5 GHz.
    assert prepared._turns * clock_chain.clock_code.ALONE / 2 / 5e9 > 0.39e-3
    prepared._code = code = Recorder()
    prepared.run(64)
    lanes = clock_chain.clock_code.LANES[flag]
    flop = 2 * lanes * clock_chain.clock_code.ALONE * sum(code.turns)
    # All threads together do what was asked for, to the nearest piece of each.
    assert flop == pytest.approx(64 * clock_chain.PEAK_FLOP, rel=0.5)
    assert len(code.turns) % threads == 0


def test_pieces_that_others_disturbed_do_not_count():
    assert undisturbed_s([1.0, 1.0, 1.0, 9.0, 8.0, 1.0, 7.0, 9.0]) == 1.0
    assert undisturbed_s([2.0]) == 2.0


def test_the_stack_tells_the_threads():
    assert ClockRunner({"isa": [], "threads": 2}).stack()["backend"] == "2 threads"
