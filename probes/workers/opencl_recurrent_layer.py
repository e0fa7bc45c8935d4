"""An LSTM layer on an OpenCL device, forward and backward: what is launched, and the check of it.

The product with the input is one for all timesteps; each timestep then has the product with the
state and one kernel for the gates. Backward has a kernel and a product for each timestep, and the
products for input, weights and state weights over all timesteps at once.
Leaves to others: other cells (`opencl_gru`), which tile is the fastest (`opencl_recurrent`).
"""

import numpy as np
import opencl_device
import opencl_panels
import opencl_recurrent_reference
import opencl_work
import worker_check

# Parts of the sum for the gradient of the bias.
_BIAS_PARTS = 32
# Columns of a gradient that are compared.
_CHECKED_COLUMNS = 7


class LstmLayer:
    """One direction in time of a layer, being built in a workspace.

    A cell of another kind says what it holds, which kernels a timestep has, and its reference.

    Args:
        device: the `OpenclDevice`.
        shape: fields of `RecurrentShape`.
        precision: of all arrays.
        tile: of all its products.
        timesteps: how many, may be fewer than in the shape.
        is_reversed: whether time runs backwards.
    """

    N_GATES = opencl_recurrent_reference.GATES
    _N_BIASES = 1
    _CELL = "lstm"
    _REFERENCE = opencl_recurrent_reference

    def __init__(self, device, shape, precision, tile, timesteps, is_reversed, workspace):
        self._device, self._precision, self._tile = device, precision, tile
        self._dtype = opencl_device.dtype_of(precision)
        self._workspace = workspace
        self._has_all = shape["return_sequences"]
        self.arrays = arrays = opencl_recurrent_reference.Arrays(
            shape, timesteps, self._dtype, self.N_GATES, self._N_BIASES
        )
        self.order = list(range(timesteps))[:: -1 if is_reversed else 1]
        # States: where that of a timestep lies, and where the one before it.
        self._slot, self._slot_before = (0, 1) if is_reversed else (1, 0)
        self._rows, self._wide = arrays.samples * timesteps, self.N_GATES * arrays.hidden
        self._x, self._w, self._u, self._bias = (
            workspace.upload(arrays.host(name)) for name in ("x", "w", "u", "bias")
        )
        self._gates = workspace.empty(self._rows * self._wide, self._dtype)
        self._states = workspace.zeros(
            arrays.samples * (timesteps + 1) * arrays.hidden, self._dtype
        )
        # Where the products with the state go, and whether they are added to what is there.
        self._from_state, self._is_added = self._gates, 1
        self._hold(workspace)

    def _hold(self, workspace):
        """Set up what this kind of cell has besides gates and states."""
        self._cells = workspace.empty(self._rows * self.arrays.hidden, self._dtype)

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
                    panels, state, hidden, weights, self._from_state, wide,
                    accumulate=self._is_added, row_stride=arrays.timesteps * wide, offset=t * wide,
                )  # fmt: skip
            launches.append(self._step_launch(self._CELL + "_step", self._arguments(step, t)))
        return launches

    def _arguments(self, step, t):
        arrays = self.arrays
        return [
            self._gates, self._bias, self._cells, self._states, arrays.samples, arrays.hidden,
            arrays.timesteps, t, self._before(step), t + self._slot,
        ]  # fmt: skip

    def _before(self, step):
        return self.order[step - 1] if step else -1

    def backward(self):
        """Return the launches of the backward pass, for states of a forward pass that was run."""
        arrays, workspace = self.arrays, self._workspace
        hidden, wide, count = arrays.hidden, self._wide, arrays.samples * arrays.hidden
        self._gradients = workspace.empty(self._rows * wide, self._dtype)
        self._state_gradients = self._hold_gradients(workspace)
        self._given = workspace.upload(arrays.host("gradient"))
        self._later = workspace.zeros(count, self._dtype)
        self._carried = workspace.zeros(count, np.float32)
        weights, pack = self._weights(hidden, wide, (wide, 1))
        panels = self._step_panels(wide)
        launches = [pack]
        for step in reversed(range(len(self.order))):
            t = self.order[step]
            arguments = self._gradient_arguments(step, t)
            launches.append(self._step_launch(self._CELL + "_step_gradient", arguments))
            if step:
                gates = opencl_panels.operand(
                    self._state_gradients, arrays.timesteps * wide, 1, offset=t * wide
                )
                launches += self._step_product(panels, gates, wide, weights, self._later, hidden)
        return launches + self._whole_gradients()

    def _hold_gradients(self, _workspace):
        """Return where the gradients of what the state is multiplied into are."""
        return self._gradients

    def _gradient_arguments(self, step, t):
        arrays, is_last = self.arrays, step == len(self.order) - 1
        return [
            self._gates, self._cells, self._given, self._later, self._carried, self._gradients,
            arrays.samples, arrays.hidden, arrays.timesteps, t, self._before(step), int(is_last),
            int(is_last or self._has_all),
        ]  # fmt: skip

    def _whole_gradients(self):
        """Return the launches for the gradients of input, weights, state weights and bias."""
        arrays, workspace, operand = self.arrays, self._workspace, opencl_panels.operand
        rows, wide, inputs, hidden = self._rows, self._wide, arrays.inputs, arrays.hidden
        self._dx = workspace.empty(rows * inputs, self._dtype)
        self._dw = workspace.empty(inputs * wide, self._dtype)
        self._du = workspace.empty(hidden * wide, self._dtype)
        by_row, by_column = operand(self._gradients, wide, 1), operand(self._gradients, 1, wide)
        by_state = operand(self._state_gradients, 1, wide)
        states_before = operand(
            self._states, 1, hidden, inner=arrays.timesteps,
            outer_stride=(arrays.timesteps + 1) * hidden, offset=self._slot_before * hidden,
        )  # fmt: skip
        return [
            *self._product(by_row, operand(self._w, wide, 1), self._dx, rows, inputs, wide),
            *self._product(operand(self._x, 1, inputs), by_column, self._dw, inputs, wide, rows),
            *self._product(states_before, by_state, self._du, hidden, wide, rows),
            *self._bias_gradients(),
        ]

    def _bias_gradients(self):
        self._dbias, launches = self._bias_gradient(self._gradients)
        return launches

    def _bias_gradient(self, gradients):
        """Return the buffer of a bias's gradient, and the launches that sum it up."""
        rows, wide = self._rows, self._wide
        length = -(-rows // _BIAS_PARTS)
        n_parts = -(-rows // length)
        parts = self._workspace.empty(n_parts * wide, np.float32)
        result = self._workspace.empty(wide, self._dtype)
        first = opencl_work.Launch(
            self._device, self._kernel("sum_rows"), (wide, n_parts), (64, 1),
            [gradients, parts, rows, wide, length],
        )  # fmt: skip
        total = opencl_panels.sum_launch(
            self._device, self._precision, parts, result, wide, n_parts
        )
        return result, [first, total]

    # Checks, on the first and last sample.

    def _compare(self, found, expected, name):
        return worker_check.compare(found, expected, self._precision, name)

    def _samples(self):
        return sorted({0, self.arrays.samples - 1})

    def check_forward(self):
        """Compare the states of all timesteps."""
        arrays = self.arrays
        samples, hidden = self._samples(), arrays.hidden
        states = self._REFERENCE.forward(arrays, samples, self.order)[0]
        expected = np.stack([states[t] for t in range(arrays.timesteps)], axis=1)
        count, slots = arrays.timesteps * hidden, arrays.timesteps + 1
        found = [
            self._workspace.read(
                self._states, (sample * slots + self._slot) * hidden, count, self._dtype
            )
            for sample in samples
        ]
        return self._compare(found, expected, "the states")

    def check_backward(self):
        """Compare the gradients of gates and input, and some columns of those of the weights."""
        arrays, workspace = self.arrays, self._workspace
        samples = self._samples()
        expected = self._expected(samples, self._REFERENCE.gate_gradients)
        gates = self._read_gates(self._gradients)
        text = self._compare(gates[samples], expected, "the gate gradients")
        dx = workspace.read(self._dx, 0, self._rows * arrays.inputs, self._dtype)
        dx = dx.reshape(arrays.samples, arrays.timesteps, arrays.inputs)[samples]
        w = arrays.host("w").astype(np.float64)
        self._compare(dx, expected @ w.T, "the gradient of the input")
        self._check_weights(gates, self._checked_state_gradients(gates, samples))
        return text

    def _expected(self, samples, gradients):
        by_time = gradients(self.arrays, samples, self.order, self._has_all)
        return np.stack([by_time[t] for t in range(self.arrays.timesteps)], axis=1)

    def _read_gates(self, buffer):
        arrays = self.arrays
        values = self._workspace.read(buffer, 0, self._rows * self._wide, self._dtype)
        return values.reshape(arrays.samples, arrays.timesteps, self._wide)

    def _checked_state_gradients(self, gates, _samples):
        """Return the gradients of what the state is multiplied into."""
        return gates

    def _check_weights(self, gates, by_state):
        arrays, hidden = self.arrays, self.arrays.hidden
        slots = arrays.timesteps + 1
        states = self._workspace.read(
            self._states, 0, arrays.samples * slots * hidden, self._dtype
        ).reshape(arrays.samples, slots, hidden)
        before = states[:, self._slot_before : self._slot_before + arrays.timesteps]
        x = arrays.host("x").reshape(self._rows, arrays.inputs)
        name = "the gradient of the state weights"
        self._check_columns(self._dw, x, gates, "the gradient of the weights")
        self._check_columns(self._du, before.reshape(self._rows, hidden), by_state, name)
        self._check_biases(gates, by_state)

    def _check_biases(self, gates, _by_state):
        self._check_columns(self._dbias, self._ones(), gates, "the gradient of the bias")

    def _ones(self):
        return np.ones((self._rows, 1))

    def _check_columns(self, buffer, left, gradients, name):
        """Compare some columns of what is to be the product of a matrix and gradients."""
        rows, wide = left.shape[1], self._wide
        columns = np.unique(np.linspace(0, wide - 1, _CHECKED_COLUMNS).astype(int))
        found = self._workspace.read(buffer, 0, rows * wide, self._dtype).reshape(rows, wide)
        right = gradients.reshape(self._rows, wide)[:, columns].astype(np.float64)
        expected = left.T.astype(np.float64) @ right
        self._compare(found[:, columns], expected, name)
