"""A GRU layer in double precision; gates are update, reset and candidate.

Leaves to others: the arrays (`opencl_recurrent_reference`), the device (`opencl_gru`).
"""

import numpy as np
from opencl_recurrent_reference import sigmoid

GATES = 3


def _parts(values, hidden):
    return (values[..., k * hidden : (k + 1) * hidden] for k in range(GATES))


def forward(arrays, samples, order):
    """Return states, candidates' parts of the state, and gates of some samples, by timestep."""
    x, w, u, bias = (arrays.host(name).astype(np.float64) for name in ("x", "w", "u", "bias"))
    hidden = arrays.hidden
    bias, state_bias = bias.reshape(2, GATES * hidden)
    h = np.zeros((len(samples), hidden))
    states, remembered, gates = {}, {}, {}
    for t in order:
        of_input = _parts(x[samples, t] @ w + bias, hidden)
        of_state = _parts(h @ u + state_bias, hidden)
        (zx, rx, cx), (zh, rh, ch) = of_input, of_state
        z, r = sigmoid(zx + zh), sigmoid(rx + rh)
        c = np.tanh(cx + r * ch)
        h = z * h + (1 - z) * c
        states[t], remembered[t], gates[t] = h, ch, (z, r, c)
    return states, remembered, gates


def _gradients(arrays, samples, order, has_all):
    """Yield timesteps from the last, the gradients of the gates, and those from the state."""
    states, remembered, gates = forward(arrays, samples, order)
    u = arrays.host("u").astype(np.float64)
    given = arrays.host("gradient")[samples].astype(np.float64)
    state = np.zeros((len(samples), arrays.hidden))
    for step in reversed(range(len(order))):
        t = order[step]
        old = states[order[step - 1]] if step else np.zeros_like(state)
        z, r, c = gates[t]
        if has_all or step == len(order) - 1:
            state = state + given[:, t]
        of_z = state * (old - c) * z * (1 - z)
        of_c = state * (1 - z) * (1 - c**2)
        of_r = of_c * remembered[t] * r * (1 - r)
        from_state = np.concatenate((of_z, of_r, of_c * r), axis=1)
        yield t, np.concatenate((of_z, of_r, of_c), axis=1), from_state
        state = state * z + from_state @ u.T


def gate_gradients(arrays, samples, order, has_all):
    """Return the gradients of the gates of some samples in double precision, by timestep."""
    return {t: of_gates for t, of_gates, _ in _gradients(arrays, samples, order, has_all)}


def state_gradients(arrays, samples, order, has_all):
    """Return the gradients of what the state before is multiplied into, by timestep."""
    return {t: of_state for t, _, of_state in _gradients(arrays, samples, order, has_all)}
