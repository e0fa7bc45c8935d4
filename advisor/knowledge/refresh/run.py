"""One refresh: for each vendor fetch, parse, check and keep; what fails leaves the old table.

Leaves to others: each of these steps, and what the user is told (`ui.price_commands`).
"""

import dataclasses
import functools
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from enum import Enum
from pathlib import Path
from urllib.parse import quote, urlencode

from advisor.errors import DataError
from advisor.knowledge.refresh import table
from advisor.knowledge.refresh.accept import check_bands, check_list
from advisor.knowledge.refresh.fetch import Download, Fetcher, host_of, is_same_host
from advisor.knowledge.refresh.identities import Identities, identities
from advisor.knowledge.refresh.parse_azure import page_parameters, parse_meters, parse_page
from advisor.knowledge.refresh.parse_skypilot import parse_catalog
from advisor.knowledge.refresh.parse_spot_advisor import parse_bands
from advisor.knowledge.refresh.priced import PriceList
from advisor.knowledge.refresh.sources import (
    Cancelled,
    GoneError,
    PriceError,
    PriceSource,
    RefreshRequest,
    is_region,
)
from advisor.knowledge.refresh.table import TableOrigin
from advisor.knowledge.refresh.watch import Watch
from advisor.knowledge.store import Knowledge
from advisor.model.offer import Offer, SpotBand

AZURE_KEY = "azure-retail-prices-api"
CATALOG_KEY = "skypilot-catalog-{version}"


class Verdict(Enum):
    """How the refresh of one table ended; after `KEPT` and `CANCELLED` the old one is in use."""

    REFRESHED = "refreshed"
    UNCHANGED = "unchanged"
    KEPT = "kept"
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True, kw_only=True)
class TableOutcome:
    """The end of one table.

    Attributes:
        name: vendor, or "aws-spot-bands".
        n_rows: rows now kept, 0 when the old table stays.
        message: why the old table stays, "" otherwise.
    """

    name: str
    verdict: Verdict
    n_rows: int = 0
    message: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class RefreshProgress:
    """How far a table is: bytes of the answer so far."""

    name: str
    host: str
    n_bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Surroundings:
    """What a refresh is given.

    Attributes:
        bundled: knowledge without refreshed prices: what machines are.
        folder: where the tables are kept.
        now: ISO time, UTC, of the refresh.
        user_agent: name and version of the app, sent to the servers.
        should_stop: asked again and again whether the user wants to stop.
        on_progress: told of each piece of an answer.
    """

    bundled: Knowledge
    folder: Path
    now: str
    user_agent: str
    should_stop: Callable[[], bool]
    on_progress: Callable[[RefreshProgress], None]

    @property
    def today(self) -> str:
        """ISO date of the refresh."""
        return self.now[:10]


@dataclass(frozen=True, slots=True, kw_only=True)
class _Job:
    """One vendor's refresh under way."""

    source: PriceSource
    regions: tuple[str, ...]
    request: RefreshRequest
    around: Surroundings
    known: Identities
    used: tuple[Offer, ...]
    fetcher: Fetcher
    watch: Watch

    def origin(self) -> TableOrigin | None:
        return table.read_origin(self.around.folder, name=self.source.vendor)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Found:
    """An accepted list, None when the server says that ours is the newest."""

    prices: PriceList | None
    url: str
    etag: str | None
    sha256: str


def refresh_prices(request: RefreshRequest, *, around: Surroundings) -> Iterator[TableOutcome]:
    """Refresh the tables asked for, one after another, and yield the end of each.

    Raises:
        InputError: a vendor or region that cannot be refreshed, before anything is asked.
    """
    sources = request.chosen()
    table.clean(around.folder)
    known = identities(around.bundled.offers, around.bundled.accelerators)
    for source in sources:
        work = functools.partial(_vendor, source, request, around, known)
        yield _guarded(source.vendor, work)
        if around.should_stop():
            return
        if source.vendor == "aws":
            yield _guarded(table.BANDS, lambda: _bands(request, around))
            if around.should_stop():
                return


