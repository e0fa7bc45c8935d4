"""Layers that are matrix products or look-ups: dense, einsum, embedding.

Leaves to others: attention (`rules_attention`), convolutions (`rules_convolution`).
"""

import math
from dataclasses import dataclass, replace

from advisor.model.kernel import ElementwiseShape, EmbeddingShape, GemmShape, KernelShape
from advisor.network.activations import fused_activation
from advisor.network.call import Call, Result, Shape, Step
from advisor.network.einsum import product_sizes
from advisor.network.fields import MAX_DIMENSION, describe, is_integer
from advisor.network.kernel_weights import Kernel, read_kernel


def dense(call: Call) -> Result:
    """Rule of `Dense`, on the last axis of an input of any rank."""
    units = call.fields.integer("units")
    if not call.input:
        raise call.fields.refuse("Dense needs at least one dimension a sample")
    *leading, features = call.input
    output = (*leading, units)
    bias = (units,) if call.fields.flag("use_bias", default=True) else ()
    gemm = GemmShape(m=call.batch * math.prod(leading), n=units, k=features)
    kernel = read_kernel(call, rows=features, columns=units)
    step = Step(
        shape=gemm, elements=call.total(output), weights=(*kernel.weights, *bias),
        frozen=kernel.frozen, reads=(-1,),
    )  # fmt: skip
    return Result(outputs=(output,), steps=(*kernel.steps, step, *fused_activation(call, output)))


def embedding(call: Call) -> Result:
    """Rule of `Embedding`: one row for each index of the input."""
    vocabulary = call.fields.integer("input_dim")
    dim = call.fields.integer("output_dim")
    output = (*call.input, dim)
    shape = EmbeddingShape(indices=call.total(call.input), dim=dim, vocabulary=vocabulary)
    table = read_kernel(call, rows=vocabulary, columns=dim, is_table=True)
    narrow = tuple(size for step in table.steps for size in step.weights)
    step = Step(
        shape=shape, elements=call.total(output), weights=(*table.weights, *narrow),
        frozen=table.frozen,
    )  # fmt: skip
    return Result(outputs=(output,), steps=(step,))


def reversible_embedding(call: Call) -> Result:
    """Rule of `ReversibleEmbedding`: a table to look up in, or the product with it turned round.

    What is as wide as the table is taken for what it gave, to be turned round.
    """
    vocabulary = call.fields.integer("input_dim")
    dim = call.fields.integer("output_dim")
    if len(call.input) > 1 and call.input[-1] == dim:
        output = (*call.input[:-1], vocabulary)
        gemm = GemmShape(m=call.total(call.input[:-1]), n=vocabulary, k=dim, transpose_b=True)
        step = Step(shape=gemm, elements=call.total(output), weights=(vocabulary * dim,))
        cap = call.fields.raw("logit_soft_cap")
        capped = () if cap is None else (call.elementwise("tanh", output),)
        return Result(outputs=(output,), steps=(step, *capped))
    found = embedding(call)
    if call.fields.flag("tie_weights", default=True):
        return found
    (step,) = found.steps
    own = replace(step, weights=(*step.weights, vocabulary * dim))
    return replace(found, steps=(own,))


@dataclass(frozen=True, slots=True, kw_only=True)
class _Einsum:
    """Labels of "abc,cde->abde", each a string of letters, batch letter first."""

    data: str
    kernel: str
    output: str


# Labels of the dimensions that "..." stands for.
_PLACES = "0123456789"
_NOT_WRITTEN = str.maketrans("", "", _PLACES)


def _parse_equation(call: Call) -> _Einsum:
    equation = call.fields.text("equation").replace(" ", "")
    left, arrow, output = equation.partition("->")
    data, comma, kernel = left.partition(",")
    if not (arrow and comma):
        raise call.fields.refuse(f"the equation {equation!r} is not of the form 'ab,bc->ac'")
    if "..." in data:
        missing = len(call.input) + 1 - len(data.replace("...", ""))
        letters = _PLACES[: max(missing, 0)]
        data, output = data.replace("...", letters), output.replace("...", letters)
    if len(data) != len(call.input) + 1:
        raise call.fields.refuse(f"the equation {equation!r} does not fit its input {call.input}")
    return _Einsum(data=data, kernel=kernel, output=output)


def _label_sizes(call: Call, einsum: _Einsum) -> dict[str, int]:
    sizes = dict(zip(einsum.data, (call.batch, *call.input), strict=True))
    declared = call.fields.raw("output_shape")
    entries = declared if isinstance(declared, list) else [declared]
    if len(entries) > len(einsum.output):
        raise call.fields.refuse(
            f"'output_shape' {describe(declared)} does not fit its equation, whose result is "
            f"{einsum.output!r}"
        )
    # Keras adds what "..." stands for to the shape that is stated, before or behind it.
    written = einsum.output.translate(_NOT_WRITTEN)
    labels = written if len(entries) <= len(written) else einsum.output
    tail = labels[len(labels) - len(entries) :]
    for label, entry in zip(tail, entries, strict=True):
        if entry is not None and label not in sizes:
            if not is_integer(entry) or not 1 <= entry <= MAX_DIMENSION:
                raise call.fields.refuse(f"'output_shape' is {describe(declared)}, not a shape")
            sizes[label] = entry
    for label in einsum.kernel + einsum.output:
        if label not in sizes:
            raise call.fields.refuse(f"the size of {label!r} in its equation is not stated")
    return sizes


def _einsum_bias(call: Call, sizes: dict[str, int]) -> tuple[int, ...]:
    if not call.fields.raw("bias_axes"):
        return ()
    axes = call.fields.text("bias_axes")
    unknown = [label for label in axes if label not in sizes]
    if unknown:
        raise call.fields.refuse(f"'bias_axes' {axes!r} are not in its equation")
    return (math.prod(sizes[label] for label in axes),)


def _einsum_kernel(call: Call, einsum: _Einsum, sizes: dict[str, int]) -> Kernel:
    """Return the kernel as a matrix: what LoRA splits off is the last dimension."""
    size = math.prod(sizes[label] for label in einsum.kernel)
    kept = math.prod(sizes[label] for label in einsum.kernel if label in einsum.output)
    has_lora = call.fields.raw("lora_rank") is not None
    columns = sizes[einsum.kernel[-1]] if has_lora and einsum.kernel else kept
    return read_kernel(call, rows=size // columns, columns=columns)


def einsum_dense(call: Call) -> Result:
    """Rule of `EinsumDense`: as a batch of matrix products."""
    einsum = _parse_equation(call)
    sizes = _label_sizes(call, einsum)
    found = product_sizes(einsum.data, einsum.kernel, kept=einsum.output, sizes=sizes)
    gemm = GemmShape(m=found.rows, n=found.columns, k=found.inner, batch=found.alone)
    bias = _einsum_bias(call, sizes)
    output: Shape = tuple(sizes[label] for label in einsum.output[1:])
    kernel = _einsum_kernel(call, einsum, sizes)
    shape: KernelShape = gemm
    if gemm.k == gemm.n == 1:  # every weight meets one value: no product of matrices
        shape = ElementwiseShape(op="multiply", elements=call.total(output))
    step = Step(
        shape=shape, elements=call.total(output), weights=(*kernel.weights, *bias),
        frozen=kernel.frozen, reads=(-1,),
    )  # fmt: skip
    return Result(outputs=(output,), steps=(*kernel.steps, step, *fused_activation(call, output)))


RULES = {
    "Dense": dense,
    "EinsumDense": einsum_dense,
    "Embedding": embedding,
    "ReversibleEmbedding": reversible_embedding,
}
