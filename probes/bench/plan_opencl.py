"""Which kernels are timed on an OpenCL device, in which order.

Leaves to others: the table (`probes.bench.suite_opencl`), the whole plan (`probes.bench.plan`).
"""

from dataclasses import dataclass

from advisor.model.kernel import StreamShape
from advisor.model.machine import OpenclDevice
from advisor.model.quantity import Precision
from probes.bench import suite_opencl
from probes.bench.suite import Row

# Seconds that a device may take.
QUICK_BUDGET_S = 30.0
THOROUGH_BUDGET_S = 90.0

_MOST_STREAM_ELEMENTS = 1 << 25
_MEMORY_SHARE = 8
_FLOAT_BYTES = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """A row that a device is measured with.

    Attributes:
        is_headline: shown, and timed as carefully as what is shown.
    """

    row: Row
    is_headline: bool
    precision: Precision = Precision.FLOAT32


def opencl_rows(device: OpenclDevice, *, is_thorough: bool) -> tuple[Wanted, ...]:
    """Return what is timed on a device, most wanted first; arrays fit its memory."""
    largest = min(device.max_alloc_bytes, device.global_mem_bytes // _MEMORY_SHARE)
    elements = min(_MOST_STREAM_ELEMENTS, largest // _FLOAT_BYTES)
    streams = [Row(shape=StreamShape(op=op, elements=elements), tier=1) for op in ("copy", "read")]
    moves = [row for row in suite_opencl.TRANSFERS if largest >= suite_opencl.TRANSFER_BYTES]
    # What takes least comes first: a device that compiles slowly shows something early.
    rows = [*moves, *streams, *suite_opencl.ROWS, suite_opencl.LOCAL]
    rows += suite_opencl.WIDTHS
    wanted = [
        Wanted(row=row, is_headline=not row.is_thorough)
        for row in sorted(rows, key=lambda row: row.tier)
        if is_thorough or not row.is_thorough
    ]
    half: tuple[Row, ...] = suite_opencl.HALF
    if not device.has_fp16:
        # The answer is that there is no such arithmetic: one row of a thorough run says it.
        half = half[:1] if is_thorough else ()
    elif not is_thorough:
        half = half[:1]
    wanted += [Wanted(row=row, is_headline=True, precision=Precision.FLOAT16) for row in half]
    peak = suite_opencl.PEAK
    wanted.append(Wanted(row=peak, is_headline=True, precision=Precision.INT8))
    return tuple(wanted)
