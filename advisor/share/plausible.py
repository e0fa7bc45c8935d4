"""Whether shared figures are possible on the device that they are said to be of.

Above the roofline of the data sheet, or far below what any device of the kind does, an upload is
set aside with the reason: a tampered figure, or a product that our table has wrong.
Leaves to others: which words an upload may hold (`advisor.share.vocabulary`).
"""

from collections.abc import Iterator
from dataclasses import dataclass

from advisor.knowledge.store import Knowledge
from advisor.model.machine import DeviceKind
from advisor.model.published import DeviceSpec
from advisor.model.quantity import Precision
from advisor.share.upload import SharedDevice, SharedFigure, Upload

# Overclocked parts exist; beyond this it is another device.
_MARGIN = 1.5
# Fast algorithms count multiply-adds that they do not do.
_CONVOLUTION_GAIN = 4.0
# Where the sheet has no rate for a short format: matrix units.
_SHORT_GAIN = 32.0
# Streams of small arrays stay in the caches.
_CACHE_GAIN = 20.0
# The highest of any device of a kind (flop/s in float32), and the lowest that a figure may be.
_MOST_FLOP_PER_S = {
    DeviceKind.CPU: 4e13,
    DeviceKind.IGPU: 6e13,
    DeviceKind.DGPU: 5e14,
    DeviceKind.NPU: 1e15,
    DeviceKind.OTHER: 5e14,
}
_MOST_BYTE_PER_S = 2e13
# Local memory of all compute units together; no data sheet tells it.
_MOST_LOCAL_BYTE_PER_S = 5e14
_LEAST = 1e4
# A prediction off by more than this says nothing about a machine.
_MOST_RATIO = 1000.0
_LONGEST_STEP_S = 1e5


@dataclass(frozen=True, slots=True, kw_only=True)
class Bounds:
    """What is looked up of each device: the rows of our table by name and kind."""

    specs: dict[tuple[str, DeviceKind], DeviceSpec]


def bounds_of(knowledge: Knowledge) -> Bounds:
    """Return the bounds of the bundled table."""
    return Bounds(specs={(spec.device, spec.kind): spec for spec in knowledge.devices})


def find_implausible(upload: Upload, *, bounds: Bounds) -> Iterator[str]:
    """Yield a line for each figure that cannot be."""
    for i, figure in enumerate(upload.figures):
        device = upload.devices[figure.device]
        most = _most(figure, device, bounds)
        if figure.value > most:
            yield f"figures[{i}]: {figure.value:g} {figure.unit} is above the bound {most:.3g}"
        elif figure.value < _LEAST:
            yield f"figures[{i}]: {figure.value:g} {figure.unit} is below {_LEAST:g}"
    for i, step in enumerate(upload.steps):
        measured = step.measured_s
        if step.high_s > _LONGEST_STEP_S:
            yield f"steps[{i}]: a step of {step.high_s:g} s"
        elif measured and not 1 / _MOST_RATIO <= measured / step.mid_s <= _MOST_RATIO:
            yield f"steps[{i}]: {measured:g} s measured against {step.mid_s:g} s predicted"


def _most(figure: SharedFigure, device: SharedDevice, bounds: Bounds) -> float:
    spec = bounds.specs.get((device.name, device.kind))
    if figure.kernel == "stream local":
        return _MOST_LOCAL_BYTE_PER_S
    if figure.unit == "B/s":
        known = spec.memory_bandwidth_byte_per_s if spec else None
        parts = device.n_packages or 1
        return min(_MOST_BYTE_PER_S, known * parts * _CACHE_GAIN) if known else _MOST_BYTE_PER_S
    gain = _CONVOLUTION_GAIN if figure.kernel.startswith("conv ") else 1.0
    sheet = _sheet_peak(spec, figure.precision) if spec else None
    if sheet is not None:
        return sheet * (device.n_packages or 1) * gain * _MARGIN
    short = 1.0 if figure.precision is Precision.FLOAT32 else _SHORT_GAIN
    return _MOST_FLOP_PER_S[device.kind] * gain * short


def _sheet_peak(spec: DeviceSpec, precision: Precision) -> float | None:
    told = {
        Precision.FLOAT32: spec.peak_fp32_flop_per_s,
        Precision.FLOAT16: spec.peak_fp16_flop_per_s,
        Precision.BFLOAT16: spec.peak_bf16_flop_per_s,
        Precision.INT8: spec.peak_int8_op_per_s,
    }[precision]
    single = spec.peak_fp32_flop_per_s
    if precision is Precision.FLOAT32 or single is None:
        return told
    return max(told or 0.0, single * _SHORT_GAIN)