def _guarded(name: str, work: Callable[[], TableOutcome]) -> TableOutcome:
    try:
        return work()
    except Cancelled:
        return TableOutcome(name=name, verdict=Verdict.CANCELLED, message="cancelled")
    except PriceError as error:
        return TableOutcome(name=name, verdict=Verdict.KEPT, message=str(error))


def _fetcher(name: str, request: RefreshRequest, around: Surroundings, watch: Watch) -> Fetcher:
    def tell(host: str, n_bytes: int) -> None:
        around.on_progress(RefreshProgress(name=name, host=host, n_bytes=n_bytes))

    return Fetcher(watch, limits=request.limits, user_agent=around.user_agent, on_bytes=tell)


def _vendor(
    source: PriceSource, request: RefreshRequest, around: Surroundings, known: Identities
) -> TableOutcome:
    in_use = table.add_refreshed(around.bundled, folder=around.folder).offers
    regions: tuple[str, ...] = ()
    if source.is_same_naming:
        regions = tuple(r for r in request.regions if is_region(r, source=source))
        regions = regions or source.usual_regions
    used = tuple(
        offer
        for offer in in_use
        if offer.vendor == source.vendor and (not regions or offer.region in regions)
    )
    with Watch(request.limits.total_s, should_stop=around.should_stop) as watch:
        fetcher = _fetcher(source.vendor, request, around, watch)
        job = _Job(
            source=source,
            regions=regions,
            request=request,
            around=around,
            known=known,
            used=used,
            fetcher=fetcher,
            watch=watch,
        )
        try:
            found = _from_azure(job) if source.catalog is None else _from_catalogs(job)
        finally:
            fetcher.close()
    return _keep(job, found)


def _from_catalogs(job: _Job) -> _Found:
    """Return the first list that is accepted: newest version first, mirror on any failure."""
    failures: dict[str, None] = {}
    absent: dict[str, None] = {}
    silent: set[str] = set()
    endpoints = job.request.endpoints
    for version in endpoints.versions:
        for base in endpoints.catalogs:
            if base in silent or job.watch.is_late:
                continue
            url = f"{base}/{version}/{job.source.catalog}/vms.csv"
            try:
                download = job.fetcher.fetch(url, etag=_etag(job, url))
            except GoneError as error:
                absent[str(error)] = None
                continue
            except PriceError as error:
                failures[str(error)] = None
                silent.add(base)
                continue
            try:
                return _accepted(job, download, CATALOG_KEY.format(version=version))
            except PriceError as error:
                failures[f"{host_of(url)}: {error}"] = None
    raise PriceError("; ".join(failures or absent))


def _etag(job: _Job, url: str) -> str | None:
    """Return the mark of the list that our table was made from, if it still is the one to ask."""
    origin = job.origin()
    if origin is None or origin.url != url or origin.regions != job.regions:
        return None
    return origin.etag


def _accepted(job: _Job, download: Download, source_key: str) -> _Found:
    prices = None
    if download.body is not None:
        try:
            text = download.body.decode("utf-8")
        except UnicodeDecodeError as error:
            raise PriceError(f"the list is not UTF-8 at byte {error.start}") from None
        prices = parse_catalog(
            text,
            source=job.source,
            known=job.known,
            regions=job.regions,
            observed_on=job.around.today,
            source_key=source_key,
        )
        _check(job, prices)
    return _Found(prices=prices, url=download.url, etag=download.etag, sha256=download.sha256)


def _check(job: _Job, prices: PriceList) -> None:
    origin = job.origin()
    is_same = origin is not None and (
        job.source.catalog is not None or origin.regions == job.regions
    )
    check_list(
        prices,
        source=job.source,
        used=job.used,
        n_listed_before=origin.n_listed if origin is not None and is_same else None,
    )


