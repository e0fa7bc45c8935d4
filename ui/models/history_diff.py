"""Two results of the history, before and after: each figure with its factor.

Leaves to others: reading them (`ui.models.history_entries`), words (`ui.models.history_rows`).
"""

from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum

from advisor.errors import InputError
from advisor.i18n import N_
from advisor.model.measurement import BenchmarkRequest, Measurement
from advisor.model.quantity import Basis, Interval
from advisor.model.recommendation import Recommendation
from advisor.model.trial import TrialReport, TrialResult
from advisor.predict.work import rate

# Less than this is a tie, whatever the values scatter by.
TIE = 0.05
_Range = tuple[float, float]
_HEADLINE = "headline"
_Headlines = dict[tuple[object, ...], Measurement]


class Change(StrEnum):
    """Which way a figure went."""

    FASTER = "faster"
    SLOWER = "slower"
    TIE = "tie"
    UNCLEAR = "unclear"


class FigureKind(StrEnum):
    """What a figure is."""

    JOB_NOW = "job_now"
    JOB_BEST = "job_best"
    KERNEL = "kernel"
    SETTING = "setting"


@dataclass(frozen=True, slots=True, kw_only=True)
class DiffRow:
    """A figure before and after, both in seconds.

    Attributes:
        request: of a kernel; result: of a setting that was tried; None otherwise.
        rates: of a kernel before and after, each with its unit, as people state it.
        is_within_noise: what was timed before and after lies in one range.
    """

    kind: FigureKind
    before_s: float
    after_s: float
    request: BenchmarkRequest | None = None
    result: TrialResult | None = None
    rates: tuple[tuple[float, str], tuple[float, str]] | None = None
    is_within_noise: bool = False

    @property
    def factor(self) -> float:
        """How many times as fast it is now."""
        return self.before_s / self.after_s

    @property
    def change(self) -> Change:
        """A tie within `TIE`; beyond it unclear where the values scatter more than they differ."""
        if max(self.factor, 1.0 / self.factor) < 1.0 + TIE:
            return Change.TIE
        if self.is_within_noise:
            return Change.UNCLEAR
        return Change.FASTER if self.factor > 1.0 else Change.SLOWER


@dataclass(frozen=True, slots=True, kw_only=True)
class Diff:
    """All figures that both results have, and what makes them hard to compare.

    Attributes:
        notes: sentences, to be translated.
        n_lost: figures that only one of the two has.
    """

    before: str
    after: str
    rows: tuple[DiffRow, ...]
    notes: tuple[str, ...] = ()
    n_lost: int = 0


def diff_advices(before: Recommendation, after: Recommendation, *, names: tuple[str, str]) -> Diff:
    """Return the headline kernels and the predicted times of two advices."""
    rows: list[DiffRow] = []
    notes: list[str] = []
    if before.workload == after.workload:
        rows += _job_rows(before, after)
        if (before.baseline.basis is Basis.MEASURED) != (after.baseline.basis is Basis.MEASURED):
            notes.append(N_("One of the two was tried, the other is a prediction."))
    else:
        notes.append(N_("The jobs differ, so that their times say nothing about each other."))
    if before.profile.cpu.brand != after.profile.cpu.brand:
        notes.append(N_("The machines differ."))
    runs = (before.measurements, after.measurements)
    if any(run is None or not run.measured for run in runs):
        notes.append(N_("One of the two rests on no measurement."))
    if any(run is not None and run.is_cancelled for run in runs):
        notes.append(N_("One of the two was stopped before its end: part of it was not measured."))
    old, new = _headlines(before), _headlines(after)
    lost = len(old.keys() ^ new.keys())
    if old and before.measurements == after.measurements:
        notes.append(N_("Both rest on the same measurements."))
    else:
        rows += _kernel_rows(old, new)
    return Diff(before=names[0], after=names[1], rows=tuple(rows), notes=tuple(notes), n_lost=lost)


def _job_rows(before: Recommendation, after: Recommendation) -> Iterator[DiffRow]:
    yield DiffRow(
        kind=FigureKind.JOB_NOW,
        before_s=before.baseline.total_s.mid,
        after_s=after.baseline.total_s.mid,
    )
    if before.ranked and after.ranked:
        yield DiffRow(
            kind=FigureKind.JOB_BEST,
            before_s=before.ranked[0].prediction.total_s.mid,
            after_s=after.ranked[0].prediction.total_s.mid,
        )


def _kernel_rows(old: _Headlines, new: _Headlines) -> Iterator[DiffRow]:
    for key, result in old.items():
        after = new.get(key)
        if after is not None and result.figure_s > 0.0 and after.figure_s > 0.0:
            yield DiffRow(
                kind=FigureKind.KERNEL,
                before_s=result.figure_s,
                after_s=after.figure_s,
                request=after.request,
                rates=(rate(result), rate(after)),
                is_within_noise=_overlap(result.middle_half_s, after.middle_half_s),
            )


def _overlap(before: _Range, after: _Range) -> bool:
    return before[0] <= after[1] and after[0] <= before[1]


def _headlines(advice: Recommendation) -> _Headlines:
    found: _Headlines = {}
    for result in advice.measurements.measured if advice.measurements else ():
        asked = result.request
        if asked.role == _HEADLINE:
            key = (asked.runner, asked.device_id, asked.shape, asked.direction, asked.precision,
                   asked.threads, asked.settings)  # fmt: skip
            found[key] = result
    return found


def diff_trials(before: TrialReport, after: TrialReport, *, names: tuple[str, str]) -> Diff:
    """Return the time of a sample under each setting that both trials ran.

    Raises:
        InputError: when they are of different networks or jobs.
    """
    jobs = [(r.source, r.phase, r.batch_size, r.precision) for r in (before, after)]
    if jobs[0] != jobs[1]:
        raise InputError("these two tried different networks or jobs: choose two of the same")
    old = {r.setup.id: r for r in before.results if r.step_s is not None}
    new = {r.setup.id: r for r in after.results if r.step_s is not None}
    rows = tuple(_setting_row(old[name], new[name]) for name in old if name in new)
    lost = len(old.keys() ^ new.keys())
    return Diff(before=names[0], after=names[1], rows=rows, n_lost=lost)


def _setting_row(before: TrialResult, after: TrialResult) -> DiffRow:
    old, new = _sample_s(before), _sample_s(after)
    return DiffRow(
        kind=FigureKind.SETTING,
        before_s=old.mid,
        after_s=new.mid,
        result=after,
        is_within_noise=_overlap((old.low, old.high), (new.low, new.high)),
    )


def _sample_s(result: TrialResult) -> Interval:
    assert result.step_s is not None
    return result.step_s.scaled(1.0 / result.samples_per_step)
