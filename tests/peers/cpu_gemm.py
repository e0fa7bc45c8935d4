"""Times square float32 products by the plainest call of a library.

A script for any interpreter: arguments are the library ("numpy", "tensorflow", "torch", "onednn",
or "onednn=" and the path of its shared library), then sizes. Prints one line of JSON.
"""

import ctypes
import ctypes.util
import json
import statistics
import sys
import time

SHORTEST_S = 0.2
VALUES = 7


def numpy_product(n):
    import numpy as np

    random = np.random.default_rng(1)
    a = random.standard_normal((n, n), dtype=np.float32)
    b = random.standard_normal((n, n), dtype=np.float32)
    c = np.empty((n, n), np.float32)
    return lambda: np.dot(a, b, out=c)


def torch_product(n):
    import torch

    a, b, c = torch.randn(n, n), torch.randn(n, n), torch.empty(n, n)
    return lambda: torch.mm(a, b, out=c)


def tensorflow_product(n):
    import tensorflow as tf

    a, b = tf.random.normal((n, n)), tf.random.normal((n, n))
    multiply = tf.function(tf.matmul)
    return lambda: multiply(a, b)


def onednn_product(n, path=""):
    """Call oneDNN itself, whose product is its own: no framework between."""
    import numpy as np

    name = path or ctypes.util.find_library("dnnl")
    if not name:
        raise ImportError("no libdnnl is installed (Debian package libdnnl2)")
    try:
        function = ctypes.CDLL(name).dnnl_sgemm
    except (OSError, AttributeError) as error:
        raise ImportError(str(error)) from error
    random = np.random.default_rng(1)
    a, b = (random.standard_normal((n, n), dtype=np.float32) for _ in range(2))
    c = np.empty((n, n), np.float32)
    plain, size, number = ctypes.c_char(b"N"), ctypes.c_int64(n), ctypes.c_float
    pointers = [ctypes.c_void_p(array.ctypes.data) for array in (a, b, c)]

    def multiply():
        status = function(
            plain, plain, size, size, size, number(1.0), pointers[0], size, pointers[1], size,
            number(0.0), pointers[2], size,
        )  # fmt: skip
        if status != 0:
            raise SystemExit(f"oneDNN returned {status}")

    multiply()
    if not np.allclose(c[:3], a[:3] @ b, atol=1e-3 * n**0.5):
        raise SystemExit("oneDNN's product is wrong")
    # The arrays live as long as the function that has their addresses.
    multiply.arrays = (a, b, c)
    return multiply


PRODUCTS = {
    "numpy": numpy_product,
    "tensorflow": tensorflow_product,
    "torch": torch_product,
    "onednn": onednn_product,
}


def seconds(call):
    call()
    loops = 1
    while True:
        started = time.perf_counter()
        for _ in range(loops):
            call()
        if time.perf_counter() - started >= SHORTEST_S:
            break
        loops *= 2
    values = []
    for _ in range(VALUES):
        started = time.perf_counter()
        for _ in range(loops):
            call()
        values.append((time.perf_counter() - started) / loops)
    return statistics.median(values)


def main(arguments):
    library, _, path = arguments[0].partition("=")
    more = (path,) if path else ()
    sizes = [int(size) for size in arguments[1:]]
    try:
        figures = {f"gemm {n}": 2e-9 * n**3 / seconds(PRODUCTS[library](n, *more)) for n in sizes}
    except ImportError as error:
        print(json.dumps({"missing": f"{library} is not installed: {error}"}))
        return
    print(json.dumps({"figures": figures}))


if __name__ == "__main__":
    main(sys.argv[1:])
