"""Weights of all published times in any answer: solved once, bundled, checked when used.

The best guess for an unseen time is a sum over all published ones, each times how alike it is and
times its weight. The weights follow from the published times alone, but take seconds to solve, so
they come with the app. They are used only while they are those of the facts at hand: with other
facts an answer rests on the most alike times only, which is a little worse, never wrong.
Published figures scatter with heavy tails: each has a noise of its own, larger where it contradicts
all that is alike, so that one odd figure does not bend the others.
`python -m advisor.predict.weights` solves and writes them; to be run after a change of published
results, devices, networks, or of `TERMS`.
Leaves to others: the answers (`advisor.predict.answers`).
"""

import array
import json
import sys
import zlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from advisor.knowledge.store import Knowledge, bundled_folder, load_knowledge, weights_file
from advisor.predict.anchors import anchors_of
from advisor.predict.nearby import NOISE, TERMS, AnchorTable
from advisor.predict.similarity import Array, covariance

VERSION = 2
# Digits after the point that count as the same: the last ones differ between processors.
_DIGITS = 5
_BLOCK = 256
# Noise is distributed as Student's t with so many degrees of freedom and NOISE as its scale; found
# by variational inference (Tipping and Lawrence 2005), which has settled after so many rounds.
_DEGREES = 4.0
_ROUNDS = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Solution:
    """What all published times say together.

    Attributes:
        weights: of each experiment in any answer.
        noise: variance of the logarithm of each published time that nothing shares.
    """

    weights: Array
    noise: Array


def shared_covariance(table: AnchorTable) -> Array:
    """Return the covariance of all experiments with each other, without their own noise."""
    count = len(table.anchors)
    total = np.empty((count, count))
    for first in range(0, count, _BLOCK):
        some = np.arange(first, min(count, first + _BLOCK))
        total[some] = covariance(TERMS, table.features.take(some), table.features)
    return total


def known_covariance(table: AnchorTable) -> Array:
    """Return the covariance of all experiments with each other, their own noise included."""
    return _with_noise(shared_covariance(table), table.noise)


def _with_noise(shared: Array, noise: Array) -> Array:
    known = shared.copy()
    known[np.diag_indices(len(noise))] += noise
    return known


def solve(table: AnchorTable) -> Solution:
    """Return the weights and the noise of all experiments; takes seconds."""
    shared = shared_covariance(table)
    noise = np.full(len(table.anchors), NOISE)
    for _ in range(_ROUNDS):
        inverse = np.linalg.inv(_with_noise(shared, noise))
        # What is left over of each time, and how surely.
        rest = noise * (inverse @ table.logs)
        variance = noise - noise * noise * np.diag(inverse)
        noise = (_DEGREES * NOISE + rest * rest + variance) / (_DEGREES + 1.0)
    weights = np.linalg.solve(_with_noise(shared, noise), table.logs)
    return Solution(weights=np.asarray(weights), noise=noise)


def checksum(table: AnchorTable) -> int:
    """Return what tells the experiments and the terms of one table from those of another."""
    total = zlib.crc32(f"{TERMS} {NOISE} {_DEGREES} {_ROUNDS}".encode())
    for name, codes in sorted(table.features.codes.items()):
        total = zlib.crc32(codes.astype("<i8").tobytes(), zlib.crc32(name.encode(), total))
    numbers = {**table.features.numbers, "logs": table.logs}
    for name, column in sorted(numbers.items()):
        # No minus zero.
        same = np.round(column, _DIGITS).astype("<f8") + 0.0
        total = zlib.crc32(same.tobytes(), zlib.crc32(name.encode(), total))
    return total


def pack_solution(table: AnchorTable) -> bytes:
    """Return the file of a table: a line of JSON, then weights and noise, little-endian float64."""
    head = {"version": VERSION, "checksum": checksum(table), "n": len(table.anchors)}
    found = solve(table)
    body = np.concatenate([found.weights, found.noise]).astype("<f8").tobytes()
    return json.dumps(head, separators=(",", ":")).encode() + b"\n" + body


def unpack_solution(content: bytes, table: AnchorTable) -> Solution | None:
    """Return what such a file holds; None when it was not solved from this table."""
    line, _, body = content.partition(b"\n")
    count = len(table.anchors)
    try:
        head = json.loads(line)
        is_same = head["version"] == VERSION and head["n"] == count
        if not is_same or head["checksum"] != checksum(table):
            return None
        values = array.array("d", body)
    except (ValueError, KeyError, TypeError):
        return None
    if sys.byteorder == "big":
        values.byteswap()
    if len(values) != 2 * count:
        return None
    both = np.array(values)
    return Solution(weights=both[:count], noise=both[count:])


def anchor_table(knowledge: Knowledge) -> AnchorTable:
    """Return the published experiments of a knowledge, with their weights where they are known."""
    table = AnchorTable(anchors_of(knowledge), catalogue=knowledge.devices)
    known = unpack_solution(knowledge.weights, table) if knowledge.weights else None
    if known is not None:
        table.weights, table.noise = known.weights, known.noise
    return table


def main() -> int:
    """Solve the weights of the bundled facts and write them."""
    target = Path(str(weights_file(bundled_folder())))
    content = pack_solution(anchor_table(load_knowledge()))
    target.write_bytes(content)
    sys.stdout.write(f"wrote {len(content)} bytes\n")
    return 0


if __name__ == "__main__":
    sys.exit(main())
