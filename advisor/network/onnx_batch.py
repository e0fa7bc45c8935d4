"""Which size of an ONNX graph is the batch, where its inputs do not name it.

Exporters fix all sizes unless told otherwise, mostly at one sample, and some networks have the
time in front. What the inputs share is guessed from; operations that know their samples decide.
Leaves to others: following operations (`onnx_graph`).
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field

from advisor.network.fields import MAX_DIMENSION
from advisor.network.onnx_nodes import OnnxValue

Dims = tuple[int | str | None, ...]

_BATCH_NAMES = ("batch", "n", "b", "bs", "batch_size", "batchsize", "unk__")
_TAKEN = (
    "The first size, {size}, is taken for the batch.",
    "The second size, {size}, is taken for the batch.",
    "The third size, {size}, is taken for the batch.",
)
_NONE_TAKEN = "No size is taken for the batch: the file counts as one sample."


@dataclass(frozen=True, slots=True, kw_only=True)
class Batch:
    """The samples that the shapes of a graph are for, 1 where the file leaves them free.

    Attributes:
        place: the dimension of the inputs that they were taken from, None where they were not.
        is_sure: whether the file tells, and this is no guess.
    """

    size: int
    place: int | None = None
    is_sure: bool = False

    @property
    def note(self) -> str | None:
        """A sentence that says what was guessed, None where nothing was."""
        if self.is_sure:
            return None
        if self.place is None:
            return _NONE_TAKEN
        return _TAKEN[self.place].format(size=self.size) if self.place < len(_TAKEN) else None


@dataclass(slots=True)
class Evidence:
    """What operations tell of the batch.

    Attributes:
        samples: those that convolutions, recurrent layers and the like have.
        products: how many products of data with data are done apart from each other: samples
            never meet in one.
    """

    samples: list[int] = field(default_factory=list)
    products: list[int] = field(default_factory=list)


def batch_position(dims: Sequence[int | str | None]) -> int:
    """Return which dimension is the batch by its name: the one so called, else the first."""
    for position, size in enumerate(dims):
        if isinstance(size, str) and size.lower().startswith(_BATCH_NAMES[0]):
            return position
    for position, size in enumerate(dims):
        if isinstance(size, str) and size.lower() in _BATCH_NAMES:
            return position
    return 0


def place_of(batch: Batch, dims: Sequence[int | str | None]) -> int | None:
    """Return where an input has the batch, None where it has none."""
    if not dims:
        return None
    named = batch_position(dims)
    if not isinstance(dims[named], int):
        return named
    before = _leading(dims)
    if batch.place is not None and before[batch.place : batch.place + 1] == (batch.size,):
        return batch.place
    return before.index(batch.size) if batch.size in before else None


def _leading(dims: Sequence[int | str | None]) -> Dims:
    """Return the sizes that may be a batch: all but those of the features."""
    return tuple(dims[:-1]) if len(dims) > 1 else tuple(dims)


def first_guess(inputs: Sequence[OnnxValue], outputs: Sequence[OnnxValue]) -> Batch:
    """Return the batch as inputs and outputs tell it."""
    shapes = [value.dims for value in inputs if value.dims is not None and len(value.dims) > 1]
    fixed = [dims for dims in shapes if isinstance(dims[batch_position(dims)], int)]
    if not fixed or any(_has_name(dims) for dims in shapes):
        return Batch(size=1, is_sure=True)
    firsts = {_first(dims) for dims in fixed}
    if firsts == {1}:
        return Batch(size=1, is_sure=True)
    if len(firsts) == 1:
        # One sample of a sequence that stands in front.
        is_second = all(len(dims) == 3 and dims[1] == 1 for dims in fixed)
        return Batch(size=1, place=1) if is_second else Batch(size=min(firsts), place=0)
    return _shared(fixed, outputs)


def _has_name(dims: Dims) -> bool:
    name = dims[batch_position(dims)]
    return isinstance(name, str) and name.lower().startswith(_BATCH_NAMES[0])


def _first(dims: Dims) -> int:
    size = dims[batch_position(dims)]
    return min(size, MAX_DIMENSION) if isinstance(size, int) else 1


def _shared(fixed: Sequence[Dims], outputs: Sequence[OnnxValue]) -> Batch:
    """Return the batch of inputs whose first sizes differ: a size that all of them have."""
    everywhere = set.intersection(*(set(_leading(dims)) for dims in fixed))
    firsts = [_first(dims) for dims in fixed]
    for size in firsts:
        if size in everywhere:
            return Batch(size=size, place=0)
    seconds = {dims[1] if len(dims) > 2 else None for dims in fixed}
    for second in seconds:
        if len(seconds) == 1 and isinstance(second, int):
            return Batch(size=min(second, MAX_DIMENSION), place=1)
    ends = {_first(value.dims) for value in outputs if value.dims}
    for size in firsts:
        if ends == {size}:
            return Batch(size=size, place=0)
    return Batch(size=1)


def decide(guess: Batch, evidence: Evidence, inputs: Sequence[OnnxValue]) -> Batch:
    """Return the batch after operations have told theirs."""
    if guess.is_sure:
        return guess
    sizes = {size for value in inputs for size in _leading(value.dims or ()) if size}
    whole = {size for size in sizes if isinstance(size, int)}
    for samples in evidence.samples:
        if samples % guess.size:
            return Batch(size=_largest(whole, divides=samples, other=samples), is_sure=True)
    common = math.gcd(*evidence.samples)
    firsts = {_first(value.dims) for value in inputs if value.dims and len(value.dims) > 1}
    if guess.size == 1 and common > 1 and common in firsts:
        return Batch(size=common, is_sure=True)
    if guess.size in evidence.samples:
        return Batch(size=guess.size, place=guess.place, is_sure=True)
    if not evidence.samples and any(apart % guess.size for apart in evidence.products):
        size = _largest(whole, divides=math.gcd(*evidence.products), other=1)
        places = [_leading(value.dims or ()) for value in inputs]
        place = next((dims.index(size) for dims in places if size in dims), None)
        return Batch(size=size, place=place)
    return guess


def _largest(sizes: set[int], *, divides: int, other: int) -> int:
    return max((size for size in sizes if divides % size == 0), default=other)
