"""How a layer that is applied to one moment after the other is told.

Keras unrolls `TimeDistributed` and runs `ConvLSTM` in a loop: many small kernels, not a large one.
Leaves to others: what the layer computes (`advisor.network.dispatch`, `.rules_recurrent`).
"""

# Of a longer sequence several moments count as one kernel.
MOST_MOMENTS = 48


def moment_sizes(timesteps: int) -> tuple[int, ...]:
    """Return how many moments each application takes at once; together all of them."""
    at_once = -(-timesteps // MOST_MOMENTS)
    whole, rest = divmod(timesteps, at_once)
    return (at_once,) * whole + ((rest,) if rest else ())
