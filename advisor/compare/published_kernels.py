"""Published kernels that can be read: whose work can be told, on one device, in a named framework.

Leaves to others: the shape that a row names (`advisor.compare.shapes`), which stand beside this
machine (`advisor.compare.kernels`).
"""

from dataclasses import dataclass

from advisor.compare.shapes import published_direction, published_shape
from advisor.knowledge.store import Knowledge
from advisor.model.kernel import Direction, KernelShape, PeakShape, StreamShape
from advisor.model.machine import DeviceKind
from advisor.model.published import Comparability, PublishedResult, ResultPhase
from advisor.model.quantity import Precision
from advisor.predict.work import flop

# A read faster than the memory of the data sheet ran in a cache: its buffers are small.
_CACHED = 1.05


@dataclass(frozen=True, slots=True, kw_only=True)
class PublishedKernel:
    """A published kernel that can be read: its shape, and its rate in `unit`."""

    row: PublishedResult
    shape: KernelShape
    direction: Direction
    value: float
    unit: str

    @property
    def stream_op(self) -> str | None:
        """What is done with memory; None for a kernel of another class."""
        return self.shape.op if isinstance(self.shape, StreamShape) else None


def is_on_one_device(row: PublishedResult) -> bool:
    """Whether a row ran on one device; a processor whose count is not stated is one."""
    if row.n_devices is None:
        return row.device_kind is DeviceKind.CPU
    return row.n_devices == 1


def published_kernels(knowledge: Knowledge) -> tuple[PublishedKernel, ...]:
    """Return the published kernels whose work can be told, on one device, in a named framework."""
    bandwidth = {
        (spec.device, spec.kind): spec.memory_bandwidth_byte_per_s for spec in knowledge.devices
    }
    found = []
    for row in knowledge.published:
        is_usable = (
            row.phase is ResultPhase.KERNEL
            and row.comparability is not Comparability.NOT_COMPARABLE
            and bool(row.framework)
            and is_on_one_device(row)
        )
        entry = _published_kernel(row) if is_usable else None
        if entry is None:
            continue
        most = bandwidth.get((row.device, row.device_kind))
        if entry.stream_op == "read" and most and entry.value > _CACHED * most:
            continue
        found.append(entry)
    return tuple(found)


def _published_kernel(row: PublishedResult) -> PublishedKernel | None:
    shape = published_shape(row)
    if shape is None or row.value <= 0.0:
        return None
    direction = published_direction(row)
    if isinstance(shape, StreamShape):
        value, unit = row.value, "B/s"
        is_right = row.unit == unit
    else:
        # The row's own count of flop leaves out what it did not compute.
        is_timed = row.metric == "step_time" and row.unit == "s"
        value = flop(shape, direction=direction) / row.value if is_timed else row.value
        unit = "flop/s"
        is_right = (is_timed or row.unit == unit) and row.precision is Precision.FLOAT32
    if isinstance(shape, PeakShape):
        is_right = is_right and "opencl" in f"{row.framework} {row.backend or ''}".lower()
    if not is_right:
        return None
    return PublishedKernel(row=row, shape=shape, direction=direction, value=value, unit=unit)
