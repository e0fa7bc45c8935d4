"""The collector's HTTP interface: submit, delete, aggregates, export, health.

A server keeps nothing between requests but a cache and the rate limit, so that several copies may
run behind one proxy on one PostgreSQL.
Leaves to others: checking (`advisor.share`), storing (`writer`), publishing (`reading`).
"""

import asyncio
import contextlib
import re
import time
from collections.abc import AsyncIterator
from typing import Annotated, Any

from fastapi import FastAPI, Header, Path, Query, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.responses import JSONResponse
from pydantic import BaseModel
from sqlalchemy import Engine, text
from sqlalchemy.exc import SQLAlchemyError
from starlette.exceptions import HTTPException

from advisor.knowledge.store import Knowledge
from advisor.share.collector.ageing import keep_forgetting, today
from advisor.share.collector.aggregates import Aggregate
from advisor.share.collector.body import RefusedError, read_body
from advisor.share.collector.checking import Checks, check_body, checks_of
from advisor.share.collector.export import export_csv
from advisor.share.collector.limiter import Limiter
from advisor.share.collector.log import log
from advisor.share.collector.reading import Published
from advisor.share.collector.schema import schema_of
from advisor.share.collector.settings import CollectorSettings
from advisor.share.collector.store import Answer, delete_upload
from advisor.share.collector.writer import StorageError, Writer
from advisor.share.upload import Upload

LICENCE_LINK = '<https://creativecommons.org/publicdomain/zero/1.0/>; rel="license"'
_TOKEN = re.compile(r"Bearer ([A-Za-z0-9_-]{43})")
_RETRY_S = 2


class Problem(BaseModel):
    """Why a request was not done."""

    detail: str


class Stored(BaseModel):
    """What became of an upload."""

    state: str
    detail: str | None = None


class AggregateOut(BaseModel):
    """A published group: the median of n uploads, and the middle half of them."""

    device: str
    device_kind: str
    kernel: str
    direction: str
    precision: str
    unit: str
    framework: str | None
    framework_version: str | None
    backend: str | None
    threads: int | None
    system: str | None
    device_threads: int | None
    n: int
    median: float
    low: float
    high: float
    is_general: bool


class Health(BaseModel):
    """Whether the server works, and how it is run."""

    state: str
    days_kept: int
    least_group: int
    licence: str


def make_app(settings: CollectorSettings, *, engine: Engine, knowledge: Knowledge) -> FastAPI:
    """Return the application on a database whose tables are up to date."""
    writer = Writer(engine)

    @contextlib.asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        writer.start()
        ageing = asyncio.create_task(keep_forgetting(engine, days_kept=settings.days_kept))
        yield
        ageing.cancel()
        with contextlib.suppress(asyncio.CancelledError):
            await ageing
        await asyncio.to_thread(writer.stop)
        engine.dispose()

    app = FastAPI(
        title="DL Advisor collector",
        version="1",
        description="Anonymous benchmark results: submit, delete, and what is published (CC0).",
        license_info={"name": "CC0-1.0", "identifier": "CC0-1.0"},
        lifespan=lifespan,
        docs_url=None,
        redoc_url=None,
    )
    _add_errors(app)
    _add_uploads(app, settings, checks=checks_of(knowledge), writer=writer)
    _add_deletion(app, engine)
    published = Published(
        engine, least=settings.least_group, keep_s=settings.published_s, clock=time.monotonic
    )
    _add_published(app, published)
    _add_health(app, settings, engine)
    return app


def _add_errors(app: FastAPI) -> None:
    @app.exception_handler(RefusedError)
    async def refused(_request: Request, error: RefusedError) -> JSONResponse:
        log("refused", status=error.status)
        return _problem(error.status, error.reason)

    @app.exception_handler(StorageError)
    @app.exception_handler(SQLAlchemyError)
    async def away(_request: Request, error: Exception) -> JSONResponse:
        log("unavailable", error=type(error).__name__)
        headers = {"Retry-After": str(_RETRY_S)}
        return _problem(503, "the database does not answer: send it again", headers)

    @app.exception_handler(RequestValidationError)
    async def invalid(_request: Request, error: RequestValidationError) -> JSONResponse:
        places = {".".join(map(str, entry["loc"])) for entry in error.errors()}
        return _problem(422, f"not as documented: {', '.join(sorted(places))}")

    @app.exception_handler(HTTPException)
    async def other(_request: Request, error: HTTPException) -> JSONResponse:
        headers = dict(error.headers) if error.headers else None
        return _problem(error.status_code, str(error.detail), headers)


def _problem(status: int, reason: str, headers: dict[str, str] | None = None) -> JSONResponse:
    return JSONResponse({"detail": reason}, status_code=status, headers=headers)


