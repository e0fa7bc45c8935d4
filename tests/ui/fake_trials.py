"""Trials that take no time: what stands in for the processes of `try`."""

from advisor.model.measurement import Outcome
from advisor.model.trial import TrialRun

SPEEDS = {"bfloat16": 1.5, "xla": 0.4, "malloc-keep": 1.2, "bfloat16+malloc-keep": 1.9}


class Fake:
    """Runs a setup in no time; `breaks_at` raises as Ctrl-C twice does."""

    def __init__(self):
        self.order = []
        self.limits = []
        self.breaks_at = None

    def __call__(self, source, setup, *, started_s, limits, cancel):
        if len(self.order) == self.breaks_at:
            raise KeyboardInterrupt
        self.order.append(setup.id)
        self.limits.append(limits)
        return TrialRun(
            setup_id=setup.id,
            started_s=started_s,
            duration_s=5.0,
            outcome=Outcome.COMPLETED,
            values_s=(0.1 / SPEEDS.get(setup.id, 1.0) * (1 + len(self.order) % 3 / 300),),
            batch_size=setup.batch_size or source.batch_size,
            check_value=2.3,
        )
