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
from advisor.network.builder import Network, NetworkBuilder, Tensor
from advisor.network.call import Result, Shape, Step
from advisor.network.fields import MAX_DIMENSION
from advisor.network.keras_inputs import (
    ASSUMED_IMAGE_SIDE,
    ASSUMED_TIMESTEPS,
    ASSUMED_VOLUME_SIDE,
)
from advisor.network.onnx_batch import (
    Batch,
    Evidence,
    decide,
    first_guess,
    place_of,
)
from advisor.network.onnx_call import OnnxCall, OnnxInput
from advisor.network.onnx_constants import constant_input, constants_of, scalar_input
from advisor.network.onnx_control import follow
from advisor.network.onnx_functions import Scope, entered, with_attributes
from advisor.network.onnx_lists import list_of, picked_or_listed, split_off, with_parts
from advisor.network.onnx_needed import needed
from advisor.network.onnx_nodes import OnnxFunction, OnnxGraph, OnnxNode, OnnxValue
from advisor.network.onnx_open import sizes_by_weights
from advisor.network.onnx_rules import RULES, computed

# ONNX Runtime arranges channels in blocks for the vectors of one kind of processor.
_OF_ONE_PROCESSOR = ("ReorderInput", "ReorderOutput")
_DOMAINS_OF_ONE_PROCESSOR = ("com.microsoft.nchwc", "com.ms.internal.nhwc")
_MOST_FOLLOWED = 30_000


