"""How long the turns are in which two processes take steps, one after the other.

Both sides count with it: who runs the steps, and who foretells how long that takes.
Leaves to others: running (`probes.bench.trials.visits`), what comes next (`advisor.trial`).
"""

import math

# Steps of a turn last so long together, or one does.
TURN_S = 0.05
# A first step that is shorter is not timed (`Settling` of the worker).
_SETTLED_S = 0.02
# Turns of either side: as many as last half a second, and so many at least.
_TIMED_S = 0.5
_LEAST_TURNS = 3
# What all are compared with begins alone, long enough for most of the check values.
TURNS_ALONE = 6


def n_turns(step_s: float) -> int:
    """Return how many turns a run has whose shorter step lasts so many seconds."""
    return max(_LEAST_TURNS, math.ceil(_TIMED_S / max(step_s, TURN_S)))


def turn_s(step_s: float) -> float:
    """Return how long a turn takes, with a first step that is not timed."""
    n_steps = math.ceil(TURN_S / step_s) + (step_s < _SETTLED_S)
    return n_steps * step_s
