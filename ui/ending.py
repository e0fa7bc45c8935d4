"""Being asked to end: by Ctrl-C, by the system, by a terminal that is closed.

Leaves to others: what is done then (`ui.progress`, `ui.cli`).
"""

import contextlib
import signal
from collections.abc import Callable, Iterator
from types import FrameType
from typing import Any

# Ctrl-C, being asked to end, and the terminal closed. Windows has fewer.
ENDING = ("SIGINT", "SIGTERM", "SIGHUP")


@contextlib.contextmanager
def answered_by(handler: Callable[[int, FrameType | None], None]) -> Iterator[None]:
    """Take the signals over meanwhile, where that is possible: in the main thread.

    Those that are ignored (`nohup`) stay so.
    """
    before: dict[signal.Signals, Any] = {}
    try:
        for name in ENDING:
            number = getattr(signal, name, None)
            with contextlib.suppress(ValueError):
                if number is not None and signal.getsignal(number) is not signal.SIG_IGN:
                    before[number] = signal.signal(number, handler)
        yield
    finally:
        for number, usual in before.items():
            signal.signal(number, usual)


def as_ctrl_c() -> contextlib.AbstractContextManager[None]:
    """Let every signal end what is done as Ctrl-C does: children and folders do not stay behind."""
    return answered_by(_interrupt)


def _interrupt(_number: int, _frame: FrameType | None) -> None:
    raise KeyboardInterrupt
