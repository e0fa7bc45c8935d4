"""The collector's HTTP interface: delete, aggregates, export, health, and what submits.

A server keeps nothing between requests but a cache and the rate limit, so that several copies may
run behind one proxy on one PostgreSQL.
Leaves to others: checking (`advisor.share`), storing (`writer`), publishing (`reading`).
"""

import asyncio
import contextlib
import re
import time
from collections.abc import AsyncIterator
from typing import Annotated

from fastapi import FastAPI, Header, Query, Response
from pydantic import BaseModel
from sqlalchemy import Engine, text

from advisor.knowledge.store import Knowledge
from advisor.share.collector.ageing import keep_forgetting, today
from advisor.share.collector.aggregates import Aggregate
from advisor.share.collector.checking import checks_of
from advisor.share.collector.export import export_csv
from advisor.share.collector.log import log
from advisor.share.collector.problems import add_errors, problem, problems
from advisor.share.collector.reading import Published
from advisor.share.collector.settings import CollectorSettings
from advisor.share.collector.store import delete_upload
from advisor.share.collector.submission import add_submission
from advisor.share.collector.writer import Writer

LICENCE_LINK = '<https://creativecommons.org/publicdomain/zero/1.0/>; rel="license"'
_TOKEN = re.compile(r"Bearer ([A-Za-z0-9_-]{43})")


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
    add_errors(app)
    add_submission(app, settings, checks=checks_of(knowledge), writer=writer)
    _add_deletion(app, engine)
    published = Published(
        engine, least=settings.least_group, keep_s=settings.published_s, clock=time.monotonic
    )
    _add_published(app, published)
    _add_health(app, settings, engine)
    return app


def _add_deletion(app: FastAPI, engine: Engine) -> None:
    @app.delete(
        "/v1/uploads",
        status_code=204,
        responses=problems(401, 503),
    )
    def remove(authorization: Annotated[str | None, Header()] = None) -> Response:
        """Delete the upload of a token. The answer is the same whether there is one or not."""
        match = _TOKEN.fullmatch(authorization or "")
        if match is None:
            headers = {"WWW-Authenticate": "Bearer"}
            return problem(401, "send the token as: Authorization: Bearer TOKEN", headers)
        with engine.begin() as connection:
            delete_upload(connection, match[1])
        log("deletion_asked")
        return Response(status_code=204)


def _add_published(app: FastAPI, published: Published) -> None:
    @app.get("/v1/aggregates", responses=problems(422, 503))
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
            **problems(503),
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
    @app.get("/v1/health", responses=problems(503))
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
