"""One operation of an ONNX graph, as its rule sees it.

Shapes are whole, with the batch where the graph has it: the batch that the file fixes, else 1.
Work is counted for that and brought to the wanted batch size. Layout is channels first.
Leaves to others: the rules (`onnx_rules_*`), the walk over the graph (`onnx_graph`).
"""

import math
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from advisor.errors import NetworkFileError
from advisor.model.kernel import ElementwiseShape
from advisor.network.builder import Tensor
from advisor.network.call import Result, Shape, Step
from advisor.network.fields import describe
from advisor.network.onnx_batch import Evidence
from advisor.network.onnx_nodes import OnnxNode
from advisor.network.onnx_tensors import OnnxTensor

# Whole numbers of 64 bits, or floats.
Value = npt.NDArray[Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class OnnxInput:
    """What an operation reads.

    Attributes:
        tensor: its shape, and where it is computed.
        weights: names and sizes of the weights of the file that it is, or is made from.
        value: its values, where they are few and known from the file alone (`onnx_folding`).
        is_data: whether it depends on what the network is fed.
        numbers: name and size of a constant that is no weight by its type, but quantised may be.
        is_filled: whether it is filled with one number; made_by: the operation that computes it.
        parts: what it holds where it is a list of tensors, else None.
    """

    tensor: Tensor
    weights: tuple[tuple[str, int], ...] = ()
    value: Value | None = None
    is_data: bool = False
    numbers: tuple[tuple[str, int], ...] = ()
    is_filled: bool = False
    made_by: str = ""
    parts: tuple["OnnxInput", ...] | None = None

    @property
    def shape(self) -> Shape:
        """Its shape."""
        return self.tensor.shape


@dataclass(slots=True, kw_only=True)
class OnnxCall:
    """An operation with what it reads; None stands for an input that is left out.

    Attributes:
        batch: samples at once; fixed_batch: those that the shapes are for, 1 where the file
            leaves it free.
        counted: weights that an operation before has brought in.
        described: shapes of its results as the file describes them, None where it does not.
        evidence: collects what is told of the batch.
    """

    node: OnnxNode
    where: str
    inputs: tuple[OnnxInput | None, ...]
    batch: int
    fixed_batch: int
    opset: int
    is_training: bool
    described: tuple[Shape | None, ...]
    evidence: Evidence = field(default_factory=Evidence)
    counted: set[str] = field(default_factory=set)

    def refuse(self, problem: str) -> NetworkFileError:
        """Return the error that says what is wrong with this operation."""
        return NetworkFileError(f"{self.where}: {problem}")

    @property
    def first_described(self) -> Shape | None:
        """The shape of the first result as the file describes it, None where it does not."""
        return self.described[0] if self.described else None

    def all_described(self) -> tuple[Shape, ...]:
        """Return the shapes of all results as the file describes them."""
        shapes = tuple(shape for shape in self.described if shape is not None)
        if len(shapes) != len(self.described):
            raise self.refuse(
                "the shape of its result is not in the file: run onnx.shape_inference.infer_shapes "
                "on the model and save it"
            )
        return shapes

    def has(self, index: int) -> bool:
        """Tell whether the input is given."""
        return index < len(self.inputs) and self.inputs[index] is not None

    def given(self, index: int) -> OnnxInput:
        """Return an input that must be there."""
        value = self.inputs[index] if index < len(self.inputs) else None
        if value is None:
            raise self.refuse(f"has no input {index + 1}")
        return value

    def shape(self, index: int = 0, *, rank: int | None = None) -> Shape:
        """Return the shape of an input, which must have `rank` dimensions if that is given."""
        shape = self.given(index).shape
        if rank is not None and len(shape) != rank:
            raise self.refuse(f"needs {rank} dimensions, its input is {shape}")
        return shape

    def value(self, index: int) -> Value | None:
        """Return the values of an input that is known from the file, else None."""
        given = self.inputs[index] if index < len(self.inputs) else None
        return None if given is None else given.value

    def integers(self, index: int) -> tuple[int, ...] | None:
        """Return an input of whole numbers that is known from the file as a list, else None."""
        value = self.value(index)
        if value is None or value.dtype != np.int64:
            return None
        return tuple(int(each) for each in value.ravel())

    def fractions(self, index: int) -> tuple[float, ...] | None:
        """Return an input of floats that is known from the file as a list, else None."""
        value = self.value(index)
        if value is None or value.dtype == np.int64:
            return None
        return tuple(float(each) for each in value.ravel())

    def number(self, name: str, *, default: int) -> int:
        """Return a whole number among the attributes."""
        value = self.node.attributes.get(name, default)
        if not isinstance(value, int) or abs(value) > 2**31:
            raise self.refuse(f"{name!r} must be a whole number, found {describe(value)}")
        return value

    def text(self, name: str, *, default: str) -> str:
        """Return a text among the attributes."""
        value = self.node.attributes.get(name, default)
        if not isinstance(value, str):
            raise self.refuse(f"{name!r} must be a text, found {describe(value)}")
        return value

    def numbers(self, name: str, *, default: Shape | None, length: int | None = None) -> Shape:
        """Return a list of whole numbers among the attributes."""
        value = self.node.attributes.get(name, default)
        if not isinstance(value, tuple) or (length is not None and len(value) != length):
            raise self.refuse(f"{name!r} is {describe(value)}")
        if any(abs(entry) > 2**31 for entry in value):
            raise self.refuse(f"{name!r} is {describe(value)}")
        return value

    def listed(self, name: str, *, index: int) -> Shape | None:
        """Return numbers that newer operator sets give as an input and older as an attribute."""
        if self.has(index):
            return self.integers(index)
        value = self.node.attributes.get(name)
        if isinstance(value, OnnxTensor):
            return value.integers
        return value if isinstance(value, tuple) else None

    def axis(self, value: int, *, rank: int) -> int:
        """Return an axis as a position."""
        position = value + rank if value < 0 else value
        if not 0 <= position < rank:
            raise self.refuse(f"axis {value} is outside its {rank} dimensions")
        return position

    def take(self, *indices: int) -> tuple[int, ...]:
        """Return the sizes of those inputs that are weights no operation before has brought in."""
        given = (self.inputs[index] for index in indices if index < len(self.inputs))
        return self._taken(*(weight for value in given if value is not None
                             for weight in value.weights))  # fmt: skip

    def take_numbers(self, index: int) -> tuple[int, ...]:
        """Return the size of a quantised bias, which is of a type that weights do not have."""
        given = self.inputs[index] if index < len(self.inputs) else None
        return () if given is None else self._taken(*given.weights, *given.numbers)

    def _taken(self, *weights: tuple[str, int]) -> tuple[int, ...]:
        sizes = []
        for name, size in weights:
            if name not in self.counted:
                self.counted.add(name)
                sizes.append(size)
        return tuple(sizes)

    def count(self, *sizes: int) -> int:
        """Return the product of sizes of the graph for the wanted batch, the same for each sample.

        It is 1 a sample at least.
        """
        return max(1, -(-math.prod(sizes) // self.fixed_batch)) * self.batch

    def check_batch(self, samples: int) -> None:
        """Keep how many samples an operation has that knows them."""
        if samples not in self.evidence.samples[-1:]:
            self.evidence.samples.append(samples)

    def check_products(self, apart: int) -> None:
        """Keep how many products of data with data an operation does apart from each other."""
        if apart not in self.evidence.products[-1:]:
            self.evidence.products.append(apart)

    def total(self, shape: Shape) -> int:
        """Return the values of a tensor for the whole batch."""
        return self.count(*shape)

    def elementwise(
        self, op: str, shape: Shape, *, n_inputs: int = 1, weights: tuple[int, ...] = ()
    ) -> Step:
        """Return the step that computes each value of `shape` by itself."""
        elements = self.total(shape)
        kernel = ElementwiseShape(op=op, elements=elements, n_inputs=n_inputs)
        return Step(shape=kernel, elements=elements, weights=weights)

    def passes(self, op: str, shape: Shape, *, count: int) -> Step:
        """Return the step that goes `count` times over the values of `shape`."""
        elements = self.total(shape)
        return Step(shape=ElementwiseShape(op=op, elements=count * elements), elements=elements)

    def copied(self, *outputs: Shape, weights: tuple[int, ...] = ()) -> Result:
        """Return a result that moves its input."""
        elements = (sum(math.prod(shape) for shape in outputs),)
        return Result(outputs=outputs, steps=(self.elementwise("copy", elements, weights=weights),))

    def renamed(self, *outputs: Shape) -> Result:
        """Return a result that costs nothing."""
        return Result(outputs=outputs)
