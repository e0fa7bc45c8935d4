"""How a layer that is applied to one moment after the other is told.

Keras unrolls `TimeDistributed` and runs `ConvLSTM` in a loop: many small kernels, not a large one.
Leaves to others: what the layer computes (`advisor.network.dispatch`, `.rules_recurrent`).
"""

from advisor.model.kernel import SLICE, ElementwiseShape
from advisor.network.call import Step

# Of a longer sequence several moments count as one operator that is run several times.
_MOST_MOMENTS = 48
# Layers that a model is unfolded into.
_MOST_LAYERS = 2000


def moment_repeats(
    timesteps: int, *, n_layers: int = 1, is_moment: bool = False
) -> tuple[int, ...]:
    """Return how often each told application is run, once for each moment; together all of them.

    Args:
        timesteps: at least 1.
        n_layers: of what is applied to each moment; many layers are told less often.
        is_moment: whether the sequence is itself a moment of another one, and told once.
    """
    most = 1 if is_moment else max(1, min(_MOST_MOMENTS, _MOST_LAYERS // n_layers))
    told = min(timesteps, most)
    often, more = divmod(timesteps, told)
    return (often + 1,) * more + (often,) * (told - more)


def slices(elements: int, timesteps: int) -> Step:
    """Return the step that takes all moments out of a sequence, one after the other.

    Args:
        elements: values of the whole sequence, for the whole batch.
        timesteps: at least 1.
    """
    return Step(
        shape=ElementwiseShape(op=SLICE, elements=elements),
        elements=elements // timesteps,
        repeats=timesteps,
    )
