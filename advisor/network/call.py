"""One call of one layer: what a rule is given, and what it answers.

Shapes are per sample (without the batch). A rule turns the configuration of a layer and the
shapes of its inputs into output shapes and steps (kernels with their weights).
Leaves to others: the rules themselves, wiring the calls (`advisor.network.builder`).
"""

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

from advisor.model.kernel import ElementwiseShape, KernelShape
from advisor.network.fields import Fields

Shape = tuple[int, ...]
# As a file has it: a size is None where it is open.
Recorded = tuple[int | None, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One kernel of a layer.

    Attributes:
        elements: values that it produces at a time, for the whole batch.
        weights: sizes of its trainable tensors; frozen: of those that no gradient updates.
        is_shared: whether an earlier step of this layer counts these weights.
        reads: earlier steps of this layer (0, 1, ...) or inputs of the layer (-1 for the first,
            -2 for the second); None: the step before, all inputs for the first step.
        kept: values that training keeps of it beside them, where its shape does not tell; less
            than 0 where it keeps fewer.
        is_product: whether it multiplies what it reads, and nothing else but constants: each of
            these that something trained comes before has a gradient.
        repeats: times that it is run one after the other, once for each moment of a sequence.
    """

    shape: KernelShape
    elements: int
    weights: tuple[int, ...] = ()
    frozen: tuple[int, ...] = ()
    is_shared: bool = False
    reads: tuple[int, ...] | None = None
    kept: int = 0
    is_product: bool = False
    repeats: int = 1


def _whole(shape: Recorded | None) -> Shape | None:
    """Return a shape of which no size is open, else None."""
    sizes = [size for size in shape or () if size is not None]
    return None if shape is None or len(sizes) < len(shape) else tuple(sizes)


def _filled(shape: Recorded, sizes: Shape) -> Recorded:
    """Return a shape with `sizes` where it is open."""
    return tuple(
        sizes[place] if size is None and place < len(sizes) else size
        for place, size in enumerate(shape)
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class Argument:
    """What an operation is given, with the batch in front of what has one.

    Attributes:
        read: the input that it is (-1 for the first, -2 for the second); None: a constant.
    """

    shape: Shape
    read: int | None

    @property
    def is_data(self) -> bool:
        """Whether it is no constant of the file."""
        return self.read is not None


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """A layer applied to inputs.

    Attributes:
        class_name: "Conv2D"; fields: its configuration.
        inputs: shapes of what it is applied to, at least one.
        batch: samples at once; is_training: whether dropout and the like are at work.
        is_trainable: whether its weights are trained; a frozen layer has fixed statistics.
        is_masked: whether an input has a mask of moments that do not count.
        declared: output shapes that the file records, None where it does not.
        operands: where constants of the file are among its arguments, their whole shapes in order,
            None for each of `inputs`; () where there are none.
        is_moment: whether it is applied to a moment of a sequence: sequences in it are told as one.
        is_operation: whether the file says that it is a function of `keras.ops`, not a layer.
    """

    class_name: str
    fields: Fields
    inputs: tuple[Shape, ...]
    batch: int
    is_training: bool
    is_trainable: bool = True
    is_masked: bool = False
    declared: tuple[Recorded | None, ...] = ()
    operands: tuple[Shape | None, ...] = ()
    is_moment: bool = False
    is_operation: bool = False

    @property
    def input(self) -> Shape:
        """Shape of the first input."""
        return self.inputs[0]

    @property
    def recorded(self) -> tuple[Shape, ...]:
        """Shapes of all results as the file records them, () where it records none.

        One that nothing uses is not in the file: it is taken to be like the first that is.
        """
        found = [_whole(shape) for shape in self.declared]
        known = [shape for shape in found if shape is not None]
        return tuple(known[0] if shape is None else shape for shape in found if known)

    @property
    def recorded_or_alike(self) -> tuple[Shape, ...]:
        """As `recorded`, with open sizes taken to be those of the first input in their places.

        A shape of which nothing is known stays unknown.
        """
        filled = tuple(
            _filled(shape, self.input) if shape and {*shape} != {None} else shape
            for shape in self.declared
        )
        return replace(self, declared=filled).recorded

    @property
    def arguments(self) -> tuple[Argument, ...]:
        """All that it is given, constants of the file among it, in order."""
        found: list[Argument] = []
        inputs = iter(enumerate(self.inputs))
        for constant in self.operands or (None,) * len(self.inputs):
            if constant is not None:
                found.append(Argument(shape=constant, read=None))
                continue
            position, shape = next(inputs, (len(found), self.input))
            found.append(Argument(shape=(self.batch, *shape), read=-1 - position))
        return tuple(found)

    def total(self, shape: Shape) -> int:
        """Return the values that a tensor of this shape holds for the whole batch."""
        return self.batch * math.prod(shape)

    def require_rank(self, rank: int) -> Shape:
        """Return the first input's shape after checking how many dimensions it has."""
        if len(self.input) != rank:
            raise self.fields.refuse(
                f"{self.class_name} needs {rank} dimensions a sample, its input is {self.input}"
            )
        return self.input

    def elementwise(self, op: str, shape: Shape, *, n_inputs: int = 1) -> Step:
        """Return the step that computes each value of `shape` by itself."""
        elements = self.total(shape)
        return Step(
            shape=ElementwiseShape(op=op, elements=elements, n_inputs=n_inputs), elements=elements
        )

    def passes(self, op: str, shape: Shape, *, count: int) -> Step:
        """Return the step that goes `count` times over the values of `shape`."""
        elements = self.total(shape)
        return Step(shape=ElementwiseShape(op=op, elements=count * elements), elements=elements)


@dataclass(frozen=True, slots=True, kw_only=True)
class Result:
    """What a layer makes of its inputs.

    Attributes:
        outputs: shapes, at least one; without steps the inputs pass through.
        note: a sentence when the layer could not be modelled, else None.
        samples: samples at once in the results, where they are others than in the inputs: windows
            of an image that are taken for samples; None: as many.
        is_assumed: whether its shape is not known and taken to be that of its input.
    """

    outputs: tuple[Shape, ...]
    steps: tuple[Step, ...] = ()
    note: str | None = None
    samples: int | None = None
    is_assumed: bool = False


Rule = Callable[[Call], Result]


def axis_position(call: Call, axis: int, *, shape: Shape) -> int:
    """Return the position in a per-sample shape of a Keras axis (which counts the batch).

    Raises:
        NetworkFileError: when the axis is the batch or does not exist.
    """
    position = axis - 1 if axis >= 0 else axis + len(shape)
    if not 0 <= position < len(shape):
        raise call.fields.refuse(f"axis {axis} is not one of its input {shape}")
    return position
