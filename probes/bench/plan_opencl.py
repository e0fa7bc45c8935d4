"""Which kernels are timed on an OpenCL device, in which order.

The processor seen through OpenCL serves no framework of the advice: in a quick run it is measured
in short, unless it was asked for by name.
Leaves to others: the table (`probes.bench.suite_opencl`), the whole plan (`probes.bench.plan`).
"""

from dataclasses import dataclass

from advisor.model.kernel import StreamShape
from advisor.model.machine import DeviceKind, MachineProfile, OpenclDevice
from advisor.model.quantity import Precision
from probes.bench import suite_opencl
from probes.bench.plan_builder import AT_A_LOOK
from probes.bench.plan_sizes import stream_elements
from probes.bench.suite import Row

# Seconds that a device may take.
QUICK_BUDGET_S = 30.0
THOROUGH_BUDGET_S = 90.0
# Seconds that the processor may take when it is measured in short; its first visit takes 4 to 8.
SHORT_BUDGET_S = 14.0
# Visits of a device that is measured in short, a look at what is shown in each.
_SHORT_VISITS = 8

_MOST_STREAM_ELEMENTS = 1 << 25
_MEMORY_SHARE = 8
_FLOAT_BYTES = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Wanted:
    """A row that a device is measured with.

    Attributes:
        is_headline: shown, and timed as carefully as what is shown.
        n_values: how many; None: as usual.
    """

    row: Row
    is_headline: bool
    n_values: int | None = None
    precision: Precision = Precision.FLOAT32


def is_in_short(device: OpenclDevice, *, is_thorough: bool, is_asked: bool) -> bool:
    """Return whether only the headlines of a device are timed: of the processor, in a quick run.

    Args:
        device: the device.
        is_thorough: whether the run is a thorough one.
        is_asked: whether the user named the device.
    """
    return device.kind is DeviceKind.CPU and not (is_thorough or is_asked)


def _in_short(row: Row) -> Wanted:
    """Return a row of a device that is measured in short, and visited again and again."""
    is_shown = suite_opencl.is_headline(row)
    return Wanted(
        row=row, is_headline=is_shown, n_values=_SHORT_VISITS * AT_A_LOOK if is_shown else None
    )


def opencl_rows(
    device: OpenclDevice,
    *,
    is_thorough: bool,
    is_asked: bool = True,
    profile: MachineProfile | None = None,
) -> tuple[Wanted, ...]:
    """Return what is timed on a device, most wanted first; arrays fit its memory.

    Args:
        device: the device.
        is_thorough: whether the rows of a thorough run are wanted, too.
        is_asked: whether the user named the device.
        profile: the machine: its processor as a device has the caches that arrays must exceed;
            None where that is not known.
    """
    largest = min(device.max_alloc_bytes, device.global_mem_bytes // _MEMORY_SHARE)
    wanted_elements = _MOST_STREAM_ELEMENTS
    if device.kind is DeviceKind.CPU and profile is not None:
        wanted_elements = max(wanted_elements, stream_elements(profile))
    elements = min(wanted_elements, largest // _FLOAT_BYTES)
    streams = [Row(shape=StreamShape(op=op, elements=elements), tier=1) for op in ("copy", "read")]
    moves = [row for row in suite_opencl.TRANSFERS if largest >= suite_opencl.TRANSFER_BYTES]
    if is_in_short(device, is_thorough=is_thorough, is_asked=is_asked):
        # Finding the fastest program of the product takes the most where nothing is known of a
        # device: something of everything comes before it.
        copy, read = streams
        rows = [*suite_opencl.LAUNCHES, suite_opencl.PEAK, read, suite_opencl.GEMM, copy]
        return tuple(_in_short(row) for row in rows)
    # What takes least comes first: a device that compiles slowly shows something early.
    rows = [*moves, *streams, *suite_opencl.ROWS, suite_opencl.LOCAL]
    rows += suite_opencl.WIDTHS
    wanted = [
        Wanted(row=row, is_headline=suite_opencl.is_headline(row))
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
