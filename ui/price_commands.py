"""The commands `prices`, `prices status`, `prices refresh` and `prices regions`.

Only `refresh` uses the network, and only when the user types it.
Leaves to others: the refresh (`advisor.knowledge.refresh`), parsing words (`ui.cli`).
"""

import argparse
import contextlib
import signal
import sys
import time
from collections.abc import Iterator
from types import FrameType

from advisor.errors import InputError
from advisor.format import format_bytes
from advisor.i18n import N_, Translator
from advisor.knowledge.refresh.run import (
    RefreshProgress,
    TableOutcome,
    Verdict,
)
from advisor.knowledge.refresh.sources import SOURCES, Endpoints, Limits, RefreshRequest
from advisor.knowledge.refresh.status import (
    OLD_DAYS,
    OLD_SPOT_DAYS,
    PriceStatus,
    VendorPrices,
)
from advisor.model.report import Table
from advisor.report.called import as_called
from advisor.report.columns import wrap
from advisor.report.text_table import table_lines
from probes.bench.process import CancelToken
from ui import dataset
from ui.commands import regions_of, say
from ui.exits import EXIT_CANCELLED, EXIT_DONE, EXIT_INCOMPLETE
from ui.files import write_document
from ui.pricing import fetch_prices, status_now
from ui.program import program_name
from ui.terminal import in_columns, output_width, print_line, user_translator

# On a terminal the line is rewritten no more often.
REWRITE_S = 0.1


def prices(options: argparse.Namespace) -> int:
    """Show how old the prices are, or fetch newer ones."""
    if options.action == "refresh":
        return refresh(options)
    if options.action == "regions":
        return _list_regions(options)
    for name in ("vendor", "regions"):
        if getattr(options, name):
            raise InputError(f"--{name} goes with `prices refresh`")
    status = status_now()
    if options.json is not None:
        write_document(options.json, status)
    if options.json != "-":
        print_line(status_text(status))
    for problem in status.problems:
        say(f"a refreshed table is not used, the older one is: {problem}")
    return EXIT_INCOMPLETE if status.problems else EXIT_DONE


def refresh(options: argparse.Namespace) -> int:
    """Fetch, check and keep newer prices; a failed check keeps the old ones and says so."""
    if options.json is not None:
        raise InputError("--json goes with `prices status`")
    request = RefreshRequest(
        vendors=_words(options.vendor),
        regions=_words(options.regions),
        endpoints=_endpoints(options),
        limits=Limits() if options.total_s is None else Limits(total_s=options.total_s),
    )
    request.chosen()
    regions_of(options.regions, has_short_names=False)
    token = CancelToken()
    line = _Line()
    outcomes: list[TableOutcome] = []
    with _cancelling(token):
        found = fetch_prices(request, should_stop=lambda: token.is_cancelled, on_progress=line.show)
        for outcome in found:
            line.clear()
            say(outcome_text(outcome))
            outcomes.append(outcome)
    line.clear()
    if token.is_cancelled:
        say("cancelled: what was fetched until now is kept")
        return EXIT_CANCELLED
    is_whole = all(o.verdict in (Verdict.REFRESHED, Verdict.UNCHANGED) for o in outcomes)
    return EXIT_DONE if is_whole else EXIT_INCOMPLETE


def _list_regions(options: argparse.Namespace) -> int:
    """List the regions that have an offer, by vendor; those that sell in one place stay out."""
    if options.json is not None:
        raise InputError("--json goes with `prices status`")
    if options.regions:
        raise InputError("--regions goes with `prices refresh`")
    wanted = _words(options.vendor)
    found: dict[str, set[str]] = {}
    for offer in dataset.bundled_knowledge().offers:
        found.setdefault(offer.vendor, set()).add(offer.region)
    for vendor in wanted:
        if vendor not in found:
            raise InputError(f"no offer is of {vendor!r}: choose of {', '.join(sorted(found))}")
    for vendor, regions in sorted(found.items()):
        if vendor in wanted or (not wanted and len(regions) > 1):
            print_line(f"{vendor}\n{in_columns(sorted(regions))}")
    return EXIT_DONE


@contextlib.contextmanager
def _cancelling(token: CancelToken) -> Iterator[None]:
    """Let Ctrl-C cancel in order, and a second one at once."""

    def interrupt(_number: int, _frame: FrameType | None) -> None:
        if token.is_cancelled:
            raise KeyboardInterrupt
        token.cancel()

    usual = signal.signal(signal.SIGINT, interrupt)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, usual)


