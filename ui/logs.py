"""The log: warnings and unexpected errors, in a file of the user that nobody sends anywhere.

Leaves to others: what is shown of an error (`ui.excepthook`, `ui.cli`).
"""

import contextlib
import logging
import logging.handlers
from collections.abc import Iterator
from pathlib import Path

import platformdirs

from ui.settings import APP_NAME

MAX_BYTES = 256 * 1024
N_OLD_FILES = 2
_LAST_LINES = 20
_TAIL_BYTES = 8 * 1024
_log = logging.getLogger(__name__)


def log_folder() -> Path:
    """Return the folder of the log, which the user would not miss."""
    return Path(platformdirs.user_cache_dir(APP_NAME, appauthor=False)) / "log"


def log_file() -> Path:
    """Return the file that is written to; there is none while nothing happened."""
    return log_folder() / f"{APP_NAME}.log"


class QuietFile(logging.handlers.RotatingFileHandler):
    """A log file made at the first line; a full or read-only disk costs the line, nothing else."""

    def __init__(self, path: Path) -> None:
        super().__init__(
            path, maxBytes=MAX_BYTES, backupCount=N_OLD_FILES, encoding="utf-8", delay=True
        )
        self.setLevel(logging.WARNING)
        self.setFormatter(logging.Formatter("%(asctime)s %(levelname)s %(name)s: %(message)s"))

    def emit(self, record: logging.LogRecord) -> None:
        """Write a line, into a folder that is made for it."""
        with contextlib.suppress(OSError):
            Path(self.baseFilename).parent.mkdir(parents=True, exist_ok=True)
        super().emit(record)

    def handleError(self, _record: logging.LogRecord) -> None:  # noqa: N802 - the library's name
        """Say nothing: the user is told of the error itself."""

    def close(self) -> None:
        """Close the file; what a full disk did not take is lost."""
        with contextlib.suppress(OSError):
            super().close()


@contextlib.contextmanager
def kept_log() -> Iterator[None]:
    """Keep what is logged meanwhile."""
    handler = QuietFile(log_file())
    logging.getLogger().addHandler(handler)
    try:
        yield
    finally:
        logging.getLogger().removeHandler(handler)
        handler.close()


def log_fault(error: BaseException) -> None:
    """Log an error that nobody expected, with where it came from."""
    _log.error("unexpected error", exc_info=error)


def last_log_lines() -> tuple[str, ...]:
    """Return the end of the log, () when there is none that can be read."""
    try:
        with log_file().open("rb") as stream:
            stream.seek(0, 2)
            stream.seek(max(0, stream.tell() - _TAIL_BYTES))
            text = stream.read().decode("utf-8", errors="replace")
    except OSError:
        return ()
    return tuple(text.splitlines()[-_LAST_LINES:])