def _problems(*statuses: int) -> dict[int | str, dict[str, Any]]:
    return {status: {"model": Problem} for status in statuses}


_ANSWERS = {
    Answer.ACCEPTED: (201, "accepted"),
    Answer.REPEATED: (200, "it was here already"),
    Answer.QUARANTINED: (202, None),
    Answer.CONFLICT: (409, "another upload has this id"),
    Answer.DELETED: (410, "it was deleted"),
}


def _add_uploads(
    app: FastAPI, settings: CollectorSettings, *, checks: Checks, writer: Writer
) -> None:
    limiter = Limiter(settings.uploads_per_hour, clock=time.monotonic)
    body = {"content": {"application/json": {"schema": schema_of(Upload)}}, "required": True}

    @app.put(
        "/v1/uploads/{upload_id}",
        status_code=201,
        response_model=Stored,
        responses={
            200: {"model": Stored, "description": "The same upload was here already"},
            202: {"model": Stored, "description": "Quarantined: a figure that cannot be"},
            **_problems(400, 408, 409, 410, 413, 415, 422, 429, 503),
        },
        openapi_extra={"requestBody": body},
    )
    async def submit(
        request: Request, upload_id: Annotated[str, Path(pattern=r"^[0-9a-f]{64}$")]
    ) -> Response:
        """Keep an upload. Its id is the SHA-256 of a secret token, which deletes it."""
        wait_s = limiter.wait_s(request.client.host if request.client else "")
        if wait_s is not None:
            headers = {"Retry-After": str(int(wait_s))}
            return _problem(429, "too many uploads from one address", headers)
        data = await read_body(request)
        new = check_body(upload_id, data, checks=checks, received_on=today().isoformat())
        answer = await writer.add(new)
        status, detail = _ANSWERS[answer]
        if status in (409, 410):
            return _problem(status, str(detail))
        content = {"state": answer.value, "detail": new.reason or detail}
        return JSONResponse(content, status_code=status)


def _add_deletion(app: FastAPI, engine: Engine) -> None:
    @app.delete(
        "/v1/uploads",
        status_code=204,
        responses=_problems(401, 503),
    )
    def remove(authorization: Annotated[str | None, Header()] = None) -> Response:
        """Delete the upload of a token. The answer is the same whether there is one or not."""
        match = _TOKEN.fullmatch(authorization or "")
        if match is None:
            headers = {"WWW-Authenticate": "Bearer"}
            return _problem(401, "send the token as: Authorization: Bearer TOKEN", headers)
        with engine.begin() as connection:
            delete_upload(connection, match[1])
        log("deletion_asked")
        return Response(status_code=204)


def _add_published(app: FastAPI, published: Published) -> None:
    @app.get("/v1/aggregates", responses=_problems(422, 503))
    def aggregates(
        device: Annotated[str | None, Query(max_length=64)] = None,
        kernel: Annotated[str | None, Query(max_length=96)] = None,
    ) -> list[AggregateOut]:
        """Return the published groups, all or those of a device or a kernel."""
        return [
            _out(aggregate)
            for aggregate in published.aggregates()
            if device in (None, aggregate.series.device)
            and kernel in (None, aggregate.series.kernel)
        ]

    @app.get(
        "/v1/aggregates.csv",
        response_class=Response,
        responses={
            200: {"content": {"text/csv": {}}, "description": "The public dataset, CC0"},
            **_problems(503),
        },
    )
    def export() -> Response:
        """Return the public dataset in the columns of the app's own, under CC0."""
        text_ = export_csv(published.aggregates(), year=today().year)
        headers = {"Link": LICENCE_LINK}
        return Response(text_, media_type="text/csv; charset=utf-8", headers=headers)


def _out(aggregate: Aggregate) -> AggregateOut:
    series = aggregate.series
    return AggregateOut(
        device=series.device,
        device_kind=series.device_kind,
        kernel=series.kernel,
        direction=series.direction,
        precision=series.precision,
        unit=series.unit,
        framework=series.framework,
        framework_version=series.framework_version,
        backend=series.backend,
        threads=series.threads,
        system=series.system or None,
        device_threads=series.device_threads,
        n=aggregate.n,
        median=aggregate.median,
        low=aggregate.low,
        high=aggregate.high,
        is_general=aggregate.is_general,
    )


def _add_health(app: FastAPI, settings: CollectorSettings, engine: Engine) -> None:
    @app.get("/v1/health", responses=_problems(503))
    def health() -> Health:
        """Tell whether the database answers, and for how long uploads are kept."""
        with engine.connect() as connection:
            connection.execute(text("SELECT 1"))
        return Health(
            state="ok",
            days_kept=settings.days_kept,
            least_group=settings.least_group,
            licence="CC0-1.0",
        )
