"""Layers between products on an OpenCL device, forward: normalisation, pools, values, softmax.

All of them are bound by memory. Leaves to others: their gradients, which nothing is gained from
timing apart.
"""

import math

import numpy as np
import opencl_conv_reference
import opencl_device
import opencl_fastest
import opencl_geometry
import opencl_work
import worker_check
import worker_errors

_EPSILON = 1e-3
_PARTS_PER_UNIT = {True: 4, False: 64}
_CHECKED = 2048
# Work-items of a row: one where cores are few and vectors wide, many where lanes are many.
_ROW_GROUPS = {True: (1,), False: (64, 256, 1)}

# Element-wise operations: the expression in OpenCL C of inputs x, y, z, w, and the same in NumPy.
_UNARY = {
    "relu": ("fmax(x, (ACC)0)", lambda x: np.maximum(x, 0)),
    "relu6": ("fmin(fmax(x, (ACC)0), (ACC)6)", lambda x: np.clip(x, 0, 6)),
    "sigmoid": ("(ACC)1 / ((ACC)1 + exp(-x))", lambda x: 1 / (1 + np.exp(-x))),
    "tanh": ("tanh(x)", np.tanh),
    "exp": ("exp(x)", np.exp),
    "silu": ("x / ((ACC)1 + exp(-x))", lambda x: x / (1 + np.exp(-x))),
    "swish": ("x / ((ACC)1 + exp(-x))", lambda x: x / (1 + np.exp(-x))),
    "softplus": ("log((ACC)1 + exp(x))", lambda x: np.log1p(np.exp(x))),
    "gelu": (
        "(ACC)0.5f * x * ((ACC)1 + erf(x * (ACC)0.70710678f))",
        lambda x: 0.5 * x * (1 + np.vectorize(math.erf)(x * 0.70710678)),
    ),
    "elu": (
        "fmax(x, (ACC)0) + fmin(exp(x) - (ACC)1, (ACC)0)",
        lambda x: np.maximum(x, 0) + np.minimum(np.expm1(x), 0),
    ),
    "leaky_relu": ("fmax(x, x * (ACC)0.3f)", lambda x: np.maximum(x, 0.3 * x)),
    "copy": ("x", lambda x: x),
    "rescale": ("x * (ACC)0.5f + (ACC)1", lambda x: 0.5 * x + 1),
}
# What joins two inputs, and what becomes of the result of all.
_JOINS = {
    "add": ("({} + {})", lambda *v: sum(v)),
    "subtract": ("({} - {})", lambda x, *v: x - sum(v)),
    "multiply": ("({} * {})", lambda *v: np.prod(v, axis=0)),
    "maximum": ("fmax({}, {})", lambda *v: np.max(v, axis=0)),
    "minimum": ("fmin({}, {})", lambda *v: np.min(v, axis=0)),
}
_MAX_INPUTS = 4


def _vector_macros(device, precision, count):
    """Return macros for vectors as wide as the device and a number of values allow."""
    widest = max(4, device.vector_width)
    width = max(w for w in (1, 2, 4, 8, 16) if w <= widest and count % w == 0)
    return macros_for_width(device, precision, width), width


def macros_for_width(device, precision, width):
    """Return the macros of `layers.cl` for a vector width."""
    macros = device.numbers(precision)
    macros.pop("MAD(a,b,c)")
    suffix = str(width) if width > 1 else ""
    vector, wide = macros["REAL"] + suffix, macros["ACC"] + suffix
    is_half = precision == "float16"
    macros.update(
        {
            "VW": width,
            "VEC": vector,
            "SUM": wide,
            "WIDEN(v)": "convert_{}(v)".format(wide) if is_half else "(v)",
            "NARROW(v)": "convert_{}(v)".format(vector) if is_half else "(v)",
            "LOAD(p)": "vload{}(0, p)".format(suffix) if suffix else "(*(p))",
            "STORE(v,p)": "vstore{}(v, 0, p)".format(suffix) if suffix else "(*(p) = (v))",
        }
    )
    return macros


def _work(device, build, scale=1.0):
    """Return the work of a function that gives launches and check for a workspace."""
    workspace = opencl_device.Workspace(device)
    try:
        launches, check = build(workspace)
    except BaseException:
        workspace.release()
        raise
    return opencl_work.Work(device, workspace, launches, check, scale)


def _expression(op, n_inputs):
    """Return the expression of an element-wise operation in OpenCL C and in NumPy."""
    if n_inputs == 1:
        if op not in _UNARY:
            raise worker_errors.UnsupportedKernel("OpenCL has no kernel for " + op)
        return _UNARY[op]
    if op not in _JOINS or n_inputs > _MAX_INPUTS:
        raise worker_errors.UnsupportedKernel(
            "OpenCL has no kernel for {} of {} inputs".format(op, n_inputs)
        )
    template, reference = _JOINS[op]
    text = "x"
    for name in "yzw"[: n_inputs - 1]:
        text = template.format(text, name)
    return text, reference


