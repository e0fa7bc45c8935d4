"""Names for people of kernels, bases, options' kinds and warnings.

Leaves to others: sentences about them (`advisor.report.reasons`).
"""

from advisor.i18n import N_, Translator
from advisor.knowledge.regions import Continent
from advisor.model.kernel import (
    ClockShape,
    ConvShape,
    Direction,
    ElementwiseShape,
    EmbeddingShape,
    GemmShape,
    KernelShape,
    NormShape,
    OperatorKind,
    OptimizerShape,
    OverheadShape,
    PeakShape,
    PoolShape,
    RecurrentShape,
    SoftmaxShape,
    StreamShape,
    TransferShape,
    UnknownShape,
)
from advisor.model.machine import OsFamily
from advisor.model.measurement import BenchmarkRequest, Outcome, StabilityWarning
from advisor.model.objective import Objective
from advisor.model.option import OptionKind
from advisor.model.quantity import Basis, Phase, Precision

BASES = {
    Basis.MEASURED: N_("measured"),
    Basis.SCALED_FROM_MEASUREMENT: N_("scaled from a measurement"),
    Basis.SCALED_FROM_PUBLISHED: N_("scaled from published results"),
    Basis.MODEL_ONLY: N_("model only, not measured"),
}
# As their makers write them, in every language.
SYSTEMS: dict[str, str] = {
    OsFamily.LINUX: "Linux",
    OsFamily.WINDOWS: "Windows",
    OsFamily.MACOS: "macOS",
}
OBJECTIVES = {
    Objective.FASTEST: N_("the fastest way"),
    Objective.CHEAPEST: N_("the cheapest way"),
    Objective.BALANCED: N_("the best balance of time, money and effort"),
}
CONTINENTS = {
    Continent.EUROPE: N_("in Europe"),
    Continent.NORTH_AMERICA: N_("in North America"),
    Continent.SOUTH_AMERICA: N_("in South America"),
    Continent.ASIA_PACIFIC: N_("in Asia and the Pacific"),
    Continent.MIDDLE_EAST_AFRICA: N_("in the Middle East and Africa"),
}
KINDS = {
    OptionKind.STAY: N_("stay here"),
    OptionKind.BUILD: N_("build"),
    OptionKind.RUNTIME_SETTINGS: N_("setting"),
    OptionKind.PRECISION: N_("number format"),
    OptionKind.INPUT_PIPELINE: N_("input pipeline"),
    OptionKind.CHANGE_FRAMEWORK: N_("framework"),
    OptionKind.LOCAL_DEVICE: N_("other device here"),
    OptionKind.CHANGE_NETWORK: N_("smaller network"),
    OptionKind.FREE_TIER: N_("free offer"),
    OptionKind.CLOUD: N_("rent"),
    OptionKind.BUY: N_("buy"),
}
# Where a Python environment is from.
_ENVIRONMENTS = {"ours": N_("of this app"), "system": N_("system")}
OPERATORS = {
    OperatorKind.GEMM: N_("matrix products"),
    OperatorKind.CONVOLUTION: N_("convolutions"),
    OperatorKind.DEPTHWISE: N_("depthwise convolutions"),
    OperatorKind.GROUPED: N_("convolutions in groups"),
    OperatorKind.RECURRENT: N_("recurrent layers"),
    OperatorKind.NORMALISATION: N_("normalisations"),
    OperatorKind.POOLING: N_("pooling"),
    OperatorKind.ELEMENTWISE: N_("element-wise operators"),
    OperatorKind.SOFTMAX: N_("softmax"),
    OperatorKind.EMBEDDING: N_("embeddings"),
    OperatorKind.OPTIMIZER: N_("update of the parameters"),
    OperatorKind.STREAM: N_("memory traffic"),
    OperatorKind.PEAK: N_("multiply-add peak"),
    OperatorKind.OVERHEAD: N_("fixed costs"),
    OperatorKind.TRANSFER: N_("copies to and from the device"),
    OperatorKind.UNKNOWN: N_("layers that are not known"),
}
# Parts of a cost.
PARTS = {
    "compute": N_("computing"),
    "setup": N_("setting up"),
    "upload": N_("bringing the data"),
    "redone": N_("work done again"),
    "rounding": N_("rounding up"),
    "disk": N_("disk"),
    "egress": N_("traffic"),
    "electricity": N_("electricity"),
    "purchase": N_("purchase"),
}
PHASES = {Phase.TRAINING: N_("training"), Phase.INFERENCE: N_("inference")}
DIRECTIONS = {
    Direction.FORWARD: N_("forward"),
    Direction.INPUT_GRADIENT: N_("input gradient"),
    Direction.WEIGHT_GRADIENT: N_("weight gradient"),
    Direction.BACKWARD: N_("backward"),
    Direction.BOTH: N_("forward and backward"),
    Direction.UPDATE: N_("update"),
}
OUTCOMES = {
    Outcome.COMPLETED: N_("completed"),
    Outcome.FAILED: N_("failed"),
    Outcome.CANCELLED: N_("cancelled"),
    Outcome.TIMED_OUT: N_("took too long"),
    Outcome.CRASHED: N_("crashed"),
    Outcome.OUT_OF_MEMORY: N_("out of memory"),
    Outcome.PROTOCOL_ERROR: N_("answered nonsense"),
    Outcome.WRONG_RESULT: N_("computed a wrong result"),
    Outcome.UNSUPPORTED: N_("not supported"),
    Outcome.SKIPPED: N_("left out"),
}
WARNINGS = {
    StabilityWarning.NOISY: N_("the values scatter by more than 10 %"),
    StabilityWarning.OUTLIER: N_("one value is more than 50 % off"),
    StabilityWarning.TOO_SHORT: N_("the timed piece is shorter than 1 ms"),
    StabilityWarning.ON_BATTERY: N_("the machine runs on battery: plug it in and measure again"),
    StabilityWarning.GOVERNOR: N_("the frequency governor is not set to performance"),
    StabilityWarning.THROTTLED: N_("the processor was throttled: let it cool"),
    StabilityWarning.BUSY: N_("the machine was busy: close other programs and measure again"),
    StabilityWarning.CPU_LIMIT: N_("a container limits the CPU time"),
    StabilityWarning.UNSTEADY: N_("a reference moved by more than 5 % meanwhile"),
    StabilityWarning.STEAL: N_("the host of this virtual machine took CPU time away"),
}
MEASURED_IN_SHORT = N_(
    "A quick run measures the processor seen through OpenCL in short; a thorough run, or one of"
    " this device alone, measures all of it."
)
_STREAM = {
    "copy": N_("memory copy"),
    "scale": N_("memory scale"),
    "add": N_("memory add"),
    "triad": N_("memory triad"),
    "read": N_("memory read"),
    "local": N_("local memory"),
}
_OVERHEAD = {
    "train_call": N_("one training call, fixed part"),
    "predict_call": N_("one inference call, fixed part"),
    "dispatch": N_("one operator, fixed part"),
    "variable": N_("one variable's update, fixed part"),
    "fresh_mebibyte": N_("one MiB of memory given anew by the system"),
    "waking": N_("waking the threads, once a step"),
    "launch": N_("kernel launch"),
    "queued_launch": N_("kernel launch in a row of many"),
}


