"""Operations of ONNX that hold graphs: a choice between two, and loops over one.

The graph inside is followed in place: of a choice the part that runs, of a loop one trip after
another, so that sizes which change from trip to trip are right. Where only the data tell, the
longer part, or a single trip, counts, and a sentence says so.
Leaves to others: following operations (`onnx_graph`).
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass

import numpy as np

from advisor.network.builder import Tensor
from advisor.network.call import Shape
from advisor.network.onnx_call import OnnxCall, OnnxInput
from advisor.network.onnx_nodes import OnnxGraph

# Follows the operations of a graph; what its inputs stand for is given by their names.
Inline = Callable[[OnnxGraph, Mapping[str, OnnxInput]], tuple[OnnxInput, ...]]

# More trips than any network has layers or steps; a file with more is made to harm.
MAX_TRIPS = 4096
_WHILE = 2**31 - 1
# The first operator set whose Scan has no dimension for the batch.
_FIRST_PLAIN_SCAN = 9


@dataclass(frozen=True, slots=True, kw_only=True)
class Followed:
    """What an operation with graphs makes; `unknown`: why it is not sure, None where it is."""

    outputs: tuple[OnnxInput, ...]
    unknown: str | None = None


def follow(call: OnnxCall, inline: Inline) -> Followed | None:
    """Return what an operation that holds graphs makes; None when it is no such operation."""
    rule = _RULES.get(call.node.known_as)
    return None if rule is None else rule(call, inline)


def _part(call: OnnxCall, name: str) -> OnnxGraph:
    graph = call.node.graphs.get(name)
    if graph is None:
        raise call.refuse(f"lacks its part {name!r}")
    return graph


def _choice(call: OnnxCall, inline: Inline) -> Followed:
    yes, no = _part(call, "then_branch"), _part(call, "else_branch")
    condition = call.value(0)
    if condition is not None and condition.size == 1:
        return Followed(outputs=inline(yes if condition.any() else no, {}))
    longer = yes if yes.n_operations >= no.n_operations else no
    why = "which of its parts runs depends on the data: the longer one counts"
    return Followed(outputs=inline(longer, {}), unknown=why)


def _scalar(value: int) -> OnnxInput:
    return OnnxInput(tensor=Tensor(shape=()), value=np.asarray(value, np.int64))


def _bind(
    call: OnnxCall, graph: OnnxGraph, values: tuple[OnnxInput | None, ...]
) -> dict[str, OnnxInput]:
    names = [value.name for value in graph.inputs]
    if len(names) != len(values):
        raise call.refuse(f"its part has {len(names)} inputs, it gives {len(values)}")
    return {n: value for n, value in zip(names, values, strict=True) if value is not None}


def _stacked(parts: list[OnnxInput], *, axis: int = 0) -> OnnxInput:
    """Return the results of all trips as one tensor."""
    last = parts[-1].tensor
    shape: Shape = (*last.shape[:axis], len(parts), *last.shape[axis:])
    sources = tuple(dict.fromkeys(source for part in parts for source in part.tensor.sources))
    return OnnxInput(tensor=Tensor(shape=shape, sources=sources), is_data=True)


# What a trip is given before and after that which the trip before it has left.
_Given = tuple[tuple[OnnxInput, ...], tuple[OnnxInput, ...]]


def _trips(
    call: OnnxCall,
    inline: Inline,
    given: Iterable[_Given],
    *,
    carried: tuple[OnnxInput | None, ...],
    n_leading: int = 0,
) -> tuple[tuple[OnnxInput, ...], list[list[OnnxInput]]]:
    """Follow the body once for each trip; return what the last leaves, and all else by result.

    Args:
        call: the loop.
        inline: follows its body.
        given: one entry for each trip, at least one.
        carried: what the first trip begins with.
        n_leading: results of the body before those that are carried on.
    """
    body = _part(call, "body")
    gathered: list[tuple[OnnxInput, ...]] = []
    for before, after in given:
        made = inline(body, _bind(call, body, (*before, *carried, *after)))[n_leading:]
        carried = made[: len(carried)]
        gathered.append(made[len(carried) :])
    left = tuple(
        # It is computed, whatever it was made from.
        OnnxInput(tensor=value.tensor, is_data=True, parts=value.parts)
        for value in carried
        if value is not None
    )
    return left, [list(each) for each in zip(*gathered, strict=True)]


def _loop(call: OnnxCall, inline: Inline) -> Followed:
    n_trips, known = 1, call.integers(0)
    unknown: str | None = "how often it runs depends on the data: one trip counts"
    # The largest number stands for "while": the condition alone ends it.
    if known is not None and len(known) == 1 and known[0] < _WHILE:
        n_trips, unknown = known[0], None
        if not 0 < n_trips <= MAX_TRIPS:
            raise call.refuse(f"runs {n_trips} times")
    given = (((_scalar(trip), _scalar(1)), ()) for trip in range(n_trips))
    # The first result tells whether to go on.
    left, results = _trips(call, inline, given, carried=tuple(call.inputs[2:]), n_leading=1)
    return Followed(outputs=(*left, *map(_stacked, results)), unknown=unknown)


def _scan(call: OnnxCall, inline: Inline) -> Followed:
    n_scanned = call.number("num_scan_inputs", default=0)
    if call.opset < _FIRST_PLAIN_SCAN or not 0 < n_scanned <= len(call.inputs):
        raise call.refuse("is of a kind that is not followed")
    first = len(call.inputs) - n_scanned
    axes = call.numbers("scan_input_axes", default=(0,) * n_scanned, length=n_scanned)
    slices, lengths = [], set()
    for position, axis in enumerate(axes):
        value = call.given(first + position)
        place = call.axis(axis, rank=len(value.shape))
        lengths.add(value.shape[place])
        shape = (*value.shape[:place], *value.shape[place + 1 :])
        tensor = Tensor(shape=shape, sources=value.tensor.sources)
        slices.append(OnnxInput(tensor=tensor, is_data=True))
    if len(lengths) != 1 or not 0 < min(lengths) <= MAX_TRIPS:
        raise call.refuse(f"scans sequences of {sorted(lengths)} steps")
    given = (((), tuple(slices)) for _trip in range(lengths.pop()))
    left, results = _trips(call, inline, given, carried=tuple(call.inputs[:first]))
    n_results = len(results)
    places = call.numbers("scan_output_axes", default=(0,) * n_results, length=n_results)
    stacks = [
        _stacked(each, axis=call.axis(axis, rank=len(each[-1].shape) + 1))
        for each, axis in zip(results, places, strict=True)
    ]
    return Followed(outputs=(*left, *stacks))


_RULES: dict[str, Callable[[OnnxCall, Inline], Followed]] = {
    "If": _choice,
    "Loop": _loop,
    "Scan": _scan,
}
