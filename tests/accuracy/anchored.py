"""Predictions as a person asks for them: the network is measured on the processor at hand.

One published time of a processor stands for that measurement. All other times of its study, and all
of the asked device, are left out; the option then goes through `advisor.predict.transfer`.
"""

import dataclasses
import math
from collections import defaultdict
from collections.abc import Iterator

from advisor.knowledge.store import Knowledge
from advisor.model.machine import DeviceKind
from advisor.model.option import Option, OptionKind
from advisor.model.quantity import Basis, Phase, Precision
from advisor.predict.anchors import FLOP_PER_MULTIPLY_ADD, TRAINING_PASSES, Anchor
from advisor.predict.answers import JobAnswers
from advisor.predict.context import PredictionContext, own_time
from advisor.predict.hardware import CpuLimits, spec_limits
from advisor.predict.index import KnowledgeIndex
from advisor.predict.transfer import HardwareEstimate, transfer
from advisor.predict.workload_time import interval_of
from tests.accuracy.left_out import Without
from tests.advisor.predict.builders import conv, operator, profile, workload

# Batches of the measurement and the question differ by no more.
_NEAR_BATCH = 1.5
_N_MEASURED = 1
# A network as one convolution of so many multiply-adds for a sample.
_CHANNELS = 64


@dataclasses.dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """One answer of the product, with the published time that it did not see."""

    anchor: Anchor
    measured: Anchor
    found: HardwareEstimate


def _pairs(anchors: tuple[Anchor, ...], places: list[int]) -> Iterator[tuple[Anchor, Anchor]]:
    """Yield asked times, each with times of other processors in the same study and software."""

    def job(anchor: Anchor) -> tuple[object, ...]:
        run, row = anchor.run, anchor.row
        version = row.framework_version
        return run.study, run.framework, version, run.network, run.phase, run.precision

    measured = defaultdict(list)
    for anchor in anchors:
        if anchor.device.kind is DeviceKind.CPU and not anchor.row.threads:
            measured[job(anchor)].append(anchor)
    for place in places:
        asked = anchors[place]
        is_single = asked.run.precision is Precision.FLOAT32
        if asked.run.multiply_adds is None or asked.row.threads or not is_single:
            continue
        batch = asked.run.batch_size
        known = {
            other.device.name: other
            for other in measured[job(asked)]
            if other.device.name != asked.device.name
            and abs(math.log(other.run.batch_size / batch)) < math.log(_NEAR_BATCH)
        }
        for name in sorted(known)[:_N_MEASURED]:
            yield asked, known[name]


def anchored_answers(
    knowledge: Knowledge, *, index: KnowledgeIndex, places: list[int]
) -> Iterator[Asked]:
    """Yield what the product tells about devices of published times.

    Args:
        knowledge: facts.
        index: derived from them.
        places: positions of the anchors that are asked for.
    """
    specs = {(spec.device, spec.kind): spec for spec in knowledge.devices}
    # Times of this very device and network would be looked up, not predicted.
    facts = dataclasses.replace(knowledge, published=())
    without = Without(index.anchors)
    for anchor, measured in _pairs(index.anchors.anchors, places):
        spec = specs.get((anchor.device.name, anchor.device.kind))
        here = specs.get((measured.device.name, DeviceKind.CPU))
        limits = spec_limits(here, knowledge=knowledge) if here else None
        if spec is None or limits is None:
            continue
        where = _context(anchor, measured, limits, facts=facts, index=index, without=without)
        option = Option(id="asked", title="asked", kind=OptionKind.BUY, purchase=spec)
        found = transfer(option, context=where)
        if isinstance(found, HardwareEstimate):
            yield Asked(anchor=anchor, measured=measured, found=found)


def _context(
    anchor: Anchor,
    measured: Anchor,
    limits: CpuLimits,
    *,
    facts: Knowledge,
    index: KnowledgeIndex,
    without: Without,
) -> PredictionContext:
    """Return the machine of one published time, with that time as its measurement."""
    run = anchor.run
    side = max(1, round(math.sqrt((run.multiply_adds or 1) / (9 * _CHANNELS * _CHANNELS))))
    work = workload(
        operator(conv(run.batch_size, _CHANNELS, side, _CHANNELS)),
        network=run.network, phase=run.phase, batch=run.batch_size, precision=run.precision,
    )  # fmt: skip
    machine = profile(brand=limits.name, cores=max(1, round(limits.cores)))
    where = PredictionContext(
        profile=machine, measurements=None,
        workload=work, knowledge=facts, index=index,
    )  # fmt: skip
    step = where.baseline_step
    seconds = measured.sample_s * run.batch_size
    factor = seconds / step.step_s.mid
    parts = tuple(dataclasses.replace(part, time_s=part.time_s * factor) for part in step.breakdown)
    known = dataclasses.replace(
        step, step_s=interval_of(seconds, log_sd=0.1), breakdown=parts, log_sd=0.1,
        basis=Basis.MEASURED,
    )  # fmt: skip
    own = own_time(known, work, limits)

    left_out = without(device=anchor.device.name, study=run.study)
    passes = TRAINING_PASSES if run.phase is Phase.TRAINING else 1
    flop = FLOP_PER_MULTIPLY_ADD * passes * (run.multiply_adds or 1) * run.batch_size
    asked = dataclasses.replace(run, study=None, software=None)
    derived = {
        "cpu_limits": limits,
        "baseline_step": known,
        "nearby": {work.precision: JobAnswers(index.anchors, asked, own=own, left_out=left_out)},
        "totals": dataclasses.replace(where.totals, flop=float(flop)),
    }
    for name, value in derived.items():
        object.__setattr__(where, name, value)
    return where
