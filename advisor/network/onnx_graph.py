"""An ONNX graph as a network: a walk over its operations in order.

Everything is followed at the batch that the file fixes, else for one sample, and brought to the
wanted batch size. Weights are the constants of the file; nothing is executed.
Leaves to others: reading the file (`onnx_reading`), each operation (`onnx_rules_*`).
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import replace

from advisor.errors import NetworkFileError
from advisor.model.kernel import UnknownShape
from advisor.network import (
    onnx_rules_attention,
    onnx_rules_einsum,
    onnx_rules_layers,
    onnx_rules_quantised,
    onnx_rules_select,
    onnx_rules_shape,
    onnx_rules_spectrum,
)
from advisor.network.builder import Network, NetworkBuilder, Tensor
from advisor.network.call import Result, Shape, Step
from advisor.network.fields import MAX_DIMENSION
from advisor.network.keras_inputs import (
    ASSUMED_IMAGE_SIDE,
    ASSUMED_TIMESTEPS,
    ASSUMED_VOLUME_SIDE,
)
from advisor.network.onnx_call import OnnxCall, OnnxInput, WrongBatchError
from advisor.network.onnx_control import follow
from advisor.network.onnx_folding import fold, value_of
from advisor.network.onnx_reading import OnnxGraph, OnnxNode, OnnxTensor, OnnxValue

_RULES = {
    **onnx_rules_layers.RULES,
    **onnx_rules_shape.RULES,
    **onnx_rules_select.RULES,
    **onnx_rules_einsum.RULES,
    **onnx_rules_attention.RULES,
    **onnx_rules_quantised.RULES,
    **onnx_rules_spectrum.RULES,
}

# ONNX Runtime arranges channels in blocks for the vectors of one kind of processor.
_OF_ONE_PROCESSOR = ("ReorderInput", "ReorderOutput")
# They make lists of tensors, whose length and shapes depend on values.
_OF_LISTS = ("SequenceMap", "SequenceEmpty", "SplitToSequence")
_MOST_FOLLOWED = 30_000
_BATCH_NAMES = ("batch", "n", "b", "bs", "batch_size", "batchsize", "unk__")
# Operations that may stand between a constant of the file and what uses it as a weight.
_WEIGHT_PASSING = (
    "DequantizeLinear", "QuantizeLinear", "Cast", "Identity", "Transpose", "Reshape", "Flatten",
    "Unsqueeze", "Squeeze",
)  # fmt: skip


class _Walk:
    """The state of one walk: what each name of the graph stands for."""

    def __init__(
        self,
        graph: OnnxGraph,
        *,
        builder: NetworkBuilder,
        is_training: bool,
        fixed_batch: int | None,
    ) -> None:
        self._graph = graph
        self._builder = builder
        self._is_training = is_training
        self._counted: set[str] = set()
        self._names: set[str] = set()
        self._values: dict[str, OnnxInput] = {
            name: _constant_input(tensor) for name, tensor in graph.constants.items()
        }
        self._n_followed = 0
        self._described_values = dict(graph.described)
        self._batch_names: set[str] = set()
        self._fixed_batch = fixed_batch or 1
        self._is_batch_sure = fixed_batch is not None
        # Constants that the graph fills with one number.
        self._filled: set[str] = set()

    def add_inputs(self) -> None:
        """Add what the network is fed: inputs that are not constants."""
        fed = [v for v in self._graph.inputs if v.name not in self._graph.constants]
        leading = {_batch_of(v.dims) for v in fed if v.dims} - {None, 1}
        # Leading sizes that differ are no batch: the file has none.
        if len(leading) == 1 and not self._is_batch_sure:
            self._fixed_batch = min(leading.pop() or 1, MAX_DIMENSION)
        for value in fed:
            if value.name not in self._values:
                shape, of_sample = self._input_shapes(value)
                self._builder.add_input(of_sample)
                self._values[value.name] = OnnxInput(tensor=Tensor(shape=shape), is_data=True)

    def _input_shapes(self, value: OnnxValue) -> tuple[Shape, Shape]:
        """Return the shape of an input as the graph has it, and for one sample."""
        if value.dims is None:
            raise NetworkFileError(f"input {value.name!r} has no shape")
        dims = list(value.dims)
        position = _batch_position(dims)
        if dims:
            stated = dims[position]
            if isinstance(stated, str):
                self._batch_names.add(stated)
            if not isinstance(stated, int):
                dims[position] = self._fixed_batch
        assumed = {4: ASSUMED_IMAGE_SIDE, 5: ASSUMED_VOLUME_SIDE}.get(len(dims), ASSUMED_TIMESTEPS)
        shape = tuple(size if isinstance(size, int) else assumed for size in dims)
        if any(size > MAX_DIMENSION for size in shape):
            raise NetworkFileError(f"input {value.name!r} is too large: {shape}")
        if any(not isinstance(size, int) for size in dims):
            text = " x ".join(str(size) for size in shape)
            self._builder.note(
                f"The size of input {value.name!r} is not fixed in the file: taken as {text}."
            )
        has_batch = bool(shape) and shape[position] == self._fixed_batch
        of_sample = (*shape[:position], 1, *shape[position + 1 :]) if has_batch else shape
        return shape, of_sample

    def add_node(self, node: OnnxNode, *, position: int) -> None:
        """Follow one operation; loops follow theirs once for each trip."""
        self._count(1)
        name = node.name or f"{node.op_type}_{position + 1}"
        name = name if name not in self._names else f"{name}_{position + 1}"
        self._names.add(name)
        call = OnnxCall(
            node=node,
            where=f"operation {name!r} ({node.op_type})",
            inputs=tuple(self._read(source) for source in node.inputs),
            batch=self._builder.batch_size,
            fixed_batch=self._fixed_batch,
            opset=self._graph.opset,
            is_training=self._is_training,
            described=tuple(self._described(output) for output in node.outputs),
            is_batch_sure=self._is_batch_sure,
            counted=self._counted,
        )
        if not self._follow_parts(name, call) and not self._keep_constant(call):
            self._add_call(name, call)

    def _count(self, n: int) -> None:
        """Count what is followed, again in each trip of a loop."""
        self._n_followed += n
        if self._n_followed > _MOST_FOLLOWED:
            raise NetworkFileError(
                f"more than {_MOST_FOLLOWED} operations with the trips of its loops: this is not a "
                "usable model"
            )

    def _follow_parts(self, name: str, call: OnnxCall) -> bool:
        """Follow the graphs inside an operation in its place; False when it has none."""
        followed = follow(call, self._inline)
        if followed is None:
            return False
        if followed.unknown is not None:
            # What is not sure widens the interval by what it makes.
            elements = sum(call.total(value.shape) for value in followed.outputs)
            shape = UnknownShape(layer_type=call.node.op_type, elements=elements)
            step = Step(shape=shape, elements=elements)
            note = f"{call.where}: {followed.unknown}."
            result = Result(outputs=((),), steps=(step,), note=note)
            self._builder.add(name, class_name=call.node.op_type, result=result, tensors=())
        self._keep(call.node, followed.outputs)
        return True

    def _inline(self, graph: OnnxGraph, values: Mapping[str, OnnxInput]) -> tuple[OnnxInput, ...]:
        """Follow a graph that stands inside an operation; names from outside are seen in it."""
        self._count(1 + len(graph.constants) + len(graph.described) + len(graph.outputs))
        self._described_values.update(graph.described)
        self._values.update(
            {name: _constant_input(tensor) for name, tensor in graph.constants.items()}
        )
        self._values.update(values)
        for position, node in enumerate(graph.nodes):
            self.add_node(node, position=position)
        made = (self._read(value.name) for value in graph.outputs)
        return tuple(value if value is not None else _scalar() for value in made)

    def _keep_constant(self, call: OnnxCall) -> bool:
        """Keep a result that depends on the file alone; False when it depends on the input."""
        node = call.node
        folded = fold(call)
        if folded is not None:
            tensor = Tensor(shape=tuple(folded.shape))
            self._keep(node, (OnnxInput(tensor=tensor, value=folded),))
            return True
        value = node.attributes.get("value")
        if node.op_type == "Constant":
            made = _constant_input(value) if isinstance(value, OnnxTensor) else _scalar()
            self._keep(node, (made,))
            return True
        if any(x is not None and x.is_data for x in call.inputs):
            return False
        self._keep(node, self._derived(call))
        return True

    def _derived(self, call: OnnxCall) -> tuple[OnnxInput, ...]:
        """Return constants made from constants: weights again, of the shape that they then have."""
        node = call.node
        first = call.inputs[0] if call.inputs else None
        rule = _RULES.get(node.op_type)
        if node.op_type == "ConstantOfShape" and call.integers(0) is not None:
            outputs: tuple[Shape, ...] = (call.integers(0) or (),)
        elif rule is not None and first is not None:
            outputs = rule(replace(call, counted=set())).outputs
        else:
            outputs = self._unknown(call).outputs
        weights = self._weights_behind(call, outputs)
        return tuple(OnnxInput(tensor=Tensor(shape=shape), weights=weights) for shape in outputs)

    def _weights_behind(
        self, call: OnnxCall, outputs: tuple[Shape, ...]
    ) -> tuple[tuple[str, int], ...]:
        """Return the weights of the file that a constant made from constants comes from."""
        node, given = call.node, [value for value in call.inputs if value is not None]
        if node.op_type == "ConstantOfShape":
            # Files without weights have them made so; masks and grids begin so too.
            self._filled.add(node.outputs[0])
            return ((node.outputs[0], math.prod(outputs[0])),)
        if node.op_type in _WEIGHT_PASSING and given:
            return given[0].weights
        every = dict.fromkeys(weight for value in given for weight in value.weights)
        return tuple(weight for weight in every if weight[0] not in self._filled)

    def _add_call(self, name: str, call: OnnxCall) -> None:
        rule = _RULES.get(call.node.op_type)
        result = self._unknown(call) if rule is None else rule(call)
        if any(math.prod(shape) < 1 for shape in result.outputs):
            raise call.refuse(f"its result would be empty: {result.outputs[0]}")
        tensors = tuple(x.tensor for x in call.inputs if x is not None and x.is_data)
        if not result.steps and result.outputs:
            tensors = tensors[:1]
        result = replace(result, outputs=(*result.outputs, *_further(call, len(result.outputs))))
        made = self._builder.add(name, class_name=call.node.op_type, result=result, tensors=tensors)
        self._keep(call.node, tuple(OnnxInput(tensor=tensor, is_data=True) for tensor in made))

    def _unknown(self, call: OnnxCall) -> Result:
        if call.node.op_type in _OF_LISTS and None in call.described:
            raise call.refuse("holds a part that runs so often as the data say: it is not followed")
        recorded = tuple(shape for shape in call.described if shape is not None)
        is_complete = bool(recorded) and len(recorded) == len(call.described)
        outputs = recorded if is_complete else (call.shape(),) * max(1, len(call.described))
        elements = sum(call.total(shape) for shape in outputs)
        shape = UnknownShape(layer_type=call.node.op_type, elements=elements)
        where = "described in the file" if is_complete else "taken to be that of its input"
        note = (
            f"{call.where}: the work of this kind of operation is not known and counts as "
            f"nothing; the shape of its result is {where}."
        )
        return Result(outputs=outputs, steps=(Step(shape=shape, elements=elements),), note=note)

    def _keep(self, node: OnnxNode, made: tuple[OnnxInput, ...]) -> None:
        for output, value in zip(node.outputs, made, strict=False):
            if output:
                self._values[output] = value

    def _read(self, name: str) -> OnnxInput | None:
        if not name:
            return None
        value = self._values.get(name)
        if value is None:
            raise NetworkFileError(
                f"{name!r} is read before it is computed: the graph has a cycle, is out of order, "
                "or lacks a part"
            )
        return value

    def _described(self, name: str) -> Shape | None:
        value = self._described_values.get(name)
        if value is None or value.dims is None:
            return None
        sizes: list[int] = []
        for position, size in enumerate(value.dims):
            if size in self._batch_names or (position == 0 and not isinstance(size, int)):
                sizes.append(self._fixed_batch)
            elif isinstance(size, int) and size <= MAX_DIMENSION:
                sizes.append(size)
            else:
                return None
        return tuple(sizes)

    def outputs(self, values: Iterable[OnnxValue]) -> tuple[Tensor, ...]:
        """Return the results of the graph."""
        found = tuple(self._read(value.name) for value in values)
        return tuple(value.tensor for value in found if value is not None)


def _further(call: OnnxCall, count: int) -> tuple[Shape, ...]:
    """Return shapes for results beyond the first `count`: as described, else single numbers."""
    rest = call.described[count:]
    return tuple(shape if shape is not None else () for shape in rest)


def _constant_input(tensor: OnnxTensor) -> OnnxInput:
    return OnnxInput(
        tensor=Tensor(shape=tensor.dims),
        weights=((tensor.name, math.prod(tensor.dims)),) if tensor.is_weight else (),
        value=value_of(tensor),
    )


def _scalar() -> OnnxInput:
    return OnnxInput(tensor=Tensor(shape=()))


def _batch_position(dims: list[int | str | None]) -> int:
    """Return which dimension is the batch: the one of that name, else the first."""
    for position, size in enumerate(dims):
        if isinstance(size, str) and size.lower().startswith(_BATCH_NAMES[0]):
            return position
    for position, size in enumerate(dims):
        if isinstance(size, str) and size.lower() in _BATCH_NAMES:
            return position
    return 0


def _batch_of(dims: tuple[int | str | None, ...]) -> int | None:
    """Return the batch that the sizes of an input fix, None where they leave it free."""
    size = dims[_batch_position(list(dims))]
    return size if isinstance(size, int) else None


def network_from_onnx(
    graph: OnnxGraph, *, name: str, batch_size: int, is_training: bool = True
) -> Network:
    """Return the network of an ONNX graph.

    Args:
        graph: from `onnx_reading`.
        name: what to call the network.
        batch_size: samples at once.
        is_training: whether dropout counts.

    Raises:
        NetworkFileError: when an operation does not fit its inputs or the graph is incomplete.
    """
    if any(node.op_type in _OF_ONE_PROCESSOR for node in graph.nodes):
        raise NetworkFileError(
            "optimised by ONNX Runtime for one kind of processor: give the file that this was "
            "made from"
        )
    try:
        builder, walk = _walked(graph, batch_size, is_training=is_training, fixed_batch=None)
    except WrongBatchError as wrong:
        builder, walk = _walked(
            graph, batch_size, is_training=is_training, fixed_batch=wrong.samples
        )
    if not builder.has_operators:
        raise NetworkFileError("the graph has no operations that compute anything")
    return builder.finish(name, outputs=walk.outputs(graph.outputs))


def _walked(
    graph: OnnxGraph, batch_size: int, *, is_training: bool, fixed_batch: int | None
) -> tuple[NetworkBuilder, _Walk]:
    """Follow all operations, with the batch that the file has, where that is known."""
    builder = NetworkBuilder(batch_size=batch_size)
    walk = _Walk(graph, builder=builder, is_training=is_training, fixed_batch=fixed_batch)
    walk.add_inputs()
    for position, node in enumerate(graph.nodes):
        walk.add_node(node, position=position)
    return builder, walk