def _from_azure(job: _Job) -> _Found:
    base = job.request.endpoints.azure
    items: list[dict[str, object]] = []
    marks: list[str] = []
    host = host_of(base)
    for region in job.regions:
        url: str | None = f"{base}?{urlencode(page_parameters(region), quote_via=quote)}"
        asked: set[str] = set()
        while url is not None:
            if url in asked:
                raise PriceError(f"{host}: the pages go in a circle")
            if len(asked) >= job.request.limits.max_pages:
                raise PriceError(f"{host}: more than {len(asked)} pages for {region}")
            asked.add(url)
            download = job.fetcher.fetch(url)
            if download.body is None:
                raise PriceError(f"{host}: no page where one was asked for")
            try:
                page = parse_page(download.body)
            except PriceError as error:
                raise PriceError(f"{host}: {error}") from None
            items += page.items
            marks.append(download.sha256)
            if page.next_link is not None and not is_same_host(base, page.next_link):
                raise PriceError(
                    f"{host}: the next page is on another host, {host_of(page.next_link)}"
                )
            url = page.next_link
    prices = parse_meters(
        items,
        known=job.known,
        regions=job.regions,
        observed_on=job.around.today,
        source_key=AZURE_KEY,
    )
    try:
        _check(job, prices)
    except PriceError as error:
        raise PriceError(f"{host}: {error}") from None
    return _Found(prices=prices, url=base, etag=None, sha256=" ".join(marks))


def _keep(job: _Job, found: _Found) -> TableOutcome:
    folder, name, today = job.around.folder, job.source.vendor, job.around.today
    origin = job.origin()
    try:
        old = table.read_table(folder, name=name, row_class=Offer)
    except DataError:
        old = ()
    others = tuple(offer for offer in old if job.regions and offer.region not in job.regions)
    if found.prices is None:
        if origin is None:
            raise PriceError(f"{host_of(found.url)}: nothing new, but our table is gone")
        fresh = tuple(_seen_again(o, today) for o in old if o not in others)
        origin = dataclasses.replace(origin, fetched_at=job.around.now)
        verdict = Verdict.UNCHANGED
    else:
        fresh = found.prices.offers
        origin = TableOrigin(
            url=found.url,
            fetched_at=job.around.now,
            etag=found.etag,
            body_sha256=found.sha256,
            table_sha256="",
            regions=job.regions,
            n_listed=found.prices.n_listed,
        )
        verdict = Verdict.REFRESHED
    rows: Sequence[Offer] = (*others, *fresh)
    _raise_if_stopped(job.around)
    table.keep_table(folder, name=name, rows=rows, row_class=Offer, origin=origin)
    return TableOutcome(name=name, verdict=verdict, n_rows=len(fresh))


def _raise_if_stopped(around: Surroundings) -> None:
    if around.should_stop():
        raise Cancelled("cancelled")


def _seen_again(offer: Offer, today: str) -> Offer:
    spot_on = None if offer.spot_usd_per_hour is None else today
    return dataclasses.replace(offer, observed_on=today, spot_observed_on=spot_on)


def _bands(request: RefreshRequest, around: Surroundings) -> TableOutcome:
    url = request.endpoints.spot_advisor
    in_use = table.add_refreshed(around.bundled, folder=around.folder)
    with Watch(request.limits.total_s, should_stop=around.should_stop) as watch:
        fetcher = _fetcher(table.BANDS, request, around, watch)
        try:
            download = fetcher.fetch(url)
        finally:
            fetcher.close()
    try:
        bands = parse_bands(download.body or b"", offers=in_use.offers, observed_on=around.today)
        check_bands(bands, used=in_use.spot_bands)
    except PriceError as error:
        raise PriceError(f"{host_of(url)}: {error}") from None
    origin = TableOrigin(
        url=url,
        fetched_at=around.now,
        etag=download.etag,
        body_sha256=download.sha256,
        table_sha256="",
        regions=(),
        n_listed=len(bands),
    )
    _raise_if_stopped(around)
    table.keep_table(around.folder, name=table.BANDS, rows=bands, row_class=SpotBand, origin=origin)
    return TableOutcome(name=table.BANDS, verdict=Verdict.REFRESHED, n_rows=len(bands))
