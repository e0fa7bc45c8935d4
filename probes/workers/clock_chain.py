"""The clock of the cores under load, and what they multiply and add at most, without a compiler.

A few hundred bytes of machine code are put into a page of memory that is then made executable
(never writable and executable at once), and called on every core at the same time. Counted is the
quarter of short pieces that no other process disturbed: the clock does not depend on what else
runs, the time that a core is lent to others is left out.
Where the processor is no x86-64 one, or the system forbids such a page, there is no figure.
Options: "threads" (None: all usable CPUs, at most the cores), "cores", "isa" (names of flags).
Leaves to others: the code itself (`clock_code`).
"""

import ctypes
import mmap
import platform
import sys
import threading
import time

import clock_code
import worker_check
import worker_errors
import worker_threads

# One execution of a `ClockShape` and of a `PeakShape`, by definition.
CLOCK_CYCLES = 1_000_000
PEAK_FLOP = 1_000_000_000
_CHECK_TURNS = 1000
_UNDISTURBED = 0.25
# A piece is shorter than the time for which a core is lent to another process, and long beside
# what the interpreter takes for it: half a millisecond to one at 4 GHz. The interpreter serves
# one thread at a time, so with many threads pieces are longer.
_MULTIPLY_ADDS_OF_PIECE = 4_000_000
_THREADS_OF_PIECE = 16
_X86 = ("x86_64", "amd64")
_MEM_COMMIT_RESERVE, _PAGE_READWRITE, _PAGE_EXECUTE_READ = 0x3000, 0x04, 0x20
_PROT_READ_EXEC = 0x5


def _page_of_windows(code):
    kernel = ctypes.windll.kernel32
    kernel.VirtualAlloc.restype = ctypes.c_void_p
    kernel.VirtualAlloc.argtypes = (
        ctypes.c_void_p, ctypes.c_size_t, ctypes.c_uint32, ctypes.c_uint32,
    )  # fmt: skip
    kernel.VirtualProtect.argtypes = (
        ctypes.c_void_p, ctypes.c_size_t, ctypes.c_uint32, ctypes.POINTER(ctypes.c_uint32),
    )  # fmt: skip
    address = kernel.VirtualAlloc(None, len(code), _MEM_COMMIT_RESERVE, _PAGE_READWRITE)
    if not address:
        raise OSError("no memory for code")
    ctypes.memmove(address, code, len(code))
    before = ctypes.c_uint32()
    if not kernel.VirtualProtect(address, len(code), _PAGE_EXECUTE_READ, ctypes.byref(before)):
        raise OSError("memory cannot be made executable")
    return address, None


