"""The parts of which products on an OpenCL device are built: panels, tiles, sums.

An operand is copied into panels (`pack`), panels are multiplied tile by tile (`multiply`).
Leaves to others: which products a layer needs (`opencl_gemm`, `opencl_conv`, `opencl_recurrent`).
"""

from collections import namedtuple

import numpy as np
import opencl_device
import opencl_work

# LX x LY work-items on a tile, MR rows and NR columns for each, vector width, slices of the depth
# that a group keeps in local memory (0: none is used).
Tile = namedtuple("Tile", "lx ly mr nr vw kb")

# For few cores with wide registers and caches, by vector width; the first is usually the best.
_CPU_TILES = {
    16: (Tile(1, 1, 12, 32, 16, 0), Tile(1, 1, 8, 32, 16, 0)),
    8: (Tile(1, 1, 6, 16, 8, 0), Tile(1, 1, 4, 16, 8, 0)),
    4: (Tile(1, 1, 6, 8, 4, 0), Tile(1, 1, 4, 8, 4, 0)),
}
# For many lanes.
_GPU_TILES = (
    Tile(8, 8, 8, 8, 4, 16),
    Tile(16, 16, 4, 4, 4, 16),
    Tile(16, 16, 8, 8, 4, 8),
    Tile(8, 8, 8, 8, 4, 0),
    Tile(16, 8, 4, 4, 4, 0),
    Tile(8, 8, 4, 4, 1, 16),
)
# Groups of lone work-items on a CPU: those that share a panel of B run one after the other.
_CPU_ROWS = 8
# Submitted work-items that keep a compute unit busy, CPU and not.
ITEMS_PER_UNIT = {True: 2, False: 256}
MIN_SPLIT_DEPTH = 256
# Panels of this depth stay in the caches of a CPU core.
_CACHED_DEPTH = 4096
MAX_SPLITS = 64

# An operand as it lies in memory: element (row, d) at offset + row*row_stride
# + (d // inner)*outer_stride + (d % inner)*depth_stride, products of a batch `batch_stride` apart.
# inner None: one stride for the whole depth.
Operand = namedtuple(
    "Operand", "buffer row_stride depth_stride batch_stride inner outer_stride offset"
)
# An operand in panels of `width` rows; `depth` is what it is padded to, `stride` one product.
Panels = namedtuple("Panels", "buffer width depth stride")


def operand(buffer, row_stride, depth_stride, batch_stride=0, inner=None, outer_stride=0, offset=0):
    """Return the description of an operand."""
    return Operand(buffer, row_stride, depth_stride, batch_stride, inner, outer_stride, offset)


def tiles_for(device, columns):
    """Return the tiles that a device may try for results of so many columns."""
    if not device.is_cpu:
        return _GPU_TILES
    widest = max(4, min(device.vector_width, columns))
    width = max(w for w in _CPU_TILES if w <= widest)
    tiles = _CPU_TILES[width]
    if columns <= width:
        return (tiles[0]._replace(nr=width),)
    return tiles


def tile_macros(tile):
    """Return the macros of the kernels that work on a tile."""
    return {
        "LX": tile.lx,
        "LY": tile.ly,
        "MR": tile.mr,
        "NR": tile.nr,
        "VW": tile.vw,
        "KB": tile.kb or None,
        "USE_LOCAL": 1 if tile.kb else None,
    }


def tile_group(tile):
    """Return the group in which work-items on tiles are submitted."""
    return (1, _CPU_ROWS, 1) if tile.lx * tile.ly == 1 else (tile.lx, tile.ly, 1)


def padded_depth(tile, depth):
    """Return the depth of panels for a tile."""
    return opencl_work.round_up(depth, tile.kb or 1)


def empty_panels(workspace, precision, rows, depth, width, batch=1):
    """Return panels full of zeros; `depth` is the padded one."""
    stride = opencl_work.round_up(rows, width) * depth
    buffer = workspace.zeros(stride * batch, opencl_device.dtype_of(precision))
    return Panels(buffer, width, depth, stride)


def pack(device, workspace, precision, source, rows, depth, padded, width, batch=1):
    """Return panels and the launch that fills them from an operand."""
    stride = opencl_work.round_up(rows, width) * padded
    buffer = workspace.empty(stride * batch, opencl_device.dtype_of(precision))
    panels = Panels(buffer, width, padded, stride)
    return panels, pack_into(device, precision, panels, source, rows, depth, batch)


