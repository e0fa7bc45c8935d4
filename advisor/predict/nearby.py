"""Time of a network on a device that nobody here measured, from published times of others.

A law of thumb (work over data-sheet rates) says what is usual; how far published experiments are
from it, each weighing by how alike it is, says the rest.
Leaves to others: the experiments (`advisor.predict.anchors`), their likeness
(`advisor.predict.similarity`), what the answer is used for (`advisor.predict.transfer`).
"""

import dataclasses
import math
import zlib
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from advisor.knowledge.store import Knowledge
from advisor.model.machine import DeviceKind
from advisor.model.published import DeviceSpec
from advisor.model.quantity import Phase, Precision
from advisor.predict.anchors import (
    TRAINING_PASSES,
    Anchor,
    Device,
    OwnTime,
    Run,
    anchors_of,
    gpu_device,
)
from advisor.predict.rivals import in_order, is_behind
from advisor.predict.similarity import (
    UNKNOWN,
    Array,
    Codes,
    Features,
    Kriging,
    Term,
    covariance,
)

# The law of thumb: how the time of a sample goes with multiply-adds, peak and bandwidth.
_WORK_POWER = 0.85
_PEAK_POWER = 0.65
_BANDWIDTH_POWER = 0.25
_USUAL_WORK = 1e9
_PEAK_UNIT = 1e12
_BANDWIDTH_UNIT = 1e11

_USED = ("software", "phase", "precision")
_CONFIGURATION = (*_USED, "network")
_BATCH = ("batch", 1.5)
_STEP = ("step", 1.5)
_CORES = ("cores", 1.0)
_RATES = (("peak", 1.2), ("bandwidth", 1.2))

# Learned by `python -m tests.accuracy.learn` from the bundled rows, one device left out at a time.
TERMS = (
    Term(variance=16.0),
    Term(variance=1.2, same=("kind",)),
    Term(variance=1.6, same=("phase",)),
    Term(variance=0.05, same=("precision",)),
    Term(variance=0.8, same=("study",)),
    Term(variance=0.075, same=("software",)),
    Term(variance=0.4, same=("network",)),
    Term(variance=0.05, same=_USED),
    Term(variance=0.04, same=_CONFIGURATION),
    Term(variance=0.05, same=_CONFIGURATION, near=(_BATCH,)),
    Term(variance=1.6, same=("kind",), near=(_BATCH,)),
    Term(variance=0.4, same=("kind",), near=(_STEP,)),
    Term(variance=0.2, same=("software",), near=(_STEP,)),
    Term(variance=0.4, same=("kind", "vendor")),
    Term(variance=0.025, same=("architecture",)),
    Term(variance=0.1, same=("kind", "vendor", "framework")),
    Term(variance=0.05, same=("architecture", "precision")),
    Term(variance=0.02, same=("kind",), along="peak"),
    Term(variance=0.5, along="bandwidth"),
    Term(variance=0.01, same=("network",), along="balance"),
    Term(variance=0.05, same=("kind",), near=_RATES),
    Term(variance=0.08, same=("kind",), along="cores"),
    Term(variance=0.08, same=("kind",), near=(_CORES,)),
    Term(variance=0.04, same=("network",), along="cores"),
    Term(variance=0.04, same=("architecture",), along="cores"),
    Term(variance=1.3, same=("family",), along="work"),
    Term(variance=0.0125, same=("device",)),
    Term(variance=0.03, same=("device", "software")),
    Term(variance=0.03, same=("device", "precision")),
    Term(variance=0.01, same=("device", "network")),
)
NOISE = 0.04

# Log sd that holds 80 % of left-out cases, over that of the guess (`python -m tests.accuracy`):
# with software that a study ran on other devices, and with the user's own.
WIDTH = 0.5
OWN_WIDTH = 0.46
# With the same run measured on the user's own processor.
ANCHORED_WIDTH = 0.5
# More than this is told as a warning: such figures were sometimes off by more than 3 times.
WARNED_SD = 0.3

# What belongs to the device: rows are chosen by the rest, so that one choice serves all devices.
_OF_DEVICE = frozenset(
    (
        "vendor",
        "architecture",
        "device",
        "peak",
        "bandwidth",
        "balance",
        "step",
        "cores",
    )
)
# Rows that are looked at: more change nothing and take longer.
_N_ROWS = 256
# Rows on the same kind of device come first, where they share anything else.
_SAME_KIND = Term(variance=2.0, same=("kind",))
# No device may take the place of all others.
_N_ROWS_OF_DEVICE = 12


# Study and software of what was measured on the user's own machine.
_HERE = "this machine"


@dataclass(frozen=True, slots=True, kw_only=True)
class Nearby:
    """Seconds of one sample, log sd of them, and the published times that weigh most."""

    sample_s: float
    log_sd: float
    nearest: tuple[Anchor, ...]

    @property
    def is_warned(self) -> bool:
        """Whether the time may be off by more than 3 times."""
        return self.log_sd > WARNED_SD


