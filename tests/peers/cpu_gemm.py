"""Times square float32 products by the plainest call of a library: "numpy", "tensorflow", "torch".

A script for any interpreter: arguments are the library, then sizes. Prints one line of JSON.
"""

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


PRODUCTS = {"numpy": numpy_product, "tensorflow": tensorflow_product, "torch": torch_product}


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
    library, sizes = arguments[0], [int(size) for size in arguments[1:]]
    try:
        figures = {f"gemm {n}": 2e-9 * n**3 / seconds(PRODUCTS[library](n)) for n in sizes}
    except ImportError as error:
        print(json.dumps({"missing": f"{library} is not installed: {error}"}))
        return
    print(json.dumps({"figures": figures}))


if __name__ == "__main__":
    main(sys.argv[1:])
