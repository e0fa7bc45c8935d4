"""Fetching newer cloud prices, for the command line and the window alike.

Only called when the user asked for it. Leaves to others: the refresh itself
(`advisor.knowledge.refresh`), showing how it goes.
"""

import datetime as dt
from collections.abc import Callable, Iterator

from advisor.knowledge.refresh.run import (
    RefreshProgress,
    Surroundings,
    TableOutcome,
    refresh_prices,
)
from advisor.knowledge.refresh.sources import RefreshRequest
from advisor.knowledge.refresh.status import PriceStatus, price_status
from advisor.knowledge.store import load_knowledge
from ui import dataset, journey
from ui.settings import prices_folder


def fetch_prices(
    request: RefreshRequest,
    *,
    should_stop: Callable[[], bool],
    on_progress: Callable[[RefreshProgress], None],
) -> Iterator[TableOutcome]:
    """Yield the end of each table; what was accepted is in use when the last one has ended.

    Raises:
        InputError: a vendor or region that cannot be refreshed, before anything is asked.
    """
    around = Surroundings(
        bundled=load_knowledge(),
        folder=prices_folder(),
        now=dt.datetime.now(dt.UTC).isoformat(timespec="seconds"),
        user_agent=f"dl-advisor/{journey.app_version()}",
        should_stop=should_stop,
        on_progress=on_progress,
    )
    yield from refresh_prices(request, around=around)
    dataset.bundled_knowledge.cache_clear()
    dataset.bundled_index.cache_clear()


def status_now() -> PriceStatus:
    """Return how old the prices in use are."""
    return price_status(load_knowledge(), folder=prices_folder(), today=journey.today())
