"""LSTM layers on an OpenCL device, forward and backward.

The product with the input is one for all timesteps; each timestep then has the product with the
state and one kernel for the gates. Backward has a kernel and a product for each timestep, and the
products for input, weights and state weights over all timesteps at once.
"""

import numpy as np
import opencl_device
import opencl_fastest
import opencl_panels
import opencl_recurrent_reference as reference
import opencl_work
import worker_check
import worker_errors

_GATES = reference.GATES
# Timesteps of a trial, and parts of the sum for the gradient of the bias.
_TRIAL_TIMESTEPS = 4
_BIAS_PARTS = 32
# Columns of a gradient that are compared.
_CHECKED_COLUMNS = 7


class _Layer:
    """One direction in time of an LSTM layer, being built in a workspace.

    Args:
        device: the `OpenclDevice`.
        shape: fields of `RecurrentShape`.
        precision: of all arrays.
        tile: of all its products.
        timesteps: how many, may be fewer than in the shape.
        is_reversed: whether time runs backwards.
    """

    def __init__(self, device, shape, precision, tile, timesteps, is_reversed, workspace):
        self._device, self._precision, self._tile = device, precision, tile
        self._dtype = opencl_device.dtype_of(precision)
        self._workspace = workspace
        self._has_all = shape["return_sequences"]
        self.arrays = arrays = reference.Arrays(shape, timesteps, self._dtype)
        self.order = list(range(timesteps))[:: -1 if is_reversed else 1]
        # States: where that of a timestep lies, and where the one before it.
        self._slot, self._slot_before = (0, 1) if is_reversed else (1, 0)
        self._rows, self._wide = arrays.samples * timesteps, _GATES * arrays.hidden
        self._x, self._w, self._u, self._bias = (
            workspace.upload(arrays.host(name)) for name in ("x", "w", "u", "bias")
        )
        self._gates = workspace.empty(self._rows * self._wide, self._dtype)
        self._cells = workspace.empty(self._rows * arrays.hidden, self._dtype)
        self._states = workspace.zeros(
            arrays.samples * (timesteps + 1) * arrays.hidden, self._dtype
        )

    def _pack(self, buffer, rows, depth, strides, width):
        padded = opencl_panels.padded_depth(self._tile, depth)
        return opencl_panels.pack(
            self._device, self._workspace, self._precision,
            opencl_panels.operand(buffer, *strides), rows, depth, padded, width,
        )  # fmt: skip

    def _left(self, buffer, rows, depth, strides):
        return self._pack(buffer, rows, depth, strides, self._tile.ly * self._tile.mr)

    def _right(self, buffer, columns, depth, strides):
        return self._pack(buffer, columns, depth, strides, self._tile.lx * self._tile.nr)

    def _product(self, a, b, result, m, n, depth):
        """Return the launches of a whole product of two operands."""
        tile, padded = self._tile, opencl_panels.padded_depth(self._tile, depth)
        common = (self._device, self._workspace, self._precision)
        left, pack_left = opencl_panels.pack(*common, a, m, depth, padded, tile.ly * tile.mr)
        right, pack_right = opencl_panels.pack(*common, b, n, depth, padded, tile.lx * tile.nr)
        return [
            pack_left,
            pack_right,
            *opencl_panels.multiply(*common, tile, left, right, result, m, n),
        ]

    def _weights(self, columns, depth, strides):
        """Return the state weights as right operand, and the launch that packs them."""
        tile = self._tile
        return opencl_panels.pack(
            self._device, self._workspace, self._precision,
            opencl_panels.operand(self._u, *strides), columns, depth,
            opencl_panels.padded_depth(tile, depth), tile.lx * tile.nr,
        )  # fmt: skip

    def _step_panels(self, depth):
        """Return panels for the left operand of a timestep's product, used at each of them."""
        tile = self._tile
        return opencl_panels.empty_panels(
            self._workspace, self._precision, self.arrays.samples,
            opencl_panels.padded_depth(tile, depth), tile.ly * tile.mr,
        )  # fmt: skip

    def _step_product(self, panels, source, depth, weights, result, columns, **options):
        """Return the launches that multiply what a timestep has with the state weights."""
        samples = self.arrays.samples
        return [
            opencl_panels.pack_into(
                self._device, self._precision, panels, source, samples, depth
            ),
            opencl_panels.tile_launch(
                self._device, self._precision, self._tile, panels, weights, result, samples,
                columns, **options,
            ),
        ]  # fmt: skip

    def _kernel(self, name):
        macros = self._device.numbers(self._precision)
        macros.pop("MAD(a,b,c)")
        return self._device.kernel("recurrent", name, **macros)

    def _step_launch(self, name, arguments):
        arrays = self.arrays
        size, local = (arrays.hidden, arrays.samples), (64, 1)
        return opencl_work.Launch(self._device, self._kernel(name), size, local, arguments)

    def forward(self):
        """Return the launches of the forward pass."""
        arrays, operand = self.arrays, opencl_panels.operand
        inputs, hidden, wide = arrays.inputs, arrays.hidden, self._wide
        launches = self._product(
            operand(self._x, inputs, 1), operand(self._w, 1, wide), self._gates,
            self._rows, wide, inputs,
        )  # fmt: skip
        weights, pack = self._weights(wide, hidden, (1, wide))
        panels = self._step_panels(hidden)
        launches.append(pack)
        for step, t in enumerate(self.order):
            if step:
                state = operand(
                    self._states, (arrays.timesteps + 1) * hidden, 1,
                    offset=(t + self._slot_before) * hidden,
                )  # fmt: skip
                launches += self._step_product(
                    panels, state, hidden, weights, self._gates, wide, accumulate=1,
                    row_stride=arrays.timesteps * wide, offset=t * wide,
                )  # fmt: skip
            arguments = [
                self._gates, self._bias, self._cells, self._states, arrays.samples, hidden,
                arrays.timesteps, t, self._before(step), t + self._slot,
            ]  # fmt: skip
            launches.append(self._step_launch("lstm_step", arguments))
        return launches

    def _before(self, step):
        return self.order[step - 1] if step else -1

    def backward(self):
        """Return the launches of the backward pass, for states of a forward pass that was run."""
        arrays, workspace = self.arrays, self._workspace
        hidden, wide, count = arrays.hidden, self._wide, arrays.samples * arrays.hidden
        self._gradients = workspace.empty(self._rows * wide, self._dtype)
        given = workspace.upload(arrays.host("gradient"))
        later = workspace.zeros(count, self._dtype)
        carried = workspace.zeros(count, np.float32)
        weights, pack = self._weights(hidden, wide, (wide, 1))
        panels = self._step_panels(wide)
        launches = [pack]
        for step in reversed(range(len(self.order))):
            t, is_last = self.order[step], step == len(self.order) - 1
            arguments = [
                self._gates, self._cells, given, later, carried, self._gradients,
                arrays.samples, hidden, arrays.timesteps, t, self._before(step), int(is_last),
                int(is_last or self._has_all),
            ]  # fmt: skip
            launches.append(self._step_launch("lstm_step_gradient", arguments))
            if step:
                gates = opencl_panels.operand(
                    self._gradients, arrays.timesteps * wide, 1, offset=t * wide
                )
                launches += self._step_product(panels, gates, wide, weights, later, hidden)
        return launches + self._whole_gradients()

    def _whole_gradients(self):
        """Return the launches for the gradients of input, weights, state weights and bias."""
        arrays, workspace, operand = self.arrays, self._workspace, opencl_panels.operand
        rows, wide, inputs, hidden = self._rows, self._wide, arrays.inputs, arrays.hidden
        self._dx = workspace.empty(rows * inputs, self._dtype)
        self._dw = workspace.empty(inputs * wide, self._dtype)
        self._du = workspace.empty(hidden * wide, self._dtype)
        by_row, by_column = operand(self._gradients, wide, 1), operand(self._gradients, 1, wide)
        states_before = operand(
            self._states, 1, hidden, inner=arrays.timesteps,
            outer_stride=(arrays.timesteps + 1) * hidden, offset=self._slot_before * hidden,
        )  # fmt: skip
        return [
            *self._product(by_row, operand(self._w, wide, 1), self._dx, rows, inputs, wide),
            *self._product(operand(self._x, 1, inputs), by_column, self._dw, inputs, wide, rows),
            *self._product(states_before, by_column, self._du, hidden, wide, rows),
            *self._bias_gradient(),
        ]

    def _bias_gradient(self):
        rows, wide = self._rows, self._wide
        length = -(-rows // _BIAS_PARTS)
        n_parts = -(-rows // length)
        parts = self._workspace.empty(n_parts * wide, np.float32)
        self._dbias = self._workspace.empty(wide, self._dtype)
        first = opencl_work.Launch(
            self._device, self._kernel("sum_rows"), (wide, n_parts), (64, 1),
            [self._gradients, parts, rows, wide, length],
        )  # fmt: skip
        total = opencl_panels.sum_launch(
            self._device, self._precision, parts, self._dbias, wide, n_parts
        )
        return [first, total]

    # Checks, on the first and last sample.

    def _samples(self):
        return sorted({0, self.arrays.samples - 1})

    def check_forward(self):
        """Compare the states of all timesteps."""
        arrays = self.arrays
        samples, hidden = self._samples(), arrays.hidden
        states = reference.forward(arrays, samples, self.order)[0]
        expected = np.stack([states[t] for t in range(arrays.timesteps)], axis=1)
        count, slots = arrays.timesteps * hidden, arrays.timesteps + 1
        found = [
            self._workspace.read(
                self._states, (sample * slots + self._slot) * hidden, count, self._dtype
            )
            for sample in samples
        ]
        return worker_check.compare(found, expected, self._precision, "the states")

    def check_backward(self):
        """Compare the gradients of gates and input, and some columns of those of the weights."""
        arrays, workspace = self.arrays, self._workspace
        samples, wide = self._samples(), self._wide
        by_time = reference.gate_gradients(arrays, samples, self.order, self._has_all)
        expected = np.stack([by_time[t] for t in range(arrays.timesteps)], axis=1)
        gates = workspace.read(self._gradients, 0, self._rows * wide, self._dtype)
        gates = gates.reshape(arrays.samples, arrays.timesteps, wide)
        text = worker_check.compare(gates[samples], expected, self._precision, "the gate gradients")
        dx = workspace.read(self._dx, 0, self._rows * arrays.inputs, self._dtype)
        dx = dx.reshape(arrays.samples, arrays.timesteps, arrays.inputs)[samples]
        w = arrays.host("w").astype(np.float64)
        worker_check.compare(dx, expected @ w.T, self._precision, "the gradient of the input")
        self._check_weights(gates.reshape(self._rows, wide))
        return text

    def _check_weights(self, gates):
        arrays, wide, hidden = self.arrays, self._wide, self.arrays.hidden
        columns = np.unique(np.linspace(0, wide - 1, _CHECKED_COLUMNS).astype(int))
        gates = gates[:, columns].astype(np.float64)
        slots = arrays.timesteps + 1
        states = self._workspace.read(
            self._states, 0, arrays.samples * slots * hidden, self._dtype
        ).reshape(arrays.samples, slots, hidden)
        before = states[:, self._slot_before : self._slot_before + arrays.timesteps]
        x = arrays.host("x").reshape(self._rows, arrays.inputs).astype(np.float64)
        for buffer, left, name in (
            (self._dw, x, "the gradient of the weights"),
            (self._du, before.reshape(self._rows, hidden), "the gradient of the state weights"),
            (self._dbias, np.ones((self._rows, 1)), "the gradient of the bias"),
        ):
            rows = left.shape[1]
            found = self._workspace.read(buffer, 0, rows * wide, self._dtype).reshape(rows, wide)
            expected = left.T.astype(np.float64) @ gates
            worker_check.compare(found[:, columns], expected, self._precision, name)


def _build(device, shape, precision, direction, tile, timesteps):
    """Return the work of a layer with a tile for its products."""
    workspace = opencl_device.Workspace(device)
    try:
        layers = [
            _Layer(device, shape, precision, tile, timesteps, is_reversed, workspace)
            for is_reversed in ((False, True) if shape["is_bidirectional"] else (False,))
        ]
        launches = [launch for layer in layers for launch in layer.forward()]
        checks = [layer.check_forward for layer in layers]
        if direction == "backward":
            # The states and gates that it goes back over come from one forward pass.
            before = opencl_work.Work(device, opencl_device.Workspace(device), launches, str)
            before.check()
            launches = [launch for layer in layers for launch in layer.backward()]
            checks = [layer.check_backward for layer in layers]
    except BaseException:
        workspace.release()
        raise
    return opencl_work.Work(
        device, workspace, launches, lambda: "; ".join(check() for check in checks)
    )


def _magnitude(value):
    return int(value).bit_length()


def prepare(device, shape, precision, direction):
    """Return an LSTM layer, its products in the tiles that are fastest in a short sequence."""
    if shape["cell"] != "lstm":
        raise worker_errors.UnsupportedKernel(
            "OpenCL has no kernel for the cell " + shape["cell"].upper()
        )
    device.numbers(precision)
    tiles = opencl_panels.tiles_for(device, _GATES * shape["hidden"])
    sizes = (_magnitude(shape[name]) for name in ("batch", "input", "hidden"))
    key = ("lstm", precision, direction, *sizes)

    def builders(timesteps):
        return [
            lambda tile=tile: _build(device, shape, precision, direction, tile, timesteps)
            for tile in tiles
        ]

    candidates = builders(min(_TRIAL_TIMESTEPS, shape["timesteps"]))
    return opencl_fastest.Chosen(
        device, key, builders(shape["timesteps"]),
        lambda index, _trial: opencl_fastest.seconds_of(device, candidates[index]),
        lambda: opencl_fastest.try_all(device, candidates),
    )  # fmt: skip
