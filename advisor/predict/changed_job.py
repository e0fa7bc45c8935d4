"""The job as an option changes it: the format that it computes in, layers written otherwise.

Leaves to others: whether a row of the options table applies (`advisor.recommend`), the time of
the job (`advisor.predict.workload_time`).
"""

import dataclasses

from advisor.model.kernel import ConvShape
from advisor.model.option import Option, OptionFact
from advisor.model.quantity import Precision
from advisor.model.workload import Operator, Workload
from advisor.predict.at_once import written_at_once

# The rows of the options table that say so.
_AS_DEPTHWISE = "groups-as-depthwise"
_AT_ONCE = "dense-without-time-distributed"


def option_precision(option: Option, *, workload: Workload) -> Precision:
    """Return the precision of the kernels under an option; the workload's unless it says so."""
    mixed = mixed_format(option.fact) if option.fact else None
    return mixed or workload.precision


def mixed_format(fact: OptionFact) -> Precision | None:
    """Return the short format that a mixed policy of Keras computes in; None: it sets none."""
    how = fact.how.lower()
    if "mixed_bfloat16" in how:
        return Precision.BFLOAT16
    return Precision.FLOAT16 if "mixed_float16" in how else None


def rewritten(workload: Workload, *, fact_id: str) -> Workload | None:
    """Return a job that computes the same as a row of the options table has it; None: as it is."""
    if fact_id == _AT_ONCE:
        return written_at_once(workload)
    if fact_id != _AS_DEPTHWISE:
        return None
    operators = tuple(_as_depthwise(operator) for operator in workload.operators)
    return dataclasses.replace(workload, operators=operators)


def _as_depthwise(operator: Operator) -> Operator:
    shape = operator.shape
    if not isinstance(shape, ConvShape) or not shape.has_groups_of_one_channel:
        return operator
    return dataclasses.replace(operator, shape=dataclasses.replace(shape, as_groups=False))
