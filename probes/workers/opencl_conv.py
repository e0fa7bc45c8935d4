"""Convolutions of 1 and 2 dimensions on an OpenCL device: forward and both gradients.

Each has two ways, directly from the image and through panels (im2col) and a matrix product.
Leaves to others: which one is faster (`opencl_conv_fastest`).
"""

import numpy as np
import opencl_conv_reference as reference
import opencl_device
import opencl_geometry
import opencl_panels
import opencl_work
import worker_check
import worker_errors

# Tiles without local memory, for many lanes.
_GPU_TILES = (opencl_panels.Tile(8, 8, 8, 8, 4, 0), opencl_panels.Tile(16, 8, 4, 4, 4, 0))
# What a part of the rows should take of the inner caches, in the gradient of filters.
_PART_BYTES = 512 * 1024
_MAX_PARTS = 256


def _split_rows(device, found, items):
    """Return the length of parts of the rows of an output, and how many they are."""
    rows = found.n * found.target[0]
    per_row = 4 * (found.source[1] * found.source[2] + found.target[1] * found.target[2])
    wanted = -(-device.units * opencl_panels.ITEMS_PER_UNIT[device.is_cpu] // items)
    if device.is_cpu:
        wanted = max(wanted, rows * per_row // _PART_BYTES)
    parts = max(1, min(wanted, rows, _MAX_PARTS))
    length = -(-rows // parts)
    return length, -(-rows // length)


class Convolution:
    """One direction of a convolution, and the ways to compute it.

    Args:
        device: the `OpenclDevice`.
        shape: fields of `ConvShape`.
        precision: of all arrays.
        direction: "forward", "input_gradient" or "weight_gradient" of the plain convolution.
        n: images, None for those of the shape.
    """

    def __init__(self, device, shape, precision, direction, n=None):
        self._device, self._shape, self._precision = device, shape, precision
        self.direction = direction
        self.geometry = opencl_geometry.geometry(shape, n)
        self._dtype = opencl_device.dtype_of(precision)
        found = self.geometry
        self._x_shape = (found.n, *found.source)
        self._y_shape = (found.n, *found.target)
        self._w_shape = (*found.taps, found.source[2] // found.groups, found.target[2])

    def with_images(self, n):
        """Return the same with another number of images."""
        return Convolution(self._device, self._shape, self._precision, self.direction, n)

    @property
    def is_depthwise(self):
        """Each channel has one filter."""
        found = self.geometry
        return found.groups == found.source[2] == found.target[2] and found.groups > 1

    # Random arrays, by seed: 1 input, 2 filters, 3 gradient of the output.

    def _host(self, seed):
        shape = {1: self._x_shape, 2: self._w_shape, 3: self._y_shape}[seed]
        return opencl_device.random_values(seed, int(np.prod(shape)), self._dtype).reshape(shape)

    def _random(self, workspace, seed):
        shape = {1: self._x_shape, 2: self._w_shape, 3: self._y_shape}[seed]
        return workspace.random(seed, int(np.prod(shape)), self._dtype)

    def _work(self, build):
        """Return the work of a function that gives launches and the buffer of the result."""
        workspace = opencl_device.Workspace(self._device)
        try:
            launches, result = build(workspace)
        except BaseException:
            workspace.release()
            raise
        return opencl_work.Work(
            self._device, workspace, launches, lambda: self._check(workspace, result)
        )

    def _geometry_buffer(self, workspace, is_gradient=False):
        return workspace.upload(opencl_geometry.as_array(self.geometry, is_gradient))

    def _kernel(self, name, tile, is_gradient=False):
        macros = self._device.numbers(self._precision)
        macros["GRADIENT"] = 1 if is_gradient else None
        return self._device.kernel("conv", name, **macros, **opencl_panels.tile_macros(tile))

    # Ways.

    def ways(self):
        """Return the names of the ways and their tiles, the likeliest first."""
        if self.is_depthwise:
            return [("depthwise", None)]
        found, device = self.geometry, self._device
        is_input = self.direction == "input_gradient"
        columns = (found.source if is_input else found.target)[2] // found.groups
        tiles = opencl_panels.tiles_for(device, columns)
        direct = tiles if device.is_cpu else _GPU_TILES
        ways = [("direct", tile) for tile in direct]
        # A gradient of the input by panels would multiply by zeros where strides leave gaps.
        if found.groups == 1 and not (is_input and found.strides != (1, 1)):
            ways += [("panels", tile) for tile in tiles[: 1 if device.is_cpu else 2]]
        if found.groups > 1 and self.direction == "weight_gradient":
            raise worker_errors.UnsupportedKernel(
                "OpenCL has no gradient of the filters of a convolution in groups"
            )
        return ways

    def build(self, way):
        """Return the work of a way."""
        name, tile = way
        builders = {
            ("depthwise", "forward"): self._depthwise,
            ("depthwise", "input_gradient"): self._depthwise,
            ("depthwise", "weight_gradient"): self._depthwise_filters,
            ("direct", "forward"): self._direct,
            ("direct", "input_gradient"): self._direct,
            ("direct", "weight_gradient"): self._direct_filters,
            ("panels", "forward"): self._panels,
            ("panels", "input_gradient"): self._panels,
            ("panels", "weight_gradient"): self._panel_filters,
        }
        builder = builders[name, self.direction]
        return self._work(lambda workspace: builder(workspace, tile))

    def _filter_panels(self, workspace, filters, tile):
        """Pack filters as the right operand: depth taps x source channels, columns target ones."""
        found, is_gradient = self.geometry, self.direction == "input_gradient"
        size_c, size_k = found.source[2] // found.groups, found.target[2] // found.groups
        taps = found.taps[0] * found.taps[1]
        k = found.target[2]
        if is_gradient:
            source = opencl_panels.operand(
                filters, row_stride=k, depth_stride=1, batch_stride=size_k,
                inner=size_k, outer_stride=size_c * k,
            )  # fmt: skip
            columns, depth = size_c, taps * size_k
        else:
            source = opencl_panels.operand(
                filters, row_stride=1, depth_stride=k, batch_stride=size_k
            )
            columns, depth = size_k, taps * size_c
        padded = opencl_panels.padded_depth(tile, depth)
        panels, launch = opencl_panels.pack(
            self._device, workspace, self._precision, source, columns, depth, padded,
            tile.lx * tile.nr, found.groups,
        )  # fmt: skip
        return panels, launch

    def _source_and_result(self, workspace):
        if self.direction == "input_gradient":
            return self._random(workspace, 3), workspace.zeros(
                int(np.prod(self._x_shape)), self._dtype
            )
        return self._random(workspace, 1), workspace.empty(int(np.prod(self._y_shape)), self._dtype)

    def _direct(self, workspace, tile):
        found, is_gradient = self.geometry, self.direction == "input_gradient"
        source, result = self._source_and_result(workspace)
        filters, pack = self._filter_panels(workspace, self._random(workspace, 2), tile)
        array = opencl_geometry.as_array(found, is_gradient)
        channels, columns, classes_y, classes_x = (int(value) for value in array[-4:])
        height, width = (found.source if is_gradient else found.target)[:2]
        rows = found.n * -(-height // classes_y) * -(-width // classes_x)
        arguments = [
            source, filters.buffer, result, workspace.zeros(channels * found.taps[1], self._dtype),
            workspace.upload(array), filters.stride,
        ]  # fmt: skip
        size = (
            -(-columns // (tile.lx * tile.nr)) * tile.lx,
            -(-rows // (tile.ly * tile.mr)) * tile.ly,
            found.groups * classes_y * classes_x,
        )
        launch = opencl_work.Launch(
            self._device, self._kernel("conv_tiles", tile, is_gradient), size,
            opencl_panels.tile_group(tile), arguments,
        )  # fmt: skip
        return [pack, launch], result

    def _image_panels(self, workspace, kernel_name, image, rows, depth, tile):
        """Pack the image as the left operand; `rows` x `depth` are pixels and taps or reverse."""
        found, width = self.geometry, tile.ly * tile.mr
        padded = opencl_panels.padded_depth(tile, depth)
        panels = opencl_panels.empty_panels(workspace, self._precision, rows, padded, width)
        kernel = self._device.kernel(
            "conv_pack", kernel_name, **_plain(self._device.numbers(self._precision))
        )
        geometry = workspace.upload(self._pack_geometry())
        pixels = rows if kernel_name == "pack_pixels" else depth
        launch = opencl_work.Launch(
            self._device, kernel, (pixels, found.taps[0] * found.taps[1]), (64, 1),
            [image, panels.buffer, geometry, width, padded],
        )  # fmt: skip
        return panels, launch

    def _pack_geometry(self):
        """The gradient of the input is, at stride 1, a convolution with the filters turned round.

        Taps are not turned here but looked at from the other side: dilation and padding change
        their sign.
        """
        array = opencl_geometry.as_array(self.geometry, self.direction == "input_gradient")
        if self.direction == "input_gradient":
            array[11:15] *= -1
        return array

    def _panels(self, workspace, tile):
        found, device = self.geometry, self._device
        source, result = self._source_and_result(workspace)
        filters, pack = self._filter_panels(workspace, self._random(workspace, 2), tile)
        is_gradient = self.direction == "input_gradient"
        target, channels = (
            (found.source, found.target[2]) if is_gradient else (found.target, found.source[2])
        )
        rows, depth = found.n * target[0] * target[1], found.taps[0] * found.taps[1] * channels
        image, pack_image = self._image_panels(workspace, "pack_pixels", source, rows, depth, tile)
        product = opencl_panels.multiply(
            device, workspace, self._precision, tile, image, filters, result, rows, target[2]
        )
        return [pack, pack_image, *product], result

    def _gradient_panels(self, workspace, tile, depth):
        """Pack the gradient of the output: depth pixels, columns filters."""
        k = self.geometry.target[2]
        source = opencl_panels.operand(self._random(workspace, 3), row_stride=1, depth_stride=k)
        pixels = self.geometry.n * self.geometry.target[0] * self.geometry.target[1]
        return opencl_panels.pack(
            self._device, workspace, self._precision, source, k, pixels, depth, tile.lx * tile.nr
        )

    def _panel_filters(self, workspace, tile):
        found = self.geometry
        pixels = found.n * found.target[0] * found.target[1]
        rows = found.taps[0] * found.taps[1] * found.source[2]
        image, pack_image = self._image_panels(
            workspace, "pack_taps", self._random(workspace, 1), rows, pixels, tile
        )
        gradient, pack = self._gradient_panels(workspace, tile, image.depth)
        result = workspace.empty(int(np.prod(self._w_shape)), self._dtype)
        product = opencl_panels.multiply(
            self._device, workspace, self._precision, tile, image, gradient, result, rows,
            found.target[2],
        )  # fmt: skip
        return [pack_image, pack, *product], result

    def _direct_filters(self, workspace, tile):
        found = self.geometry
        pixels = found.n * found.target[0] * found.target[1]
        gradient, pack = self._gradient_panels(workspace, tile, pixels)
        taps, channels = found.taps[0] * found.taps[1], found.source[2]
        size = (
            -(-found.target[2] // (tile.lx * tile.nr)) * tile.lx,
            taps * -(-channels // tile.mr),
        )
        length, n_parts = _split_rows(self._device, found, size[0] * size[1])
        count = int(np.prod(self._w_shape))
        parts = workspace.empty(n_parts * count, np.float32)
        result = workspace.empty(count, self._dtype)
        arguments = [
            self._random(workspace, 1), gradient.buffer, parts,
            self._geometry_buffer(workspace), length,
        ]  # fmt: skip
        launch = opencl_work.Launch(
            self._device, self._kernel("conv_filter_tiles", tile), (*size, n_parts),
            opencl_panels.tile_group(tile), arguments,
        )  # fmt: skip
        total = opencl_panels.sum_launch(
            self._device, self._precision, parts, result, count, n_parts
        )
        return [pack, launch, total], result

    def _vector_macros(self):
        """Return macros and number of vectors for kernels on vectors of channels."""
        channels = self.geometry.source[2]
        widest = max(4, self._device.vector_width)
        width = max(w for w in (1, 2, 4, 8, 16) if w <= widest and channels % w == 0)
        macros = _plain(self._device.numbers(self._precision))
        suffix = str(width) if width > 1 else ""
        macros["VEC"], macros["SUM"] = macros["REAL"] + suffix, macros["ACC"] + suffix
        is_half = self._precision == "float16"
        macros["WIDEN(v)"] = "convert_{}(v)".format(macros["SUM"]) if is_half else "(v)"
        return macros, channels // width

    def _depthwise(self, workspace, _tile):
        found, is_gradient = self.geometry, self.direction == "input_gradient"
        source, result = self._source_and_result(workspace)
        macros, vectors = self._vector_macros()
        macros["GRADIENT"] = 1 if is_gradient else None
        kernel = self._device.kernel("conv_pack", "depthwise", **macros)
        height, width = (found.source if is_gradient else found.target)[:2]
        arguments = [
            source, self._random(workspace, 2), result,
            self._geometry_buffer(workspace, is_gradient), vectors,
        ]  # fmt: skip
        size = (vectors, found.n * height * width)
        launch = opencl_work.Launch(self._device, kernel, size, (min(vectors, 16), 8), arguments)
        return [launch], result

    def _depthwise_filters(self, workspace, _tile):
        found = self.geometry
        macros, vectors = self._vector_macros()
        kernel = self._device.kernel("conv_pack", "depthwise_filters", **macros)
        taps, count = found.taps[0] * found.taps[1], int(np.prod(self._w_shape))
        length, n_parts = _split_rows(self._device, found, vectors * taps)
        parts = workspace.empty(n_parts * count, np.float32)
        result = workspace.empty(count, self._dtype)
        arguments = [
            self._random(workspace, 1), self._random(workspace, 3), parts,
            self._geometry_buffer(workspace), vectors, length,
        ]  # fmt: skip
        launch = opencl_work.Launch(
            self._device, kernel, (vectors, taps, n_parts), (min(vectors, 16), 1, 1), arguments
        )
        total = opencl_panels.sum_launch(
            self._device, self._precision, parts, result, count, n_parts
        )
        return [launch, total], result

    # Checks.

    def _check(self, workspace, result):
        if self.direction == "weight_gradient":
            return self._check_filters(workspace, result)
        found, filters = self.geometry, self._host(2)
        if self.direction == "forward":
            shape, given, compute = self._y_shape, self._host(1), reference.forward
        else:
            shape, given, compute = self._x_shape, self._host(3), reference.input_gradient
        values, expected = [], []
        for place in reference.places(*shape[:3]):
            first = int(np.ravel_multi_index((*place, 0), shape))
            values.append(workspace.read(result, first, shape[3], self._dtype))
            expected.append(compute(found, given, filters, place))
        return worker_check.compare(values, expected, self._precision, "the convolution at pixels")

    def _check_filters(self, workspace, result):
        found, values, expected = self.geometry, [], []
        x, gradient = self._host(1), self._host(3)
        size = int(np.prod(self._w_shape[2:]))
        for tap in reference.filter_taps(found):
            first = (tap[0] * found.taps[1] + tap[1]) * size
            values.append(workspace.read(result, first, size, self._dtype))
            expected.append(reference.filter_gradient(found, x, gradient, tap).ravel())
        return worker_check.compare(values, expected, self._precision, "the filters at their edges")


def _plain(macros):
    macros.pop("MAD(a,b,c)")
    return macros
