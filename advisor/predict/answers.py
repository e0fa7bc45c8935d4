"""Time of a run on any device: the answer of all published times, with its width and its nearest.

The middle comes from every published time, with the weights that were solved once; how sure it is
and which times speak for it come from those most like the job. A time that was measured on the
user's own machine pulls the answer to itself.
Leaves to others: the experiments and their likeness (`advisor.predict.nearby`), the weights
(`advisor.predict.weights`), what the answer is used for (`advisor.predict.transfer`).
"""

import dataclasses
import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from advisor.model.machine import DeviceKind
from advisor.predict.anchors import Anchor, Device, OwnTime, Run
from advisor.predict.nearby import NOISE, OF_DEVICE, TERMS, AnchorTable, stacked, usual_log_s
from advisor.predict.rivals import in_order, is_behind
from advisor.predict.similarity import (
    Array,
    Codes,
    Features,
    JobMean,
    Kriging,
    RunLikeness,
    Term,
    covariance,
)

# Log sd that holds 80 % of left-out cases, over that of the guess (`python -m tests.accuracy`):
# with software that a study ran on other devices, and with the user's own.
WIDTH = 0.5
OWN_WIDTH = 0.345
# With the same run measured on the user's own processor.
ANCHORED_WIDTH = 0.5
# Published times are of all software that ever ran, the user's is one that is looked after: by so
# much (logarithm) it is off the middle, learned over the studies of TensorFlow, PyTorch and MXNet.
OWN_LOG = -0.25
# More than this is told as a warning. Of left-out figures below it 3 in 1000 were off by more than
# 3 times, of those above it 5 in 100; with software that a study ran on other devices the large
# errors begin earlier.
WARNED_SD = 0.29
OWN_WARNED_SD = 0.47

# Rows that tell how sure an answer is: more change nothing and take longer.
_N_ROWS = 256
# Rows on the same kind of device come first, where they share anything else.
_SAME_KIND = Term(variance=2.0, same=("kind",))
# No device may take the place of all others.
_N_ROWS_OF_DEVICE = 12
# Study and software of what was measured on the user's own machine.
_HERE = "this machine"
# A job in bfloat16 asks in three number formats.
_MOST_KEPT = 3


@dataclass(frozen=True, slots=True, kw_only=True)
class Nearby:
    """Seconds of one sample, log sd of them, and the published times that weigh most.

    `is_warned` is True when the time may be off by more than 3 times.
    """

    sample_s: float
    log_sd: float
    nearest: tuple[Anchor, ...]
    is_warned: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class LeftOut:
    """For tests: experiments that must have no say, and the weights of the others.

    Attributes:
        rows: their places.
        weights: of all experiments, 0 for those left out; None: solved from the most alike.
    """

    rows: Codes
    weights: Array | None = None


def answers(
    table: AnchorTable,
    run: Run,
    *,
    kind: DeviceKind,
    own: OwnTime | None = None,
    left_out: LeftOut | None = None,
) -> "Answers | None":
    """Return what answers questions about one run on any device of a kind.

    Args:
        table: published experiments.
        run: what is to run; its study and software may be unknown.
        kind: of the devices.
        own: what the run takes on the user's own processor; None: not measured.
        left_out: experiments that must not be used; None: all are used.

    Returns:
        None without any published time on such a device.
    """
    rows = np.arange(len(table.anchors))
    weights = table.weights
    if left_out is not None:
        rows = np.delete(rows, left_out.rows)
        weights = left_out.weights
    if not any(table.anchors[row].device.kind is kind for row in rows):
        return None
    chosen = rows[_most_alike(table.job(run, kind), table.features.take(rows))]
    return Answers(
        table=table, rows=np.sort(chosen), run=run, kind=kind, own=own, weights=weights,
        left_out=frozenset() if left_out is None else frozenset(left_out.rows.tolist()),
    )  # fmt: skip


def _is_of_job(term: Term) -> bool:
    return not OF_DEVICE & {*term.same, *(name for name, _length in term.near), term.along}


def _most_alike(job: Features, features: Features) -> Codes:
    """Return the rows that are most like a job, whatever the device."""
    of_job = [*(term for term in TERMS if _is_of_job(term)), _SAME_KIND]
    order = np.argsort(-covariance(of_job, job, features)[0], kind="stable")
    devices = features.codes["device"][order].tolist()
    taken: Counter[int] = Counter()
    chosen = []
    for row, device in zip(order.tolist(), devices, strict=True):
        taken[device] += 1
        if taken[device] <= _N_ROWS_OF_DEVICE:
            chosen.append(row)
        if len(chosen) == _N_ROWS:
            break
    return np.array(chosen)