def _words(text: str) -> tuple[str, ...]:
    return tuple(word.strip() for word in text.split(",") if word.strip())


def _endpoints(options: argparse.Namespace) -> Endpoints:
    usual = Endpoints()
    return Endpoints(
        catalogs=tuple(url.rstrip("/") for url in options.catalog_url) or usual.catalogs,
        azure=options.azure_url or usual.azure,
        spot_advisor=options.spot_advisor_url or usual.spot_advisor,
    )


def outcome_text(outcome: TableOutcome) -> str:
    """Return the end of one table as a line."""
    if outcome.verdict is Verdict.REFRESHED:
        return f"{outcome.name}: {outcome.n_rows} rows, of today"
    if outcome.verdict is Verdict.UNCHANGED:
        return f"{outcome.name}: {outcome.n_rows} rows, unchanged until today"
    return f"{outcome.name}: the old prices stay in use: {outcome.message}"


def status_text(status: PriceStatus) -> str:
    """Return a line for each vendor, and what is old."""
    tr = user_translator()
    heads = (N_("vendor"), N_("offers"), N_("on demand"), N_("spot"), N_("source"))
    table = Table(
        heads=tuple(tr(head) for head in heads),
        rows=tuple(_vendor_row(row, tr) for row in status.vendors),
        right_aligned=(1,),
    )
    lines = table_lines(table, output_width())[1:]
    told = list(_old_texts(status, tr))
    lines += [
        line
        for text in told
        for line in wrap(as_called(text, program_name()), output_width(), breaks_words=False)
    ]
    return "\n".join(lines)


def _old_texts(status: PriceStatus, tr: Translator) -> Iterator[str]:
    """Yield what is old, and what to do about it."""
    old = [row for row in status.vendors if row.n_old]
    old_spot = [row for row in status.vendors if row.n_spot_old]
    if old:
        names = tr(N_(", ")).join(f"{v.vendor} ({v.n_old}/{v.n_offers})" for v in old)
        yield tr(N_("Older than {days} days: {names}"), days=OLD_DAYS, names=names)
    if old_spot:
        names = tr(N_(", ")).join(f"{v.vendor} ({v.n_spot_old}/{v.n_spot})" for v in old_spot)
        yield tr(N_("Spot older than {days} days: {names}"), days=OLD_SPOT_DAYS, names=names)
    if old or old_spot:
        text = N_("`dl-advisor prices refresh` asks for newer ones of {names}.")
        yield tr(text, names=tr(N_(", ")).join(SOURCES))


def _vendor_row(row: VendorPrices, tr: Translator) -> tuple[str, ...]:
    sources = ", ".join(row.sources)
    if row.fetched_at is not None:
        text = N_("{sources}, refreshed {date}")
        sources = tr(text, sources=sources, date=row.fetched_at[:10])
    on_demand = _span(row.oldest, row.newest, tr)
    spot = _span(row.spot_oldest, row.spot_newest, tr)
    return row.vendor, str(row.n_offers), on_demand, spot, sources


def _span(oldest: str | None, newest: str | None, tr: Translator) -> str:
    if oldest is None:
        return tr(N_("unknown"))
    return oldest if oldest == newest else f"{oldest} – {newest}"


class _Line:
    """One rewritten line of progress on a terminal; elsewhere a line for each table."""

    def __init__(self) -> None:
        self._is_terminal = sys.stderr.isatty()
        self._told: tuple[str, str] | None = None
        self._at = 0.0
        self._is_shown = False

    def show(self, progress: RefreshProgress) -> None:
        """Tell how far a table is."""
        what = (progress.name, progress.host)
        if not self._is_terminal:
            if what != self._told:
                say(f"{progress.name}: asking {progress.host}")
            self._told = what
        elif time.monotonic() - self._at >= REWRITE_S:
            self._at = time.monotonic()
            text = user_translator()(
                N_("{table}: {size} from {host}; Ctrl-C stops"),
                table=progress.name,
                size=format_bytes(progress.n_bytes),
                host=progress.host,
            )
            sys.stderr.write(f"\r\x1b[K{text}")
            sys.stderr.flush()
            self._is_shown = True

    def clear(self) -> None:
        """Make room for a line that stays."""
        if self._is_shown:
            sys.stderr.write("\r\x1b[K")
            self._is_shown = False
