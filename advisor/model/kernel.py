"""Shapes of kernels: the common language of benchmarks, networks and predictions.

Leaves to others: counting their work (`advisor.predict.work`), running them (`probes.workers`).
Every dimension is a positive integer; the batch is part of the shape.
"""

from dataclasses import dataclass
from enum import StrEnum
from typing import TypeGuard


class Direction(StrEnum):
    """Which of a layer's computations a kernel is."""

    FORWARD = "forward"
    INPUT_GRADIENT = "input_gradient"
    WEIGHT_GRADIENT = "weight_gradient"
    BACKWARD = "backward"
    BOTH = "forward_and_backward"
    UPDATE = "update"


class Cell(StrEnum):
    """Recurrent cell."""

    LSTM = "lstm"
    GRU = "gru"
    RNN = "rnn"


class OperatorKind(StrEnum):
    """Class of operators that share an efficiency curve."""

    GEMM = "gemm"
    CONVOLUTION = "convolution"
    DEPTHWISE = "depthwise"
    GROUPED = "grouped"
    RECURRENT = "recurrent"
    NORMALISATION = "normalisation"
    POOLING = "pooling"
    ELEMENTWISE = "elementwise"
    SOFTMAX = "softmax"
    EMBEDDING = "embedding"
    OPTIMIZER = "optimizer"
    STREAM = "stream"
    PEAK = "peak"
    OVERHEAD = "overhead"
    TRANSFER = "transfer"
    UNKNOWN = "unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class GemmShape:
    """`batch` independent products C[m,n] = A[m,k] B[k,n]; a transposed operand is stored [k,m]."""

    m: int
    n: int
    k: int
    batch: int = 1
    transpose_a: bool = False
    transpose_b: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class ConvShape:
    """Convolution of 1 to 3 spatial dimensions, channels last.

    `n` images of `spatial` x `c`, `k` filters of size `kernel`, result `output` x `k`.
    `groups == c` is a depthwise convolution (then `k` is c times the multiplier), unless
    `as_groups`: it is written as a convolution in groups, which Keras has another program for.
    """

    n: int
    c: int
    spatial: tuple[int, ...]
    k: int
    kernel: tuple[int, ...]
    strides: tuple[int, ...]
    output: tuple[int, ...]
    dilation: tuple[int, ...]
    groups: int = 1
    is_transposed: bool = False
    as_groups: bool = False

    @property
    def is_depthwise(self) -> bool:
        """Whether each channel has filters of its own, and the network says so."""
        return self.groups == self.c > 1 and not self.as_groups

    @property
    def is_grouped(self) -> bool:
        """Whether the channels are in groups without being called depthwise."""
        return self.groups > 1 and not self.is_depthwise

    @property
    def has_groups_of_one_channel(self) -> bool:
        """Whether it is a depthwise convolution in all but its name: one channel, one result."""
        return self.is_grouped and self.groups == self.c == self.k


@dataclass(frozen=True, slots=True, kw_only=True)
class RecurrentShape:
    """A recurrent layer over whole sequences, with its input product.

    Attributes:
        is_masked: it chooses between old and new states by a mask in each time step.
        is_split: the product of each gate is one of its own (Keras' `implementation=1`, which
            `recurrent_dropout` brings along), not one for all gates.
        drops_inputs: values of each step's input are dropped out (`dropout`, while training).
        drops_states: those of the state (`recurrent_dropout`, while training).
    """

    cell: Cell
    batch: int
    timesteps: int
    input: int
    hidden: int
    is_bidirectional: bool = False
    return_sequences: bool = False
    is_masked: bool = False
    is_split: bool = False
    drops_inputs: bool = False
    drops_states: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class NormShape:
    """Normalisation of `elements` values in `channels` channels; `kind`: batch, layer or group."""

    kind: str
    elements: int
    channels: int


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolShape:
    """Pooling over windows; a global pool has `kernel == spatial`. `mode` is max or average."""

    mode: str
    n: int
    c: int
    spatial: tuple[int, ...]
    kernel: tuple[int, ...]
    strides: tuple[int, ...]
    output: tuple[int, ...]


# The element-wise operation that moves values into another order of dimensions.
TRANSPOSE = "transpose"
# An `ElementwiseShape` that takes a part out of a tensor of so many values.
SLICE = "slice"


@dataclass(frozen=True, slots=True, kw_only=True)
class ElementwiseShape:
    """`op` ("relu", "sigmoid", "add", ...) on `elements` values of each of `n_inputs` tensors."""

    op: str
    elements: int
    n_inputs: int = 1


def is_slice(shape: object) -> TypeGuard[ElementwiseShape]:
    """Whether a kernel takes a part out of a tensor."""
    return isinstance(shape, ElementwiseShape) and shape.op == SLICE


@dataclass(frozen=True, slots=True, kw_only=True)
class SoftmaxShape:
    """Softmax over rows of `columns` values."""

    rows: int
    columns: int


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbeddingShape:
    """Look-up of `indices` rows of `dim` values in a table of `vocabulary` rows."""

    indices: int
    dim: int
    vocabulary: int


@dataclass(frozen=True, slots=True, kw_only=True)
class OptimizerShape:
    """One update of `variables` tensors with `parameters` values in all."""

    optimizer: str
    parameters: int
    variables: int


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamShape:
    """Memory traffic: `op` copy, scale, add, triad, read or local over arrays of `elements`."""

    op: str
    elements: int


# Operations of one execution of a `PeakShape`, by definition.
PEAK_FLOP = 1_000_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class PeakShape:
    """Multiply-add chains without memory traffic; `width` is the vector width, 0 for the best.

    One execution is `PEAK_FLOP` operations on every device.
    """

    width: int = 0


# Cycles of one execution of a `ClockShape`, by definition.
CLOCK_CYCLES = 1_000_000


@dataclass(frozen=True, slots=True, kw_only=True)
class ClockShape:
    """A chain of dependent operations of one cycle each, on every core at once.

    One execution is `CLOCK_CYCLES` cycles. `load` is what the cores do beside it: "scalar" for
    nothing, "vector" for multiply-adds of the widest vectors, which may lower the clock.
    """

    load: str


@dataclass(frozen=True, slots=True, kw_only=True)
class OverheadShape:
    """A fixed cost: `kind` train_call, predict_call, dispatch, variable, launch, queued_launch.

    A launch is submitted and waited for; a queued one is one of many that are waited for at once.
    Of kind fresh_mebibyte: what a MiB of results takes longer whose memory is not kept; of kind
    waking: what a step takes longer, once, whose operations several threads share.
    """

    kind: str


@dataclass(frozen=True, slots=True, kw_only=True)
class TransferShape:
    """Copy of `size_bytes` between host and device; `to` is "device" or "host"."""

    to: str
    size_bytes: int


@dataclass(frozen=True, slots=True, kw_only=True)
class UnknownShape:
    """An operator that cannot be modelled: `elements` results, as seen from its neighbours."""

    layer_type: str
    elements: int


KernelShape = (
    GemmShape
    | ConvShape
    | RecurrentShape
    | NormShape
    | PoolShape
    | ElementwiseShape
    | SoftmaxShape
    | EmbeddingShape
    | OptimizerShape
    | StreamShape
    | PeakShape
    | ClockShape
    | OverheadShape
    | TransferShape
    | UnknownShape
)


@dataclass(frozen=True, slots=True, kw_only=True)
class KernelCall:
    """One computation of a kernel in a direction, `count` times in a step."""

    shape: KernelShape
    direction: Direction
    count: int = 1
