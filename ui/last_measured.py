"""What was last measured on this machine, whatever was advised or tried since.

A run is that of an advice, or one of `bench` by itself. A run that was stopped has part of its
figures: a complete one before it goes before it.
Leaves to others: the files (`ui.settings`, `ui.history.advices`), reading one (`ui.files`).
"""

import contextlib
import itertools
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from advisor.errors import InputError
from advisor.model.codec import dump_document
from advisor.model.machine import MachineProfile
from advisor.model.measurement import MeasurementSet
from advisor.model.recommendation import Recommendation
from ui.files import read_document, write_bytes
from ui.history.advices import kept_advices, kept_at
from ui.settings import advices_folder, last_bench_file, last_recommendation_file

# Kept advice is read until one is found: whoever stopped more runs in a row measures again.
_MOST_READ = 12


@dataclass(frozen=True, slots=True, kw_only=True)
class MeasuredRun:
    """A machine, and what was measured on it; None: nothing, the machine alone was looked at."""

    profile: MachineProfile
    measurements: MeasurementSet | None


def keep_bench(profile: MachineProfile, measurements: MeasurementSet) -> None:
    """Keep a run of `bench` of the whole machine; a stopped one takes the place of no other.

    A full or read-only disk must not cost the figures, which are shown.
    """
    path = last_bench_file()
    if measurements.is_cancelled and path.exists():
        return
    run = MeasuredRun(profile=profile, measurements=measurements)
    with contextlib.suppress(OSError, InputError):
        path.parent.mkdir(parents=True, exist_ok=True)
        write_bytes(path, dump_document(run).encode("utf-8"))


def last_measured() -> MeasuredRun | None:
    """Return the last run whose measurements are complete, else the last with any, or None."""
    partial: MeasuredRun | None = None
    brand: str | None = None
    for run in _newest_first():
        # What another machine measured, with the same folder at home, says nothing of this one.
        brand = brand or run.profile.cpu.brand
        results = run.measurements
        if results is None or not results.measured or run.profile.cpu.brand != brand:
            continue
        if not results.is_cancelled:
            return run
        partial = partial or run
    return partial


def _newest_first() -> Iterator[MeasuredRun]:
    """Yield what can be read of the last `bench`, the last advice and kept ones, newest first."""
    bench, last = last_bench_file(), last_recommendation_file()
    kept = itertools.islice(kept_advices(advices_folder()), _MOST_READ)
    dated: list[tuple[float, Path, type[Recommendation] | type[MeasuredRun]]] = [
        (_written_s(bench), bench, MeasuredRun),
        (_written_s(last), last, Recommendation),
    ]
    for path in kept:
        at = kept_at(path)
        dated.append((at.timestamp() if at else 0.0, path, Recommendation))
    for _written, path, cls in sorted(dated, key=lambda entry: entry[0], reverse=True):
        yield from _read(path, cls)


def _written_s(path: Path) -> float:
    """Return when a file was written; 0 when it is not there."""
    with contextlib.suppress(OSError):
        return path.stat().st_mtime
    return 0.0


def _read(path: Path, cls: type[Recommendation] | type[MeasuredRun]) -> Iterator[MeasuredRun]:
    with contextlib.suppress(InputError):
        found = read_document(path, cls)
        yield MeasuredRun(profile=found.profile, measurements=found.measurements)
