"""A Keras model's configuration (Keras 2 or 3) as a network: wiring, nesting, sharing.

Nothing is executed: classes are looked up by name among our own rules, code in the file
(`Lambda`) is not touched, weights are not read.
Leaves to others: reading files (`advisor.network.reading`), each layer's rule
(`advisor.network.dispatch`).
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from advisor.errors import NetworkFileError
from advisor.model.kernel import ElementwiseShape
from advisor.network.builder import MAX_CALLS, Network, NetworkBuilder, Tensor
from advisor.network.call import Call, Recorded, Result, Shape, Step
from advisor.network.dispatch import apply_layer
from advisor.network.fields import Fields, describe, plain_name
from advisor.network.keras_arguments import read_call
from advisor.network.keras_entries import (
    built_for,
    calls_operation,
    is_model,
    layer_parts,
    take_name,
)
from advisor.network.keras_functions import FUNCTIONS, as_operation
from advisor.network.keras_inputs import input_shape, sequential_shape
from advisor.network.keras_loss import compiled_loss
from advisor.network.keras_numbers import numbers_of
from advisor.network.keras_references import (
    Reference,
    indexed_by,
)
from advisor.network.keras_wiring import Node, read_wiring
from advisor.network.masks import gives_mask
from advisor.network.moments import moment_repeats, slices

_MODELS = ("Sequential", "Functional", "Model")
_MAX_NESTING = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class _Scope:
    """Where a layer stands: name prefix, samples at once, nesting, and what freezes it.

    `is_moment`: inside a model that is applied to each moment of a sequence; `repeats`: how often
    one after the other.
    """

    prefix: str
    batch: int
    is_training: bool
    is_trainable: bool
    depth: int
    is_moment: bool = False
    repeats: int = 1


def network_from_config(
    config: Any, *, name: str, batch_size: int, is_training: bool = True
) -> Network:
    """Return the network that the parsed JSON of a Keras model describes.

    Args:
        config: what `json.loads` made of `model.to_json()` or of `config.json` in a `.keras` file.
        name: what to call the network.
        batch_size: samples at once.
        is_training: whether layers that only work in training (dropout) count.

    Raises:
        NetworkFileError: when the configuration is not that of a model that can be followed.
    """
    builder = NetworkBuilder(batch_size=batch_size)
    scope = _Scope(prefix="", batch=batch_size, is_training=is_training, is_trainable=True, depth=0)
    class_name, body = _model_body(config)
    try:
        outputs = _build(builder, class_name, body, tensors=None, scope=scope, model=config)
    except NetworkFileError as error:
        if builder.assumed is None:
            raise
        raise NetworkFileError(
            f"{error}; what {builder.assumed} makes before it is not known"
        ) from None
    if not builder.has_operators:
        raise NetworkFileError("the model has no layers that compute anything")
    return builder.finish(name, outputs=outputs, loss=compiled_loss(config))


def _model_body(config: Any) -> tuple[str, dict[str, Any]]:
    """Return the class and the configuration of a serialised model."""
    if not isinstance(config, dict) or not isinstance(config.get("class_name"), str):
        raise NetworkFileError(
            "not a Keras model: save it with model.save('name.keras') or model.to_json()"
        )
    class_name = plain_name(config["class_name"])
    body = config.get("config")
    if isinstance(body, list):  # Sequential of Keras 2.2 and before
        body = {"layers": body}
    if not isinstance(body, dict) or not isinstance(body.get("layers"), list):
        raise NetworkFileError(
            f"{describe(class_name)} keeps its layers in code, not in the file: rebuild it with "
            "the functional API, or export it to ONNX"
        )
    return class_name, body


def _build(
    builder: NetworkBuilder,
    class_name: str,
    body: dict[str, Any],
    *,
    tensors: tuple[Tensor, ...] | None,
    scope: _Scope,
    model: Mapping[str, Any],
) -> tuple[Tensor, ...]:
    """Build a model onto `tensors`; None: onto inputs of its own."""
    if scope.depth > _MAX_NESTING:
        raise NetworkFileError(f"models nested deeper than {_MAX_NESTING}")
    if len(body["layers"]) > MAX_CALLS:
        raise NetworkFileError(f"more than {MAX_CALLS} layers: this is not a usable model")
    inner = replace(scope, is_trainable=scope.is_trainable and body.get("trainable") is not False)
    if class_name == "Sequential" or "input_layers" not in body:
        return _build_sequential(builder, body, tensors=tensors, scope=inner, model=model)
    return _build_functional(builder, body, tensors=tensors, scope=inner)


# Operations that put constants beside tensors, as layers do.
_JOINING = ("Concatenate", "Stack")
# Operations with an argument that is no tensor and not in their configuration; `take` has it where
# it is given numbers.
_INDEXED = {"GetItem": "key", "Take": "indices"}


def _build_sequential(
    builder: NetworkBuilder,
    body: dict[str, Any],
    *,
    tensors: tuple[Tensor, ...] | None,
    scope: _Scope,
    model: Mapping[str, Any],
) -> tuple[Tensor, ...]:
    if not body["layers"]:
        raise NetworkFileError("the model has no layers")
    if tensors is None:
        shape = sequential_shape(body, model=model, note=builder.note)
        tensors = (builder.add_input(shape),)
    names: set[str] = set()
    for position, entry in enumerate(body["layers"]):
        name, class_name, config = layer_parts(entry, position=position)
        take_name(name, names)
        if class_name != "InputLayer":
            tensors = _call_layer(
                builder,
                name,
                class_name,
                config,
                tensors=tensors,
                scope=scope,
                declared=built_for(body["layers"][position + 1 :]),
                is_operation=calls_operation(entry),
            )
    return tensors


def _build_functional(
    builder: NetworkBuilder,
    body: dict[str, Any],
    *,
    tensors: tuple[Tensor, ...] | None,
    scope: _Scope,
) -> tuple[Tensor, ...]:
    entries = {}
    names: set[str] = set()
    for position, entry in enumerate(body["layers"]):
        name, class_name, config = layer_parts(entry, position=position)
        name = entry["name"] if isinstance(entry.get("name"), str) else name
        take_name(name, names)
        entries[name] = (class_name, config, entry)
    models = {name: cls for name, (cls, _, entry) in entries.items() if is_model(entry)}
    wiring = read_wiring(body, models=models)
    values: dict[Node, tuple[Tensor, ...]] = {}
    for position, reference in enumerate(wiring.inputs):
        class_name, config, _ = entries[reference.layer]
        if tensors is None:
            shape = input_shape(config, where=f"input {reference.layer!r}", note=builder.note)
            tensor = builder.add_input(shape)
        elif position < len(tensors):
            tensor = tensors[position]
        else:
            raise NetworkFileError(f"input {reference.layer!r} of a nested model is not given")
        values[(reference.layer, reference.node)] = (tensor,)
    for node in wiring.order:
        if node in values:
            continue
        name = node[0]
        class_name, config, entry = entries[name]
        given = tuple(_pick(values, reference) for reference in wiring.calls[node])
        if class_name in FUNCTIONS:
            values[node] = _call_function(
                builder, name, entry, call=node[1], tensors=given, scope=scope,
                operands=wiring.operands.get(node, ()), declared=wiring.declared.get(node, ()),
            )  # fmt: skip
            continue
        if class_name in _INDEXED:
            config = {**config, _INDEXED[class_name]: indexed_by(entry, call=node[1])}
        values[node] = _call_layer(
            builder, name, class_name, config,
            tensors=given, scope=scope, declared=wiring.declared.get(node, ()),
            operands=wiring.operands.get(node, ()), is_operation=calls_operation(entry),
        )  # fmt: skip
    return tuple(_pick(values, reference) for reference in wiring.outputs)


def _pick(values: Mapping[Node, tuple[Tensor, ...]], reference: Reference) -> Tensor:
    made = values[(reference.layer, reference.node)]
    if not 0 <= reference.tensor < len(made):
        raise NetworkFileError(
            f"layer {reference.layer!r} has {len(made)} results, "
            f"number {reference.tensor + 1} is asked for"
        )
    return made[reference.tensor]


def _call_function(
    builder: NetworkBuilder,
    name: str,
    entry: Mapping[str, Any],
    *,
    call: int,
    tensors: tuple[Tensor, ...],
    scope: _Scope,
    operands: tuple[Shape | None, ...],
    declared: tuple[Recorded | None, ...],
) -> tuple[Tensor, ...]:
    """Apply a function of TensorFlow, as Keras 2 writes it; `tensors` are all that it reads."""
    class_name, config = entry["class_name"], entry["config"]
    arguments = read_call(entry, call=call, tensors=tensors)
    numbers = numbers_of(arguments, batch=scope.batch)
    if isinstance(numbers, tuple) and arguments.function == "unstack":
        return tuple(Tensor(shape=(), numbers=number) for number in numbers)
    if numbers is not None:
        shape = (len(numbers),) if isinstance(numbers, tuple) else ()
        return (Tensor(shape=shape, numbers=numbers),)
    told = as_operation(arguments)
    if tensors and not arguments.tensors and not (told and told.tensors):
        return (Tensor(shape=()),)  # computed of sizes and constants
    if not tensors and not (told and told.tensors):
        raise NetworkFileError(
            f"layer {scope.prefix + name!r} ({config.get('function')}): the file does "
            "not say what it is applied to, and Keras 2 could not load it either: write it as a "
            "layer (Dot, EinsumDense) and save the model again"
        )
    if told is not None:
        class_name, tensors, operands = told.class_name, told.tensors, told.operands
        config = {"name": name, **told.config}
    elif arguments.tensors:
        tensors = arguments.tensors
    made = _call_layer(
        builder, name, class_name, config, tensors=tensors, scope=scope,
        declared=declared if told is None else (),
        operands=operands, is_operation=told is not None,
    )  # fmt: skip
    return tuple(replace(tensor, is_masked=False) for tensor in made)


def _with_constants(
    tensors: tuple[Tensor, ...], operands: tuple[Shape | None, ...]
) -> tuple[Tensor, ...]:
    """Return what a layer is applied to, a constant as a tensor that nothing computes."""
    rest = iter(tensors)
    given = (next(rest, None) if each is None else Tensor(shape=each[1:]) for each in operands)
    return (*(tensor for tensor in given if tensor is not None), *rest)


def _call_layer(
    builder: NetworkBuilder,
    name: str,
    class_name: str,
    config: dict[str, Any],
    *,
    tensors: tuple[Tensor, ...],
    scope: _Scope,
    declared: tuple[Recorded | None, ...],
    operands: tuple[Shape | None, ...] = (),
    is_operation: bool = False,
) -> tuple[Tensor, ...]:
    """Apply a layer or a nested model to tensors."""
    path = scope.prefix + name
    if not tensors:
        raise NetworkFileError(f"layer {path!r} ({class_name}) is applied to nothing")
    if "layers" in config and isinstance(config["layers"], list):
        builder.count_call()
        inner = replace(scope, prefix=f"{path}/", depth=scope.depth + 1)
        return _build(builder, class_name, config, tensors=tensors, scope=inner, model={})
    wrapped = config.get("layer")
    if class_name == "TimeDistributed" and isinstance(wrapped, dict) and is_model(wrapped):
        return _distribute_model(builder, path, wrapped, tensors=tensors, scope=scope)
    if operands and (not is_operation or class_name in _JOINING):
        tensors, operands = _with_constants(tensors, operands), ()
    is_trainable = scope.is_trainable and config.get("trainable") is not False
    fold = max(tensor.fold for tensor in tensors)
    call = Call(
        class_name=class_name,
        fields=Fields(config=config, where=f"layer {path!r} ({class_name})"),
        inputs=tuple(tensor.shape for tensor in tensors),
        batch=scope.batch * fold,
        is_training=scope.is_training,
        is_trainable=is_trainable,
        is_masked=any(tensor.is_masked for tensor in tensors),
        declared=declared,
        operands=operands,
        is_moment=scope.is_moment,
        is_operation=is_operation,
    )
    result = apply_layer(call)
    made = builder.add(
        path,
        class_name=class_name,
        result=result,
        tensors=tensors,
        is_trainable=is_trainable,
        repeats=scope.repeats,
    )
    is_masked = gives_mask(class_name, config, is_masked=call.is_masked)
    if result.samples is not None:
        fold = max(1, result.samples // scope.batch)
    return tuple(replace(tensor, is_masked=is_masked, fold=fold) for tensor in made)


def _count_layers(body: Mapping[str, Any]) -> int:
    """Return the layers of a model and of the models in it, at least 1."""
    count, bodies = 0, [body]
    while bodies:
        layers = bodies.pop().get("layers")
        if isinstance(layers, list):
            count += len(layers)
            inner = (each.get("config") for each in layers if isinstance(each, dict))
            bodies += [config for config in inner if isinstance(config, dict)]
    return max(1, count)


def _taken_apart(builder: NetworkBuilder, path: str, *, tensor: Tensor, scope: _Scope) -> Tensor:
    """Return a sequence that is turned, moments first, and taken apart moment by moment."""
    elements = scope.batch * tensor.fold * math.prod(tensor.shape)
    turned = Step(shape=ElementwiseShape(op="copy", elements=elements), elements=elements)
    result = Result(outputs=(tensor.shape,), steps=(turned, slices(elements, tensor.shape[0])))
    (made,) = builder.add(
        path,
        class_name="TimeDistributed",
        result=result,
        tensors=(tensor,),
        repeats=scope.repeats,
    )
    return replace(made, fold=tensor.fold)


def _distribute_model(
    builder: NetworkBuilder,
    path: str,
    wrapped: Mapping[str, Any],
    *,
    tensors: tuple[Tensor, ...],
    scope: _Scope,
) -> tuple[Tensor, ...]:
    """Apply a whole model at each step of time."""
    if not tensors[0].shape:
        raise NetworkFileError(f"layer {path!r}: TimeDistributed needs a dimension of time")
    timesteps = tensors[0].shape[0]
    class_name, body = _model_body(wrapped)
    repeats = moment_repeats(timesteps, n_layers=_count_layers(body), is_moment=scope.is_moment)
    inner = replace(scope, prefix=f"{path}/", depth=scope.depth + 1, is_moment=True)
    apart = [_taken_apart(builder, path, tensor=tensor, scope=scope) for tensor in tensors]
    frames = tuple(replace(t, shape=t.shape[1:], is_masked=False) for t in apart)
    moments = [
        _build(
            builder,
            class_name,
            body,
            tensors=frames,
            scope=replace(inner, repeats=scope.repeats * often),
            model=wrapped,
        )
        for often in repeats
    ]
    return tuple(
        Tensor(
            shape=(timesteps, *ends[0].shape),
            sources=tuple(dict.fromkeys(source for end in ends for source in end.sources)),
            fold=ends[0].fold,
        )
        for ends in zip(*moments, strict=True)
    )
