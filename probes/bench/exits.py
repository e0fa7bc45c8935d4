"""What the exit status of a child process says, in one sentence.

Leaves to others: when to look (`probes.bench.process`).
"""

import signal

from advisor.model.measurement import Outcome

# Exit codes of Windows (NTSTATUS) that a native crash leaves.
_WINDOWS_FAULTS = {
    0xC0000005: "accessed memory that is not its own",
    0xC000001D: "used an instruction that this processor does not have",
    0xC00000FD: "overflowed its stack",
    0xC0000409: "was aborted",
}
_WINDOWS_OUT_OF_MEMORY = 0xC0000017

# Characters of what a program wrote last, and of a reason that a worker gives.
_MOST_WORDS = 200
_MOST_REASON = 500

_SIGNAL_WORDS = {
    "SIGABRT": "aborted itself",
    "SIGSEGV": "accessed memory that is not its own",
    "SIGBUS": "accessed memory that is not its own",
    "SIGILL": "used an instruction that this processor does not have",
    "SIGFPE": "divided by zero",
}


def describe_exit(status: int) -> tuple[Outcome, str]:
    """Return verdict and sentence for a child that ended by itself without its last message.

    Args:
        status: as `subprocess.Popen.returncode`: negative is minus the number of a signal.
    """
    if status == 0:
        return Outcome.PROTOCOL_ERROR, "the worker ended without a result"
    if status < 0:
        return _describe_signal(-status)
    code = status & 0xFFFFFFFF
    if code == _WINDOWS_OUT_OF_MEMORY:
        return Outcome.OUT_OF_MEMORY, "the worker ran out of memory"
    if code in _WINDOWS_FAULTS:
        return Outcome.CRASHED, f"the worker {_WINDOWS_FAULTS[code]} (0x{code:08X})"
    return Outcome.CRASHED, f"the worker ended with exit status {status}"


def last_words(stderr: str) -> str:
    """Return the last line that a program wrote, as far as it can be shown; "" for none.

    Of an interpreter that does not start it is the only reason that there is.
    """
    lines = map(_printable, stderr.splitlines())
    return next((line for line in reversed(list(lines)) if line), "")[:_MOST_WORDS]


def plain_reason(told: object) -> str:
    """Return what a worker says as one line that can be shown and kept; "" for nothing.

    A library puts into an exception what it likes: pages, or what steers a terminal.
    """
    text = _printable(" ".join(str(told or "")[: 4 * _MOST_REASON].split()))
    return text if len(text) <= _MOST_REASON else f"{text[:_MOST_REASON]} …"


def _printable(text: str) -> str:
    return "".join(c for c in text if c.isprintable()).strip()


def _describe_signal(number: int) -> tuple[Outcome, str]:
    try:
        name = signal.Signals(number).name
    except ValueError:
        name = f"signal {number}"
    if name == "SIGKILL":
        # Nobody else kills a child so: the kernel does when memory runs out.
        return (
            Outcome.OUT_OF_MEMORY,
            "the system killed the worker (SIGKILL), most likely because memory ran out",
        )
    words = _SIGNAL_WORDS.get(name, "was stopped by a signal")
    return Outcome.CRASHED, f"the worker {words} ({name})"
