"""Which call of a Keras functional model feeds which: parsed, ordered, checked for cycles.

Leaves to others: calling the layers (`advisor.network.keras_config`).
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from advisor.errors import NetworkFileError
from advisor.network.call import Recorded, Shape
from advisor.network.keras_references import (
    Constant,
    Operand,
    Reference,
    find_references,
    inbound_calls,
    recorded_shape,
    without_batch,
)

# Layers with more results than this are files made to harm.
_MAX_RESULTS = 1024

# A call: name of the layer, and which of its calls.
Node = tuple[str, int]


@dataclass(frozen=True, slots=True, kw_only=True)
class Wiring:
    """The calls of a functional model.

    Attributes:
        calls: what each call is applied to; order: the calls, each after what it needs.
        declared: recorded shapes of each call's results, where the file has them; a size in them
            is None where it is open.
        operands: of calls that constants are given to: the whole shape of each constant, and None
            for each tensor, in order.
    """

    inputs: tuple[Reference, ...]
    outputs: tuple[Reference, ...]
    calls: Mapping[Node, tuple[Reference, ...]]
    order: tuple[Node, ...]
    declared: Mapping[Node, tuple[Recorded | None, ...]]
    operands: Mapping[Node, tuple[Shape | None, ...]]


def read_wiring(body: Mapping[str, Any], *, models: Mapping[str, str]) -> Wiring:
    """Return the wiring of the configuration of a functional model.

    Args:
        body: the model's "config".
        models: classes of those of its layers that are models themselves, by name.

    Raises:
        NetworkFileError: when a layer or a result is missing, or the graph has a cycle.
    """
    inputs = tuple(find_references(body.get("input_layers")))
    outputs = tuple(find_references(body.get("output_layers")))
    if not inputs or not outputs:
        raise NetworkFileError("the model does not say which layers are its inputs and outputs")
    given = _raw_calls(body)
    raw = {
        node: tuple(each for each in operands if isinstance(each, Reference))
        for node, operands in given.items()
    }
    names = {_name(entry) for entry in body["layers"]}
    everything = [*inputs, *outputs, *(r for given in raw.values() for r in given)]
    for reference in everything:
        if reference.layer not in names:
            raise NetworkFileError(f"layer {reference.layer!r} is used but not in the file")
    late = _counted_from_one(everything, calls=raw, models=models)
    calls = {node: _from_zero(given, late) for node, given in raw.items()}
    inputs, outputs = _from_zero(inputs, late), _from_zero(outputs, late)
    for reference in inputs:
        calls[(reference.layer, reference.node)] = ()
    return Wiring(
        inputs=inputs,
        outputs=outputs,
        calls=calls,
        order=_ordered(calls, outputs=outputs),
        declared=_declared(
            (r for given in (*calls.values(), outputs) for r in given),
            is_fixed=_has_fixed_batch(body),
        ),
        operands=_operands(given),
    )


def _operands(given: Mapping[Node, tuple[Operand, ...]]) -> dict[Node, tuple[Shape | None, ...]]:
    """Return what stands beside constants, of the calls that have any."""
    return {
        node: tuple(each.shape if isinstance(each, Constant) else None for each in operands)
        for node, operands in given.items()
        if any(isinstance(each, Constant) for each in operands)
    }


def _name(entry: Mapping[str, Any]) -> str:
    name = entry.get("name")
    return name if isinstance(name, str) else str(entry["config"].get("name"))


def _raw_calls(body: Mapping[str, Any]) -> dict[Node, tuple[Operand, ...]]:
    calls = {}
    for entry in body["layers"]:
        name = _name(entry)
        given = inbound_calls(entry.get("inbound_nodes"), where=f"layer {name!r}")
        for index, operands in enumerate(given):
            calls[(name, index)] = operands
        if len(given) == len(given[0] if given else ()) == 1:
            calls[(name, 0)] = (_with_shape(given[0][0], entry),)
    return calls


def _with_shape(operand: Operand, entry: Mapping[str, Any]) -> Operand:
    """Return what a layer is applied to with the shape that the layer was built for.

    Keras 2 records no shapes of tensors.
    """
    built = entry.get("build_config")
    stated = built.get("input_shape") if isinstance(built, dict) else None
    if not isinstance(operand, Reference) or operand.shape is not None:
        return operand
    return replace(operand, shape=recorded_shape(stated))


def _counted_from_one(
    references: Iterable[Reference], *, calls: Mapping[Node, object], models: Mapping[str, str]
) -> set[str]:
    """Return the nested models whose first call is number 1 in short references.

    Keras counts so for functional models; for sequential ones it depends on its version.
    """
    highest: dict[str, int] = {}
    for reference in references:
        if reference.is_short:
            highest[reference.layer] = max(highest.get(reference.layer, 0), reference.node)
    return {
        name
        for name, class_name in models.items()
        if class_name != "Sequential" or (name, highest.get(name, 0)) not in calls
    }


def _from_zero(references: Iterable[Reference], late: set[str]) -> tuple[Reference, ...]:
    return tuple(
        replace(r, node=r.node - 1) if r.is_short and r.layer in late else r for r in references
    )


def _has_fixed_batch(body: Mapping[str, Any]) -> bool:
    """Whether an input of a model says how many samples it is given."""
    configs = [each["config"] for each in body["layers"] if each["class_name"] == "InputLayer"]
    stated = [config.get("batch_shape") for config in configs if isinstance(config, dict)]
    shapes = [recorded_shape(value) for value in stated]
    return any(shape is not None and shape[0] is not None for shape in shapes)


def _declared(
    references: Iterable[Reference], *, is_fixed: bool
) -> dict[Node, tuple[Recorded | None, ...]]:
    found: dict[Node, dict[int, Recorded | None]] = {}
    for reference in references:
        results = found.setdefault((reference.layer, reference.node), {})
        if not 0 <= reference.tensor < _MAX_RESULTS:
            raise NetworkFileError(
                f"result {reference.tensor + 1} of layer {reference.layer!r} is asked for"
            )
        shape = without_batch(reference.shape, is_fixed=is_fixed)
        if shape is not None or reference.tensor not in results:
            results[reference.tensor] = shape
    return {
        node: tuple(results.get(i) for i in range(max(results) + 1))
        for node, results in found.items()
    }


def _ordered(
    calls: Mapping[Node, tuple[Reference, ...]], *, outputs: tuple[Reference, ...]
) -> tuple[Node, ...]:
    """Return the calls that the outputs need, each after what it is applied to."""
    order: list[Node] = []
    state: dict[Node, bool] = {}  # False: waiting for what it needs, True: in `order`
    stack = [(reference.layer, reference.node) for reference in reversed(outputs)]
    while stack:
        node = stack[-1]
        if state.get(node):
            stack.pop()
            continue
        if node not in calls:
            raise NetworkFileError(f"call {node[1] + 1} of layer {node[0]!r} is not in the file")
        needed = [(r.layer, r.node) for r in calls[node]]
        waiting = [other for other in needed if not state.get(other)]
        if not waiting:
            state[node] = True
            order.append(node)
            stack.pop()
            continue
        if node in state:  # seen before: what it waits for waits for it
            raise NetworkFileError(f"the layers form a cycle through {node[0]!r}")
        state[node] = False
        stack.extend(reversed(waiting))
    return tuple(order)
