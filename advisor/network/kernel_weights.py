"""The kernel of a layer as it is kept: trained itself, through LoRA, or quantised and fixed.

Leaves to others: the layer's product (`rules_dense`, `rules_convolution`).
"""

from dataclasses import dataclass

from advisor.model.kernel import GemmShape
from advisor.network.call import Call, Step
from advisor.network.fields import MAX_DIMENSION

# Of the inputs, the kernel and the gradient of the results, float8 keeps a scale and its history.
_FLOAT8_TENSORS = 3
_FLOAT8_HISTORY = 1024
# Types of Keras whose kernel no gradient updates.
_FIXED = ("Quantized", "Int4", "GPTQ", "AWQ")


@dataclass(frozen=True, slots=True, kw_only=True)
class Kernel:
    """Sizes of the tensors of a kernel, and what is computed before it can be used."""

    weights: tuple[int, ...] = ()
    frozen: tuple[int, ...] = ()
    steps: tuple[Step, ...] = ()


def read_kernel(call: Call, *, rows: int, columns: int, is_table: bool = False) -> Kernel:
    """Return a kernel of rows x columns.

    With LoRA Keras adds a product of two narrow matrices to the kernel in every step.

    Args:
        call: of the layer.
        rows: what the products sum over.
        columns: what they result in.
        is_table: whether rows are looked up: each has a scale of its own then.
    """
    weights, frozen = _kept(call, rows=rows, columns=columns, is_table=is_table)
    rank = call.fields.optional_integer("lora_rank")
    if rank is None:
        return Kernel(weights=weights, frozen=frozen)
    merge = Step(
        shape=GemmShape(m=rows, n=columns, k=rank), elements=rows * columns,
        weights=(rows * rank, rank * columns),
    )  # fmt: skip
    return Kernel(frozen=(*weights, *frozen), steps=(merge,))


def _kept(
    call: Call, *, rows: int, columns: int, is_table: bool
) -> tuple[tuple[int, ...], tuple[int, ...]]:
    """Return the sizes of the trained and of the fixed tensors."""
    policy = call.fields.raw("dtype")
    kind = policy.get("class_name") if isinstance(policy, dict) else None
    size = rows * columns
    if not isinstance(kind, str) or not kind.startswith(_FIXED):
        return (size,), ()
    assert isinstance(policy, dict)
    config = policy.get("config")
    mode = str(config.get("mode")) if isinstance(config, dict) else ""
    if "Float8" in kind:
        return (size, *(1, _FLOAT8_HISTORY) * _FLOAT8_TENSORS), ()
    scaled, summed = (rows, columns) if is_table else (columns, rows)
    if mode.startswith("int8"):
        return (), (size, scaled)
    if mode.startswith("int4"):
        return (), (rows * -(-columns // 2), *_of_blocks(mode, scaled=scaled, summed=summed))
    return (), (size,)


def _of_blocks(mode: str, *, scaled: int, summed: int) -> tuple[int, ...]:
    """Return the sizes of scales, zeros and places of "int4/128"; without blocks only scales."""
    stated = mode.partition("/")[2]
    block = int(stated) if stated.isascii() and stated.isdecimal() and len(stated) < 10 else 0
    if not 0 < block <= MAX_DIMENSION:
        return (scaled,)
    groups = -(-summed // block)
    return (groups * scaled, groups * scaled, summed)
