"""Attention: as matrix products and a softmax.

Leaves to others: masks, which cost nothing that matters.
"""

import dataclasses
import math
from dataclasses import dataclass

from advisor.model.kernel import GemmShape, SoftmaxShape
from advisor.network.call import Call, Result, Shape, Step
from advisor.network.fields import is_integer


@dataclass(frozen=True, slots=True, kw_only=True)
class _Heads:
    """Sizes of an attention: `outer` independent attentions of `queries` x `values` places."""

    outer: int
    queries: int
    values: int
    query_heads: int
    value_heads: int
    key_dim: int
    value_dim: int


def _require_inputs(call: Call) -> tuple[Shape, Shape, Shape]:
    """Return the shapes of query, value and key (the value where no key is given)."""
    if len(call.inputs) < 2:
        raise call.fields.refuse(f"{call.class_name} needs a query and a value")
    query, value = call.inputs[:2]
    key = call.inputs[2] if len(call.inputs) > 2 else value
    if min(len(query), len(value), len(key)) < 2:
        raise call.fields.refuse(f"{call.class_name} needs sequences, found {query} and {value}")
    return query, value, key


def _projection(call: Call, shape: Shape, *, width: int, bias: bool, read: int) -> Step:
    *leading, features = shape
    gemm = GemmShape(m=call.batch * math.prod(leading), n=width, k=features)
    weights = (features * width, *((width,) if bias else ()))
    return Step(shape=gemm, elements=gemm.m * width, weights=weights, reads=(read,))


def _weighing(call: Call, heads: _Heads, *, start: int) -> tuple[Step, ...]:
    """Return scores, softmax and weighted sum; query, key, value are steps `start`..+2."""
    scores, softmax, total = weighing_steps(
        call.batch * heads.outer * heads.query_heads,
        queries=heads.queries,
        values=heads.values,
        key_dim=heads.key_dim,
        value_dim=heads.value_dim,
    )
    return (
        dataclasses.replace(scores, reads=(start, start + 1), is_product=True),
        softmax,
        dataclasses.replace(total, reads=(start + 4, start + 2), is_product=True),
    )


def weighing_steps(
    batch: int, *, queries: int, values: int, key_dim: int, value_dim: int
) -> tuple[Step, Step, Step]:
    """Return scores, softmax and weighted sum of `batch` attentions, each after the one before."""
    scores = batch * queries * values
    return (
        Step(
            shape=GemmShape(m=queries, n=values, k=key_dim, batch=batch, transpose_b=True),
            elements=scores,
        ),
        Step(shape=SoftmaxShape(rows=batch * queries, columns=values), elements=scores),
        Step(
            shape=GemmShape(m=queries, n=value_dim, k=values, batch=batch),
            elements=batch * queries * value_dim,
        ),
    )


def _attended(call: Call, query: Shape, value: Shape) -> tuple[int, int, int]:
    """Return (independent attentions, query places, value places) along the attended axes."""
    axes = call.fields.raw("attention_axes")
    if axes is None:
        return 1, math.prod(query[:-1]), math.prod(value[:-1])
    listed = [axes] if is_integer(axes) else axes
    chosen = call.fields.sequence_of_integers("attention_axes", listed)
    positions = {axis - 1 if axis >= 0 else axis + len(query) for axis in chosen}
    if not all(0 <= p < min(len(query), len(value)) - 1 for p in positions):
        raise call.fields.refuse(f"'attention_axes' {listed} do not fit its input {query}")
    outer = math.prod(n for p, n in enumerate(query[:-1]) if p not in positions)
    return (
        outer,
        math.prod(query[p] for p in positions),
        math.prod(value[p] for p in positions),
    )


def _multi_head(call: Call, heads: _Heads, *, made: Shape, has_gate: bool = False) -> Result:
    """Return an attention whose result has the dimensions `made` at each place of the query."""
    query, value, key = _require_inputs(call)
    bias = call.fields.flag("use_bias", default=True)
    key_read = -3 if len(call.inputs) > 2 else -2
    key_width = heads.value_heads * heads.key_dim
    query_width = heads.query_heads * heads.key_dim
    value_width = heads.value_heads * heads.value_dim
    steps: list[Step] = [
        _projection(call, query, width=query_width, bias=bias, read=-1),
        _projection(call, key, width=key_width, bias=bias, read=key_read),
        _projection(call, value, width=value_width, bias=bias, read=-2),
        *_weighing(call, heads, start=0),
    ]
    joined = heads.query_heads * heads.value_dim
    if has_gate:
        steps.append(_projection(call, query, width=joined, bias=bias, read=-1))
        steps.append(call.elementwise("sigmoid", (*query[:-1], joined)))
        gating = call.elementwise("multiply", (*query[:-1], joined), n_inputs=2)
        steps.append(Step(shape=gating.shape, elements=gating.elements, reads=(5, 7)))
    output, width = (*query[:-1], *made), math.prod(made)
    places = call.batch * math.prod(query[:-1])
    steps.append(
        Step(
            shape=GemmShape(m=places, n=width, k=joined),
            elements=places * width,
            weights=(joined * width, *((width,) if bias else ())),
        )
    )
    outputs: tuple[Shape, ...] = (output,)
    if len(call.declared) > 1:
        outputs = (output, (heads.query_heads, heads.queries, heads.values))
    return Result(outputs=outputs, steps=tuple(steps))


