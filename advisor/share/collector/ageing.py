"""Forgets old uploads, now and every hour.

Leaves to others: what forgetting is (`store.age_out`).
"""

import asyncio
import datetime as dt

from sqlalchemy import Engine
from sqlalchemy.exc import SQLAlchemyError

from advisor.share.collector.log import log
from advisor.share.collector.store import age_out

EVERY_S = 3600.0


def today() -> dt.date:
    """Return the day, UTC."""
    return dt.datetime.now(dt.UTC).date()


def forget_old(engine: Engine, *, days_kept: int, on: dt.date) -> int:
    """Forget what is older than allowed, some at a time; return how many uploads."""
    before = (on - dt.timedelta(days=days_kept)).isoformat()
    total = 0
    while True:
        with engine.begin() as connection:
            n = age_out(connection, before=before)
        total += n
        if n == 0:
            return total


async def keep_forgetting(engine: Engine, *, days_kept: int) -> None:
    """Forget again and again until cancelled; a database that is away is asked again later."""
    while True:
        try:
            n = await asyncio.to_thread(forget_old, engine, days_kept=days_kept, on=today())
            log("aged_out", uploads=n)
        except (SQLAlchemyError, OSError) as error:
            log("ageing_failed", error=type(error).__name__)
        await asyncio.sleep(EVERY_S)
