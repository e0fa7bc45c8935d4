"""Compares what a kernel gave with a reference, element by element, in double precision.

A kernel that is fast and wrong must not look fast. Leaves to others: the references.
"""

import os

import numpy as np
import worker_errors

# Largest distance allowed, relative to the reference (both as vectors).
_TOLERANCES = {"float32": 3e-4, "bfloat16": 3e-2, "float16": 1e-2, "float64": 1e-9, "int8": 0.0}
# oneDNN may be told to compute float32 in a shorter format.
_FAST_MATH = "ONEDNN_DEFAULT_FPMATH_MODE"


def tolerance(precision):
    """Return the largest relative distance that a result of a precision may have."""
    if precision == "float32" and os.environ.get(_FAST_MATH, "STRICT").upper() != "STRICT":
        return _TOLERANCES["bfloat16"]
    return _TOLERANCES[precision]


def compare_slopes(gradient, directions, expected, precision):
    """Compare a gradient with how fast the loss grows in some directions.

    Few slopes may all be small by chance, so that a sound gradient in a short format would look
    wrong beside them: the distance is relative to what slopes of such a gradient usually are.

    Args:
        gradient: what the kernel gave.
        directions: arrays of its shape, of independent standard normal values.
        expected: the slope in each direction, of the reference.
        precision: number format that the kernel computed in.

    Raises:
        worker_errors.WrongResult: when they are too far apart, or not numbers.
    """
    gradient = np.asarray(gradient, dtype=np.float64)
    slopes = [float(np.sum(gradient * direction)) for direction in directions]
    usual = float(np.linalg.norm(gradient)) * len(slopes) ** 0.5
    return compare(slopes, expected, precision, "slopes of the loss", usual=usual)


def compare(found, expected, precision, what, usual=0.0):
    """Compare two arrays and return the statement of how the result was verified.

    Args:
        found: values that the kernel gave.
        expected: the same values of the reference.
        precision: number format that the kernel computed in.
        what: name of the reference, for the statement.
        usual: norm of the reference where it is known to be as large; a smaller one is chance.

    Raises:
        worker_errors.WrongResult: when they are too far apart, or not numbers.
    """
    found = np.asarray(found, dtype=np.float64).ravel()
    expected = np.asarray(expected, dtype=np.float64).ravel()
    if found.shape != expected.shape:
        raise worker_errors.WrongResult(
            "the result has {} values, expected {}".format(found.size, expected.size)
        )
    size = max(float(np.linalg.norm(expected)), usual)
    distance = float(np.linalg.norm(found - expected)) / (size if size > 0.0 else 1.0)
    limit = tolerance(precision)
    if not distance <= limit:
        raise worker_errors.WrongResult(
            "the result is off by {:.2g} of {} (allowed {:.2g})".format(distance, what, limit)
        )
    return "{} values against {} in float64, off by {:.1e}".format(expected.size, what, distance)
