"""Sums of products over named dimensions: which dimensions are rows, columns, summed, or apart.

Leaves to others: reading the equation (`rules_operations`, `onnx_rules_einsum`).
"""

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass


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
