"""The main job, without a display: probe, provisional advice, measuring, advice.

The command line and the window walk the same line; each step is also a function of its own, so
that both can start anywhere from a saved value.
A step is imported when it is first walked: the window comes before the steps are loaded.
Leaves to others: the steps themselves (`probes`, `advisor`), showing them (`ui.cli`, views).
"""

from __future__ import annotations

import contextlib
import dataclasses
import datetime as dt
import importlib
import importlib.resources
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

from advisor.errors import InputError
from advisor.knowledge.store import Knowledge
from advisor.model.kernel import KernelCall
from advisor.model.machine import Environment, MachineProfile
from advisor.model.measurement import MeasurementSet, Runner
from advisor.model.own_step import OwnStep
from advisor.model.recommendation import Preferences, Recommendation
from advisor.model.trial import TrialReport, UntakenTrial
from advisor.model.workload import Job, Workload
from probes.bench.events import SessionEvent
from probes.bench.plan_builder import Budget
from ui.dataset import bundled_index, bundled_knowledge
from ui.settings import read_overrides, tuning_folder

if TYPE_CHECKING:
    from advisor.predict.index import KnowledgeIndex
    from probes.bench.process import CancelToken
    from ui.last_measured import MeasuredRun

DEFAULT_NETWORK = "cifar10-deep-cnn"
# The network's own kernels get this much of a quick run.
REPLAY_S = {Budget.QUICK: 6.0, Budget.THOROUGH: 30.0}
# What it lacks beside known figures gets this much of a device, its own kernels first.
REST_S = {Budget.QUICK: 25.0, Budget.THOROUGH: 120.0}
# What a run imports when it comes to it.
_STEPS = (
    "advisor.network.load",
    "advisor.predict.replay",
    "advisor.recommend.recommend",
    "probes.bench.session",
    "probes.bench.tuning_store",
    "probes.machine.collect",
    "probes.machine.opencl",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class JourneyRequest:
    """What the user asks for.

    Attributes:
        network: bundled name; model_file: a model file instead of it (both None: the default).
        device_ids: devices to be measured, None for all.
        python: interpreter whose framework is measured, None for our own.
        earlier: what was measured before, for a first guess; None: it goes without.
        known: what was measured a moment ago and stands: only what it lacks is measured; None: all.
    """

    network: str | None = None
    model_file: Path | None = None
    job: Job = field(default_factory=Job)
    preferences: Preferences = field(default_factory=Preferences)
    budget: Budget = Budget.QUICK
    device_ids: tuple[str, ...] | None = None
    python: str | None = None
    earlier: MeasuredRun | None = None
    known: MeasuredRun | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ProfileReady:
    """The machine is known."""

    profile: MachineProfile


@dataclass(frozen=True, slots=True, kw_only=True)
class ProvisionalReady:
    """A first answer from bundled knowledge alone."""

    recommendation: Recommendation


@dataclass(frozen=True, slots=True, kw_only=True)
class PlanReady:
    """What is going to be measured: the number of kernels."""

    n_kernels: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AdviceReady:
    """The answer, sharpened by the measurements."""

    recommendation: Recommendation


JourneyEvent = ProfileReady | ProvisionalReady | PlanReady | AdviceReady | SessionEvent


def app_version() -> str:
    """Return the version of the product."""
    return importlib.resources.files("resources").joinpath("VERSION").read_text().strip()


def doctor_title() -> str:
    """Return the first line of a bug report: what runs, on which Python."""
    return f"dl-advisor {app_version()}, Python {sys.version.split()[0]}"


def now() -> dt.datetime:
    """Return this moment, with its time zone."""
    return dt.datetime.now().astimezone()


def today() -> str:
    """Return today's date in ISO form."""
    return dt.date.today().isoformat()


def warm_up(more: Sequence[str] = ()) -> None:
    """Load what the first run needs, and more modules, for a quiet moment."""
    for name in (*_STEPS, *more):
        importlib.import_module(name)
    bundled_index()


def load_job(request: JourneyRequest, knowledge: Knowledge) -> Workload:
    """Return the workload that the user asked for.

    Raises:
        InputError: unknown network, bad numbers, or a model file that cannot be read.
    """
    from advisor.network.load import bundled_workload, workload_from_file

    if request.model_file is not None:
        return workload_from_file(request.model_file, job=request.job)
    name = request.network or DEFAULT_NETWORK
    return bundled_workload(name, job=request.job, networks=knowledge.networks)


def probe_machine(
    *, with_opencl: bool = True, overrides: Mapping[str, str] | None = None
) -> MachineProfile:
    """Return the facts about this machine, with the user's own values in it.

    Args:
        with_opencl: whether the OpenCL drivers are asked, in a child process.
        overrides: by dotted name; None: those that the user has kept. One that names a part
            which is not there any more is left out.
    """
    from probes.machine.collect import collect_profile
    from probes.machine.opencl import list_opencl_devices
    from probes.machine.overrides import apply_overrides
    from probes.machine.reader import SystemReader

    lister = list_opencl_devices if with_opencl else None
    profile = collect_profile(SystemReader(), today=today(), list_opencl=lister)
    for name, text in (read_overrides() if overrides is None else overrides).items():
        with contextlib.suppress(InputError):
            profile = apply_overrides(profile, {name: text})
    return profile


def framework_python(profile: MachineProfile) -> str | None:
    """Return the interpreter whose TensorFlow is timed when none is named; None for our own.

    A package without TensorFlow takes the user's first environment that has it.
    """
    own = next((e for e in profile.environments if e.kind == "ours"), None)
    if own is None or _times_tensorflow(own):
        return None
    return next((e.python for e in profile.environments if _times_tensorflow(e)), None)


def _times_tensorflow(environment: Environment) -> bool:
    from probes.bench.plan_environment import Stack, stacks_of

    return Stack(runner=Runner.KERAS) in stacks_of(environment)


def measure(
    profile: MachineProfile,
    workload: Workload | None,
    request: JourneyRequest,
    *,
    on_event: Callable[[SessionEvent | PlanReady], None],
    cancel: CancelToken,
    known: MeasurementSet | None = None,
) -> MeasurementSet:
    """Run the suite, with the workload's own kernels when there is one; or what is not known."""
    from advisor.predict.replay import replay_kernels
    from probes.bench.plan import budgets_s, plan
    from probes.bench.session import Session
    from probes.bench.tuning_store import TuningStore
    from ui.rest_of_run import still_to_time, together, with_reference

    replay: tuple[KernelCall, ...] = ()
    details: dict[str, Any] = {}
    if workload is not None:
        replay = replay_kernels(workload, limit_s=REPLAY_S[request.budget])
        details = {
            "phase": workload.phase,
            "precision": workload.precision,
            "batch_size": workload.batch_size,
            "layers": tuple(operator.shape for operator in workload.operators),
        }
    chosen = request.device_ids
    requests = plan(profile, budget=request.budget, device_ids=chosen, replay=replay, **details)
    if known is not None:
        layers = details.get("layers", ())
        left = still_to_time(requests, known, replay=replay, layers=layers)
        requests = with_reference(left, requests)
    on_event(PlanReady(n_kernels=len(requests)))
    tuning = TuningStore(tuning_folder())
    python = request.python or framework_python(profile)
    session = Session(profile=profile, python=python, tuning=tuning)
    limit_s = budgets_s(profile, budget=request.budget, device_ids=chosen)
    if known is not None:
        limit_s = {name: min(limit, REST_S[request.budget]) for name, limit in limit_s.items()}
    if known is not None and not requests:
        return known
    added = session.run(requests, on_event=on_event, cancel=cancel, budget_s=limit_s)
    return added if known is None else together(known, added)


def advise(
    profile: MachineProfile,
    measurements: MeasurementSet | None,
    workload: Workload,
    preferences: Preferences,
    knowledge: Knowledge,
    *,
    index: KnowledgeIndex | None = None,
    own_steps: tuple[OwnStep, ...] = (),
    trials: TrialReport | None = None,
    untaken_trial: UntakenTrial | None = None,
) -> Recommendation:
    """Return the advice for today's date; without the index of the knowledge it is made."""
    from advisor.recommend.recommend import recommend

    return recommend(
        profile,
        measurements,
        workload,
        preferences,
        knowledge,
        today=today(),
        app_version=app_version(),
        index=index,
        own_steps=own_steps,
        trials=trials,
        untaken_trial=untaken_trial,
    )


def advise_with_tried(
    profile: MachineProfile,
    measurements: MeasurementSet | None,
    workload: Workload,
    preferences: Preferences,
    *,
    model_file: Path | None,
) -> Recommendation:
    """Return the advice with what was tried on this machine before, of this job and of others."""
    from ui.earlier_trials import earlier_trials_of
    from ui.own_steps import own_steps_of

    earlier = earlier_trials_of(profile, workload, model_file=model_file)
    return advise(
        profile,
        measurements,
        workload,
        preferences,
        bundled_knowledge(),
        index=bundled_index(),
        own_steps=own_steps_of(profile),
        trials=earlier.taken,
        untaken_trial=earlier.untaken,
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class WhatIf:
    """Another size of the same job, or other limits; None for no limit."""

    epochs: int
    max_usd: float | None
    deadline_h: float | None

    @classmethod
    def of(cls, advice: Recommendation) -> WhatIf:
        """Return the size and the limits that an advice is for."""
        limits = advice.preferences
        return cls(
            epochs=advice.workload.epochs, max_usd=limits.max_usd, deadline_h=limits.deadline_h
        )


def rank_anew(advice: Recommendation, what_if: WhatIf) -> Recommendation:
    """Return the advice for the same machine and measurements under other circumstances."""
    preferences = dataclasses.replace(
        advice.preferences, max_usd=what_if.max_usd, deadline_h=what_if.deadline_h
    )
    return advise(
        advice.profile,
        advice.measurements,
        advice.workload.with_epochs(what_if.epochs),
        preferences,
        bundled_knowledge(),
        index=bundled_index(),
        trials=advice.trials,
        own_steps=advice.own_steps,
        untaken_trial=advice.untaken_trial,
    )


def _of_this_machine(run: MeasuredRun | None, profile: MachineProfile) -> MeasurementSet | None:
    """Return what an earlier run measured, None where it is another machine's or incomplete."""
    if run is None or run.measurements is None or run.measurements.is_cancelled:
        return None
    return run.measurements if run.profile.cpu.brand == profile.cpu.brand else None


def walk(
    request: JourneyRequest,
    *,
    on_event: Callable[[JourneyEvent], None],
    cancel: CancelToken,
) -> Recommendation:
    """Walk the whole line and return the advice; a cancelled run gives what it has.

    Raises:
        InputError: bad input, before anything is measured.
    """
    from advisor.recommend.room import fits_here
    from ui.sitting import known_of

    knowledge = bundled_knowledge()
    workload = load_job(request, knowledge)
    profile = probe_machine()
    on_event(ProfileReady(profile=profile))
    index = bundled_index()
    earlier = _of_this_machine(request.earlier, profile)
    first = advise(profile, earlier, workload, request.preferences, knowledge, index=index)
    on_event(ProvisionalReady(recommendation=first))
    # What does not fit is not run here, nor are its kernels; the machine is measured all the same.
    fits = fits_here(workload, profile) is not False
    here = workload if fits else None
    known = known_of(request, profile)
    results = measure(profile, here, request, on_event=on_event, cancel=cancel, known=known)
    if not (results.measured or results.is_cancelled):
        return first
    final = advise_with_tried(
        profile, results, workload, request.preferences, model_file=request.model_file
    )
    on_event(AdviceReady(recommendation=final))
    return final
