"""Matrix products C[m,n] = A[m,k] B[k,n] on an OpenCL device.

Two ways: operands copied into panels and multiplied tile by tile, or multiplied as they lie when
there are few rows. Convolutions and recurrent layers are built of the same parts.
"""

import numpy as np
import opencl_choices
import opencl_device
import opencl_fastest
import opencl_panels
import opencl_work
import worker_check
import worker_errors


class Product:
    """Operands of a product in host memory, and the ways to multiply them.

    Args:
        device: the `OpenclDevice`.
        precision: of all three matrices.
        m, n, k, batch: as in `GemmShape`.
        is_a_transposed: A is stored [k, m]; likewise for B.
    """

    def __init__(self, device, precision, m, n, k, batch, is_a_transposed, is_b_transposed):
        self._device, self._precision = device, precision
        self.m, self.n, self.k, self.batch = m, n, k, batch
        self._is_a_transposed, self._is_b_transposed = is_a_transposed, is_b_transposed
        self._dtype = opencl_device.dtype_of(precision)

    @property
    def is_against_the_grain(self):
        """Whether no operand can be read in vectors as it lies."""
        return self._is_a_transposed and self._is_b_transposed

    def resized(self, m, n, k, batch):
        """Return a product of the same kind."""
        kind = (self._is_a_transposed, self._is_b_transposed)
        return Product(self._device, self._precision, m, n, k, batch, *kind)

    def _operands(self, workspace):
        m, n, k = self.m, self.n, self.k
        a_strides = (1, m) if self._is_a_transposed else (k, 1)
        b_strides = (k, 1) if self._is_b_transposed else (1, n)
        a = opencl_panels.operand(
            workspace.random(1, self.batch * m * k, self._dtype), *a_strides, batch_stride=m * k
        )
        b = opencl_panels.operand(
            workspace.random(2, self.batch * k * n, self._dtype), *b_strides, batch_stride=k * n
        )
        return a, b, workspace.empty(self.batch * m * n, self._dtype)

    def packed(self, tile):
        """Return the work by panels and tiles."""
        return self._work(lambda workspace, a, b, c: self._packed(workspace, tile, a, b, c))

    def direct(self, rows, vectors):
        """Return the work on operands as they lie, some rows and vectors for each work-item."""
        return self._work(
            lambda workspace, a, b, c: self._direct(workspace, rows, vectors, a, b, c)
        )

    def _work(self, launches_of):
        workspace = opencl_device.Workspace(self._device)
        try:
            a, b, c = self._operands(workspace)
            launches = launches_of(workspace, a, b, c)
        except BaseException:
            workspace.release()
            raise
        return opencl_work.Work(
            self._device, workspace, launches, lambda: self._check(workspace, c)
        )

    def _packed(self, workspace, tile, a, b, c):
        device, precision, depth = (
            self._device,
            self._precision,
            opencl_panels.padded_depth(tile, self.k),
        )
        left, pack_left = opencl_panels.pack(
            device, workspace, precision, a, self.m, self.k, depth, tile.ly * tile.mr, self.batch
        )
        right, pack_right = opencl_panels.pack(
            device, workspace, precision, b, self.n, self.k, depth, tile.lx * tile.nr, self.batch
        )
        product = opencl_panels.multiply(
            device, workspace, precision, tile, left, right, c, self.m, self.n, self.batch
        )
        return [pack_left, pack_right, *product]

    def _direct(self, workspace, rows, vectors, a, b, c):
        device, m, n, k, batch = self._device, self.m, self.n, self.k, self.batch
        macros = device.numbers(self._precision)
        is_by_depth = a.depth_stride == 1 and b.depth_stride == 1
        if not is_by_depth and b.row_stride != 1:
            raise worker_errors.UnsupportedKernel("both operands would be read against the grain")
        length = k if is_by_depth else n
        width = max(w for w in (1, 2, 4, 8, 16) if w <= min(length, max(4, device.vector_width)))
        columns = vectors if is_by_depth else vectors * width
        items = -(-n // columns) * -(-m // rows) * batch
        wanted = device.units * opencl_panels.ITEMS_PER_UNIT[device.is_cpu] * 2
        splits = max(
            1,
            min(-(-wanted // items), k // opencl_panels.MIN_SPLIT_DEPTH, opencl_panels.MAX_SPLITS),
        )
        chunk = opencl_work.round_up(-(-k // splits), width)
        splits = -(-k // chunk)
        macros["RESULT"] = macros["REAL"] if splits == 1 else macros["ACC"]
        macros["B_BY_DEPTH" if is_by_depth else "B_BY_ROWS"] = 1
        kernel = device.kernel(
            "gemm_direct", "gemm_direct", VW=width, MR=rows, NV=vectors, NC=vectors, **macros
        )
        parts = c if splits == 1 else workspace.empty(batch * splits * m * n, np.float32)
        arguments = [
            a.buffer, b.buffer, parts, m, n, k, splits, chunk, a.row_stride, a.depth_stride,
            b.row_stride, b.depth_stride, a.batch_stride, b.batch_stride, m * n,
        ]  # fmt: skip
        size = (-(-n // columns), -(-m // rows), batch * splits)
        group = (1, 1, 1) if device.is_cpu else (64, 1, 1)
        launch = opencl_work.Launch(device, kernel, size, group, arguments)
        if splits == 1:
            return [launch]
        total = opencl_panels.sum_launch(device, self._precision, parts, c, m * n, splits, batch)
        return [launch, total]

    def _last(self, seed, size):
        total, first = self.batch * size, (self.batch - 1) * size
        return opencl_device.random_slice(seed, total, self._dtype, first, size)

    def _check(self, workspace, c):
        """Compare rows from both ends and between, of the last product, with NumPy."""
        m, n, k, last = self.m, self.n, self.k, self.batch - 1
        rows = np.unique(np.linspace(0, m - 1, 5).astype(int))
        a = self._last(1, m * k).reshape((k, m) if self._is_a_transposed else (m, k))
        b = self._last(2, k * n).reshape((n, k) if self._is_b_transposed else (k, n))
        a = (a.T if self._is_a_transposed else a)[rows].astype(np.float64)
        b = (b.T if self._is_b_transposed else b).astype(np.float64)
        found = [workspace.read(c, (last * m + row) * n, n, self._dtype) for row in rows]
        return worker_check.compare(found, a @ b, self._precision, "rows of the product")


# Multiply-adds of a trial product: begins with few, and grows while that takes no time at all.
_TRIAL_MULTIPLY_ADDS = 1e8
_MIN_TRIAL_S = 2e-3
# Sizes from 512 on share a choice.
_MOST_DIGITS = 10


def _trial_size(product, limit):
    m, n, k, batch = product.m, product.n, product.k, product.batch
    batch = max(1, min(batch, int(limit / (m * n * k))))
    while m * n * k > limit:
        if m >= max(n, k):
            m = -(-m // 2)
        elif n >= k:
            n = -(-n // 2)
        else:
            k = -(-k // 2)
    return m, n, k, batch


def _ways(device, product):
    """Return functions that build the work of a product in one way each."""
    tiles = [
        lambda p, tile=tile: p.packed(tile) for tile in opencl_panels.tiles_for(device, product.n)
    ]
    if product.m > 64 or product.is_against_the_grain:
        return tiles
    if product.m < 4:
        return [lambda p: p.direct(1, 4), lambda p: p.direct(1, 1), tiles[0]]
    return [*tiles, lambda p: p.direct(4, 2), lambda p: p.direct(4, 1)]


def fastest_product(device, key, product):
    """Return the work of a product in the way that a smaller one of its kind was fastest."""
    m, n, k = product.m, product.n, product.k
    key = (*key, *(opencl_choices.magnitude(size, most=_MOST_DIGITS) for size in (m, n, k)))
    ways = _ways(device, product)

    def candidates(limit):
        small = product.resized(*_trial_size(product, limit))
        return [lambda way=way: way(small) for way in ways]

    def try_all():
        limit = _TRIAL_MULTIPLY_ADDS
        while limit < m * n * k and _is_too_short(device, candidates(limit)):
            limit *= 8
        return opencl_fastest.try_all(device, candidates(limit), limit)

    def try_one(index, limit):
        return opencl_fastest.seconds_of(device, candidates(limit)[index])

    builders = [lambda way=way: way(product) for way in ways]
    return opencl_fastest.Chosen(device, key, builders, try_one, try_all)


def _is_too_short(device, candidates):
    """Return whether the first candidate that can be run takes no time to speak of."""
    for build in candidates:
        seconds = opencl_fastest.seconds_of(device, build, _one_run_s)
        if seconds is not None:
            return seconds <= _MIN_TRIAL_S
    return False


def _one_run_s(work):
    work.settle()
    return work.run(1)


class Sequence:
    """Several prepared kernels as one.

    Args:
        builders: functions that prepare one each.
    """

    def __init__(self, builders):
        self._works = []
        try:
            for build in builders:
                work = build()
                self._works.append(work)
        except BaseException:
            self.close()
            raise

    def settle(self):
        """Find out for each in which slices to execute."""
        for work in self._works:
            work.settle()

    def check(self):
        """Check each."""
        return "; ".join(work.check() for work in self._works)

    def run(self, loops):
        """Run each `loops` times and return the seconds of all."""
        return sum(work.run(loops) for work in self._works)

    def close(self):
        """Close each."""
        for work in self._works:
            work.close()


def _product_of(device, shape, precision, direction):
    """Return the product of a direction: the gradients are those of y[m,n] = x[m,k] w[k,n]."""
    m, n, k, batch = shape["m"], shape["n"], shape["k"], shape["batch"]
    if direction == "input_gradient":
        return Product(device, precision, m, k, n, batch, False, True)
    if direction == "weight_gradient":
        return Product(device, precision, k, n, m, batch, True, False)
    is_transposed = (shape["transpose_a"], shape["transpose_b"])
    return Product(device, precision, m, n, k, batch, *is_transposed)


def prepare(device, shape, precision, direction):
    """Return the product, or both gradients of a dense layer for "backward"."""
    device.numbers(precision)
    if direction == "backward":
        return Sequence(
            [
                lambda part=part: prepare(device, shape, precision, part)
                for part in ("input_gradient", "weight_gradient")
            ]
        )
    product = _product_of(device, shape, precision, direction)
    for rows, columns in ((product.m, product.k), (product.k, product.n), (product.m, product.n)):
        device.require(product.batch * rows * columns, precision)
    kind = (shape["transpose_a"], shape["transpose_b"]) if direction == "forward" else direction
    return fastest_product(device, ("gemm", precision, kind), product)