class Answers:
    """Times of one run on devices of one kind, in the order of their data sheets."""

    def __init__(
        self,
        *,
        table: AnchorTable,
        rows: Codes,
        run: Run,
        kind: DeviceKind,
        own: OwnTime | None = None,
        weights: Array | None = None,
        left_out: frozenset[int] = frozenset(),
    ) -> None:
        self._table = table
        self._left_out = left_out
        self._rows = rows
        self._run = run
        self._is_own = run.study is None
        self._own_log = 0.0
        self._has_own = own is not None
        features, logs = table.features.take(rows), table.logs[rows]
        if weights is None:
            weights = np.zeros(len(table.anchors))
            weights[rows] = Kriging(TERMS, noise=NOISE, features=features).weights(logs)
        known_noise = table.noise[rows]
        if own is not None:
            # Software for one kind of device is not that for another; the person is the same.
            here = dataclasses.replace(run, study=_HERE, software=_HERE)
            software = _HERE if kind is DeviceKind.CPU else None
            self._run = dataclasses.replace(run, study=_HERE, software=software)
            asked = table.asked(own.device, here)
            expected = float((covariance(TERMS, asked, table.features) @ weights)[0])
            expected += usual_log_s(own.device, here) + self._usual_own_log()
            self._own_log = math.log(own.sample_s) - expected
            features = features.joined(asked)
            known_noise = np.append(known_noise, NOISE + own.log_sd**2)
        job = table.job(self._run, kind)
        self._kriging = Kriging(
            TERMS, noise=NOISE, features=features, known_noise=known_noise,
            likeness=RunLikeness(TERMS, job=job, features=features, of_device=OF_DEVICE),
        )  # fmt: skip
        self._mean = JobMean(
            TERMS, job=job, features=table.features, weights=weights,
            of_device=OF_DEVICE, groups=table.groups,
        )  # fmt: skip
        self._catalogue = table.catalogue(kind, run.precision)
        self._rival_logs: list[float] = []

    def _usual_own_log(self) -> float:
        return OWN_LOG if self._is_own else 0.0

    def _log_times(self, devices: Sequence[Device]) -> list[float]:
        """Return the logarithms of the seconds of a sample, as guessed for each device alone."""
        asked = stacked([self._table.asked(one, self._run) for one in devices])
        pulls = self._kriging.pull_of_last(asked) if self._has_own else np.zeros(len(devices))
        return self._with_usual(devices, self._mean.log_times(asked) + self._own_log * pulls)

    def _with_usual(self, devices: Sequence[Device], found: Array) -> list[float]:
        """Return logarithms of seconds from those over the law of thumb."""
        usual = [usual_log_s(one, self._run) + self._usual_own_log() for one in devices]
        return [log_s + own for log_s, own in zip(found.tolist(), usual, strict=True)]

    def _rivals(self, device: Device) -> list[tuple[Device, float]]:
        """Return the devices whose order with a device its data sheet tells, with their times."""
        if self._catalogue and not self._rival_logs:
            self._rival_logs = self._log_times(self._catalogue)
        return [
            (one, log_s)
            for one, log_s in zip(self._catalogue, self._rival_logs, strict=True)
            if is_behind(one, device) or is_behind(device, one)
        ]

    def on(self, device: Device) -> Nearby:
        """Return the time of a sample on a device."""
        asked = self._table.asked(device, self._run)
        guess = self._kriging.guess(asked, n_nearest=3)
        found = self._mean.log_times(asked) + self._own_log * guess.pull_of_last
        (log_s,) = self._with_usual([device], found)
        nearest = [place for place in guess.nearest if place < len(self._rows)][:2]
        log_sd = self._width() * guess.log_sd
        return Nearby(
            sample_s=math.exp(in_order(device, log_s, rivals=self._rivals(device))),
            log_sd=log_sd,
            nearest=tuple(self._table.anchors[self._rows[place]] for place in nearest),
            is_warned=self._is_unsure(log_sd) or self._is_contradicted(device),
        )

    def _is_unsure(self, log_sd: float) -> bool:
        return log_sd > (OWN_WARNED_SD if self._is_own else WARNED_SD)

    def _is_contradicted(self, device: Device) -> bool:
        known = self._table.contradictions
        return known.about(device, self._run, left_out=self._left_out)

    def _width(self) -> float:
        if self._has_own:
            return ANCHORED_WIDTH
        return OWN_WIDTH if self._is_own else WIDTH


class JobAnswers:
    """Answers about one run, made for a kind of device when the first of it is asked about."""

    def __init__(
        self,
        table: AnchorTable,
        run: Run,
        *,
        own: OwnTime | None = None,
        left_out: LeftOut | None = None,
    ) -> None:
        self._table = table
        self._run = run
        self._own = own
        self._left_out = left_out
        self._answers: dict[DeviceKind, Answers | None] = {}
        self._given: dict[Device, Nearby | None] = {}

    def on(self, device: Device) -> Nearby | None:
        """Return the time of a sample on a device; None where nothing was published on its kind."""
        if device not in self._given:
            self._given[device] = self._answer(device)
        return self._given[device]

    def _answer(self, device: Device) -> Nearby | None:
        if device.kind not in self._answers:
            self._answers[device.kind] = answers(
                self._table, self._run, kind=device.kind, own=self._own, left_out=self._left_out
            )
        found = self._answers[device.kind]
        return found.on(device) if found else None


class LastAnswers:
    """Answers about the last job: other wishes for the same job ask the same questions again."""

    def __init__(self, table: AnchorTable) -> None:
        self._table = table
        self._last: tuple[tuple[tuple[Run, OwnTime | None], JobAnswers], ...] = ()

    def about(self, run: Run, *, own: OwnTime | None) -> JobAnswers:
        """Return the answers about a run; those given before if it is one of the last."""
        # Read once: another thread may ask meanwhile.
        last, asked = self._last, (run, own)
        known = next((found for what, found in last if what == asked), None)
        if known is not None:
            return known
        found = JobAnswers(self._table, run, own=own)
        self._last = (*last[-_MOST_KEPT + 1 :], (asked, found))
        return found
