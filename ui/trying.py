"""A trial of settings for the job of an advice: what can be tried, running it, the new advice.

Leaves to others: the search (`ui.try_run`), showing it (`ui.dialogs.trial`), the words of the
command line (`ui.try_commands`).
"""

import dataclasses
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from advisor.errors import AdvisorError, InputError
from advisor.model.machine import MachineProfile
from advisor.model.recommendation import Recommendation
from advisor.model.trial import TrialReport, TrialRun, TrialSetup, TrialSource, TrialVerdict
from advisor.model.workload import Job, Workload
from advisor.recommend.tried import OWN_PREFIX
from advisor.share.steps import job_of
from probes.bench.process import CancelToken
from probes.bench.trials.facts import memory_limit_bytes
from probes.bench.trials.run import RunLimits
from ui import dataset, journey, try_source
from ui.history.store import History
from ui.own_steps import keep_own_step
from ui.settings import trials_file
from ui.try_plan import search_row, setups_for
from ui.try_run import RunSetup, Searcher, SearchRequest

_MINUTE_S = 60.0
_TELLING = (TrialVerdict.FASTER, TrialVerdict.SLOWER, TrialVerdict.NO_DIFFERENCE)


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialPlan:
    """What can be tried for an advice: the baseline first, then the most promising."""

    advice: Recommendation
    profile: MachineProfile
    source: TrialSource
    setups: tuple[TrialSetup, ...]

    def setups_of(self, option_id: str) -> tuple[TrialSetup, ...]:
        """Return the setups that try an option of the advice; none when nothing does."""
        own = option_id.removeprefix(OWN_PREFIX)
        return tuple(s for s in self.setups[1:] if option_id == s.option_id or own == s.id)


def plan_trial(advice: Recommendation, *, model_file: Path | None = None) -> TrialPlan:
    """Look at this machine and return what can be tried on it for the job of an advice.

    Args:
        advice: made for this machine.
        model_file: that the user has chosen; taken where it holds the network of the advice.

    Raises:
        InputError: when the advice is of another machine, or its network is not at hand.
    """
    profile = journey.probe_machine(with_opencl=False)
    if profile.cpu.brand != advice.profile.cpu.brand:
        raise InputError(
            f"this advice is for another machine ({advice.profile.cpu.brand}): press Advise me"
        )
    source = source_of_advice(advice, model_file=model_file)
    setups = setups_for(profile, source)
    return TrialPlan(advice=advice, profile=profile, source=source, setups=setups)


def source_of_advice(advice: Recommendation, *, model_file: Path | None) -> TrialSource:
    """Return the network and the job of an advice, from the file or from the bundled networks.

    Raises:
        InputError: when neither holds the network of the advice.
    """
    knowledge = dataset.bundled_knowledge()
    for path in dict.fromkeys((model_file, None)):
        found = _job_like(advice.workload, path)
        if found is not None and found.operators == advice.workload.operators:
            return try_source.source_of_workload(
                advice.workload, path=path, data=None, knowledge=knowledge
            )
    raise InputError(
        f"the file of {advice.workload.title} is not chosen any more: choose it as the network"
    )


def _job_like(workload: Workload, path: Path | None) -> Workload | None:
    job = Job(
        phase=workload.phase,
        batch_size=workload.batch_size,
        precision=workload.precision,
        samples=workload.samples,
        epochs=workload.epochs,
        optimizer=workload.optimizer,
    )
    request = journey.JourneyRequest(network=workload.network, model_file=path, job=job)
    try:
        return journey.load_job(request, dataset.bundled_knowledge())
    except AdvisorError:
        return None


def run_trial(
    plan: TrialPlan,
    setups: tuple[TrialSetup, ...],
    *,
    minutes: float,
    on_start: Callable[[TrialSetup], None],
    on_run: Callable[[TrialSetup, TrialRun], None],
    cancel: CancelToken,
    run: RunSetup | None = None,
) -> TrialReport:
    """Run the state now and the setups in turn; each finished run is kept in the history.

    So is, in the end, what the state now tells of the prediction.

    Raises:
        InputError: when the history cannot be written.
    """
    with History(trials_file()) as history:
        request = SearchRequest(
            source=plan.source,
            setups=(plan.setups[0], *setups),
            budget_s=minutes * _MINUTE_S,
            limits=RunLimits(memory_bytes=memory_limit_bytes(plan.profile)),
        )
        kept = history.begun(search_row(plan.profile, plan.source))
        searcher = Searcher(
            request,
            today=journey.today(),
            history=history,
            search_=kept,
            on_start=on_start,
            on_run=on_run,
            cancel=cancel,
            run=run,
        )
        report = searcher.go(plan.profile)
        keep_own_step(history, kept, dataclasses.replace(job_of(plan.advice), trials=report))
        return report


def tells_something(report: TrialReport) -> bool:
    """Return whether a trial came to a verdict that an advice can use."""
    return any(result.verdict in _TELLING for result in report.results)


def advice_with(report: TrialReport, advice: Recommendation) -> Recommendation:
    """Return the advice made anew with what was tried; what it was made from otherwise stays."""
    return journey.advise(
        advice.profile,
        advice.measurements,
        advice.workload,
        advice.preferences,
        dataset.bundled_knowledge(),
        index=dataset.bundled_index(),
        trials=report,
        own_steps=advice.own_steps,
    )
