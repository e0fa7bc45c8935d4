"""Time of a network on a device that nobody here measured, from published times of others.

A law of thumb (work over data-sheet rates) says what is usual; how far published experiments are
from it, each weighing by how alike it is, says the rest.
Leaves to others: the experiments (`advisor.predict.anchors`), their likeness
(`advisor.predict.similarity`), what the answer is used for (`advisor.predict.transfer`).
"""

import functools
import math
import zlib
from collections.abc import Sequence

import numpy as np

from advisor.model.machine import DeviceKind
from advisor.model.published import DeviceSpec
from advisor.model.quantity import Phase, Precision
from advisor.predict.anchors import (
    TRAINING_PASSES,
    Anchor,
    Device,
    Run,
    gpu_device,
)
from advisor.predict.contradictions import Contradictions
from advisor.predict.similarity import (
    UNKNOWN,
    Array,
    Codes,
    Features,
    Term,
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
NOISE = 0.035

# What belongs to the device: the rest of a question is the same for all devices.
OF_DEVICE = frozenset(
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


def stacked(rows: Sequence[Features]) -> Features:
    """Return several tables, one below the other."""
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

    Attributes:
        features, logs: of the experiments; logs are over the law of thumb.
        groups: for each experiment the number of its device, equal for equal data sheets.
        weights: of the experiments in any answer (`advisor.predict.weights`); None: not solved.
        noise: variance of each experiment that nothing shares; `NOISE` of all until it is solved.
    """

    def __init__(self, anchors: Sequence[Anchor], *, catalogue: Sequence[DeviceSpec] = ()) -> None:
        self.anchors = tuple(anchors)
        self.weights: Array | None = None
        self.noise: Array = np.full(len(self.anchors), NOISE)
        sheets: dict[Device, int] = {}
        self.groups: Codes = np.array(
            [sheets.setdefault(anchor.device, len(sheets)) for anchor in self.anchors],
            dtype=np.int64,
        )
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

    @functools.cached_property
    def contradictions(self) -> Contradictions:
        """What the experiments on like devices contradict each other about."""
        return Contradictions(self.anchors, self.logs.tolist())

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

    def job(self, run: Run, kind: DeviceKind) -> Features:
        """Return a question about a run on any device of a kind."""
        device = Device(
            name="", kind=kind, vendor="", architecture=None, year=0,
            peak_flop_per_s=_PEAK_UNIT, bandwidth_byte_per_s=_BANDWIDTH_UNIT,
        )  # fmt: skip
        return self.asked(device, run)