def prepare_elementwise(device, shape, precision):
    """Return an operation on values of up to 4 tensors."""
    n_inputs, elements = shape["n_inputs"], shape["elements"]
    text, reference = _expression(shape["op"], n_inputs)
    dtype = opencl_device.dtype_of(precision)
    macros, width = _vector_macros(device, precision, elements)

    def build(workspace):
        kernel = device.kernel("layers", "elementwise", APPLY=text, N_INPUTS=n_inputs, **macros)
        inputs = [workspace.random(seed, elements, dtype) for seed in range(n_inputs)]
        result = workspace.empty(elements, dtype)
        count = elements // width
        arguments = [*inputs, *[inputs[0]] * (_MAX_INPUTS - n_inputs), result, count]
        launch = opencl_work.Launch(device, kernel, (count,), (64,), arguments)

        def check():
            n = min(_CHECKED, elements)
            found, expected = [], []
            for first in (0, elements - n):
                given = [
                    opencl_device.random_slice(seed, elements, dtype, first, n).astype(np.float64)
                    for seed in range(n_inputs)
                ]
                found.append(workspace.read(result, first, n, dtype))
                expected.append(reference(*given))
            return worker_check.compare(found, expected, precision, "both ends of the result")

        return [launch], check

    return _work(device, build)


