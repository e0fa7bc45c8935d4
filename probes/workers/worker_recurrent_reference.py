"""Recurrent layers of Keras in double precision, for few samples, by the definition.

Weights are those of the Keras layer: kernel, recurrent kernel, bias.
Leaves to others: running the layers (`worker_keras_recurrent`).
"""

import numpy as np


def _sigmoid(values):
    return 1.0 / (1.0 + np.exp(-values))


def _lstm_step(x, state, weights):
    hidden, carry = state
    kernel, recurrent, bias = weights
    gates = x @ kernel + hidden @ recurrent + bias
    enter, forget, candidate, leave = np.split(gates, 4, axis=-1)
    carry = _sigmoid(forget) * carry + _sigmoid(enter) * np.tanh(candidate)
    return _sigmoid(leave) * np.tanh(carry), carry


def _gru_step(x, state, weights):
    hidden = state[0]
    kernel, recurrent, bias = weights
    from_x = np.split(x @ kernel + bias[0], 3, axis=-1)
    from_hidden = np.split(hidden @ recurrent + bias[1], 3, axis=-1)
    update = _sigmoid(from_x[0] + from_hidden[0])
    reset = _sigmoid(from_x[1] + from_hidden[1])
    candidate = np.tanh(from_x[2] + reset * from_hidden[2])
    return (update * hidden + (1.0 - update) * candidate,)


def _rnn_step(x, state, weights):
    kernel, recurrent, bias = weights
    return (np.tanh(x @ kernel + state[0] @ recurrent + bias),)


_STEPS = {"lstm": (_lstm_step, 2), "gru": (_gru_step, 1), "rnn": (_rnn_step, 1)}


def run_cell(cell, sequences, weights):
    """Return the outputs of a cell at each time step, shape (batch, timesteps, hidden).

    Args:
        cell: "lstm", "gru" (reset after the product, as Keras has it) or "rnn".
        sequences: array (batch, timesteps, input).
        weights: kernel, recurrent kernel and bias.
    """
    step, n_states = _STEPS[cell]
    weights = [np.asarray(w, dtype=np.float64) for w in weights]
    sequences = np.asarray(sequences, dtype=np.float64)
    zeros = np.zeros((len(sequences), weights[1].shape[0]))
    state = (zeros,) * n_states
    outputs = []
    for time in range(sequences.shape[1]):
        state = step(sequences[:, time], state, weights)
        outputs.append(state[0])
    return np.stack(outputs, axis=1)
