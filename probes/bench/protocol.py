"""The language of parent and child: one JSON object a line, UTF-8, no NaN.

Parent to child: `run` (first line, with everything to be done), `cancel`. End of input means
that the parent is gone.
Child to parent: `hello` first, then any of `stage`, `progress`, `value`, `kernel_failed` and
`log`, then exactly one of `result`, `error` and `cancelled`. Others are ignored.
The child's half is `probes/workers/worker_protocol.py`.
"""

import json
import math
from collections.abc import Iterator, Mapping
from typing import Any, Final

from advisor.errors import FormatError
from probes.bench.exits import plain_reason

# 1: first version.
PROTOCOL_VERSION: Final = 1

# The largest message is the result of some thousand devices; a longer line is no message.
MAX_LINE_BYTES: Final = 4 * 1024 * 1024
_SHOWN_BYTES = 80

EVENT_TYPES: Final = frozenset({"hello", "stage", "progress", "value", "kernel_failed", "log"})
FINAL_TYPES: Final = frozenset({"result", "error", "cancelled"})

Message = dict[str, Any]


class ProtocolError(FormatError):
    """A child does not speak the protocol."""


def encode_message(message: Mapping[str, Any]) -> bytes:
    """Return the line that carries a message, with its newline."""
    text = json.dumps(dict(message), ensure_ascii=False, allow_nan=False)
    return text.encode() + b"\n"


def _refuse_constant(name: str) -> float:
    raise ValueError(f"{name} is not a number")


def _finite(text: str) -> float:
    value = float(text)
    if not math.isfinite(value):
        raise ValueError(f"{text} is not finite")
    return value


def parse_message(line: bytes) -> Message:
    """Return the message in one line.

    Raises:
        ProtocolError: when it is not a JSON object with a "type" in valid UTF-8.
    """
    try:
        body = json.loads(
            line.decode("utf-8"), parse_constant=_refuse_constant, parse_float=_finite
        )
    except (ValueError, RecursionError) as error:
        # What greets the user of an interpreter is told; of a message, what is wrong with it.
        why = error if line.lstrip().startswith(b"{") else repr(_beginning(line))
        raise ProtocolError(f"the worker wrote a line that is no message: {why}") from None
    if not isinstance(body, dict) or not isinstance(body.get("type"), str):
        raise ProtocolError("the worker wrote a line that is not an object with a type")
    return body


def _beginning(line: bytes) -> str:
    return plain_reason(line[:_SHOWN_BYTES].decode(errors="replace"))


class LineSplitter:
    """Cuts a stream of bytes into lines, and refuses a line without end."""

    def __init__(self) -> None:
        self._rest = bytearray()

    @property
    def has_rest(self) -> bool:
        """Whether a line was begun and not ended."""
        return bool(self._rest)

    def feed(self, chunk: bytes) -> Iterator[bytes]:
        """Yield the lines that the chunk completes, without their newline.

        Raises:
            ProtocolError: when a line is longer than `MAX_LINE_BYTES`.
        """
        self._rest += chunk
        while True:
            end = self._rest.find(b"\n")
            if max(end, len(self._rest) if end < 0 else 0) > MAX_LINE_BYTES:
                self._rest.clear()
                raise ProtocolError(f"the worker wrote a line of over {MAX_LINE_BYTES} bytes")
            if end < 0:
                return
            line = bytes(self._rest[:end])
            del self._rest[: end + 1]
            if line.strip():
                yield line