def _row_candidates(device, precision, rows, columns, kernel_name, extra, reference):
    """Return functions that build the work of a kernel on rows, one for each size of group."""
    dtype = opencl_device.dtype_of(precision)
    widest = max(4, device.vector_width) if device.is_cpu else 4
    width = max(w for w in (1, 2, 4, 8, 16) if w <= min(widest, columns))
    macros = macros_for_width(device, precision, width)

    def candidate(group):
        def build(workspace):
            kernel = device.kernel("layers", kernel_name, GROUP=group, **macros)
            source = workspace.random(1, rows * columns, dtype)
            target = workspace.empty(rows * columns, dtype)
            arguments = [source, target, *extra(workspace)]
            launch = opencl_work.Launch(
                device, kernel, (rows * group,), (group,), arguments, is_exact=True
            )

            def check():
                found, expected = [], []
                for row in sorted({0, rows // 2, rows - 1}):
                    given = opencl_device.random_slice(
                        1, rows * columns, dtype, row * columns, columns
                    )
                    found.append(workspace.read(target, row * columns, columns, dtype))
                    expected.append(reference(given.astype(np.float64)))
                return worker_check.compare(found, expected, precision, "rows")

            return [launch], check

        return lambda: _work(device, build)

    return [candidate(group) for group in _ROW_GROUPS[device.is_cpu]]


def _softmax(x):
    powers = np.exp(x - x.max())
    return powers / powers.sum()


def prepare_softmax(device, shape, precision):
    """Return softmax over rows."""
    rows, columns = shape["rows"], shape["columns"]
    candidates = _row_candidates(
        device, precision, rows, columns, "softmax", lambda _workspace: [columns], _softmax
    )
    key = ("softmax", precision, int(rows).bit_length(), int(columns).bit_length())
    return opencl_fastest.Chosen(device, key, candidates)


def _scale_and_shift(channels, dtype):
    return [opencl_device.random_values(seed, channels, dtype) for seed in (2, 3)]


def _prepare_layer_norm(device, shape, precision):
    columns = shape["channels"]
    rows = shape["elements"] // columns
    scale, shift = _scale_and_shift(columns, opencl_device.dtype_of(precision))

    def extra(workspace):
        return [workspace.upload(scale), workspace.upload(shift), columns, np.float32(_EPSILON)]

    def reference(x):
        normalised = (x - x.mean()) / np.sqrt(x.var() + _EPSILON)
        return normalised * scale.astype(np.float64) + shift.astype(np.float64)

    candidates = _row_candidates(device, precision, rows, columns, "layer_norm", extra, reference)
    key = ("layer_norm", precision, int(rows).bit_length(), int(columns).bit_length())
    return opencl_fastest.Chosen(device, key, candidates)


class _BatchNorm:
    """Normalisation of channels by the batch, or by stored statistics when `is_inference`."""

    def __init__(self, device, shape, precision, is_inference):
        self._device, self._precision, self._is_inference = device, precision, is_inference
        self._channels = shape["channels"]
        self._rows = shape["elements"] // self._channels
        self._dtype = opencl_device.dtype_of(precision)
        self._macros, width = _vector_macros(device, precision, self._channels)
        self._vectors = self._channels // width

    def _launch(self, name, size, local, arguments):
        kernel = self._device.kernel("layers", name, **self._macros)
        return opencl_work.Launch(self._device, kernel, size, local, arguments)

    def build(self, workspace):
        """Return launches and check."""
        rows, channels, vectors = self._rows, self._channels, self._vectors
        source = workspace.random(1, rows * channels, self._dtype)
        target = workspace.empty(rows * channels, self._dtype)
        launches, factors, offsets = self._statistics(workspace, source)
        local = (min(vectors, 16), 8)
        launches.append(
            self._launch(
                "scale_channels",
                (vectors, rows),
                local,
                [source, target, factors, offsets, rows, vectors],
            )
        )
        return launches, lambda: self._check(workspace, target)

    def _statistics(self, workspace, source):
        rows, channels, vectors = self._rows, self._channels, self._vectors
        if self._is_inference:
            stored = [
                values.astype(np.float32) for values in _scale_and_shift(channels, np.float32)
            ]
            return [], *(workspace.upload(values) for values in stored)
        scale, shift = (
            workspace.upload(values) for values in _scale_and_shift(channels, self._dtype)
        )
        wanted = -(-self._device.units * _PARTS_PER_UNIT[self._device.is_cpu] // vectors)
        length = -(-rows // max(1, min(rows, wanted)))
        n_parts = -(-rows // length)
        sums, squares = (workspace.empty(n_parts * channels, np.float32) for _ in range(2))
        factors, offsets = (workspace.empty(channels, np.float32) for _ in range(2))
        first = self._launch(
            "channel_sums",
            (vectors, n_parts),
            (min(vectors, 16), 1),
            [source, sums, squares, rows, vectors, length],
        )
        second = self._launch(
            "channel_statistics",
            (channels,),
            (64,),
            [
                sums, squares, scale, shift, factors, offsets, rows, channels, n_parts,
                np.float32(_EPSILON),
            ],
        )  # fmt: skip
        return [first, second], factors, offsets

    def _check(self, workspace, target):
        rows, channels = self._rows, self._channels
        x = opencl_device.random_values(1, rows * channels, self._dtype).astype(np.float64)
        x = x.reshape(rows, channels)
        scale, shift = (
            values.astype(np.float64) for values in _scale_and_shift(channels, self._dtype)
        )
        if not self._is_inference:
            scale = scale / np.sqrt(x.var(axis=0) + _EPSILON)
            shift = shift - x.mean(axis=0) * scale
        found, expected = [], []
        for row in sorted({0, rows // 2, rows - 1}):
            found.append(workspace.read(target, row * channels, channels, self._dtype))
            expected.append(x[row] * scale + shift)
        return worker_check.compare(found, expected, self._precision, "rows of all channels")


def prepare_norm(device, shape, precision):
    """Return normalisation by batch, by stored statistics or by layer."""
    if shape["kind"] == "layer":
        return _prepare_layer_norm(device, shape, precision)
    if shape["kind"] not in ("batch", "batch_inference"):
        raise worker_errors.UnsupportedKernel(
            "OpenCL has no normalisation by " + str(shape["kind"])
        )
    norm = _BatchNorm(device, shape, precision, shape["kind"] == "batch_inference")
    return _work(device, norm.build)


def _pool_at(found, x, place, is_maximum):
    """Return a pool at a place in double precision."""
    image, at_y, at_x = place
    window = []
    for axis, at in ((0, at_y), (1, at_x)):
        first = at * found.strides[axis] - found.pad[axis]
        window.append(slice(max(0, first), min(found.source[axis], first + found.taps[axis])))
    values = x[image, window[0], window[1]].astype(np.float64)
    return values.max(axis=(0, 1)) if is_maximum else values.mean(axis=(0, 1))


def prepare_pool(device, shape, precision):
    """Return a pool of 1 or 2 dimensions."""
    if shape["mode"] not in ("max", "average"):
        raise worker_errors.UnsupportedKernel("OpenCL has no pool by " + str(shape["mode"]))
    found = opencl_geometry.geometry(shape)
    is_maximum = shape["mode"] == "max"
    dtype, channels = opencl_device.dtype_of(precision), found.source[2]
    macros, width = _vector_macros(device, precision, channels)
    x_shape, y_shape = (found.n, *found.source), (found.n, *found.target)

    def build(workspace):
        kernel = device.kernel("layers", "pool", **macros)
        source = workspace.random(1, int(np.prod(x_shape)), dtype)
        target = workspace.empty(int(np.prod(y_shape)), dtype)
        vectors = channels // width
        geometry = workspace.upload(opencl_geometry.as_array(found))
        arguments = [source, target, geometry, vectors, int(is_maximum)]
        size = (vectors, int(np.prod(y_shape[:3])))
        launch = opencl_work.Launch(device, kernel, size, (min(vectors, 16), 8), arguments)

        def check():
            x = opencl_device.random_values(1, int(np.prod(x_shape)), dtype).reshape(x_shape)
            values, expected = [], []
            for place in opencl_conv_reference.places(*y_shape[:3]):
                first = int(np.ravel_multi_index((*place, 0), y_shape))
                values.append(workspace.read(target, first, channels, dtype))
                expected.append(_pool_at(found, x, place, is_maximum))
            return worker_check.compare(values, expected, precision, "the pool at pixels")

        return [launch], check

    return _work(device, build)
