"""Sums of products over named dimensions: which dimensions are rows, columns, summed, or apart.

Leaves to others: the kernels of an equation (`rules_operations_einsum`, `onnx_rules_einsum`).
"""

import math
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

# Dimensions that are not named one by one.
_ANY = "..."


@dataclass(frozen=True, slots=True, kw_only=True)
class ProductSizes:
    """Of a product of two tensors: `alone` products of `rows` x `inner` by `inner` x `columns`."""

    alone: int
    rows: int
    columns: int
    inner: int


def product_sizes(
    first: Iterable[str], second: Iterable[str], *, kept: Iterable[str], sizes: Mapping[str, int]
) -> ProductSizes:
    """Return the sizes of a product; `kept` are the dimensions of its result."""
    a, b, wanted = set(first), set(second), set(kept)

    def count(letters: set[str]) -> int:
        return math.prod(sizes[letter] for letter in letters)

    return ProductSizes(
        alone=count(a & b & wanted),
        rows=count((a - b) & wanted),
        columns=count((b - a) & wanted),
        inner=count((a & b) - wanted),
    )


def letters_of_term(term: str, *, rank: int) -> tuple[str, ...] | None:
    """Return a name for each dimension of a tensor, those of "..." counted from the end.

    None: the term is not one of such a tensor.
    """
    left, dots, right = term.partition(_ANY)
    n_any = rank - len(left) - len(right)
    names = left + right
    if n_any < 0 or (n_any and not dots) or (names and not (names.isascii() and names.isalpha())):
        return None
    return (*left, *(f"{_ANY}{place}" for place in range(n_any, 0, -1)), *right)


def letters_of_result(after: str | None, operands: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    """Return the dimensions of the result; where they are not written, those that occur once."""
    counts = Counter(letter for letters in operands for letter in set(letters))
    free = sorted((x for x in counts if x.startswith(_ANY)), key=lambda x: -int(x[len(_ANY) :]))
    if after is None:
        every = Counter(letter for letters in operands for letter in letters)
        return (*free, *sorted(x for x in every if every[x] == 1 and not x.startswith(_ANY)))
    left, dots, right = after.partition(_ANY)
    return (*left, *(free if dots else ()), *right)
