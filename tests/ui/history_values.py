"""A history on disk for the tests: advice, a trial, a damaged file."""

import dataclasses
import datetime as dt

from advisor.model.measurement import MeasurementSet, Outcome
from advisor.model.own_step import OwnStep
from advisor.model.quantity import Phase, Precision
from advisor.model.trial import TrialRun, TrialSetup, TrialSource
from tests.ui.advice_values import a_measurement, an_advice
from ui.history.advices import keep_advice
from ui.history.rows import search_of
from ui.history.store import History
from ui.settings import advices_folder, trials_file

DAY = dt.datetime(2026, 11, 20, 12, 0, tzinfo=dt.UTC)
NOW = TrialSetup(id="now", title="As it is now", option_id="stay")
XLA = TrialSetup(id="xla", title="Compile with XLA", option_id="xla-cpu")
SOURCE = TrialSource(
    name="net", title="A small net", phase=Phase.TRAINING, batch_size=8, model_json="{}"
)


def measured_advice(*, time_s, n=3, **changes):
    results = tuple(a_measurement(number, time_s=time_s) for number in range(n))
    measured = MeasurementSet(measured_on="2026-11-20", duration_s=9.0, results=results)
    return dataclasses.replace(an_advice(), measurements=measured, **changes)


def keep(advice, *, days=0):
    return keep_advice(advice, folder=advices_folder(), now=DAY + dt.timedelta(days=days))


def a_run(setup, step_s, number):
    return TrialRun(
        setup_id=setup.id, started_s=5.0 * number, duration_s=5.0, outcome=Outcome.COMPLETED,
        values_s=(step_s, step_s * 1.001), batch_size=8, check_value=2.3,
    )  # fmt: skip


def keep_trial(*, xla_s=0.05, source=SOURCE, is_broken_off=False):
    """Keep a search of the state now and XLA in turn; return its key."""
    with History(trials_file()) as history:
        search = history.begun(
            search_of(source, machine="A CPU", software="keras", created_on="2026-11-21")
        )
        turns = [NOW, XLA, NOW, XLA, NOW, XLA, NOW]
        for number, setup in enumerate(turns[:1] if is_broken_off else turns):
            step_s = (0.1 if setup is NOW else xla_s) * (1 + number / 2000)
            history.add_run(search, setup, a_run(setup, step_s, number), finished_on="2026-11-21")
    return search.key


def keep_step(key, *, measured_s=0.11):
    """Keep what a search tells of the predictions."""
    step = OwnStep(
        network="net", phase=Phase.TRAINING, precision=Precision.FLOAT32, batch_size=8,
        predicted_s=0.1, log_sd=0.1, measured_s=measured_s, measured_on="2026-11-22",
    )  # fmt: skip
    with History(trials_file()) as history:
        (search,) = {row.search for row in history.rows() if row.search.key == key}
        history.add_own_step(search, step)
    return step


def damage(*, days=9):
    path = keep(measured_advice(time_s=0.5), days=days)
    path.write_text(path.read_text()[:500])
    return path
