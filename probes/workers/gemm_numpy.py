"""Matrix products by NumPy, that is by the BLAS library that it was built with.

Leaves to others: timing (`worker_timing`), going through the kernels (`worker_kernels`).
"""

import worker_errors
import worker_operands
import worker_threads
import worker_timing


class _Product:
    """C = A B for one or several pairs of matrices."""

    def __init__(self, numpy, kernel):
        self._numpy = numpy
        shape = kernel["shape"]
        (a_shape, is_a_transposed), (b_shape, is_b_transposed) = worker_operands.operands(
            shape, kernel["direction"]
        )
        leading = (shape["batch"],) if shape["batch"] > 1 else ()
        random = numpy.random.default_rng(1)
        a = random.standard_normal(leading + a_shape, dtype=numpy.float32)
        b = random.standard_normal(leading + b_shape, dtype=numpy.float32)
        self._a = numpy.swapaxes(a, -1, -2) if is_a_transposed else a
        self._b = numpy.swapaxes(b, -1, -2) if is_b_transposed else b
        self._c = numpy.empty((*leading, self._a.shape[-2], self._b.shape[-1]), dtype=numpy.float32)

    def check(self):
        """Compare some rows of the product with double precision."""
        import worker_check

        self.run(1)
        n_rows = self._a.shape[-2]
        rows = self._numpy.unique(self._numpy.linspace(0, n_rows - 1, 5).astype(int))
        a, b, c = self._a, self._b, self._c
        if a.ndim == 3:
            a, b, c = a[-1], b[-1], c[-1]
        expected = a[rows].astype("float64") @ b.astype("float64")
        return worker_check.compare(c[rows], expected, "float32", "rows of the product")

    def run(self, loops):
        """Multiply `loops` times."""
        multiply, a, b, c = self._numpy.matmul, self._a, self._b, self._c
        return worker_timing.elapsed_s(lambda: multiply(a, b, out=c), loops)

    def close(self):
        """Forget the matrices."""
        self._a = self._b = self._c = None


class NumpyRunner:
    """Runs `GemmShape` in float32. Option "threads": number of BLAS threads."""

    def __init__(self, options):
        worker_threads.set_library_threads(options.get("threads"))
        import numpy as np

        self._numpy = np

    def stack(self):
        """Return what computes."""
        name, version = worker_threads.blas_of(self._numpy)
        return {
            "framework": "numpy",
            "framework_version": self._numpy.__version__,
            "backend": name,
            "backend_version": version,
        }

    def prepare(self, kernel):
        """Return the product, ready to run."""
        if kernel["shape"]["type"] != "GemmShape":
            raise worker_errors.UnsupportedKernel("NumPy is timed on matrix products only")
        if kernel["precision"] != "float32":
            raise worker_errors.UnsupportedKernel("NumPy has no product in " + kernel["precision"])
        return _Product(self._numpy, kernel)
