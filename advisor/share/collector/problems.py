"""What is answered to a request that was not done: a status and one line.

Leaves to others: finding the problem (`checking`, `body`, `writer`).
"""

from typing import Any

from fastapi import FastAPI, Request
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel
from sqlalchemy.exc import SQLAlchemyError
from starlette.exceptions import HTTPException

from advisor.share.collector.body import RefusedError
from advisor.share.collector.log import log
from advisor.share.collector.writer import StorageError

_RETRY_S = 2


class Problem(BaseModel):
    """Why a request was not done."""

    detail: str


def problem(status: int, reason: str, headers: dict[str, str] | None = None) -> JSONResponse:
    """Return the answer to a request that was not done."""
    return JSONResponse({"detail": reason}, status_code=status, headers=headers)


def problems(*statuses: int) -> dict[int | str, dict[str, Any]]:
    """Return these answers as the OpenAPI document tells them."""
    return {status: {"model": Problem} for status in statuses}


def add_errors(app: FastAPI) -> None:
    """Answer errors in our form."""

    @app.exception_handler(RefusedError)
    async def refused(_request: Request, error: RefusedError) -> JSONResponse:
        log("refused", status=error.status)
        return problem(error.status, error.reason)

    @app.exception_handler(StorageError)
    @app.exception_handler(SQLAlchemyError)
    async def away(_request: Request, error: Exception) -> JSONResponse:
        log("unavailable", error=type(error).__name__)
        headers = {"Retry-After": str(_RETRY_S)}
        return problem(503, "the database does not answer: send it again", headers)

    @app.exception_handler(RequestValidationError)
    async def invalid(_request: Request, error: RequestValidationError) -> JSONResponse:
        places = {".".join(map(str, entry["loc"])) for entry in error.errors()}
        return problem(422, f"not as documented: {', '.join(sorted(places))}")

    @app.exception_handler(HTTPException)
    async def other(_request: Request, error: HTTPException) -> JSONResponse:
        headers = dict(error.headers) if error.headers else None
        return problem(error.status_code, str(error.detail), headers)
