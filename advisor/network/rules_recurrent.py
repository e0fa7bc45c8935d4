"""Recurrent layers: LSTM, GRU, simple, stacks of cells, both directions, and with convolutions.

A recurrent kernel includes the product of its input with its weights.
Leaves to others: applying a layer at each step of time (`advisor.network.dispatch`).
"""

import math
from dataclasses import dataclass, replace
from typing import Any

from advisor.model.kernel import Cell, ConvShape, RecurrentShape
from advisor.network.call import Call, Result, Shape, Step
from advisor.network.fields import Fields, describe, plain_name
from advisor.network.moments import moment_repeats
from advisor.network.windows import read_image, read_rank, read_window, window_output
from advisor.predict.work import GATES

_CELLS = {
    "LSTM": Cell.LSTM,
    "GRU": Cell.GRU,
    "SimpleRNN": Cell.RNN,
    "CuDNNLSTM": Cell.LSTM,
    "CuDNNGRU": Cell.GRU,
    "LSTMCell": Cell.LSTM,
    "GRUCell": Cell.GRU,
    "SimpleRNNCell": Cell.RNN,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Unit:
    """A cell with its size and the sizes of its bias tensor (empty: none).

    `is_split`: a product of its own for each gate; `drops_inputs`, `drops_states`: what is dropped
    out at each step. `kept`: values of the width of the state that
    training keeps of a time step beside those that any cell of its kind does.
    """

    cell: Cell
    hidden: int
    bias: tuple[int, ...]
    is_split: bool
    drops_inputs: bool
    drops_states: bool
    kept: int

    def weights(self, features: int) -> tuple[int, ...]:
        columns = GATES[self.cell] * self.hidden
        return (features * columns, self.hidden * columns, *self.bias)


def _read_unit(class_name: str, fields: Fields) -> _Unit:
    cell = _CELLS.get(class_name)
    if cell is None:
        raise fields.refuse(f"the cell {class_name} is not LSTMCell, GRUCell or SimpleRNNCell")
    hidden = fields.integer("units")
    size = GATES[cell] * hidden
    if class_name.startswith("CuDNN") or (
        cell is Cell.GRU and fields.flag("reset_after", default=True)
    ):
        size *= 2  # one bias for the product with the input, one for that with the state
    has_bias = class_name.startswith("CuDNN") or fields.flag("use_bias", default=True)
    return _Unit(
        cell=cell,
        hidden=hidden,
        bias=(size,) if has_bias else (),
        is_split=cell is not Cell.RNN and _is_split(fields),
        drops_inputs=_drops(fields, "dropout"),
        drops_states=_drops(fields, "recurrent_dropout"),
        kept=_kept(cell, fields),
    )


def _drops(fields: Fields, name: str) -> bool:
    return fields.raw(name) not in (None, 0, 0.0)


def _is_split(fields: Fields) -> bool:
    """Whether Keras multiplies gate by gate: asked for, or as the states are dropped out."""
    return _drops(fields, "recurrent_dropout") or fields.raw("implementation") == 1


# Peak resident memory of training (300 time steps, 64 features, 256 units, batch 64, Keras 3.15)
# beyond that of the plain layer, in states of all time steps.
_KEPT_BY_DROPOUT = {Cell.LSTM: 25, Cell.GRU: 18, Cell.RNN: 1}
_KEPT_BY_RESET_BEFORE = 15


def _kept(cell: Cell, fields: Fields) -> int:
    by_dropout = _KEPT_BY_DROPOUT[cell] if _drops(fields, "recurrent_dropout") else 0
    resets_before = cell is Cell.GRU and not fields.flag("reset_after", default=True)
    return max(by_dropout, _KEPT_BY_RESET_BEFORE if resets_before else 0)


def _read_cells(serialised: Any, fields: Fields) -> tuple[_Unit, ...]:
    if not isinstance(serialised, dict) or not isinstance(serialised.get("config"), dict):
        raise fields.refuse(f"'cell' must be a cell, found {describe(serialised)}")
    inner = Fields(config=serialised["config"], where=fields.where)
    class_name = plain_name(str(serialised.get("class_name")))
    if class_name == "StackedRNNCells":
        cells = inner.raw("cells")
        if not isinstance(cells, list) or not cells:
            raise fields.refuse("its stack of cells is empty")
        return tuple(unit for cell in cells for unit in _read_cells(cell, inner))
    return (_read_unit(class_name, inner),)


def _read_units(call: Call) -> tuple[_Unit, ...]:
    if call.class_name == "RNN":
        cell = call.fields.raw("cell")
        cells = cell if isinstance(cell, list) else [cell]
        return tuple(unit for entry in cells for unit in _read_cells(entry, call.fields))
    return (_read_unit(call.class_name, call.fields),)


def own_cell(call: Call) -> str | None:
    """Return the class of a cell that is the user's own; None: all are of Keras."""
    waiting = [call.fields.raw("cell")] if call.class_name == "RNN" else []
    while waiting:
        cell = waiting.pop()
        if isinstance(cell, list):
            waiting += cell
        config = cell.get("config") if isinstance(cell, dict) else None
        if not isinstance(cell, dict) or not isinstance(config, dict):
            continue
        name = plain_name(str(cell.get("class_name")))
        if name == "StackedRNNCells":
            waiting.append(config.get("cells"))
        elif name not in _CELLS:
            return name
    return None


def _states(unit: _Unit) -> int:
    return 2 if unit.cell is Cell.LSTM else 1


def recurrent(call: Call, *, directions: int = 1) -> Result:
    """Rule of `LSTM`, `GRU`, `SimpleRNN`, `RNN`; `directions` is 2 inside `Bidirectional`.

    With two directions the result is that of merging by concatenation.
    """
    timesteps, features = call.require_rank(2)
    units = _read_units(call)
    returns_sequences = call.fields.flag("return_sequences", default=False)
    steps = []
    for position, unit in enumerate(units):
        is_last = position == len(units) - 1
        keeps = returns_sequences or not is_last
        width = unit.hidden * directions
        shape = RecurrentShape(
            cell=unit.cell,
            batch=call.batch,
            timesteps=timesteps,
            input=features,
            hidden=unit.hidden,
            is_bidirectional=directions == 2,
            return_sequences=keeps,
            is_masked=call.is_masked,
            is_split=unit.is_split,
            drops_inputs=unit.drops_inputs,
            drops_states=unit.drops_states,
        )
        elements = call.total((timesteps, width) if keeps else (width,))
        steps.append(
            Step(
                shape=shape,
                elements=elements,
                weights=unit.weights(features) * directions,
                kept=unit.kept * call.total((timesteps, width)),
            )
        )
        features = unit.hidden  # each direction has a stack of its own
    width = features * directions
    output: Shape = (timesteps, width) if returns_sequences else (width,)
    states: tuple[Shape, ...] = ()
    if call.fields.flag("return_state", default=False):
        states = tuple((u.hidden,) for u in units for _ in range(_states(u)))
    return Result(outputs=(output, *states * directions), steps=tuple(steps))


def are_alike(one: Call, other: Call) -> bool:
    """Whether two layers differ in nothing that counts: both directions are one kernel."""
    return one.class_name == other.class_name and _read_units(one) == _read_units(other)


def bidirectional(call: Call, inner: Call) -> Result:
    """Rule of `Bidirectional` around the recurrent layer `inner`."""
    merge = _merge_mode(call)
    joined = recurrent(inner, directions=2)
    if merge == "concat":
        return joined
    *leading, width = joined.outputs[0]
    half = (*leading, width // 2)
    if merge is None:
        return Result(outputs=(half, half, *joined.outputs[1:]), steps=joined.steps)
    step = call.elementwise(_MERGED_BY[merge], half, n_inputs=2)
    return Result(outputs=(half, *joined.outputs[1:]), steps=(*joined.steps, step))


# How the results of both directions are brought together.
_MERGED_BY = {"concat": "copy", "sum": "add", "mul": "multiply", "ave": "average"}


def _merge_mode(call: Call) -> str | None:
    merge = call.fields.raw("merge_mode", default="concat")
    if merge is None or (isinstance(merge, str) and merge in _MERGED_BY):
        return merge
    raise call.fields.refuse(f"'merge_mode' is {describe(merge)}")


def two_ways(call: Call, there: Result, back: Result) -> Result:
    """Return the result of `Bidirectional` around two layers that are told one by one."""
    merge, (one, *states), (other, *others) = _merge_mode(call), there.outputs, back.outputs
    if (merge != "concat" and one != other) or one[:-1] != other[:-1]:
        raise call.fields.refuse(f"its directions do not fit together: {one}, {other}")
    count = len(there.steps)
    steps = (
        *there.steps,
        *(_after(step, count, position) for position, step in enumerate(back.steps)),
    )
    note = there.note or back.note
    if merge is None:
        return Result(outputs=(one, other, *states, *others), steps=steps, note=note)
    output = (*one[:-1], one[-1] + other[-1]) if merge == "concat" else one
    joined = call.elementwise(_MERGED_BY[merge], output, n_inputs=2)
    ends = (count - 1, len(steps) - 1)
    steps = (*steps, replace(joined, reads=ends))
    return Result(outputs=(output, *states, *others), steps=steps, note=note)


def _after(step: Step, count: int, position: int) -> Step:
    """Return the step at a position of a layer that stands after `count` steps of another."""
    reads = step.reads
    if reads is None:
        reads = (position - 1,) if position else (-1,)
    return replace(step, reads=tuple(read + count if read >= 0 else read for read in reads))


def convolutional(call: Call) -> Result:
    """Rule of `ConvLSTM1D`, `ConvLSTM2D`, `ConvLSTM3D`, whose time steps wait for each other.

    Keras computes each of the four gates of a time step by a convolution of the input and one of
    the state, and adds and activates them one by one.
    """
    rank = read_rank(call.class_name)
    timesteps, *frame = call.require_rank(rank + 2)
    moment = _moment(call, tuple(frame))
    frame_out = moment.output
    keeps = call.fields.flag("return_sequences", default=False)
    output = (timesteps, *frame_out) if keeps else frame_out
    states: tuple[Shape, ...] = ()
    if call.fields.flag("return_state", default=False):
        states = (frame_out, frame_out)
    moment = _with_kept(call, moment, keeps=keeps)
    often, *others = moment_repeats(timesteps, is_moment=call.is_moment)
    # No state comes before the first moment: nothing is asked of its gradient.
    is_apart = often > 1 and not call.is_moment
    repeats = (1, often - 1, *others) if is_apart else (often, *others)
    return Result(outputs=(output, *states), steps=_over_time(moment, repeats))


# What training keeps of a time step: of the values of the state, what functions of one value have
# made (5), and both states. Beside them, in values of the state and of the input of a time step,
# from the peak resident memory of the first steps of 17 layers (Keras 3.15, gradient descent).
_KEPT_OF_STATE = 0.7
_KEPT_OF_STATE_HANDED_ON = 4.1
_KEPT_OF_INPUT = 1.6
# Workspace of the convolutions of all gates of one time step, in values of the state.
_WORKSPACE = 47


def _with_kept(call: Call, moment: "_Moment", *, keeps: bool) -> "_Moment":
    """Return a time step with what training keeps of it: sums and products are not kept."""
    of_state = _KEPT_OF_STATE + (_KEPT_OF_STATE_HANDED_ON if keeps else 0.0)
    more = of_state * moment.product.elements + _KEPT_OF_INPUT * call.total(call.input[1:])
    parts = {
        name: replace(step, kept=-step.elements)
        for name in ("of_input", "of_state", "both", "product")
        for step in [getattr(moment, name)]
    }
    shown = replace(moment.product, kept=round(more))
    return replace(moment, **parts, shown=shown)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Moment:
    """A time step of a convolutional layer.

    Attributes:
        of_input, of_state: the convolutions of one gate, with its part of the layer's weights.
        both, product, sigmoid, tanh: what is done to each value of the gates.
        memory, shown: the sum and the product that are the new states.
        output: shape of the state of a sample.
    """

    of_input: Step
    of_state: Step
    both: Step
    product: Step
    sigmoid: Step
    tanh: Step
    memory: Step
    shown: Step
    output: Shape


def _moment(call: Call, frame: Shape) -> _Moment:
    """Return a time step."""
    one = replace(call, inputs=(frame,), declared=())
    rank = len(frame) - 1
    image, window = read_image(one, rank), read_window(one, rank)
    filters = call.fields.integer("filters")
    spatial = window_output(one, window, spatial=image.spatial)
    ones = (1,) * rank
    of_input = ConvShape(
        n=one.batch, c=image.channels, spatial=image.spatial, k=filters,
        kernel=window.kernel, strides=window.strides, output=spatial, dilation=window.dilation,
    )  # fmt: skip
    of_state = ConvShape(
        n=one.batch, c=filters, spatial=spatial, k=filters,
        kernel=window.kernel, strides=ones, output=spatial, dilation=ones,
    )  # fmt: skip
    size = math.prod(window.kernel) * filters
    bias = (filters,) if call.fields.flag("use_bias", default=True) else ()
    elements = one.total((*spatial, filters))
    output = image.shape(spatial, channels=filters)
    both = one.elementwise("add", output, n_inputs=2)
    product = one.elementwise("multiply", output, n_inputs=2)
    return _Moment(
        of_input=Step(shape=of_input, elements=elements, weights=(size * image.channels, *bias)),
        of_state=Step(shape=of_state, elements=elements, weights=(size * filters,)),
        both=both,
        product=product,
        sigmoid=one.elementwise("sigmoid", output),
        tanh=one.elementwise("tanh", output),
        memory=both,
        shown=product,
        output=output,
    )


def _over_time(now: _Moment, repeats: tuple[int, ...]) -> tuple[Step, ...]:
    """Return the kernels of all time steps; the first of each convolution counts the weights."""
    found: list[Step] = []

    def add(step: Step, *reads: int) -> int:
        """Add a step and return its number."""
        found.append(replace(step, reads=reads))
        return len(found) - 1

    def convolve(step: Step, read: int, *, is_first: bool) -> list[int]:
        """Add the convolutions of the four gates."""
        whole = replace(step, weights=tuple(4 * each for each in step.weights))
        part = replace(step, is_shared=True)
        return [add(whole if is_first and gate == 0 else part, read) for gate in range(4)]

    state = memory = -1
    for time, often in enumerate(repeats):
        first = len(found)
        of_input = convolve(now.of_input, -1, is_first=time == 0)
        # Moments that are all told at once wait for a state that comes of what they are given.
        before = of_input[0] if time == 0 and often > 1 else state
        of_state = convolve(now.of_state, before, is_first=time == 0)
        sums = [add(now.both, *pair) for pair in zip(of_input, of_state, strict=True)]
        taken, kept, shown = (add(now.sigmoid, sums[gate]) for gate in (0, 1, 3))
        new = add(now.product, taken, add(now.tanh, sums[2]))
        memory = add(now.memory, add(now.product, kept, memory), new)
        state = add(now.shown, shown, add(now.tanh, memory))
        if time == 0:
            more = _WORKSPACE * now.shown.elements // often
            found[state] = replace(found[state], kept=found[state].kept + more)
        found[first:] = [replace(step, repeats=often) for step in found[first:]]
    return tuple(found)


_LAYERS = ("LSTM", "GRU", "SimpleRNN", "CuDNNLSTM", "CuDNNGRU", "RNN")
_CONVOLUTIONAL = ("ConvLSTM1D", "ConvLSTM2D", "ConvLSTM3D")
# Classes of Keras that run over time, step by step.
RECURRENT_CLASSES = frozenset({*_LAYERS, *_CONVOLUTIONAL})
RULES = {
    **dict.fromkeys(_LAYERS, recurrent),
    **dict.fromkeys(_CONVOLUTIONAL, convolutional),
}
