"""The part of a report that shows the network's own layers as they were timed on this machine.

Leaves to others: how the times of a step are found (`advisor.report.method_sections`), which layers
are timed (`advisor.predict.replay`).
"""

from collections import Counter
from collections.abc import Iterator

from advisor.format import format_duration, format_rate, format_spread
from advisor.i18n import N_, Translator
from advisor.model.kernel import Direction, KernelShape
from advisor.model.machine import CPU_DEVICE_ID
from advisor.model.measurement import BenchmarkRequest, Measurement, MeasurementSet
from advisor.model.quantity import Precision
from advisor.model.report import Block, Paragraph, Table
from advisor.model.workload import Workload
from advisor.predict.work import rate, step_calls
from advisor.report.names import request_name

# More rows tell nothing more: the last of ten is a few percent of a step.
_MOST_ROWS = 10
_OWN = "replay"
_BY_ITSELF = N_(
    "In a step a kernel takes another time than by itself: some run side by side, and weights come"
    " from memory. The parts of a step above count that, this table does not."
)


def own_kernel_blocks(
    results: MeasurementSet | None, workload: Workload, tr: Translator
) -> Iterator[Block]:
    """Yield the table of the network's own kernels, those that a step spends most on first.

    Nothing where none was timed in the job's precision.
    """
    found = _found(results, workload)
    if not found:
        return
    heads = (
        N_("Layer's kernel"), N_("In a step"), N_("Each"), N_("Together"), N_("Figure"), N_("MAD"),
    )  # fmt: skip
    yield Table(
        heads=tuple(tr(head) for head in heads),
        rows=tuple(_row(each, count, tr) for each, count in found[:_MOST_ROWS]),
        right_aligned=(1, 2, 3, 4, 5),
        caption=tr(
            N_("{n} kernels of this network were timed in its own sizes, each by itself: {time}"
               " together as often as a step runs them. Those that take most of it:"),
            n=len(found),
            time=format_duration(sum(each.figure_s * count for each, count in found), tr),
        ),
    )  # fmt: skip
    yield Paragraph(text=tr(_BY_ITSELF), style="note")


def _found(results: MeasurementSet | None, workload: Workload) -> list[tuple[Measurement, int]]:
    """Return the network's own kernels with how often a step runs each, the weightiest first."""
    if results is None:
        return []
    counts = _counts(workload)
    timed = [
        (measurement, counts[measurement.request.shape, measurement.request.direction])
        for measurement in results.measured
        if _is_own(measurement.request, workload.precision)
    ]
    return sorted(
        ((each, count) for each, count in timed if count),
        key=lambda pair: (-pair[0].figure_s * pair[1], pair[0].request.id),
    )


def _counts(workload: Workload) -> Counter[tuple[KernelShape, Direction]]:
    """Return how often a step runs each kernel."""
    counts: Counter[tuple[KernelShape, Direction]] = Counter()
    for call in step_calls(workload):
        counts[call.shape, call.direction] += call.count
    return counts


def _is_own(request: BenchmarkRequest, precision: Precision) -> bool:
    """Whether a kernel is the network's, run as the machine is."""
    as_it_is = request.threads is None and not request.settings
    is_here = request.device_id == CPU_DEVICE_ID
    return request.role == _OWN and request.precision is precision and as_it_is and is_here


def _row(measurement: Measurement, count: int, tr: Translator) -> tuple[str, ...]:
    return (
        request_name(measurement.request, tr),
        str(count),
        format_duration(measurement.figure_s, tr),
        format_duration(measurement.figure_s * count, tr),
        format_rate(*rate(measurement)),
        format_spread(measurement.spread),
    )
