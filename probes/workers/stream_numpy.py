"""Memory traffic by NumPy on all threads: copy, scale, add, triad.

A sweep goes once over whole arrays, which the request makes larger than all caches together.
Bytes are to be counted as STREAM does: two arrays for copy and scale, three for add and triad,
without the line that a store first has to fetch.
NumPy has no a = b + s * c in one pass, so the triad goes over pieces that stay in the inner
cache: memory sees each array once. NumPy lets other threads run while it computes.
"""

import concurrent.futures

import worker_errors
import worker_threads
import worker_timing

SCALAR = 3.0
# A piece of one array: small enough for the second-level cache, large enough that the
# interpreter, which serves one thread at a time, does not become the limit. Processors of many
# threads have larger caches; beyond that, "add" tells more, which is one call for each thread.
_PIECE_BYTES = 128 * 1024
_LARGE_PIECE_BYTES = 256 * 1024
_MANY_THREADS = 8
# Every so many elements another value stands, so that a sweep of the wrong place is seen.
PATTERN_STEP = 7
OPERATIONS = ("copy", "scale", "add", "triad")


def slices_of(elements, n_parts):
    """Cut the indices of an array into parts of nearly equal length, none empty."""
    n_parts = max(1, min(n_parts, elements))
    bounds = [elements * part // n_parts for part in range(n_parts + 1)]
    return [slice(bounds[part], bounds[part + 1]) for part in range(n_parts)]


def piece_bytes(n_threads):
    """Return the bytes of one array that the triad takes at once."""
    return _PIECE_BYTES if n_threads <= _MANY_THREADS else _LARGE_PIECE_BYTES


class _Arrays:
    """Three arrays, each thread has a part of every one."""

    def __init__(self, numpy, elements, threads):
        self._numpy = numpy
        self._parts = slices_of(elements, threads)
        self._pool = concurrent.futures.ThreadPoolExecutor(len(self._parts))
        self.elements = elements
        self.n_parts = len(self._parts)
        self.a, self.b, self.c = (numpy.empty(elements, numpy.float32) for _ in range(3))
        # Each thread is the first to touch its own part, so it gets memory near to it.
        self.on_all(self._fill)

    def _fill(self, part):
        self.a[part] = 0.0
        self.b[part] = 1.25
        self.c[part] = 2.5
        self.b[part.start : part.stop : PATTERN_STEP] = 1.75

    def on_all(self, work):
        """Do something with each part in a thread of its own, and wait."""
        for future in [self._pool.submit(work, part) for part in self._parts]:
            future.result()

    def close(self):
        """End the threads and forget the arrays."""
        self._pool.shutdown()
        self.a = self.b = self.c = None


class _Sweep:
    """One operation over the arrays."""

    def __init__(self, numpy, operation, arrays):
        self._numpy = numpy
        self._operation = operation
        self._arrays = arrays

    def _sweep(self, part):
        numpy = self._numpy
        arrays = self._arrays
        a, b, c = arrays.a[part], arrays.b[part], arrays.c[part]
        if self._operation == "copy":
            numpy.copyto(a, b)
        elif self._operation == "scale":
            numpy.multiply(b, numpy.float32(SCALAR), out=a)
        elif self._operation == "add":
            numpy.add(b, c, out=a)
        else:
            self._triad(a, b, c)

    def _triad(self, a, b, c):
        numpy = self._numpy
        scalar = numpy.float32(SCALAR)
        step = piece_bytes(self._arrays.n_parts) // 4
        for first in range(0, len(a), step):
            piece = slice(first, first + step)
            numpy.multiply(c[piece], scalar, out=a[piece])
            numpy.add(a[piece], b[piece], out=a[piece])

    def check(self):
        """Compare some elements with the operation in double precision."""
        import worker_check

        self.run(1)
        numpy = self._numpy
        arrays = self._arrays
        at = numpy.unique(numpy.linspace(0, arrays.elements - 1, 1000).astype(int))
        b, c = arrays.b[at].astype("float64"), arrays.c[at].astype("float64")
        expected = {
            "copy": lambda: b,
            "scale": lambda: SCALAR * b,
            "add": lambda: b + c,
            "triad": lambda: b + SCALAR * c,
        }[self._operation]()
        return worker_check.compare(arrays.a[at], expected, "float32", "the " + self._operation)

    def run(self, loops):
        """Sweep `loops` times on all threads."""

        def sweep_all(part):
            for _ in range(loops):
                self._sweep(part)

        return worker_timing.elapsed_s(lambda: self._arrays.on_all(sweep_all), 1)

    def close(self):
        """Keep the arrays: the next sweep is over the same."""
        self._arrays = None


class StreamRunner:
    """Runs `StreamShape` in float32. Option "threads": None for every usable CPU."""

    def __init__(self, options):
        import numpy as np

        self._numpy = np
        self._threads = options.get("threads") or worker_threads.usable_cpus()
        self._arrays = None

    def stack(self):
        """Return what moves the data."""
        return {
            "framework": "numpy",
            "framework_version": self._numpy.__version__,
            "backend": "{} threads".format(self._threads),
            "backend_version": None,
        }

    def prepare(self, kernel):
        """Return the sweep, ready to run."""
        shape = kernel["shape"]
        if shape["type"] != "StreamShape" or shape["op"] not in OPERATIONS:
            raise worker_errors.UnsupportedKernel("memory is swept by " + ", ".join(OPERATIONS))
        if kernel["precision"] != "float32":
            raise worker_errors.UnsupportedKernel("memory is swept in float32 only")
        if self._arrays is None or self._arrays.elements != shape["elements"]:
            if self._arrays is not None:
                self._arrays.close()
            self._arrays = _Arrays(self._numpy, shape["elements"], self._threads)
        return _Sweep(self._numpy, shape["op"], self._arrays)