def usual_log_s(device: Device, run: Run) -> float:
    """Return the logarithm of the seconds of a sample by the law of thumb."""
    work = math.log((run.multiply_adds or _USUAL_WORK) / _USUAL_WORK)
    passes = math.log(TRAINING_PASSES) if run.phase is Phase.TRAINING else 0.0
    peak = math.log(device.peak_flop_per_s / _PEAK_UNIT)
    bandwidth = math.log(device.bandwidth_byte_per_s / _BANDWIDTH_UNIT)
    return _WORK_POWER * work + passes - _PEAK_POWER * peak - _BANDWIDTH_POWER * bandwidth


def _words(device: Device, run: Run) -> dict[str, str | None]:
    """Return the features that are equal or not; None where nothing is known."""
    return {
        "kind": device.kind.value,
        "vendor": device.vendor,
        "architecture": device.architecture,
        "device": device.name,
        "study": run.study,
        "software": run.software,
        "framework": run.framework,
        "network": run.network,
        "family": run.family,
        "phase": run.phase.value,
        "precision": run.precision.value,
    }


def _numbers(device: Device, run: Run) -> dict[str, float]:
    """Return the features that have a distance."""
    peak = math.log(device.peak_flop_per_s / _PEAK_UNIT)
    bandwidth = math.log(device.bandwidth_byte_per_s / _BANDWIDTH_UNIT)
    passes = TRAINING_PASSES if run.phase is Phase.TRAINING else 1
    step = (run.multiply_adds or 2 * _USUAL_WORK) * passes * run.batch_size
    return {
        "peak": peak,
        "bandwidth": bandwidth,
        "balance": peak - bandwidth,
        "work": math.log((run.multiply_adds or _USUAL_WORK) / _USUAL_WORK),
        "batch": math.log(run.batch_size),
        "step": math.log(step / device.peak_flop_per_s),
        "cores": math.log(device.cores),
    }


def _unheard(word: str) -> int:
    """Return the code of a word that no published experiment has: the same for equal words."""
    return UNKNOWN - 1 - zlib.crc32(word.encode())


def _stacked(rows: Sequence[Features]) -> Features:
    return Features(
        codes={name: np.concatenate([row.codes[name] for row in rows]) for name in rows[0].codes},
        numbers={
            name: np.concatenate([row.numbers[name] for row in rows]) for name in rows[0].numbers
        },
    )


class AnchorTable:
    """Published experiments with their features, ready for questions.

    Args:
        anchors: the experiments.
        catalogue: data sheets of GPUs, whose times must not contradict each other.
    """

    def __init__(self, anchors: Sequence[Anchor], *, catalogue: Sequence[DeviceSpec] = ()) -> None:
        self.anchors = tuple(anchors)
        self._catalogue = tuple(catalogue)
        words = [_words(anchor.device, anchor.run) for anchor in self.anchors]
        numbers = [_numbers(anchor.device, anchor.run) for anchor in self.anchors]
        self._known: dict[str, dict[str, int]] = {}
        codes = {}
        for name in words[0] if words else ():
            known = self._known.setdefault(name, {})
            column = [word[name] for word in words]
            codes[name] = np.array(
                [UNKNOWN if word is None else known.setdefault(word, len(known)) for word in column]
            )
        names = numbers[0] if numbers else ()
        columns = {name: np.array([row[name] for row in numbers]) for name in names}
        self.features = Features(codes=codes, numbers=columns)
        self.logs: Array = np.array(
            [math.log(a.sample_s) - usual_log_s(a.device, a.run) for a in self.anchors]
        )

    def asked(self, device: Device, run: Run) -> Features:
        """Return a question as a table of one row."""
        codes = {
            name: np.array(
                [UNKNOWN if word is None else self._known[name].get(word, _unheard(word))]
            )
            for name, word in _words(device, run).items()
        }
        numbers = {name: np.array([value]) for name, value in _numbers(device, run).items()}
        return Features(codes=codes, numbers=numbers)

    def answers(
        self,
        run: Run,
        *,
        kind: DeviceKind,
        is_left_out: Callable[[Anchor], bool] | None = None,
        own: OwnTime | None = None,
        terms: tuple[Term, ...] = TERMS,
    ) -> "Answers | None":
        """Return what answers questions about one run on any device of a kind.

        Args:
            run: what is to run; its study and software may be unknown.
            kind: of the devices.
            is_left_out: tells rows that must not be used, for tests; None: all are used.
            own: what the run takes on the user's own processor; None: not measured.
            terms: of the covariance.

        Returns:
            None without any published time on such a device.
        """
        places: Sequence[int] = range(len(self.anchors))
        if is_left_out is not None:
            places = [place for place in places if not is_left_out(self.anchors[place])]
        rows = np.array(places, dtype=np.int64)
        if not any(self.anchors[row].device.kind is kind for row in rows):
            return None
        chosen = rows[_most_alike(self._job(run, kind), self.features.take(rows), terms)]
        return Answers(table=self, rows=np.sort(chosen), run=run, kind=kind, own=own, terms=terms)

    def catalogue(self, kind: DeviceKind, precision: Precision) -> tuple[Device, ...]:
        """Return the GPUs of a kind with published times and a year; threads decide elsewhere."""
        if kind is DeviceKind.CPU:
            return ()
        known = {anchor.device.name for anchor in self.anchors}
        found = [
            gpu_device(spec, precision=precision)
            for spec in self._catalogue
            if spec.device in known
            and spec.kind is kind
            and spec.year
            and spec.memory_bandwidth_byte_per_s
        ]
        return tuple(device for device in found if device is not None)

    def _job(self, run: Run, kind: DeviceKind) -> Features:
        """Return a question about a run on any device of a kind."""
        device = Device(
            name="", kind=kind, vendor="", architecture=None, year=0,
            peak_flop_per_s=_PEAK_UNIT, bandwidth_byte_per_s=_BANDWIDTH_UNIT,
        )  # fmt: skip
        return self.asked(device, run)


