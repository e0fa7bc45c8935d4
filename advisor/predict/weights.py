"""Weights of all published times in any answer: solved once, bundled, checked when used.

The best guess for an unseen time is a sum over all published ones, each times how alike it is and
times its weight. The weights follow from the published times alone, but take seconds to solve, so
they come with the app. They are used only while they are those of the facts at hand: with other
facts an answer rests on the most alike times only, which is a little worse, never wrong.
`python -m advisor.predict.weights` solves and writes them; to be run after a change of published
results, devices, networks, or of `TERMS`.
Leaves to others: the answers (`advisor.predict.answers`).
"""

import array
import json
import sys
import zlib
from pathlib import Path

import numpy as np

from advisor.knowledge.store import Knowledge, bundled_folder, load_knowledge, weights_file
from advisor.predict.anchors import anchors_of
from advisor.predict.nearby import NOISE, TERMS, AnchorTable
from advisor.predict.similarity import Array, covariance

VERSION = 1
# Digits after the point that count as the same: the last ones differ between processors.
_DIGITS = 5
_BLOCK = 256


def known_covariance(table: AnchorTable) -> Array:
    """Return the covariance of all experiments with each other, their own noise included."""
    count = len(table.anchors)
    total = np.empty((count, count))
    for first in range(0, count, _BLOCK):
        some = np.arange(first, min(count, first + _BLOCK))
        total[some] = covariance(TERMS, table.features.take(some), table.features)
    total[np.diag_indices(count)] += NOISE
    return total


def solved_weights(table: AnchorTable) -> Array:
    """Return the weights of all experiments; takes seconds."""
    return np.asarray(np.linalg.solve(known_covariance(table), table.logs))


def checksum(table: AnchorTable) -> int:
    """Return what tells the experiments and the terms of one table from those of another."""
    total = zlib.crc32(f"{TERMS} {NOISE}".encode())
    for name, codes in sorted(table.features.codes.items()):
        total = zlib.crc32(codes.astype("<i8").tobytes(), zlib.crc32(name.encode(), total))
    numbers = {**table.features.numbers, "logs": table.logs}
    for name, column in sorted(numbers.items()):
        # No minus zero.
        same = np.round(column, _DIGITS).astype("<f8") + 0.0
        total = zlib.crc32(same.tobytes(), zlib.crc32(name.encode(), total))
    return total


def pack_weights(table: AnchorTable) -> bytes:
    """Return the file of the weights of a table: a line of JSON, then float64, little-endian."""
    head = {"version": VERSION, "checksum": checksum(table), "n": len(table.anchors)}
    body = solved_weights(table).astype("<f8").tobytes()
    return json.dumps(head, separators=(",", ":")).encode() + b"\n" + body


def unpack_weights(content: bytes, table: AnchorTable) -> Array | None:
    """Return the weights of a table from such a file; None when they are not those of the table."""
    line, _, body = content.partition(b"\n")
    try:
        head = json.loads(line)
        is_same = head["version"] == VERSION and head["n"] == len(table.anchors)
        if not is_same or head["checksum"] != checksum(table):
            return None
        values = array.array("d", body)
    except (ValueError, KeyError, TypeError):
        return None
    if sys.byteorder == "big":
        values.byteswap()
    return np.array(values) if len(values) == len(table.anchors) else None


def anchor_table(knowledge: Knowledge) -> AnchorTable:
    """Return the published experiments of a knowledge, with their weights where they are known."""
    table = AnchorTable(anchors_of(knowledge), catalogue=knowledge.devices)
    table.weights = unpack_weights(knowledge.weights, table) if knowledge.weights else None
    return table


def main() -> int:
    """Solve the weights of the bundled facts and write them."""
    target = Path(str(weights_file(bundled_folder())))
    content = pack_weights(anchor_table(load_knowledge()))
    target.write_bytes(content)
    sys.stdout.write(f"wrote {len(content)} bytes\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