class _Walk:
    """The state of one walk: what each name of the graph stands for."""

    def __init__(
        self, graph: OnnxGraph, *, builder: NetworkBuilder, is_training: bool, batch: Batch
    ) -> None:
        self.evidence = Evidence()
        self._graph = graph
        self.builder = builder
        self._is_training = is_training
        self._batch = batch
        self._counted: set[str] = set()
        self._names: dict[str, int] = {}
        self._scope = Scope(opset=graph.opset, described=dict(graph.described))
        self._add_constants(graph)
        self._n_followed = 0
        self._batch_names: set[str] = set()
        self._by_weights = sizes_by_weights(graph)

    def _add_constants(self, graph: OnnxGraph) -> None:
        origin = self._scope.origin
        self._scope.values.update(
            (name, constant_input(tensor, name=f"{origin}{name}"))
            for name, tensor in graph.constants.items()
        )

    def add_inputs(self) -> None:
        """Add what the network is fed: inputs that are not constants."""
        for value in fed_values(self._graph):
            if value.name not in self._scope.values:
                shape, of_sample = self._input_shapes(value)
                self.builder.add_input(of_sample)
                self._scope.values[value.name] = OnnxInput(tensor=Tensor(shape=shape), is_data=True)

    def _input_shapes(self, value: OnnxValue) -> tuple[Shape, Shape]:
        """Return the shape of an input as the graph has it, and for one sample."""
        if value.dims is None:
            raise NetworkFileError(f"input {value.name!r} has no shape")
        dims = list(value.dims)
        place = place_of(self._batch, dims)
        if place is not None:
            stated = dims[place]
            if isinstance(stated, str):
                self._batch_names.add(stated)
            if not isinstance(stated, int):
                dims[place] = self._batch.size
        told = self._by_weights.get(value.name)
        if told is not None and told[0] < len(dims) and not isinstance(dims[told[0]], int):
            dims[told[0]] = told[1]
        assumed = {4: ASSUMED_IMAGE_SIDE, 5: ASSUMED_VOLUME_SIDE}.get(len(dims), ASSUMED_TIMESTEPS)
        shape = tuple(size if isinstance(size, int) else assumed for size in dims)
        if any(size > MAX_DIMENSION for size in shape):
            raise NetworkFileError(f"input {value.name!r} is too large: {shape}")
        if any(not isinstance(size, int) for size in dims):
            text = " x ".join(str(size) for size in shape)
            self.builder.note(
                f"The size of input {value.name!r} is not fixed in the file: taken as {text}."
            )
        of_sample = shape if place is None else (*shape[:place], 1, *shape[place + 1 :])
        return shape, of_sample

    def add_node(self, node: OnnxNode, *, position: int) -> None:
        """Follow one operation; loops follow theirs once for each trip, functions for each call."""
        # Those that read very much take as long as many.
        n_names = len(node.inputs) + len(node.outputs) + len(node.references)
        self._count(1 + (n_names + len(node.attributes)) // 16)
        node = with_attributes(node, self._scope)
        name = self._name(node, position=position)
        call = OnnxCall(
            node=node,
            where=f"operation {name!r} ({node.op_type})",
            inputs=tuple(self._read(source) for source in node.inputs),
            batch=self.builder.batch_size,
            fixed_batch=self._batch.size,
            opset=self._scope.opset,
            is_training=self._is_training,
            described=tuple(self._described(output) for output in node.outputs),
            evidence=self.evidence,
            counted=self._counted,
        )
        function = self._graph.functions.get(node.key)
        if function is not None and node.known_as not in RULES:
            self._follow_function(name, call, function)
            return
        call = with_parts(call)
        is_kept = self._follow_parts(name, call) or self._keep_list(name, call)
        if not is_kept and not self._keep_constant(call):
            self._add_call(name, call)

    def _name(self, node: OnnxNode, *, position: int) -> str:
        """Return a name that no operation before has."""
        name = f"{self._scope.path}{node.name or f'{node.op_type}_{position + 1}'}"
        n_before = self._names.get(name, 0)
        self._names[name] = n_before + 1
        return name if not n_before else self._name_again(f"{name}_{position + 1}")

    def _name_again(self, name: str) -> str:
        n_before = self._names.get(name, 0)
        self._names[name] = n_before + 1
        return name if not n_before else self._name_again(f"{name}.{n_before + 1}")

    def _follow_function(self, name: str, call: OnnxCall, function: OnnxFunction) -> None:
        """Follow the operations of a function in the place of its call."""
        self._count(len(function.inputs) + len(function.described) + len(function.outputs))
        self._count(len(function.defaults))
        outside = self._scope
        self._scope = entered(function, call, name=name, scope=outside)
        for position, node in enumerate(function.nodes):
            self.add_node(node, position=position)
        made = self._made(function.outputs)
        self._scope = outside
        self._keep(call.node, made)

    def _made(self, names: Iterable[str]) -> tuple[OnnxInput, ...]:
        made = (self._read(name) for name in names)
        return tuple(value if value is not None else scalar_input() for value in made)

    def _count(self, n: int) -> None:
        """Count what is followed, again in each trip of a loop."""
        self._n_followed += n
        if self._n_followed > _MOST_FOLLOWED:
            raise NetworkFileError(
                f"more than {_MOST_FOLLOWED} operations with the trips of its loops and the calls "
                "of its functions: this is not a usable model"
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
            self.builder.add(name, class_name=call.node.op_type, result=result, tensors=())
        self._keep(call.node, followed.outputs)
        return True

    def _inline(self, graph: OnnxGraph, values: Mapping[str, OnnxInput]) -> tuple[OnnxInput, ...]:
        """Follow a graph that stands inside an operation; names from outside are seen in it."""
        self._count(1 + len(graph.constants) + len(graph.described) + len(graph.outputs))
        self._scope.described.update(graph.described)
        self._add_constants(graph)
        self._scope.values.update(values)
        for position, node in enumerate(graph.nodes):
            self.add_node(node, position=position)
        return self._made(value.name for value in graph.outputs)

    def _keep_constant(self, call: OnnxCall) -> bool:
        """Keep a result that depends on the file alone; False when it depends on the input."""
        made = constants_of(call, origin=self._scope.origin)
        if made is None:
            return False
        self._keep(call.node, made)
        return True

    def _keep_list(self, name: str, call: OnnxCall) -> bool:
        """Keep a list of tensors, or what is picked from one; False where neither is done."""
        pieces = split_off(call)
        if pieces is not None:
            self._count(len(pieces))
            made = tuple(self._added(name, call, call.copied(*pieces)))
            self._keep(call.node, (list_of(made),))
            return True
        picked = picked_or_listed(call)
        if picked is None:
            return False
        self._count(len(picked.parts or ()))
        self._keep(call.node, (picked,))
        return True

    def _add_call(self, name: str, call: OnnxCall) -> None:
        result = computed(call)
        if any(math.prod(shape) < 1 for shape in result.outputs):
            raise call.refuse(f"its result would be empty: {result.outputs[0]}")
        result = replace(result, outputs=(*result.outputs, *_further(call, len(result.outputs))))
        self._keep(call.node, self._added(name, call, result))

    def _added(self, name: str, call: OnnxCall, result: Result) -> tuple[OnnxInput, ...]:
        """Add an operation to the network; return its results."""
        op = call.node.op_type
        tensors = tuple(x.tensor for x in call.inputs if x is not None and x.is_data)
        if not result.steps and result.outputs:
            tensors = tensors[:1]
        made = self.builder.add(name, class_name=op, result=result, tensors=tensors)
        return tuple(OnnxInput(tensor=tensor, is_data=True, made_by=op) for tensor in made)

    def _keep(self, node: OnnxNode, made: tuple[OnnxInput, ...]) -> None:
        for output, value in zip(node.outputs, made, strict=False):
            if output:
                self._scope.values[output] = value

    def _read(self, name: str) -> OnnxInput | None:
        if not name:
            return None
        if name not in self._scope.values:
            raise NetworkFileError(
                f"{name!r} is read before it is computed: the graph has a cycle, is out of order, "
                "or lacks a part"
            )
        return self._scope.values[name]

    def _described(self, name: str) -> Shape | None:
        value = self._scope.described.get(name)
        if value is None or value.dims is None:
            return None
        sizes: list[int] = []
        for position, size in enumerate(value.dims):
            if size in self._batch_names or (position == 0 and not isinstance(size, int)):
                sizes.append(self._batch.size)
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


def fed_values(graph: OnnxGraph) -> tuple[OnnxValue, ...]:
    """Return what a graph is fed: inputs that are not constants."""
    return tuple(value for value in graph.inputs if value.name not in graph.constants)


def network_from_onnx(
    graph: OnnxGraph, *, name: str, batch_size: int, is_training: bool = True
) -> Network:
    """Return the network of an ONNX graph: of what its outputs need.

    Args:
        graph: from `onnx_reading`.
        name: what to call the network.
        batch_size: samples at once.
        is_training: whether dropout counts.

    Raises:
        NetworkFileError: when an operation does not fit its inputs or the graph is incomplete.
    """
    if any(
        node.op_type in _OF_ONE_PROCESSOR or node.domain in _DOMAINS_OF_ONE_PROCESSOR
        for node in graph.nodes
    ):
        raise NetworkFileError(
            "optimised by ONNX Runtime for one kind of processor: give the file that this was "
            "made from"
        )
    fed = fed_values(graph)
    guess = first_guess(fed, graph.outputs)
    walk = _walked(graph, batch_size, is_training=is_training, batch=guess)
    batch = decide(guess, walk.evidence, fed)
    if batch.size != guess.size:
        walk = _walked(graph, batch_size, is_training=is_training, batch=batch)
    # All was followed once, for what does not fit is refused wherever it stands.
    kept, n_dropped = needed(graph)
    if n_dropped:
        walk = _walked(kept, batch_size, is_training=is_training, batch=batch)
    if not walk.builder.has_operators:
        raise NetworkFileError("the graph has no operations that compute anything")
    if batch.note is not None:
        walk.builder.note(batch.note)
    if n_dropped:
        walk.builder.note(
            f"Operations of the file that none of its outputs needs are not counted: {n_dropped}."
        )
    return walk.builder.finish(name, outputs=walk.outputs(graph.outputs))


def _walked(graph: OnnxGraph, batch_size: int, *, is_training: bool, batch: Batch) -> _Walk:
    """Follow all operations, with the batch that the file has."""
    builder = NetworkBuilder(batch_size=batch_size)
    walk = _Walk(graph, builder=builder, is_training=is_training, batch=batch)
    walk.add_inputs()
    for position, node in enumerate(graph.nodes):
        walk.add_node(node, position=position)
    return walk