def multi_head(call: Call) -> Result:
    """Rule of `MultiHeadAttention`."""
    query, value, _key = _require_inputs(call)
    outer, queries, values = _attended(call, query, value)
    count = call.fields.integer("num_heads")
    key_dim = call.fields.integer("key_dim")
    heads = _Heads(
        outer=outer,
        queries=queries,
        values=values,
        query_heads=count,
        value_heads=count,
        key_dim=key_dim,
        value_dim=call.fields.optional_integer("value_dim") or key_dim,
    )
    wanted = call.fields.raw("output_shape")
    if wanted is None:
        made = query[-1:]
    else:
        listed = [wanted] if is_integer(wanted) else wanted
        made = call.fields.sequence_of_integers("output_shape", listed)
        if min(made, default=0) < 1:
            raise call.fields.refuse(f"'output_shape' {list(made)} is not a shape")
    return _multi_head(call, heads, made=made, has_gate=call.fields.flag("use_gate", default=False))


def grouped_query(call: Call) -> Result:
    """Rule of `GroupedQueryAttention`: several query heads share one key and value head."""
    query, value, _key = _require_inputs(call)
    dim = call.fields.integer("head_dim")
    heads = _Heads(
        outer=1,
        queries=math.prod(query[:-1]),
        values=math.prod(value[:-1]),
        query_heads=call.fields.integer("num_query_heads"),
        value_heads=call.fields.integer("num_key_value_heads"),
        key_dim=dim,
        value_dim=dim,
    )
    return _multi_head(
        call, heads, made=query[-1:], has_gate=call.fields.flag("use_gate", default=False)
    )


def _scored(call: Call, *scoring: Step, queries: int, values: int, outer: int) -> Result:
    query, value, _key = _require_inputs(call)
    batch = call.batch * outer
    softmax = Step(
        shape=SoftmaxShape(rows=batch * queries, columns=values),
        elements=batch * queries * values,
    )
    total = Step(
        shape=GemmShape(m=queries, n=value[-1], k=values, batch=batch),
        elements=batch * queries * value[-1],
        reads=(len(scoring), -2),
        is_product=True,
    )
    outputs: tuple[Shape, ...] = ((*query[:-1], value[-1]),)
    if len(call.declared) > 1:  # the scores are asked for
        outputs = (*outputs, (*query[:-1], values))
    return Result(outputs=outputs, steps=(*scoring, softmax, total))


def dot_attention(call: Call) -> Result:
    """Rule of `Attention` (Luong); its scores are products or, in "concat" mode, sums."""
    if call.fields.choice("score_mode", default="dot", allowed=("dot", "concat")) == "concat":
        has_scale = call.fields.flag("use_scale", default=False)
        return _additive(call, weights=(1,) * (1 + has_scale), is_weighed=has_scale)
    query, value, _key = _require_inputs(call)
    outer, queries, values = math.prod(query[:-2]), query[-2], value[-2]
    batch = call.batch * outer
    scoring = Step(
        shape=GemmShape(m=queries, n=values, k=query[-1], batch=batch, transpose_b=True),
        elements=batch * queries * values,
        weights=(1,) if call.fields.flag("use_scale", default=False) else (),
        reads=(-1, -3 if len(call.inputs) > 2 else -2),
        is_product=True,
    )
    return _scored(call, scoring, queries=queries, values=values, outer=outer)


def product_attention(call: Call) -> Result:
    """Rule of `keras.ops.dot_product_attention`: places, heads and width in each input."""
    # Query, key and value: not the order of the layers above.
    query, key, value = _require_inputs(call)
    if not len(query) == len(key) == len(value) == 3:
        raise call.fields.refuse(f"{call.class_name} needs sequences, found {query} and {value}")
    heads = _Heads(
        outer=1, queries=query[0], values=key[0], query_heads=query[1], value_heads=key[1],
        key_dim=query[2], value_dim=value[2],
    )  # fmt: skip
    scores, softmax, total = _weighing(call, heads, start=0)
    steps = (
        dataclasses.replace(scores, reads=(-1, -2)),
        softmax,
        dataclasses.replace(total, reads=(1, -len(call.inputs[:3]))),
    )
    return Result(outputs=((*query[:2], value[2]),), steps=steps)


def _additive(call: Call, *, weights: tuple[int, ...], is_weighed: bool) -> Result:
    """Return scores that are sums of a function of each query and key, value by value.

    Each of them passes over a tensor of queries x keys x width; only its sum is small.
    """
    query, value, _key = _require_inputs(call)
    outer, queries, values = math.prod(query[:-2]), query[-2], value[-2]
    every = (outer, queries, values, query[-1])
    joined = dataclasses.replace(
        call.elementwise("add", every, n_inputs=2),
        reads=(-1, -3 if len(call.inputs) > 2 else -2),
    )
    passes = [joined, call.elementwise("tanh", every)]
    if is_weighed:
        passes.append(call.elementwise("multiply", every))
    summed = dataclasses.replace(
        call.elementwise("sum", every),
        elements=call.batch * outer * queries * values,
        weights=weights,
    )
    return _scored(call, *passes, summed, queries=queries, values=values, outer=outer)


def additive_attention(call: Call) -> Result:
    """Rule of `AdditiveAttention` (Bahdanau)."""
    has_scale = call.fields.flag("use_scale", default=True)
    weights = (call.input[-1],) if has_scale else ()
    return _additive(call, weights=weights, is_weighed=has_scale)


RULES = {
    "MultiHeadAttention": multi_head,
    "GroupedQueryAttention": grouped_query,
    "GroupQueryAttention": grouped_query,
    "Attention": dot_attention,
    "AdditiveAttention": additive_attention,
}
