"""Layers that turn words, categories and numbers into indices or into rows of zeros and ones.

They have no weights: what they look up in is an asset of the file.
Leaves to others: look-ups in trained tables (`rules_dense`).
"""

from advisor.network.call import Call, Result, Shape
from advisor.network.fields import is_integer

_MODES = ("int", "one_hot", "multi_hot", "count", "tf_idf", "tf-idf", "binary")


def _classes(call: Call) -> int | None:
    """Return how many values of one input there can be; None: the file does not say."""
    names = ["num_tokens", "num_bins", "vocabulary_size", "max_tokens"]
    if call.fields.flag("pad_to_max_tokens", default=False):
        names.insert(0, "max_tokens")
    for name in names:
        stated = call.fields.raw(name)
        if is_integer(stated) and stated > 0:
            return int(stated)
    for name in ("bin_boundaries", "vocabulary"):
        listed = call.fields.raw(name)
        if isinstance(listed, list):
            return len(listed) + 1  # what lies beyond the last, or is no word of them
    return None


def _encoded(call: Call, mode: str) -> Shape | None:
    """Return the shape of a result; None: the file does not say."""
    if call.recorded:
        return call.recorded[0]
    if mode == "int":
        length = call.fields.optional_integer("output_sequence_length")
        return call.input if length is None else (length,)
    classes = _classes(call)
    if classes is None:
        return None
    is_row = mode == "one_hot" and call.input[-1:] != (1,)
    return (*(call.input if is_row else call.input[:-1]), classes)


def encoding(call: Call) -> Result | None:
    """Rule of `StringLookup`, `Hashing`, `CategoryEncoding` and their kind; None: of open size."""
    usual = "multi_hot" if call.class_name == "CategoryEncoding" else "int"
    mode = call.fields.choice("output_mode", default=usual, allowed=_MODES)
    output = _encoded(call, mode)
    if output is None:
        return None
    op = "look_up" if mode == "int" else "one_hot"
    return Result(outputs=(output,), steps=(call.elementwise(op, output),))


ENCODINGS = frozenset(
    {
        "CategoryEncoding", "Discretization", "HashedCrossing", "Hashing", "IntegerLookup",
        "StringLookup", "TextVectorization",
    }
)  # fmt: skip
