"""Reading the body of a request within limits, before anything looks at what it says.

Leaves to others: its meaning (`advisor.share.upload`).
"""

import asyncio

from starlette.requests import ClientDisconnect, Request

from advisor.errors import AdvisorError
from advisor.share.upload import MAX_BYTES

READ_S = 10.0
# An upload has an object for each device and figure, and no text of its own holds a bracket.
_MOST_BRACKETS = 400


class RefusedError(AdvisorError):
    """A request that is answered with a status and a reason."""

    def __init__(self, status: int, reason: str) -> None:
        super().__init__(reason)
        self.status = status
        self.reason = reason


async def read_body(request: Request) -> bytes:
    """Return the body of a request.

    Raises:
        RefusedError: when it is no JSON by its own words, too large, too slow or too deep.
    """
    kind = request.headers.get("content-type", "").split(";")[0].strip().lower()
    if kind != "application/json":
        raise RefusedError(415, "send application/json")
    if request.headers.get("content-encoding", "identity").lower() != "identity":
        raise RefusedError(415, "send it unpacked")
    told = request.headers.get("content-length", "0")
    if not told.isdigit() or int(told[:12]) > MAX_BYTES:
        raise RefusedError(413, f"an upload has at most {MAX_BYTES} bytes")
    body = bytearray()
    try:
        async with asyncio.timeout(READ_S):
            async for piece in request.stream():
                body += piece
                if len(body) > MAX_BYTES:
                    raise RefusedError(413, f"an upload has at most {MAX_BYTES} bytes")
    except TimeoutError:
        raise RefusedError(408, f"the body did not come within {READ_S:g} s") from None
    except ClientDisconnect:
        raise RefusedError(400, "the body broke off") from None
    if body.count(b"[") + body.count(b"{") > _MOST_BRACKETS:
        raise RefusedError(400, "nested too deeply, or more entries than an upload has")
    return bytes(body)
