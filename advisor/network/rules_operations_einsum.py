"""The operation `keras.ops.einsum` of any number of tensors and constants, as matrix products.

Two operands at a time, as TensorFlow orders them: first those whose product is smallest beside
what it replaces. A product of constants is computed before the network runs.
Leaves to others: the layer `EinsumDense` (`rules_dense`), ONNX (`onnx_rules_einsum`).
"""

import itertools
import math
import re
from dataclasses import dataclass

from advisor.model.kernel import TRANSPOSE, ElementwiseShape, GemmShape, KernelShape
from advisor.network.call import Call, Result, Step
from advisor.network.einsum import letters_of_result, letters_of_term, product_sizes

# Two terms of letters and their result: "btd,bsd->bts".
_OF_TWO = re.compile(r"([a-zA-Z]{1,16}),([a-zA-Z]{1,16})->([a-zA-Z]{1,16})")
_MOST_LETTERS = 256
_MOST_OPERANDS = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class _Term:
    """A factor: its dimensions, and what computes it; `read` is None for a constant."""

    letters: tuple[str, ...]
    read: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Equation:
    terms: tuple[_Term, ...]
    result: tuple[str, ...]
    sizes: dict[str, int]


def find_einsum(call: Call) -> Result | None:
    """Return a sum of products; None: it mixes samples, or its sizes are not known."""
    equation = _read(call)
    if equation is None:
        return _by_unseen(call) if len(call.arguments) == 1 else None
    output = tuple(equation.sizes[letter] for letter in equation.result)[1:]
    if len(equation.terms) == 1:
        return Result(outputs=(output,), steps=_of_one(equation))
    return Result(outputs=(output,), steps=_of_several(equation))


def _read(call: Call) -> _Equation | None:
    """Return the equation; None where it is none that can be followed."""
    text = str(call.fields.raw("subscripts")).replace(" ", "")
    before, _arrow, after = text.partition("->")
    terms = before.split(",")
    if len(text) > _MOST_LETTERS or not len(terms) == len(call.arguments) <= _MOST_OPERANDS:
        return None
    factors: list[_Term] = []
    for term, argument in zip(terms, call.arguments, strict=True):
        letters = letters_of_term(term, rank=len(argument.shape))
        if letters is None:
            return None
        factors.append(_Term(letters=letters, read=argument.read))
    result = letters_of_result(
        after if "->" in text else None, [factor.letters for factor in factors]
    )
    data = [factor.letters for factor in factors if factor.read is not None]
    if not result or any(letters[:1] != result[:1] for letters in data):
        return None
    sizes = _sizes(call, factors)
    if not set(result) <= set(sizes):
        raise call.fields.refuse(
            f"its result has dimensions that no input has: {''.join(result)[:40]!r}"
        )
    return _Equation(terms=tuple(factors), result=result, sizes=sizes)


def _sizes(call: Call, factors: list[_Term]) -> dict[str, int]:
    sizes: dict[str, int] = {}
    for factor, argument in zip(factors, call.arguments, strict=True):
        for letter, size in zip(factor.letters, argument.shape, strict=True):
            known = sizes.setdefault(letter, size)
            if known != size and 1 not in (known, size):
                shapes = ", ".join(str(each.shape) for each in call.arguments)
                raise call.fields.refuse(f"its inputs do not fit together: {shapes}")
            sizes[letter] = max(known, size)
    return sizes


def _of_one(equation: _Equation) -> tuple[Step, ...]:
    """Return what one tensor takes: another order, a diagonal, or a sum."""
    letters, result = equation.terms[0].letters, equation.result
    if letters == result:
        return ()
    elements = math.prod(equation.sizes[letter] for letter in letters)
    made = math.prod(equation.sizes[letter] for letter in result)
    op = TRANSPOSE if set(letters) == set(result) and len(letters) == len(result) else "sum"
    shape = ElementwiseShape(op=op, elements=max(made, elements))
    return (Step(shape=shape, elements=made, reads=(-1,)),)


def _of_several(equation: _Equation) -> tuple[Step, ...]:
    steps: list[Step] = []
    terms = list(equation.terms)
    while len(terms) > 1:
        first, second = _next_pair(terms, equation)
        terms.remove(first)
        terms.remove(second)
        if first.read is None and second.read is not None:
            first, second = second, first
        later = set(equation.result).union(*(term.letters for term in terms))
        kept = tuple(x for x in dict.fromkeys((*first.letters, *second.letters)) if x in later)
        if first.read is None:
            terms.append(_Term(letters=kept, read=None))
            continue
        steps.append(_product(first, second, kept=kept, sizes=equation.sizes))
        terms.append(_Term(letters=kept, read=len(steps) - 1))
    return tuple(steps)


def _next_pair(terms: list[_Term], equation: _Equation) -> tuple[_Term, _Term]:
    """Return the two factors whose product is smallest beside what it replaces."""

    def size(letters: set[str]) -> int:
        return math.prod(equation.sizes[letter] for letter in letters)

    def gain(pair: tuple[_Term, _Term]) -> tuple[bool, int]:
        one, two = (set(term.letters) for term in pair)
        others = [term.letters for term in terms if term is not pair[0] and term is not pair[1]]
        made = (one | two) & set(equation.result).union(*others)
        return not one & two, size(made) - size(one) - size(two)

    return min(itertools.combinations(terms, 2), key=gain)


def _product(first: _Term, second: _Term, *, kept: tuple[str, ...], sizes: dict[str, int]) -> Step:
    made = math.prod(sizes[letter] for letter in kept)
    reads = tuple(term.read for term in (first, second) if term.read is not None)
    shape: KernelShape
    if set(first.letters) | set(second.letters) <= set(kept):  # nothing is summed
        shape = ElementwiseShape(op="multiply", elements=made, n_inputs=2)
    else:
        found = product_sizes(first.letters, second.letters, kept=kept, sizes=sizes)
        shape = GemmShape(m=found.rows, n=found.columns, k=found.inner, batch=found.alone)
    return Step(shape=shape, elements=made, reads=reads, is_product=True)


def _by_unseen(call: Call) -> Result | None:
    """Return an einsum of one tensor and a constant that the file does not show (Keras 2)."""
    found = _OF_TWO.fullmatch(str(call.fields.raw("subscripts")).replace(" ", ""))
    if found is None or not call.recorded:
        return None
    first, second, output = found.groups()
    made = call.recorded[0]
    for data, constant in ((first, second), (second, first)):
        fits = data[0] == output[0] and len(data) - 1 == len(call.input)
        if not fits or len(output) - 1 != len(made):
            continue
        sizes = {**dict(zip(output[1:], made, strict=True)),
                 **dict(zip(data[1:], call.input, strict=True))}  # fmt: skip
        if all(letter in sizes for letter in constant):
            part = product_sizes(data[1:], constant, kept=output[1:], sizes=sizes)
            gemm = GemmShape(
                m=call.batch * part.rows, n=part.columns, k=part.inner, batch=part.alone
            )
            step = Step(shape=gemm, elements=call.total(made), reads=(-1,), is_product=True)
            return Result(outputs=(made,), steps=(step,))
    return None