def _most_alike(job: Features, features: Features, terms: Iterable[Term]) -> Codes:
    """Return the rows that are most like a job, whatever the device."""
    of_job = [
        term
        for term in terms
        if not _OF_DEVICE & {*term.same, *(name for name, _length in term.near), term.along}
    ]
    of_job.append(_SAME_KIND)
    order = np.argsort(-covariance(of_job, job, features)[0], kind="stable")
    taken: Counter[int] = Counter()
    chosen = []
    for row in order:
        device = int(features.codes["device"][row])
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
        terms: tuple[Term, ...] = TERMS,
    ) -> None:
        self._table = table
        self._rows = rows
        self._run = run
        self._has_own = own is not None
        features, logs = table.features.take(rows), table.logs[rows]
        extra = np.zeros(len(rows))
        if own is not None:
            # Software for one kind of device is not that for another; the person is the same.
            here = dataclasses.replace(run, study=_HERE, software=_HERE)
            software = _HERE if kind is DeviceKind.CPU else None
            self._run = dataclasses.replace(run, study=_HERE, software=software)
            features = features.joined(table.asked(own.device, here))
            logs = np.append(logs, math.log(own.sample_s) - usual_log_s(own.device, here))
            extra = np.append(extra, own.log_sd**2)
        self._kriging = Kriging(terms, noise=NOISE, features=features, logs=logs, extra_noise=extra)
        self._catalogue = table.catalogue(kind, run.precision)
        self._rival_logs: dict[str, float] = {}

    def _rivals(self, device: Device) -> list[tuple[Device, float]]:
        """Return the devices whose order with a device its data sheet tells, with their times."""
        rivals = [
            one for one in self._catalogue if is_behind(one, device) or is_behind(device, one)
        ]
        new = [one for one in rivals if one.name not in self._rival_logs]
        if new:
            asked = _stacked([self._table.asked(one, self._run) for one in new])
            for one, log_s in zip(new, self._kriging.log_times(asked).tolist(), strict=True):
                self._rival_logs[one.name] = log_s + usual_log_s(one, self._run)
        return [(one, self._rival_logs[one.name]) for one in rivals]

    def on(self, device: Device) -> Nearby:
        """Return the time of a sample on a device."""
        guess = self._kriging.guess(self._table.asked(device, self._run), n_nearest=3)
        log_s = guess.log_s + usual_log_s(device, self._run)
        nearest = [place for place in guess.nearest if place < len(self._rows)][:2]
        return Nearby(
            sample_s=math.exp(in_order(device, log_s, rivals=self._rivals(device))),
            log_sd=self._width() * guess.log_sd,
            nearest=tuple(self._table.anchors[self._rows[place]] for place in nearest),
        )

    def _width(self) -> float:
        if self._has_own:
            return ANCHORED_WIDTH
        return OWN_WIDTH if self._run.study is None else WIDTH


class JobAnswers:
    """Answers about one run, made for a kind of device when the first of it is asked about."""

    def __init__(
        self,
        table: AnchorTable,
        run: Run,
        *,
        own: OwnTime | None = None,
        is_left_out: Callable[[Anchor], bool] | None = None,
    ) -> None:
        self._table = table
        self._run = run
        self._own = own
        self._is_left_out = is_left_out
        self._answers: dict[DeviceKind, Answers | None] = {}

    def on(self, device: Device) -> Nearby | None:
        """Return the time of a sample on a device; None where nothing was published on its kind."""
        if device.kind not in self._answers:
            self._answers[device.kind] = self._table.answers(
                self._run, kind=device.kind, own=self._own, is_left_out=self._is_left_out
            )
        answers = self._answers[device.kind]
        return answers.on(device) if answers else None


def anchor_table(knowledge: Knowledge) -> AnchorTable:
    """Return the published experiments of a knowledge."""
    return AnchorTable(anchors_of(knowledge), catalogue=knowledge.devices)
