"""A network on this machine among published results of the same network and phase.

Like with like: same precision, one device, a batch within a factor of 2, a framework that is
named, and work that is known not to differ from its name. Where nobody published such a batch,
one within a factor of 8 stands in, and every figure tells its own.
Leaves to others: kernels (`advisor.compare.kernels`), predictions from such rows
(`advisor.predict`).
"""

import dataclasses
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from advisor.compare.ordering import best_of_each, compared, placed, software_of
from advisor.compare.published_kernels import is_on_one_device
from advisor.compare.same import with_same_machine
from advisor.knowledge.store import Knowledge
from advisor.model.comparison import Comparison, ComparisonGroup, NoResult, OwnBasis, Subject
from advisor.model.machine import CPU_DEVICE_ID, DeviceKind, MachineProfile
from advisor.model.prediction import Prediction
from advisor.model.published import Comparability, PublishedResult
from advisor.model.quantity import Basis, Interval
from advisor.model.workload import Workload
from advisor.predict.published import (
    is_phase,
    is_similar_batch,
    network_facts,
    network_names,
    seconds_per_sample,
    spelled,
)

_UNIT = "1/s"
# Where no batch is similar: rates of batches this far apart still place a device.
_NEAR_BATCH = 8.0


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sieve:
    """One demand on a row; when no row meets it, why, and what there was instead."""

    keeps: Callable[[PublishedResult], bool]
    reason: NoResult
    words: Callable[[PublishedResult], str | None]


def compare_network(
    workload: Workload,
    prediction: Prediction,
    knowledge: Knowledge,
    *,
    profile: MachineProfile,
    software: str | None = None,
) -> Comparison:
    """Return this machine among those that somebody ran the same network on.

    Args:
        workload: the network, phase, precision and batch.
        prediction: its step on this machine's CPU, predicted or measured.
        knowledge: published results.
        profile: the machine.
        software: what the step was measured with; None when it was predicted.
    """
    step = prediction.step_s
    batch = workload.batch_size
    own = None
    if step.low > 0.0:
        own = Interval(low=batch / step.high, mid=batch / step.mid, high=batch / step.low)
    is_measured = prediction.basis is Basis.MEASURED
    facts = network_facts(knowledge, name=workload.network)
    kept, reason, found = _like(workload, knowledge)
    frameworks = {software_of(row): row.framework for row in kept}
    results = [
        compared(row, value=1.0 / per_sample, unit=_UNIT, own=own)
        for row in kept
        if (per_sample := seconds_per_sample(row, facts=facts)) is not None
    ]
    group = ComparisonGroup(
        subject=Subject.NETWORK,
        device_id=CPU_DEVICE_ID,
        device=profile.cpu.brand,
        kind=DeviceKind.CPU,
        unit=_UNIT,
        own=own,
        own_basis=OwnBasis.MEASURED if is_measured else OwnBasis.PREDICTED,
        own_software=software,
        # Of versions and thread counts the best speaks for a device and a framework.
        results=best_of_each(
            results, key=lambda r: (r.device, r.kind, frameworks.get(r.software or ""))
        ),
        precision=workload.precision,
        workload=workload.title,
        phase=workload.phase,
        batch_size=batch,
        no_result=reason,
        found=found,
    )
    if own is None:
        group = dataclasses.replace(group, no_result=NoResult.OWN_FIGURE_UNKNOWN)
    return Comparison(
        machine=profile.cpu.brand,
        collected_on=profile.collected_on,
        measured_on=None,
        groups=with_same_machine([placed(group)], knowledge),
    )


def _like(
    workload: Workload, knowledge: Knowledge
) -> tuple[Sequence[PublishedResult], NoResult | None, tuple[str, ...]]:
    """Return the rows that may be compared, or why there are none and what there is instead."""
    names = network_names(workload, knowledge=knowledge)
    rows = [row for row in knowledge.published if spelled(row.workload) in names]
    if not rows:
        return (), NoResult.NOTHING_PUBLISHED, ()
    for sieve in _sieves(workload, knowledge):
        kept = [row for row in rows if sieve.keeps(row)]
        if not kept:
            words = {word for row in rows if (word := sieve.words(row)) is not None}
            return (), sieve.reason, tuple(sorted(words, key=_natural))
        rows = kept
    similar = [row for row in rows if is_similar_batch(row, workload.batch_size)]
    return similar or rows, None, ()


def _is_near_batch(row: PublishedResult, batch_size: int) -> bool:
    if not row.batch_size:
        return False
    return 1.0 / _NEAR_BATCH <= row.batch_size / batch_size <= _NEAR_BATCH


def _natural(text: str) -> tuple[int, str]:
    digits = "".join(letter for letter in text if letter.isdigit())
    return (int(digits) if digits else 0, text)


def _sieves(workload: Workload, knowledge: Knowledge) -> tuple[_Sieve, ...]:
    facts = network_facts(knowledge, name=workload.network)
    return (
        _Sieve(
            keeps=lambda row: is_phase(row, workload.phase),
            reason=NoResult.OTHER_PHASE,
            words=lambda row: row.phase.value,
        ),
        _Sieve(
            keeps=lambda row: seconds_per_sample(row, facts=facts) is not None,
            reason=NoResult.NO_RATE,
            words=lambda row: row.metric.replace("_", " "),
        ),
        _Sieve(
            keeps=lambda row: row.comparability is not Comparability.NOT_COMPARABLE,
            reason=NoResult.OTHER_WORK,
            words=lambda row: row.study,
        ),
        _Sieve(
            keeps=lambda row: row.precision is workload.precision,
            reason=NoResult.OTHER_PRECISION,
            words=lambda row: row.precision.value if row.precision else None,
        ),
        _Sieve(
            keeps=is_on_one_device,
            reason=NoResult.SEVERAL_DEVICES,
            words=lambda row: str(row.n_devices) if row.n_devices else None,
        ),
        _Sieve(
            keeps=lambda row: bool(row.framework),
            reason=NoResult.FRAMEWORK_NOT_NAMED,
            words=lambda row: row.study,
        ),
        _Sieve(
            keeps=lambda row: _is_near_batch(row, workload.batch_size),
            reason=NoResult.OTHER_BATCHES,
            words=lambda row: str(row.batch_size) if row.batch_size else None,
        ),
    )
