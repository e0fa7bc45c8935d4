"""Rows of the table of kernels, and what each kind of kernel measures, in plain words.

Leaves to others: the table model (`ui.models.rows`), the charts (`ui.models.curves`).
"""

from collections.abc import Callable
from typing import TypeGuard

from advisor.format import UNKNOWN, format_duration, format_rate, format_spread
from advisor.i18n import N_, Translator
from advisor.model import kernel
from advisor.model.device_names import device_name
from advisor.model.machine import DeviceKind, MachineProfile
from advisor.model.measurement import FailedMeasurement, Measurement, Outcome, Runner
from advisor.predict.work import rate
from advisor.report.names import MEASURED_IN_SHORT, OUTCOMES, request_name
from advisor.report.said import said_line
from ui.models.explanations import SPREAD
from ui.models.rows import Cell

Row = tuple[Cell, ...]

RESULT_HEADS = (N_("Kernel"), N_("Device"), N_("Result"), N_("Spread"), N_("State"))
RESULT_TIPS = ("", "", "", SPREAD, "")
# Verdicts on kernels that were never begun.
LEFT_OUT = (Outcome.CANCELLED, Outcome.SKIPPED)
_NAMED = 12
_SOFTWARE = {
    Runner.NUMPY: "NumPy",
    Runner.KERAS: "Keras",
    Runner.TORCH: "PyTorch",
    Runner.JAX: "JAX",
    Runner.ONNXRUNTIME: "ONNX Runtime",
    Runner.OPENVINO: "OpenVINO",
}

MEANINGS: dict[type, str] = {
    kernel.GemmShape: N_(
        "A product of two matrices: what dense layers and attention are made of. Shows how much of"
        " the processor's arithmetic a network can use."
    ),
    kernel.ConvShape: N_(
        "A convolution: the heart of image networks. Forward, and the two gradients of training."
    ),
    kernel.RecurrentShape: N_(
        "A recurrent layer over a sequence. Its steps wait for each other, so small ones are ruled"
        " by the cost of starting an operator, not by arithmetic."
    ),
    kernel.NormShape: N_("Normalisation: reads and writes all activations; ruled by memory."),
    kernel.PoolShape: N_("Pooling: little arithmetic; ruled by memory."),
    kernel.ElementwiseShape: N_("One operation on each value, such as ReLU; ruled by memory."),
    kernel.SoftmaxShape: N_("Softmax over the classes; ruled by memory and by exponentials."),
    kernel.EmbeddingShape: N_("Rows looked up in a table of words; ruled by memory latency."),
    kernel.OptimizerShape: N_("The update of all weights after a step; ruled by memory."),
    kernel.StreamShape: N_(
        "Plain memory traffic over arrays larger than all caches: the bandwidth that everything"
        " but large products waits for."
    ),
    kernel.PeakShape: N_(
        "Multiply-adds from registers alone: the ceiling that no network can pass."
    ),
    kernel.ClockShape: N_("A chain of operations of one cycle each: the clock under load."),
    kernel.OverheadShape: N_(
        "A fixed cost of each call: small networks spend most of their time here."
    ),
    kernel.TransferShape: N_("Data moved between main memory and the device, each way."),
}


def meaning_of(shape: object) -> str:
    """Return what a kernel measures (to be translated), "" for one that has no text."""
    return MEANINGS.get(type(shape), "")


def _is_processor(device_id: str, profile: MachineProfile | None) -> bool:
    """Whether an OpenCL device is the processor itself."""
    devices = () if profile is None else profile.opencl
    return any(d.id == device_id and d.kind is DeviceKind.CPU for d in devices)


def _was_left_out(
    result: Measurement | FailedMeasurement,
) -> TypeGuard[FailedMeasurement]:
    return isinstance(result, FailedMeasurement) and result.outcome in LEFT_OUT


def result_rows(
    results: tuple[Measurement | FailedMeasurement, ...],
    profile: MachineProfile | None,
    tr: Translator,
    make_row: Callable[[Measurement | FailedMeasurement], Row] | None = None,
) -> tuple[Row, ...]:
    """Return a row for each kernel that was tried, as they came, and one for all left out.

    `make_row` makes the row of a result; None for the usual way.
    """
    left_out = [result for result in results if _was_left_out(result)]
    make = make_row or (lambda result: _result_row(result, profile, tr))
    rows = [make(result) for result in results if not _was_left_out(result)]
    if left_out:
        text = tr(N_("{n} more were left out"), n=len(left_out))
        reasons = dict.fromkeys(said_line(result.message, tr) for result in left_out)
        why = "\n".join((*(request_name(r.request, tr) for r in left_out[:_NAMED]), *reasons))
        empty = Cell(text="", value=-2.0)
        rows.append((Cell(text=text, value=text, explanation=why), empty, empty, empty, empty))
    return tuple(rows)


class ResultRows:
    """Makes the rows of results that grow; the row of a result is made once for a machine."""

    def __init__(self) -> None:
        self._profile: MachineProfile | None = None
        self._known: dict[int, tuple[Measurement | FailedMeasurement, Row]] = {}

    def rows(
        self,
        results: tuple[Measurement | FailedMeasurement, ...],
        profile: MachineProfile | None,
        tr: Translator,
    ) -> tuple[Row, ...]:
        """Return what `result_rows` does."""
        old = self._known if profile is self._profile else {}
        self._known, self._profile = {}, profile

        def make(result: Measurement | FailedMeasurement) -> Row:
            held, row = old.get(id(result), (None, ()))
            if held is not result:
                row = _result_row(result, profile, tr)
            self._known[id(result)] = (result, row)
            return row

        return result_rows(results, profile, tr, make)


def _result_row(
    result: Measurement | FailedMeasurement, profile: MachineProfile | None, tr: Translator
) -> tuple[Cell, ...]:
    name = request_name(result.request, tr)
    meaning = meaning_of(result.request.shape)
    what = Cell(text=name, value=name, explanation=tr(meaning) if meaning else "")
    device = device_name(result.request.device_id, profile)
    # The same kernel is timed through several libraries.
    software = _SOFTWARE.get(result.request.runner)
    if software is not None:
        device = f"{device} · {software}"
    hint = tr(MEASURED_IN_SHORT) if _is_processor(result.request.device_id, profile) else ""
    where = Cell(text=device, value=device, explanation=hint)
    if isinstance(result, FailedMeasurement):
        message = said_line(result.message, tr)
        nothing = Cell(text=UNKNOWN, value=-1.0, explanation=message, is_number=True)
        verdict = f"{tr(OUTCOMES[result.outcome])}: {message}"
        state = Cell(text=verdict, value=verdict, explanation=message)
        return (what, where, nothing, nothing, state)
    value, unit = rate(result)
    explanation = tr(
        N_("Median {time} of {n} values")
        if result.is_figure_median
        else N_("Lower quartile {time} of {n} values"),
        time=format_duration(result.figure_s),
        n=len(result.values_s),
    )
    checked = tr(N_("done"))
    return (
        what,
        where,
        Cell(text=format_rate(value, unit), value=value, explanation=explanation, is_number=True),
        Cell(
            text=format_spread(result.spread),
            value=-1.0 if result.spread is None else result.spread,
            is_number=True,
        ),
        Cell(text=checked, value=checked, explanation=result.check),
    )
