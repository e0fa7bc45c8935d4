"""ONNX operations that are whole parts of a transformer: attention, fused additions and norms.

`Attention` is an operation of ONNX since operator set 23; the others, and an older `Attention`
that projects its input itself, are those of ONNX Runtime's optimiser.
Leaves to others: attention that a file spells out, as most do (`onnx_rules_layers`).
"""

import dataclasses
from dataclasses import dataclass

from advisor.model.kernel import EmbeddingShape, GemmShape, NormShape
from advisor.network.call import Result, Shape, Step
from advisor.network.onnx_call import OnnxCall, OnnxInput
from advisor.network.onnx_rules_layers import product
from advisor.network.rules_attention import weighing_steps


@dataclass(frozen=True, slots=True, kw_only=True)
class _Sizes:
    """Of an attention: samples of the graph, places that ask and are asked, heads, widths."""

    samples: int
    queries: int
    values: int
    heads: int
    key_dim: int
    value_dim: int

    @property
    def output(self) -> Shape:
        """The result with all heads side by side."""
        return (self.samples, self.queries, self.heads * self.value_dim)


def _weighed(call: OnnxCall, sizes: _Sizes) -> tuple[Step, ...]:
    """Return scores, softmax and weighted sum."""
    call.check_batch(sizes.samples)
    return weighing_steps(
        call.count(sizes.samples, sizes.heads),
        queries=sizes.queries,
        values=sizes.values,
        key_dim=sizes.key_dim,
        value_dim=sizes.value_dim,
    )


def _heads(call: OnnxCall, name: str, *, divides: int) -> int:
    """Return a number of heads, which must divide a width."""
    heads = call.number(name, default=0)
    if heads < 1 or divides % heads:
        raise call.refuse(f"{name!r} is {heads}, which does not divide {divides}")
    return heads


def _results(call: OnnxCall, first: Shape, *others: Shape) -> tuple[Shape, ...]:
    """Return as many results as the file names: those that it describes as it does."""
    known = (first, *others)
    count = max(1, len(call.node.outputs))
    return tuple(known[i] if i < len(known) else (call.described[i] or first) for i in range(count))


def attention(call: OnnxCall) -> Result:
    """Rule of `Attention`: of ONNX, or ONNX Runtime's, which has its projection in it."""
    if "num_heads" in call.node.attributes:
        return _with_projection(call)
    query, key, value = (call.shape(index) for index in range(3))
    if not len(query) == len(key) == len(value) or len(query) not in (3, 4):
        raise call.refuse(f"needs query, key and value of 3 or 4 dimensions, not {query}")
    past = call.shape(4)[-2] if call.has(4) else 0
    if len(query) == 4:
        sizes = _Sizes(
            samples=query[0], queries=query[2], values=past + key[2], heads=query[1],
            key_dim=query[3], value_dim=value[3],
        )  # fmt: skip
        output: Shape = (*query[:3], value[3])
    else:
        heads = _heads(call, "q_num_heads", divides=query[2])
        shared = _heads(call, "kv_num_heads", divides=value[2])
        sizes = _Sizes(
            samples=query[0], queries=query[1], values=past + key[1], heads=heads,
            key_dim=query[2] // heads, value_dim=value[2] // shared,
        )  # fmt: skip
        output = sizes.output
    return Result(outputs=_results(call, output), steps=_weighed(call, sizes))


def _with_projection(call: OnnxCall) -> Result:
    samples, places, features = call.shape(0, rank=3)
    rows, width = call.shape(1, rank=2)
    if rows != features or width % 3:
        raise call.refuse(f"its weights {(rows, width)} do not fit {features} features")
    each = width // 3
    heads = _heads(call, "num_heads", divides=each)
    sizes = _Sizes(
        samples=samples, queries=places, values=places, heads=heads,
        key_dim=each // heads, value_dim=each // heads,
    )  # fmt: skip
    gemm = GemmShape(m=call.count(samples, places), n=width, k=features)
    projection = Step(shape=gemm, elements=gemm.m * width, weights=call.take(1, 2), reads=(-1,))
    return Result(outputs=_results(call, sizes.output), steps=(projection, *_weighed(call, sizes)))


def multi_head(call: OnnxCall) -> Result:
    """Rule of `MultiHeadAttention`: query, key and value projected, apart or in one tensor."""
    query = call.shape(0)
    if len(query) == 5:  # samples, places, heads, 3, width of a head
        samples, places, heads, _three, dim = query
        sizes = _Sizes(
            samples=samples, queries=places, values=places, heads=heads, key_dim=dim, value_dim=dim
        )
        return Result(outputs=_results(call, sizes.output), steps=_weighed(call, sizes))
    samples, places, width = call.shape(0, rank=3)
    heads = _heads(call, "num_heads", divides=width)
    key = call.shape(1)
    if len(key) not in (3, 4, 5):
        raise call.refuse(f"needs a key of 3 to 5 dimensions, not {key}")
    values = key[2] if len(key) == 4 else key[1]
    value_dim = width // heads
    if call.has(2):
        value = call.shape(2)
        value_dim = value[3] if len(value) == 4 else value[-1] // heads
    past = call.shape(6)[-2] if call.has(6) else 0
    sizes = _Sizes(
        samples=samples, queries=places, values=past + values, heads=heads,
        key_dim=width // heads, value_dim=value_dim,
    )  # fmt: skip
    return Result(outputs=_results(call, sizes.output), steps=_weighed(call, sizes))


