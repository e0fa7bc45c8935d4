"""A GRU layer on an OpenCL device, as Keras has it: the reset gate works after the product.

What the state is multiplied into is kept beside what comes from the input, for the reset gate is
applied to the former alone.
Leaves to others: what all cells share (`opencl_recurrent_layer`).
"""

import opencl_gru_reference
import opencl_recurrent_layer


class GruLayer(opencl_recurrent_layer.LstmLayer):
    """One direction in time of a layer: update, reset and candidate, each with two biases."""

    N_GATES = opencl_gru_reference.GATES
    _N_BIASES = 2
    _CELL = "gru"
    _REFERENCE = opencl_gru_reference

    def _hold(self, workspace):
        self._from_state = workspace.empty(self._rows * self._wide, self._dtype)
        self._is_added = 0

    def _arguments(self, step, t):
        arrays = self.arrays
        return [
            self._gates, self._from_state, self._bias, self._states, arrays.samples,
            arrays.hidden, arrays.timesteps, t, int(step == 0), t + self._slot_before,
            t + self._slot,
        ]  # fmt: skip

    def _hold_gradients(self, workspace):
        return workspace.empty(self._rows * self._wide, self._dtype)

    def _gradient_arguments(self, step, t):
        arrays, is_last = self.arrays, step == len(self.order) - 1
        return [
            self._gates, self._from_state, self._states, self._given, self._later, self._carried,
            self._gradients, self._state_gradients, arrays.samples, arrays.hidden,
            arrays.timesteps, t, t + self._slot_before, int(is_last),
            int(is_last or self._has_all),
        ]  # fmt: skip

    def _bias_gradients(self):
        launches = super()._bias_gradients()
        self._dstate_bias, more = self._bias_gradient(self._state_gradients)
        return launches + more

    def _checked_state_gradients(self, _gates, samples):
        found = self._read_gates(self._state_gradients)
        expected = self._expected(samples, opencl_gru_reference.state_gradients)
        self._compare(found[samples], expected, "the gradients from the state")
        return found

    def _check_biases(self, gates, by_state):
        super()._check_biases(gates, by_state)
        name = "the gradient of the state's bias"
        self._check_columns(self._dstate_bias, self._ones(), by_state, name)
