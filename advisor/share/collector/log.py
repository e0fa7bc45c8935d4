"""One JSON object a line on standard error: what happened and how often, never who or when exactly.

Leaves to others: what is worth a line.
"""

import datetime as dt
import json
import logging
import sys

_LOGGER = logging.getLogger(__name__)


class _Lines(logging.Formatter):
    """Our own events as they are; the words of libraries without their arguments' tracebacks."""

    def format(self, record: logging.LogRecord) -> str:
        """Return one line of JSON."""
        event = getattr(record, "event", None)
        if event is None:
            event = {"event": "library", "from": record.name, "text": record.getMessage()}
            if record.exc_info and record.exc_info[0] is not None:
                event["error"] = record.exc_info[0].__name__
        day = dt.datetime.now(dt.UTC).strftime("%Y-%m-%dT%H:%MZ")
        return json.dumps({"at": day, "level": record.levelname.lower(), **event})


def log(event: str, **values: str | int | float | None) -> None:
    """Write an event; the values must not tell anything about a person."""
    _LOGGER.info(event, extra={"event": {"event": event, **values}})


def set_up_logging() -> None:
    """Send all lines of this process to standard error in our form."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_Lines())
    logging.basicConfig(level=logging.INFO, handlers=[handler], force=True)
    for name in ("alembic", "uvicorn.access", "sqlalchemy"):
        logging.getLogger(name).setLevel(logging.WARNING)
