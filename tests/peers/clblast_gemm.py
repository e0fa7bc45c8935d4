"""Times CLBlast's product with default tuning, for where its own client is not packaged.

A script: arguments are the platform's and the device's name, then sizes. Prints one line of JSON.
Needs CLBlast's library (Debian: libclblast1) and pyopencl.
"""

import ctypes
import ctypes.util
import json
import statistics
import sys
import time

SHORTEST_S = 0.2
VALUES = 5
ROW_MAJOR, PLAIN = 101, 111


def find_queue(cl, platform_name, device_name):
    for platform in cl.get_platforms():
        for device in platform.get_devices():
            if (platform.name.strip(), device.name.strip()) == (platform_name, device_name):
                context = cl.Context([device])
                return context, cl.CommandQueue(context)
    raise SystemExit("no device " + device_name)


def product_of(library, cl, context, queue, n):
    import numpy as np

    random = np.random.default_rng(1)
    flags = cl.mem_flags
    host = [random.standard_normal((n, n), dtype=np.float32) for _ in range(2)]
    a, b = (cl.Buffer(context, flags.READ_ONLY | flags.COPY_HOST_PTR, hostbuf=x) for x in host)
    c = cl.Buffer(context, flags.READ_WRITE, host[0].nbytes)
    handle = ctypes.c_void_p(queue.int_ptr)
    size, memory = ctypes.c_size_t, ctypes.c_void_p

    def multiply():
        status = library.CLBlastSgemm(
            ROW_MAJOR, PLAIN, PLAIN, size(n), size(n), size(n), ctypes.c_float(1.0),
            memory(a.int_ptr), size(0), size(n), memory(b.int_ptr), size(0), size(n),
            ctypes.c_float(0.0), memory(c.int_ptr), size(0), size(n), ctypes.byref(handle), None,
        )  # fmt: skip
        if status != 0:
            raise SystemExit(f"CLBlast returned {status}")

    multiply()
    result = np.empty((n, n), np.float32)
    cl.enqueue_copy(queue, result, c)
    rows = [0, n // 2, n - 1]
    error = abs(result[rows] - host[0][rows].astype("float64") @ host[1]).max()
    if error > 1e-3 * n**0.5:
        raise SystemExit(f"CLBlast's product is wrong by {error}")
    return multiply


def gflops(multiply, queue, n):
    loops = 1
    while True:
        started = time.perf_counter()
        for _ in range(loops):
            multiply()
        queue.finish()
        if time.perf_counter() - started >= SHORTEST_S:
            break
        loops *= 2
    values = []
    for _ in range(VALUES):
        started = time.perf_counter()
        for _ in range(loops):
            multiply()
        queue.finish()
        values.append((time.perf_counter() - started) / loops)
    return 2e-9 * n**3 / statistics.median(values)


def main(arguments):
    name = ctypes.util.find_library("clblast")
    if name is None:
        print(json.dumps({"missing": "CLBlast is not installed: Debian package libclblast1"}))
        return
    import pyopencl as cl

    library = ctypes.CDLL(name)
    context, queue = find_queue(cl, arguments[0], arguments[1])
    figures = {}
    for size in map(int, arguments[2:]):
        figures[f"gemm {size}"] = gflops(product_of(library, cl, context, queue, size), queue, size)
    print(json.dumps({"figures": figures}))


if __name__ == "__main__":
    main(sys.argv[1:])
