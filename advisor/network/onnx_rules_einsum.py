"""The ONNX operation `Einsum`: sums of products over named dimensions, as matrix products.

Leaves to others: `MatMul` and `Gemm` (`onnx_rules_layers`).
"""

import math

from advisor.model.kernel import GemmShape
from advisor.network.call import Result, Step
from advisor.network.einsum import letters_of_result, letters_of_term, product_sizes
from advisor.network.onnx_call import OnnxCall

# More letters than a tensor has dimensions in practice: a longer equation was made to harm.
_MOST_LETTERS = 256


def einsum(call: OnnxCall) -> Result:
    """Rule of `Einsum`: two operands at a time, from the left."""
    equation = call.text("equation", default="").replace(" ", "")
    before, _arrow, after = equation.partition("->")
    terms = before.split(",")
    if len(terms) != len(call.inputs) or len(equation) > _MOST_LETTERS:
        raise call.refuse(f"its equation {equation[:40]!r} does not fit its inputs")
    operands = [_letters(call, term, index) for index, term in enumerate(terms)]
    sizes = _sizes(call, operands)
    result = letters_of_result(after if "->" in equation else None, operands)
    if not set(result) <= set(sizes):
        raise call.refuse(f"its result has dimensions that no input has: {equation[:40]!r}")
    output = tuple(sizes[letter] for letter in result)
    labels, has_data = operands[0], call.given(0).is_data
    steps: list[Step] = []
    for index in range(1, len(operands)):
        is_data = call.given(index).is_data
        later = set(result).union(*operands[index + 1 :])
        kept = tuple(dict.fromkeys(x for x in (*labels, *operands[index]) if x in later))
        made = tuple(sizes[x] for x in kept)
        taken = call.take(0, 1) if index == 1 else call.take(index)
        if set(labels) | set(operands[index]) <= set(kept):
            # Nothing is summed: value by value.
            steps.append(call.elementwise("multiply", made, n_inputs=2, weights=taken))
        else:
            shape = _product_shape(
                call, labels, operands[index], kept=kept, sizes=sizes, are_data=(has_data, is_data)
            )
            steps.append(Step(shape=shape, elements=call.total(made), weights=taken))
        labels, has_data = kept, has_data or is_data
    if not steps:
        # One operand: a transposition, a diagonal or a sum over dimensions.
        largest = max(math.prod(call.shape()), math.prod(output))
        steps.append(call.elementwise("copy", (largest,), weights=call.take(0)))
    return Result(outputs=(output,), steps=tuple(steps))


def _letters(call: OnnxCall, term: str, index: int) -> tuple[str, ...]:
    """Return a name for each dimension of an input."""
    letters = letters_of_term(term, rank=len(call.shape(index)))
    if letters is None:
        raise call.refuse(f"{term[:40]!r} does not fit its input {call.shape(index)}")
    return letters


def _sizes(call: OnnxCall, operands: list[tuple[str, ...]]) -> dict[str, int]:
    sizes: dict[str, int] = {}
    for index, letters in enumerate(operands):
        for letter, size in zip(letters, call.shape(index), strict=True):
            known = sizes.setdefault(letter, size)
            if 1 not in (known, size) and known != size:
                raise call.refuse(f"dimension {letter!r} is {known} and {size}")
            sizes[letter] = max(known, size)
    return sizes


def _product_shape(
    call: OnnxCall,
    first: tuple[str, ...],
    second: tuple[str, ...],
    *,
    kept: tuple[str, ...],
    sizes: dict[str, int],
    are_data: tuple[bool, bool],
) -> GemmShape:
    """Return the product of two operands: what both have and is kept is done by itself.

    The samples of the batch are rows where one operand is the same for all of them.
    """
    found = product_sizes(first, second, kept=kept, sizes=sizes)
    rows, columns = found.rows, found.columns
    if all(are_data):
        call.check_products(found.alone)
        batch = call.count(found.alone)
        return GemmShape(m=rows, n=columns, k=found.inner, batch=batch)
    if are_data[0]:
        rows = call.count(rows)
    elif are_data[1]:
        columns = call.count(columns)
    return GemmShape(m=rows, n=columns, k=found.inner, batch=found.alone)


RULES = {"Einsum": einsum}