def pack_into(device, precision, panels, source, rows, depth, batch=1):
    """Return the launch that fills panels from an operand."""
    is_by_rows = source.row_stride == 1
    kernel = device.kernel(
        "pack", "pack_rows" if is_by_rows else "pack_depth", **_pack_macros(device, precision)
    )
    panel_rows = opencl_work.round_up(rows, panels.width)
    arguments = [
        source.buffer, panels.buffer, rows, panel_rows, depth, panels.depth, panels.width,
        source.offset, source.row_stride, source.depth_stride, source.inner or panels.depth,
        source.outer_stride, source.batch_stride, panels.stride,
    ]  # fmt: skip
    if is_by_rows:
        size = (panel_rows, -(-panels.depth // 16), batch)
    else:
        size = (panels.depth, panel_rows // panels.width, batch)
    return opencl_work.Launch(device, kernel, size, (64, 1, 1), arguments)


def _pack_macros(device, precision):
    macros = device.numbers(precision)
    macros.pop("MAD(a,b,c)")
    return macros


def splits_for(device, tile, m, n, depth, batch=1):
    """Return into how many parts the depth is split to keep the device busy, and their length."""
    items = -(-m // (tile.ly * tile.mr)) * -(-n // (tile.lx * tile.nr)) * tile.lx * tile.ly * batch
    wanted = device.units * ITEMS_PER_UNIT[device.is_cpu]
    splits = min(-(-wanted // items), depth // MIN_SPLIT_DEPTH, MAX_SPLITS)
    if device.is_cpu:
        splits = max(splits, depth // _CACHED_DEPTH)
    if splits <= 1:
        return 1, depth
    chunk = opencl_work.round_up(-(-depth // splits), tile.kb or 1)
    return -(-depth // chunk), chunk


def multiply(device, workspace, precision, tile, a, b, c, m, n, batch=1, accumulate=0):
    """Return the launches that multiply panels.

    Args:
        device: the `OpenclDevice`.
        workspace: holds what is needed in between.
        precision: of operands and result.
        tile: for which the panels were made.
        a: panels of the left operand, with tile.ly * tile.mr rows.
        b: panels of the right one, with tile.lx * tile.nr columns.
        c: buffer of the result, [batch, m, n].
        m: rows.
        n: columns.
        batch: number of products.
        accumulate: 1 to add to what the result holds.
    """
    splits, chunk = splits_for(device, tile, m, n, a.depth, batch)
    if splits == 1:
        return [
            tile_launch(device, precision, tile, a, b, c, m, n, batch=batch, accumulate=accumulate)
        ]
    parts = workspace.empty(batch * splits * m * n, np.float32)
    first = tile_launch(
        device, precision, tile, a, b, parts, m, n, batch=batch, splits=splits, chunk=chunk
    )
    return [first, sum_launch(device, precision, parts, c, m * n, splits, batch, accumulate)]


def tile_launch(
    device, precision, tile, a, b, c, m, n, batch=1, splits=1, chunk=None,
    accumulate=0, row_stride=None, offset=0,
):  # fmt: skip
    """Return the launch that multiplies panels; what is not said here is as for `multiply`.

    `row_stride` is that between rows of the result (None for n), `offset` where it begins in its
    buffer. The depth is taken in `splits` parts of `chunk`, each with its own result in float32.
    """
    macros = device.numbers(precision)
    macros["RESULT"] = macros["REAL"] if splits == 1 else macros["ACC"]
    kernel = device.kernel("gemm", "gemm_tiles", **macros, **tile_macros(tile))
    arguments = [
        a.buffer, b.buffer, c, m, n, a.depth, splits, chunk or a.depth, a.stride, b.stride,
        m * n, row_stride or n, offset, accumulate,
    ]  # fmt: skip
    size = (
        -(-n // (tile.lx * tile.nr)) * tile.lx,
        -(-m // (tile.ly * tile.mr)) * tile.ly,
        batch * splits,
    )
    is_exact = tile.lx * tile.ly > 1
    return opencl_work.Launch(device, kernel, size, tile_group(tile), arguments, is_exact)


def sum_launch(device, precision, parts, c, count, splits, batch=1, accumulate=0):
    """Return the launch that adds up the parts of results."""
    kernel = device.kernel("pack", "sum_parts", **_pack_macros(device, precision))
    arguments = [parts, c, count, splits, accumulate]
    return opencl_work.Launch(device, kernel, (count, batch), (64, 1), arguments)