def _page_of_posix(code):
    size = -(-len(code) // mmap.PAGESIZE) * mmap.PAGESIZE
    page = mmap.mmap(-1, size, prot=mmap.PROT_READ | mmap.PROT_WRITE)
    page.write(code)
    address = ctypes.addressof(ctypes.c_char.from_buffer(page))
    libc = ctypes.CDLL(None, use_errno=True)
    libc.mprotect.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
    if libc.mprotect(address, size, _PROT_READ_EXEC):
        raise OSError(ctypes.get_errno(), "memory cannot be made executable")
    return address, page


class Code:
    """Machine code, ready to be called on any thread; other threads run meanwhile."""

    def __init__(self, code):
        try:
            address, self._page = (
                _page_of_windows(code) if sys.platform == "win32" else _page_of_posix(code)
            )
        except (OSError, AttributeError, ValueError) as error:
            raise worker_errors.UnsupportedKernel(
                "the system lets no program make code: {}".format(error)
            ) from error
        self._function = ctypes.CFUNCTYPE(
            ctypes.c_int64, ctypes.c_int64, ctypes.POINTER(ctypes.c_float)
        )(address)

    def __call__(self, turns):
        """Run so many turns; return the register of the chain and the sums, 16 values each."""
        sums = self.sums()
        return self.call(turns, sums), sums

    @staticmethod
    def sums():
        """Return room for the sums."""
        return (ctypes.c_float * (16 * clock_code.n_sums()))()

    def call(self, turns, sums):
        """Run so many turns, put the sums there; return the register of the chain."""
        return self._function(turns, sums)


def undisturbed_s(pieces_s):
    """Return the low quartile of the times of equal pieces."""
    ordered = sorted(pieces_s)
    return ordered[int(_UNDISTURBED * (len(ordered) - 1))]


class _OnAllCores:
    """The same code on several threads at once, in pieces of so many turns.

    `executions`: how many a piece is, on all threads together; also a part of one.
    """

    def __init__(self, code, turns, executions, threads, check):
        self._code, self._turns, self._threads = code, turns, threads
        self._executions = executions
        self._check = check

    def check(self):
        """Compare chain and sums with what they must be."""
        return self._check(self._code(_CHECK_TURNS))

    def run(self, loops):
        """Return the seconds of `loops` executions on all cores together, undisturbed.

        Cores may be of two kinds: their rates add up, so the times have a harmonic mean.
        """
        n_pieces = max(1, round(loops / self._executions))
        barrier = threading.Barrier(self._threads)
        found_s = []

        def work():
            pieces_s = []
            sums = self._code.sums()
            barrier.wait()
            for _ in range(n_pieces):
                started = time.perf_counter()
                self._code.call(self._turns, sums)
                pieces_s.append(time.perf_counter() - started)
            found_s.append(undisturbed_s(pieces_s))

        workers = [threading.Thread(target=work) for _ in range(self._threads)]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join()
        mean_s = len(found_s) / sum(1.0 / piece_s for piece_s in found_s)
        return loops / self._executions * mean_s

    def close(self):
        """Let go of the code."""
        self._code = None


class ClockRunner:
    """Runs `ClockShape` and, in float32, `PeakShape`."""

    def __init__(self, options):
        self._flags = frozenset(options.get("isa") or ())
        usable = worker_threads.usable_cpus()
        self._threads = options.get("threads") or min(usable, options.get("cores") or usable)

    def stack(self):
        """Return what is called."""
        return {
            "framework": "machine code",
            "framework_version": None,
            "backend": "{} threads".format(self._threads),
            "backend_version": None,
        }

    def prepare(self, kernel):
        """Return the code, ready to run."""
        if platform.machine().lower() not in _X86 or sys.maxsize < 1 << 32:
            raise worker_errors.UnsupportedKernel(
                "the clock is not measured on a processor of kind " + platform.machine()
            )
        shape = kernel["shape"]
        flag = clock_code.widest(self._flags)
        if shape["type"] == "ClockShape" and shape["load"] == "scalar":
            return self._chain(None)
        if flag is None:
            raise worker_errors.UnsupportedKernel("the processor has no vector multiply-adds")
        if shape["type"] == "ClockShape" and shape["load"] == "vector":
            return self._chain(flag)
        if shape["type"] == "PeakShape" and kernel["precision"] == "float32":
            return self._peak(flag)
        raise worker_errors.UnsupportedKernel("machine code is timed on clock and float32 peak")

    def _chain(self, flag):
        code = Code(clock_code.assemble(flag, True, sys.platform == "win32"))
        executions = self._executions_of_chain()
        turns = executions * CLOCK_CYCLES // clock_code.CHAIN

        def check(result):
            register, sums = result
            expected = clock_code.expected_register(_CHECK_TURNS)
            if register != expected:
                raise worker_errors.WrongResult(
                    "the chain gave {} instead of {}".format(register, expected)
                )
            return "chain exact" if flag is None else _check_sums(sums, flag, True)

        return _OnAllCores(code, turns, executions, self._threads, check)

    def _executions_of_chain(self):
        return -(-self._threads // _THREADS_OF_PIECE)

    def _peak(self, flag):
        code = Code(clock_code.assemble(flag, False, sys.platform == "win32"))
        turns = self._executions_of_chain() * _MULTIPLY_ADDS_OF_PIECE // clock_code.ALONE
        flop = 2 * clock_code.LANES[flag] * clock_code.ALONE * turns * self._threads

        def check(result):
            return _check_sums(result[1], flag, False)

        return _OnAllCores(code, turns, flop / PEAK_FLOP, self._threads, check)


def _check_sums(sums, flag, has_chain):
    import numpy as np

    lanes = clock_code.LANES[flag]
    found = np.array(sums, dtype="float32").reshape(-1, 16)[:, :lanes]
    expected = np.array(
        [
            [clock_code.expected_sum(_CHECK_TURNS, has_chain, index)] * lanes
            for index in range(clock_code.n_sums())
        ]
    )
    return worker_check.compare(found, expected, "float32", "sums of multiply-adds")
