"""How a layer that is applied to one moment after the other is told.

Keras unrolls `TimeDistributed` and runs `ConvLSTM` in a loop: many small kernels, not a large one.
Leaves to others: what the layer computes (`advisor.network.dispatch`, `.rules_recurrent`).
"""

# Of a longer sequence several moments count as one kernel.
_MOST_MOMENTS = 48
# Layers that a model is unfolded into.
_MOST_LAYERS = 2000


def moment_sizes(timesteps: int, *, n_layers: int = 1, is_moment: bool = False) -> tuple[int, ...]:
    """Return how many moments each application takes at once; together all of them.

    Args:
        timesteps: at least 1.
        n_layers: of what is applied to each moment; many layers are applied less often.
        is_moment: whether the sequence is itself a moment of another one, and told as one.
    """
    most = 1 if is_moment else max(1, min(_MOST_MOMENTS, _MOST_LAYERS // n_layers))
    at_once = -(-timesteps // most)
    whole, rest = divmod(timesteps, at_once)
    return (at_once,) * whole + ((rest,) if rest else ())
