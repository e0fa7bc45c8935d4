"""The endpoint that uploads are submitted to.

Nearly all requests are of this one, and a server's processor time is what limits them: so it is
documented like the others, but gets its requests as they come.
Leaves to others: checking (`checking`), storing (`writer`).
"""

import re
import time
from collections.abc import Callable, Coroutine
from typing import Annotated, Any

from fastapi import FastAPI, Path, Request, Response
from fastapi.responses import JSONResponse
from fastapi.routing import APIRoute
from pydantic import BaseModel

from advisor.share.collector.ageing import today
from advisor.share.collector.body import RefusedError, read_body
from advisor.share.collector.checking import Checks, check_body
from advisor.share.collector.limiter import Limiter
from advisor.share.collector.problems import problem, problems
from advisor.share.collector.schema import schema_of
from advisor.share.collector.settings import CollectorSettings
from advisor.share.collector.store import Answer
from advisor.share.collector.writer import Writer
from advisor.share.upload import Upload

_ID = r"^[0-9a-f]{64}$"
_IS_ID = re.compile(r"[0-9a-f]{64}")
_ANSWERS = {
    Answer.ACCEPTED: (201, "accepted"),
    Answer.REPEATED: (200, "it was here already"),
    Answer.QUARANTINED: (202, None),
    Answer.CONFLICT: (409, "another upload has this id"),
    Answer.DELETED: (410, "it was deleted"),
}


class Stored(BaseModel):
    """What became of an upload."""

    state: str
    detail: str | None = None


class DirectRoute(APIRoute):
    """A route whose endpoint checks its own arguments; its annotations are documentation."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Return what is called with a request."""
        endpoint = self.endpoint

        async def handle(request: Request) -> Response:
            response: Response = await endpoint(request, **request.path_params)
            return response

        return handle


def add_submission(
    app: FastAPI, settings: CollectorSettings, *, checks: Checks, writer: Writer
) -> None:
    """Add the endpoint."""
    limiter = Limiter(settings.uploads_per_hour, clock=time.monotonic)

    async def submit(request: Request, upload_id: Annotated[str, Path(pattern=_ID)]) -> Response:
        """Keep an upload. Its id is the SHA-256 of a secret token, which deletes it."""
        if not _IS_ID.fullmatch(upload_id):
            raise RefusedError(422, "not as documented: path.upload_id")
        wait_s = limiter.wait_s(request.client.host if request.client else "")
        if wait_s is not None:
            headers = {"Retry-After": str(int(wait_s))}
            return problem(429, "too many uploads from one address", headers)
        data = await read_body(request)
        new = check_body(upload_id, data, checks=checks, received_on=today().isoformat())
        return _told(await writer.add(new), reason=new.reason)

    body = {"content": {"application/json": {"schema": schema_of(Upload)}}, "required": True}
    app.router.add_api_route(
        "/v1/uploads/{upload_id}",
        submit,
        methods=["PUT"],
        status_code=201,
        response_model=Stored,
        responses={
            200: {"model": Stored, "description": "The same upload was here already"},
            202: {"model": Stored, "description": "Quarantined: a figure that cannot be"},
            **problems(400, 408, 409, 410, 413, 415, 422, 429, 503),
        },
        openapi_extra={"requestBody": body},
        route_class_override=DirectRoute,
    )


def _told(answer: Answer, *, reason: str | None) -> Response:
    status, detail = _ANSWERS[answer]
    if status in (409, 410):
        return problem(status, str(detail))
    return JSONResponse({"state": answer.value, "detail": reason or detail}, status_code=status)
