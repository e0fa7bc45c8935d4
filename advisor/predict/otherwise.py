"""The step of a job that is computed otherwise on this machine, over the step as it is now.

Two ways: the network is written otherwise, or the memory of large results is kept.
Leaves to others: what such a network is (`advisor.predict.changed_job`), which results these are
(`advisor.predict.fresh`), the time of a step (`advisor.predict.workload_time`).
"""

import math
from dataclasses import dataclass

from advisor.model.option import OptionFact
from advisor.model.prediction import TimeShare
from advisor.model.quantity import Basis
from advisor.predict.changed_job import rewritten
from advisor.predict.context import PredictionContext
from advisor.predict.workload_time import step_on

# The row of the options table that keeps the memory of large results.
KEEPS_MEMORY = "malloc-keep"
# No step became less than two thirds of itself.
_LEAST_RATIO = 0.5


@dataclass(frozen=True, slots=True, kw_only=True)
class Otherwise:
    """A step over the step of now; `log_sd` of its own, `breakdown` where it is another one."""

    ratio: float
    log_sd: float
    basis: Basis
    assumption: str
    breakdown: tuple[TimeShare, ...] = ()


def computed_otherwise(fact: OptionFact, context: PredictionContext) -> Otherwise | None:
    """Return the step under an option; None: it is not of this kind, or nothing was timed here."""
    cpu = context.ceilings.cpu
    if cpu.basis is Basis.MODEL_ONLY:
        return None
    if fact.id == KEEPS_MEMORY:
        return _with_kept_memory(context)
    work = rewritten(context.workload, fact_id=fact.id)
    if work is None:
        return None
    step = step_on(work, device=cpu, precision=work.precision)
    before = step_on(context.workload, device=cpu, precision=work.precision)
    return Otherwise(
        ratio=step.step_s.mid / before.step_s.mid,
        log_sd=step.log_sd,
        basis=step.basis,
        assumption="The step follows from the kernels of the network as it would be written.",
        breakdown=step.breakdown,
    )


def _with_kept_memory(context: PredictionContext) -> Otherwise | None:
    """Return the step without the wait for memory, None where a MiB of it was not timed."""
    cpu, work = context.ceilings.cpu, context.workload
    if cpu.fresh_s_per_byte is None:
        return None
    step = step_on(work, device=cpu, precision=work.precision)
    ratio = max(1.0 - step.fresh_s / step.step_s.mid, _LEAST_RATIO)
    return Otherwise(
        ratio=ratio,
        # The wait itself is told within a half of it: page faults were 1.3 to 2.5 of those told.
        log_sd=-0.5 * math.log(ratio),
        basis=step.basis,
        assumption="What memory given anew costs was timed here; the step without it follows.",
    )