def grouped_query(call: OnnxCall) -> Result:
    """Rule of `GroupQueryAttention`: several heads share a key; one tensor may hold all three."""
    samples, places, width = call.shape(0, rank=3)
    shared = call.number("kv_num_heads", default=0)
    heads = call.number("num_heads", default=0)
    parts = heads if call.has(1) else heads + 2 * shared
    if min(heads, shared) < 1 or width % parts:
        raise call.refuse(f"its {heads} and {shared} heads do not fit a width of {width}")
    dim = width // parts
    values = call.shape(1)[1] if call.has(1) else places
    past = call.shape(3)[-2] if call.has(3) else 0
    sizes = _Sizes(
        samples=samples, queries=places, values=past + values, heads=heads,
        key_dim=dim, value_dim=dim,
    )  # fmt: skip
    kept = (samples, shared, past + values, dim)
    return Result(outputs=_results(call, sizes.output, kept, kept), steps=_weighed(call, sizes))


def skipped_norm(call: OnnxCall) -> Result:
    """Rule of `SkipLayerNormalization` and its kind: an addition, then a normalisation."""
    shape = call.shape()
    added = call.elementwise("add", shape, n_inputs=2)
    elements = call.total(shape)
    norm = NormShape(kind="layer", elements=elements, channels=shape[-1])
    step = Step(shape=norm, elements=elements, weights=call.take(2, 3, 4))
    statistics: Shape = (*shape[:-1], 1)
    return Result(outputs=_results(call, shape, statistics, statistics, shape), steps=(added, step))


def embedded_norm(call: OnnxCall) -> Result:
    """Rule of `EmbedLayerNormalization`: look-ups, their sum, and a norm."""
    places = call.shape(0, rank=2)
    tables = [index for index in (2, 3, 4) if call.has(index)]
    vocabulary, width = call.shape(2, rank=2)
    output = (*places, width)
    elements = call.total(output)
    look_up = EmbeddingShape(
        indices=call.total(places) * len(tables), dim=width, vocabulary=vocabulary
    )
    norm = NormShape(kind="layer", elements=elements, channels=width)
    steps = (
        Step(shape=look_up, elements=elements, weights=call.take(*tables)),
        Step(shape=norm, elements=elements, weights=call.take(5, 6)),
    )
    return Result(outputs=_results(call, output, (places[0],), output), steps=steps)


def biased(call: OnnxCall) -> Result:
    """Rule of `BiasGelu`, `FastGelu`, `QuickGelu`: an activation, maybe after a bias."""
    shape = call.shape()
    step = call.elementwise("gelu", shape, weights=call.take(1))
    return Result(outputs=(shape,), steps=(step,))


def rotated(call: OnnxCall) -> Result:
    """Rule of `RotaryEmbedding`: every value is turned with its neighbour by a known angle."""
    shape = call.shape()
    return Result(outputs=(shape,), steps=(call.elementwise("multiply", shape, n_inputs=2),))


def packed_product(call: OnnxCall) -> Result:
    """Rule of `MatMulNBits`: a product with weights of some bits each."""
    *leading, inner = call.shape()
    n, k = call.number("N", default=0), call.number("K", default=0)
    if k != inner or n < 1 or not leading:
        raise call.refuse(f"its {k} x {n} weights do not fit its input {call.shape()}")
    rows = call.count(*leading)
    weights = (n * k,) if call.take(1) else ()
    step = Step(shape=GemmShape(m=rows, n=n, k=k), elements=rows * n, weights=weights)
    return Result(outputs=((*leading, n),), steps=(step,))


def fused_product(call: OnnxCall) -> Result:
    """Rule of `FusedMatMul`: either tensor may have its rows or its matrices turned first."""
    return product(dataclasses.replace(call, inputs=(_turned(call, 0, "A"), _turned(call, 1, "B"))))


def _turned(call: OnnxCall, index: int, letter: str) -> OnnxInput:
    given = call.given(index)
    shape = given.shape
    if len(shape) < 2:
        return given
    if call.number(f"transBatch{letter}", default=0) == 1:
        shape = (*shape[1:-1], shape[0], shape[-1])
    if call.number(f"trans{letter}", default=0) == 1:
        shape = (*shape[:-2], shape[-1], shape[-2])
    return dataclasses.replace(given, tensor=dataclasses.replace(given.tensor, shape=shape))


RULES = {
    "FusedMatMul": fused_product,
    "Attention": attention,
    "MultiHeadAttention": multi_head,
    "GroupQueryAttention": grouped_query,
    **dict.fromkeys(("SkipLayerNormalization", "SkipSimplifiedLayerNormalization"), skipped_norm),
    "EmbedLayerNormalization": embedded_norm,
    **dict.fromkeys(("BiasGelu", "FastGelu", "QuickGelu"), biased),
    "RotaryEmbedding": rotated,
    "MatMulNBits": packed_product,
}
