"""What was last measured on this machine, whatever was advised or tried since.

A run that was stopped has part of its figures: a complete one before it goes before it.
Leaves to others: the files (`ui.settings`, `ui.history.advices`), reading one (`ui.files`).
"""

import contextlib
import itertools
from collections.abc import Iterator

from advisor.errors import InputError
from advisor.model.recommendation import Recommendation
from ui.files import read_document
from ui.history.advices import kept_advices
from ui.settings import advices_folder, read_last

# Kept advice is read until one is found: whoever stopped more runs in a row measures again.
_MOST_READ = 12


def last_measured() -> Recommendation | None:
    """Return the last advice whose measurements are complete, else the last with any, or None."""
    partial: Recommendation | None = None
    brand: str | None = None
    for advice in _newest_first():
        # What another machine measured, with the same folder at home, says nothing of this one.
        brand = brand or advice.profile.cpu.brand
        results = advice.measurements
        if results is None or not results.measured or advice.profile.cpu.brand != brand:
            continue
        if not results.is_cancelled:
            return advice
        partial = partial or advice
    return partial


def _newest_first() -> Iterator[Recommendation]:
    last = read_last()
    if last is not None:
        yield last
    for path in itertools.islice(kept_advices(advices_folder()), _MOST_READ):
        with contextlib.suppress(InputError):
            yield read_document(path, Recommendation)
