"""A moment that stands still, for what is dated."""

import datetime as dt

MOMENT = dt.datetime(2026, 11, 28, 9, 5, 7, tzinfo=dt.timezone(dt.timedelta(hours=5, minutes=30)))
