"""An LSTM layer in double precision, and the arrays that it is fed with.

Leaves to others: the device (`opencl_recurrent`).
"""

import numpy as np
import opencl_device

GATES = 4
_SEEDS = {"x": 1, "w": 2, "u": 3, "bias": 4, "gradient": 5}


class Arrays:
    """The arrays of one direction of a layer, on the host. Weights keep gates in their range.

    Args:
        shape: fields of `RecurrentShape`.
        timesteps: how many, may be fewer than in the shape.
        dtype: of all of them.
        n_gates: of the cell.
        n_biases: one, or a second one for the product with the state.
    """

    def __init__(self, shape, timesteps, dtype, n_gates=GATES, n_biases=1):
        self.samples, self.timesteps = shape["batch"], timesteps
        self.inputs, self.hidden = shape["input"], shape["hidden"]
        self._dtype, self._n_gates, self._n_biases = dtype, n_gates, n_biases
        self._scale = 1.0 / np.sqrt(self.inputs + self.hidden)

    def host(self, name):
        """Return an array by name: x, w, u, bias, gradient (of all states)."""
        wide = self._n_gates * self.hidden
        shape = {
            "x": (self.samples, self.timesteps, self.inputs),
            "w": (self.inputs, wide),
            "u": (self.hidden, wide),
            "bias": (self._n_biases * wide,),
            "gradient": (self.samples, self.timesteps, self.hidden),
        }[name]
        values = opencl_device.random_values(_SEEDS[name], int(np.prod(shape)), np.float32)
        if name in ("w", "u", "bias"):
            values = values * np.float32(self._scale)
        return values.reshape(shape).astype(self._dtype)


def sigmoid(x):
    """Return what a gate makes of its input."""
    return 1.0 / (1.0 + np.exp(-x))


def forward(arrays, samples, order):
    """Return states, cells and gates of some samples in double precision, by timestep."""
    x, w, u, bias = (arrays.host(name).astype(np.float64) for name in ("x", "w", "u", "bias"))
    n, hidden = len(samples), arrays.hidden
    h, c = np.zeros((n, hidden)), np.zeros((n, hidden))
    states, cells, gates = {}, {}, {}
    for t in order:
        z = x[samples, t] @ w + h @ u + bias
        i, f, g, o = (z[:, k * hidden : (k + 1) * hidden] for k in range(GATES))
        i, f, g, o = sigmoid(i), sigmoid(f), np.tanh(g), sigmoid(o)
        c = f * c + i * g
        h = o * np.tanh(c)
        states[t], cells[t], gates[t] = h, c, (i, f, g, o)
    return states, cells, gates


def gate_gradients(arrays, samples, order, has_all):
    """Return the gradients of the gates of some samples in double precision, by timestep."""
    _, cells, gates = forward(arrays, samples, order)
    u = arrays.host("u").astype(np.float64)
    given = arrays.host("gradient")[samples].astype(np.float64)
    state = cell = np.zeros((len(samples), arrays.hidden))
    result = {}
    for step in reversed(range(len(order))):
        t = order[step]
        old = cells[order[step - 1]] if step else np.zeros_like(state)
        i, f, g, o = gates[t]
        if has_all or step == len(order) - 1:
            state = state + given[:, t]
        squashed = np.tanh(cells[t])
        cell = cell + state * o * (1 - squashed**2)
        parts = (
            cell * g * i * (1 - i),
            cell * old * f * (1 - f),
            cell * i * (1 - g**2),
            state * squashed * o * (1 - o),
        )
        result[t] = np.concatenate(parts, axis=1)
        cell, state = cell * f, result[t] @ u.T
    return result
