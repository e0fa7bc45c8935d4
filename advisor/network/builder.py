"""Grows a network call by call: tensors, operators, layers, and the limits that keep it sane.

Leaves to others: what a layer computes (`advisor.network.dispatch`), the wiring in a file
(`advisor.network.keras_config`, `advisor.network.onnx_graph`).
"""

import math
from dataclasses import dataclass, replace

from advisor.errors import NetworkFileError
from advisor.model.workload import Operator
from advisor.network.call import Result, Shape, Step
from advisor.network.macs import count_multiply_adds

# The largest published networks have some thousands; more is a file made to harm.
MAX_CALLS = 20_000
# A tensor or a weight beyond this does not fit any machine.
MAX_ELEMENTS = 2**50

# Sizes that a network asks of a tensor: one of them, or all.
Numbers = int | tuple[int, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Tensor:
    """A value in the network: per-sample shape, and the operators that it comes from.

    `sources` is empty for an input of the network. With a mask (`advisor.network.masks`) some
    moments of it do not count. `fold`: how many of this shape there are for each sample, where
    parts of a sample (the windows of an image) are taken for samples of their own. `numbers`: what
    it holds, where it is a size of another tensor or several of them.
    """

    shape: Shape
    sources: tuple[int, ...] = ()
    is_masked: bool = False
    fold: int = 1
    numbers: Numbers | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Layer:
    """One call of a layer, as a row of a table for people.

    Attributes:
        multiply_adds: of one forward pass of one sample.
        is_repeated: a later call of a layer whose weights are counted at its first.
    """

    name: str
    class_name: str
    outputs: tuple[Shape, ...]
    operators: tuple[int, ...]
    parameters: int
    trainable_parameters: int
    multiply_adds: int
    is_repeated: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Network:
    """A network at a batch size: its layers and its operators in an order that can be run.

    Attributes:
        inputs: per-sample shapes of what it is fed.
        notes: what could not be modelled or had to be assumed, one sentence each.
        loss: that the file was compiled with, as Keras names it; None without one.
    """

    name: str
    batch_size: int
    inputs: tuple[Shape, ...]
    outputs: tuple[Tensor, ...]
    layers: tuple[Layer, ...]
    operators: tuple[Operator, ...]
    parameters: int
    trainable_parameters: int
    variables: int
    notes: tuple[str, ...]
    loss: str | None = None

    @property
    def multiply_adds_per_sample(self) -> int:
        """Multiply-adds of one forward pass of one sample."""
        return sum(layer.multiply_adds for layer in self.layers)

    @property
    def input_elements_per_sample(self) -> int:
        """Values that one sample brings in."""
        return sum(math.prod(shape) for shape in self.inputs)


class NetworkBuilder:
    """Collects the calls of one network at a batch size."""

    def __init__(self, *, batch_size: int) -> None:
        self.batch_size = batch_size
        self._operators: list[Operator] = []
        self._carries: list[bool] = []
        self._layers: list[Layer] = []
        self._notes: list[str] = []
        self._inputs: list[Shape] = []
        self._seen: set[str] = set()
        self._calls = 0
        self._trainable = 0
        self._assumed: str | None = None

    def add_input(self, shape: Shape) -> Tensor:
        """Add an input of the network."""
        self._inputs.append(shape)
        return Tensor(shape=shape)

    def note(self, text: str) -> None:
        """Keep a sentence about what was assumed or could not be modelled."""
        if text not in self._notes:
            self._notes.append(text)

    def count_call(self) -> None:
        """Refuse a file whose nested models unfold without end."""
        self._calls += 1
        if self._calls > MAX_CALLS:
            raise NetworkFileError(f"more than {MAX_CALLS} layers: this is not a usable model")

    def add(
        self,
        name: str,
        *,
        class_name: str,
        result: Result,
        tensors: tuple[Tensor, ...],
        is_trainable: bool = True,
        repeats: int = 1,
    ) -> tuple[Tensor, ...]:
        """Add a call of the layer `name` with its result; return its output tensors.

        A name that was added before shares its weights, which are counted once. The call is run
        `repeats` times, one after the other.
        """
        self.count_call()
        is_repeated = name in self._seen
        self._seen.add(name)
        if result.note is not None:
            self.note(result.note)
        if result.is_assumed and self._assumed is None:
            self._assumed = f"layer {name!r} ({class_name})"
        first, before = len(self._operators), self._trainable
        for position, step in enumerate(result.steps):
            weighed = replace(
                step,
                is_shared=step.is_shared or is_repeated,
                repeats=repeats * step.repeats,
            )
            if not is_trainable:
                weighed = replace(weighed, weights=(), frozen=(*step.frozen, *step.weights))
            reads = _reads(step, position=position, first=first, tensors=tensors)
            self._add_operator(name, layer_type=class_name, step=weighed, reads=reads)
        added = tuple(range(first, len(self._operators)))
        self._add_layer(
            name,
            class_name=class_name,
            result=result,
            added=added,
            trainable=self._trainable - before,
            is_repeated=is_repeated,
        )
        if added:
            return tuple(Tensor(shape=s, sources=(added[-1],)) for s in result.outputs)
        passed = tuple(dict.fromkeys(x for tensor in tensors for x in tensor.sources))
        if len(tensors) == len(result.outputs):
            return tuple(
                Tensor(shape=s, sources=t.sources)
                for s, t in zip(result.outputs, tensors, strict=True)
            )
        return tuple(Tensor(shape=s, sources=passed) for s in result.outputs)

    def _add_operator(
        self, layer: str, *, layer_type: str, step: Step, reads: tuple[tuple[int, ...], ...]
    ) -> None:
        sources = tuple(dict.fromkeys(source for read in reads for source in read))
        n_trained = sum(any(self._carries[source] for source in read) for read in reads)
        has_one_gradient = step.is_product and n_trained < 2
        parameters = sum(step.weights) + sum(step.frozen)
        elements = step.elements * step.repeats
        if max(elements, parameters) > MAX_ELEMENTS:
            raise NetworkFileError(f"layer {layer!r} is too large for any machine")
        needs_gradient = any(self._carries[source] for source in sources)
        variables = len(step.weights)
        self._operators.append(
            Operator(
                layer=layer,
                layer_type=layer_type,
                shape=step.shape,
                inputs=sources,
                parameters=0 if step.is_shared else parameters,
                variables=0 if step.is_shared else variables,
                output_elements=elements,
                needs_input_gradient=needs_gradient,
                shared_parameters=parameters if step.is_shared else 0,
                shared_variables=variables if step.is_shared else 0,
                kept_elements=step.kept * step.repeats,
                repeats=step.repeats,
                has_one_gradient=has_one_gradient,
            )
        )
        self._trainable += 0 if step.is_shared else sum(step.weights)
        self._carries.append(needs_gradient or bool(step.weights))

    def _add_layer(
        self,
        name: str,
        *,
        class_name: str,
        result: Result,
        added: tuple[int, ...],
        trainable: int,
        is_repeated: bool,
    ) -> None:
        operators = [self._operators[position] for position in added]
        multiply_adds = sum(
            operator.repeats * count_multiply_adds(operator.shape) for operator in operators
        )
        self._layers.append(
            Layer(
                name=name,
                class_name=class_name,
                outputs=result.outputs,
                operators=added,
                parameters=sum(operator.parameters for operator in operators),
                trainable_parameters=trainable,
                multiply_adds=multiply_adds // self.batch_size,
                is_repeated=is_repeated,
            )
        )

    @property
    def assumed(self) -> str | None:
        """The first layer whose result's shape is not known, None without one."""
        return self._assumed

    @property
    def has_operators(self) -> bool:
        """Whether anything that computes was added."""
        return bool(self._operators)

    def finish(self, name: str, *, outputs: tuple[Tensor, ...], loss: str | None = None) -> Network:
        """Return the network that was built."""
        return Network(
            name=name,
            batch_size=self.batch_size,
            inputs=tuple(self._inputs),
            outputs=outputs,
            layers=tuple(self._layers),
            operators=tuple(self._operators),
            parameters=sum(operator.parameters for operator in self._operators),
            trainable_parameters=self._trainable,
            variables=sum(operator.variables for operator in self._operators),
            notes=tuple(self._notes),
            loss=loss,
        )


def _reads(
    step: Step, *, position: int, first: int, tensors: tuple[Tensor, ...]
) -> tuple[tuple[int, ...], ...]:
    """Return the operators behind each thing that a step reads."""
    if step.reads is None and position > 0:
        return ((first + position - 1,),)
    reads = step.reads
    if reads is None:
        reads = tuple(-1 - index for index in range(len(tensors)))
    return tuple(
        (first + read,) if read >= 0 else tensors[-1 - read].sources
        for read in reads
        if -1 - read < len(tensors)
    )
