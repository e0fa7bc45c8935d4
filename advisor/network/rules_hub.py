"""Layers of KerasHub (KerasNLP) that models are put together from: transformers and positions.

Each is told as the layers of Keras that it holds. A layer of the user's own may have such a name:
where its configuration is another one, it stays unknown.
Leaves to others: what the layers inside cost (`rules_attention`, `rules_dense`,
`rules_normalisation`).
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from advisor.network.call import Call, Result, Shape, Step
from advisor.network.fields import Fields, is_integer
from advisor.network.rules_attention import multi_head
from advisor.network.rules_dense import dense, reversible_embedding
from advisor.network.rules_normalisation import layer_normalisation

# A shape, and the step that makes it; less than 0: the input of that number.
_Value = tuple[Shape, int]


class _Parts:
    """The steps of layers within a layer."""

    def __init__(self, call: Call) -> None:
        self.call = call
        self.steps: list[Step] = []

    def add(self, rule: Callable[[Call], Result], *values: _Value, **config: Any) -> _Value:
        """Apply a layer to values."""
        inner = replace(
            self.call,
            fields=Fields(config=config, where=self.call.fields.where),
            inputs=tuple(shape for shape, _step in values),
            declared=(),
        )
        result = rule(inner)
        first, given = len(self.steps), [step for _shape, step in values]
        for position, step in enumerate(result.steps):
            reads = step.reads
            if reads is None:
                reads = (position - 1,) if position else tuple(range(-1, -1 - len(given), -1))
            mapped = tuple(first + read if read >= 0 else given[-1 - read] for read in reads)
            self.steps.append(replace(step, reads=mapped))
        return result.outputs[0], len(self.steps) - 1 if result.steps else given[0]

    def each(self, op: str, *values: _Value) -> _Value:
        """Compute each value by itself."""
        shape = values[0][0]
        step = self.call.elementwise(op, shape, n_inputs=len(values))
        self.steps.append(replace(step, reads=tuple(step for _shape, step in values)))
        return shape, len(self.steps) - 1


def _block(
    parts: _Parts, value: _Value, make: Callable[[_Value], _Value], *, is_first: bool
) -> _Value:
    """Return a part of a transformer: what it makes is dropped in part, added and normalised."""
    call = parts.call
    norm = {"axis": -1}
    made = make(parts.add(layer_normalisation, value, **norm) if is_first else value)
    rate = call.fields.raw("dropout", default=0)
    if call.is_training and isinstance(rate, int | float) and rate > 0:
        made = parts.each("dropout", made)
    added = parts.each("add", made, value)
    return added if is_first else parts.add(layer_normalisation, added, **norm)


def _transformer(call: Call, *, memory: _Value | None) -> Result | None:
    """Return the layers of a transformer; `memory`: a sequence that it attends to besides."""
    heads, wide = (call.fields.raw(name) for name in ("num_heads", "intermediate_dim"))
    if len(call.input) != 2 or not (is_integer(heads) and is_integer(wide)) or heads < 1:
        return None
    width = call.input[-1]
    attention = {"num_heads": heads, "key_dim": width // heads}
    is_first = call.fields.flag("normalize_first", default=False)
    parts = _Parts(call)

    def attend(value: _Value) -> _Value:
        return parts.add(multi_head, value, value, **attention)

    def attend_to_memory(value: _Value) -> _Value:
        assert memory is not None
        return parts.add(multi_head, value, memory, **attention)

    def feed_forward(value: _Value) -> _Value:
        activation = call.fields.raw("activation", default="relu")
        inner = parts.add(dense, value, units=wide, activation=activation)
        return parts.add(dense, inner, units=width)

    value = _block(parts, (call.input, -1), attend, is_first=is_first)
    if memory is not None:
        value = _block(parts, value, attend_to_memory, is_first=is_first)
    value = _block(parts, value, feed_forward, is_first=is_first)
    return Result(outputs=(value[0],), steps=tuple(parts.steps))


def _encoder(call: Call) -> Result | None:
    return _transformer(call, memory=None)


def _decoder(call: Call) -> Result | None:
    # Behind the sequences it may be given masks, which have no features.
    has_memory = len(call.inputs) > 1 and len(call.inputs[1]) == len(call.input)
    return _transformer(call, memory=(call.inputs[1], -2) if has_memory else None)


def _weighed(parts: _Parts, weights: int) -> tuple[Step, ...]:
    """Return the steps, of which the last has weights."""
    *others, last = parts.steps
    return (*others, replace(last, weights=(weights,)))


def _tokens_and_positions(call: Call) -> Result | None:
    names = ("vocabulary_size", "sequence_length", "embedding_dim")
    words, places, width = (call.fields.raw(name) for name in names)
    if not all(is_integer(size) and size > 0 for size in (words, places, width)):
        return None
    is_tied = call.fields.flag("tie_weights", default=True)
    parts = _Parts(call)
    found = parts.add(
        reversible_embedding, (call.input, -1),
        input_dim=words, output_dim=width, tie_weights=is_tied,
    )  # fmt: skip
    shape, _last = parts.each("add", found)
    return Result(outputs=(shape,), steps=_weighed(parts, places * width))


def _positions(call: Call) -> Result | None:
    places = call.fields.raw("sequence_length")
    if len(call.input) != 2 or not is_integer(places) or places < 1:
        return None
    parts = _Parts(call)
    shape, _last = parts.each("copy", (call.input, -1))
    return Result(outputs=(shape,), steps=_weighed(parts, places * call.input[-1]))


def _waves(call: Call) -> Result | None:
    """Return sines of positions, alone or turning the input by them."""
    if call.fields.raw("max_wavelength") is None:
        return None
    return Result(outputs=(call.input,), steps=(call.passes("sin", call.input, count=2),))


# Each returns None where the configuration is not that of KerasHub.
HUB: dict[str, Callable[[Call], Result | None]] = {
    "TransformerEncoder": _encoder,
    "TransformerDecoder": _decoder,
    "TokenAndPositionEmbedding": _tokens_and_positions,
    "PositionEmbedding": _positions,
    "SinePositionEncoding": _waves,
    "RotaryEmbedding": _waves,
}