def environment_kind(kind: str, tr: Translator) -> str:
    """Return where a Python environment is from; "conda" and its like are names."""
    return tr(_ENVIRONMENTS.get(kind, kind))


def _dims(values: tuple[int, ...]) -> str:
    return "×".join(map(str, values))


def _conv_name(shape: ConvShape, tr: Translator) -> str:
    words = N_("convolution {kernel}, {c}→{k}, {size}, batch {n}")
    if shape.is_depthwise:
        words = N_("depthwise convolution {kernel}, {c}→{k}, {size}, batch {n}")
    elif shape.is_grouped:
        words = N_("convolution {kernel} in {groups} groups, {c}→{k}, {size}, batch {n}")
    return tr(
        words,
        kernel=_dims(shape.kernel), c=shape.c, k=shape.k, size=_dims(shape.spatial), n=shape.n,
        groups=shape.groups,
    )  # fmt: skip


def shape_name(shape: KernelShape, tr: Translator) -> str:
    """Return what a kernel computes and on which shape, in a few words."""
    if isinstance(shape, GemmShape):
        sizes = f"GEMM {_dims((shape.m, shape.n, shape.k))}"
        return tr(N_("{what}, batch {n}"), what=sizes, n=shape.batch) if shape.batch > 1 else sizes
    if isinstance(shape, ConvShape):
        return _conv_name(shape, tr)
    if isinstance(shape, RecurrentShape):
        return tr(
            N_("{cell} {input}→{hidden}, {steps} steps, batch {n}"),
            cell=shape.cell.value.upper(), input=shape.input, hidden=shape.hidden,
            steps=shape.timesteps, n=shape.batch,
        )  # fmt: skip
    if isinstance(shape, StreamShape):
        return tr(_STREAM.get(shape.op, shape.op))
    if isinstance(shape, ClockShape):
        is_vector = shape.load == "vector"
        return tr(N_("clock under vector load")) if is_vector else tr(N_("clock under load"))
    if isinstance(shape, PeakShape):
        return tr(N_("multiply-add peak"))
    if isinstance(shape, OverheadShape):
        return tr(_OVERHEAD.get(shape.kind, shape.kind))
    return _small_shape_name(shape, tr)


def _small_shape_name(shape: KernelShape, tr: Translator) -> str:
    if isinstance(shape, TransferShape):
        to_device = shape.to == "device"
        return tr(N_("copy to the device")) if to_device else tr(N_("copy from the device"))
    if isinstance(shape, NormShape):
        return tr(N_("{kind} normalisation of {count:,} values"), kind=shape.kind,
                  count=shape.elements)  # fmt: skip
    if isinstance(shape, PoolShape):
        return tr(N_("pooling {kernel}, {c} channels, {size}, batch {n}"),
                  kernel=_dims(shape.kernel), c=shape.c, size=_dims(shape.spatial),
                  n=shape.n)  # fmt: skip
    if isinstance(shape, ElementwiseShape):
        return tr(N_("{op} of {count:,} values"), op=shape.op, count=shape.elements)
    if isinstance(shape, SoftmaxShape):
        return f"softmax {shape.rows}×{shape.columns}"
    if isinstance(shape, EmbeddingShape):
        return f"embedding {shape.vocabulary}×{shape.dim}"
    if isinstance(shape, OptimizerShape):
        return tr(N_("{optimizer} update of {count:,} parameters"), optimizer=shape.optimizer,
                  count=shape.parameters)  # fmt: skip
    return shape.layer_type if isinstance(shape, UnknownShape) else type(shape).__name__


def request_name(request: BenchmarkRequest, tr: Translator) -> str:
    """Return the name of a kernel with direction and precision where they are not the usual."""
    parts = [shape_name(request.shape, tr)]
    if request.direction is not Direction.FORWARD:
        parts.append(tr(DIRECTIONS[request.direction]))
    if request.precision is not Precision.FLOAT32:
        parts.append(request.precision.value)
    if request.threads is not None:
        parts.append(tr(N_("{n} threads"), n=request.threads))
    return ", ".join(parts)
