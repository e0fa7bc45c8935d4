"""How much longer a kernel takes for its shape than its roofline says, whatever the processor.

A library has shapes that it does well and others that it does badly, on every processor alike:
hundreds of small products, a window of 7 places, a pool that overlaps. What random shapes took on
one machine, over the roofline of that machine and the usual of their class, is bundled as the
weights of a Gaussian process (kriging); what this machine timed then decides what remains.
`python -m tests.accuracy shapes` times the shapes and solves the weights.
Leaves to others: what kernels are alike (`advisor.predict.kernel_features`), the time that follows
(`advisor.predict.efficiency`).
"""

import functools
import json
import math
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.resources.abc import Traversable

import numpy as np

from advisor.knowledge.store import PACKED_FOLDER, bundled_folder
from advisor.model.instructions import Library
from advisor.model.kernel import Direction, KernelShape, OperatorKind
from advisor.predict.kernel_features import numbers
from advisor.predict.similarity import Array
from advisor.predict.work import operator_kind

VERSION = 1
_ROOT_3 = math.sqrt(3.0)


@dataclass(frozen=True, slots=True, kw_only=True)
class Curve:
    """What shapes of one class and direction do.

    Attributes:
        lengths: distance in each number over which a shape is telling, (d,).
        variance: of the logarithm of the factor, before anything is known.
        points: numbers of the shapes that were timed, (n, d); weights: of each, (n,).
        least, most: logarithms of the factors that were seen; none goes beyond.
    """

    lengths: Array
    variance: float
    points: Array
    weights: Array
    least: float
    most: float

    def log_factor(self, at: tuple[float, ...]) -> float:
        """Return the logarithm of the factor of a shape with these numbers."""
        near = covariance(np.array([at]), self.points, lengths=self.lengths, variance=self.variance)
        return min(max(float(near[0] @ self.weights), self.least), self.most)


def covariance(some: Array, others: Array, *, lengths: Array, variance: float) -> Array:
    """Return the covariance of shapes (a, d) and (b, d), by Matern's function of order 3/2."""
    apart = (some[:, None, :] - others[None, :, :]) / lengths
    distance = _ROOT_3 * np.sqrt(np.square(apart).sum(axis=-1))
    return np.asarray(variance * (1.0 + distance) * np.exp(-distance))


Curves = Mapping[tuple[OperatorKind, Direction], Curve]


def pack(curves: Curves) -> bytes:
    """Return the file of some curves: a line of JSON, then little-endian float32, compressed."""
    head, body = [], []
    for (kind, direction), curve in sorted(curves.items()):
        n, d = curve.points.shape
        head.append([kind.value, direction.value, n, d])
        bounds = np.array([curve.variance, curve.least, curve.most])
        body += [bounds, curve.lengths, curve.weights, curve.points.ravel()]
    line = json.dumps({"version": VERSION, "curves": head}, separators=(",", ":"))
    return zlib.compress(line.encode() + b"\n" + np.concatenate(body).astype("<f4").tobytes(), 9)


def unpack(content: bytes) -> Curves:
    """Return the curves of such a file.

    Raises:
        ValueError: it is none, or of another version.
    """
    try:
        line, _, body = zlib.decompress(content).partition(b"\n")
    except zlib.error:
        raise ValueError("no file of shape factors") from None
    head = json.loads(line)
    if head["version"] != VERSION:
        raise ValueError(f"shape factors of version {head['version']}")
    values = np.frombuffer(body, dtype="<f4").astype(np.float64)
    curves, at = {}, 0
    for kind, direction, n, d in head["curves"]:
        parts = np.split(values[at : at + 3 + d + n + n * d], [3, 3 + d, 3 + d + n])
        at += 3 + d + n + n * d
        bounds, lengths, weights, points = parts
        curves[OperatorKind(kind), Direction(direction)] = Curve(
            lengths=lengths,
            variance=float(bounds[0]),
            points=points.reshape(n, d),
            weights=weights,
            least=float(bounds[1]),
            most=float(bounds[2]),
        )
    return curves


def bundled_file(library: Library) -> Traversable:
    """Return the place of the curves of a library that come with the app."""
    return bundled_folder() / PACKED_FOLDER / f"shapes-{library}.bin"


@functools.cache
def bundled_curves(library: Library) -> Curves:
    """Return what comes with the app."""
    return unpack(bundled_file(library).read_bytes())


@functools.lru_cache(maxsize=8192)
def log_factor(shape: KernelShape, direction: Direction, library: Library | None) -> float:
    """Return the logarithm of a shape's factor over the usual one of its class; 0: not known."""
    if library is None:
        return 0.0
    curve = bundled_curves(library).get((operator_kind(shape), direction))
    return 0.0 if curve is None else curve.log_factor(numbers(shape, direction=direction))
