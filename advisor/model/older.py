"""What older versions wrote into their files otherwise than it is written now.

Leaves to others: fields that came later, which have defaults (`advisor.model.codec`).
"""

import re
from typing import Any

# Of a type that says itself that it is spot, the form stood twice: "salad 1x-T4-16g/spot, spot",
# "... in any, spot", "choose ... (interruptible)". Names and ids of such types keep it.
_MARK = "/spot"
_TWICE = re.compile(
    r"/spot(?=(?: \([^()]*\))?(?: in [^,]+|, [^,]+)?, spot$)|/spot(?= \(interruptible\))"
)


def as_written_now(data: Any, *, text: str) -> Any:
    """Return the plain data of a file with its texts as they would be written now.

    Args:
        data: what JSON made of it.
        text: the file, by which a file is seen at once that has nothing of the kind.
    """
    return _with_texts(data) if _MARK in text else data


def _with_texts(data: Any) -> Any:
    if isinstance(data, str):
        return _TWICE.sub("", data)
    if isinstance(data, list):
        return [_with_texts(each) for each in data]
    if isinstance(data, dict):
        return {key: _with_texts(each) for key, each in data.items()}
    return data
