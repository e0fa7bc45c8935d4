"""What was predicted of a step and what it then took: the pair that tells how good we predict.

Once a network was tried on this machine, an advice holds the steps that were run in place of the
predicted ones, and what was tried corrects what is predicted of others: then the prediction is
made again, from all else. Errors told are those of the model.
Leaves to others: which networks may be named (`advisor.share.anonymise`).
"""

import math
from dataclasses import dataclass

from advisor.knowledge.store import Knowledge
from advisor.model.machine import MachineProfile
from advisor.model.measurement import MeasurementSet, StabilityWarning
from advisor.model.own_step import OwnStep
from advisor.model.prediction import Prediction
from advisor.model.quantity import Basis
from advisor.model.recommendation import Recommendation
from advisor.model.trial import Runner, TrialReport, TrialResult
from advisor.model.workload import Workload
from advisor.predict.context import PredictionContext
from advisor.predict.index import KnowledgeIndex
from advisor.predict.predict import BASELINE_OPTION_ID, predict_baseline
from advisor.predict.workload_time import Z_80
from advisor.recommend.tried import trials_of

_UNFAIR = frozenset({StabilityWarning.BUSY, StabilityWarning.STEAL, StabilityWarning.THROTTLED})


@dataclass(frozen=True, slots=True, kw_only=True)
class TriedJob:
    """A job, the machine that it was tried on, and what was measured of both.

    `trials` is None when nothing was tried.
    """

    profile: MachineProfile
    measurements: MeasurementSet | None
    workload: Workload
    trials: TrialReport | None


@dataclass(frozen=True, slots=True, kw_only=True)
class StepPair:
    """A step of the user's job on this machine as it is: predicted, and as timed.

    `measured_s` is None when it was not timed, or with data of the user's own: reading them is
    part of such a step.
    """

    predicted: Prediction
    measured_s: float | None


def step_pair(
    advice: Recommendation, *, knowledge: Knowledge, index: KnowledgeIndex | None = None
) -> StepPair:
    """Return what an advice says about a step on this machine as it is.

    Args:
        advice: with what was tried, if anything was.
        knowledge: the facts.
        index: of the facts, where there is one already.
    """
    job = job_of(advice)
    tried = _state_now(job)
    if tried is None and not advice.own_steps:
        return StepPair(predicted=advice.baseline, measured_s=None)
    predicted = predict_baseline(_without_trials(job, knowledge=knowledge, index=index))
    return StepPair(predicted=predicted, measured_s=_measured_s(job, tried))


def job_of(advice: Recommendation) -> TriedJob:
    """Return the job of an advice with what was tried of it."""
    return TriedJob(
        profile=advice.profile,
        measurements=advice.measurements,
        workload=advice.workload,
        trials=advice.trials,
    )


def own_step(
    job: TriedJob, *, knowledge: Knowledge, index: KnowledgeIndex | None = None
) -> OwnStep | None:
    """Return what a trial tells of how well steps are predicted here.

    None without a fair figure of the state now, or without kernels of a framework measured here.

    Args:
        job: with what was tried.
        knowledge: the facts.
        index: of the facts, where there is one already.
    """
    tried = _state_now(job)
    if job.trials is None or tried is None or not _is_fair(tried, job.trials.warnings):
        return None
    measured_s = _measured_s(job, tried)
    context = _without_trials(job, knowledge=knowledge, index=index)
    if measured_s is None or not context.ceilings.cpu.is_framework:
        return None
    predicted = predict_baseline(context)
    if predicted.basis is Basis.MODEL_ONLY:
        return None
    step_s, workload = predicted.step_s, job.workload
    return OwnStep(
        network=workload.network,
        phase=workload.phase,
        precision=workload.precision,
        batch_size=workload.batch_size,
        predicted_s=step_s.mid,
        log_sd=math.log(step_s.high / step_s.mid) / Z_80,
        measured_s=measured_s,
        measured_on=job.trials.measured_on,
    )


def _without_trials(
    job: TriedJob, *, knowledge: Knowledge, index: KnowledgeIndex | None
) -> PredictionContext:
    """Return what the model alone has to predict from."""
    return PredictionContext(
        profile=job.profile,
        measurements=job.measurements,
        workload=job.workload,
        knowledge=knowledge,
        index=index,
    )


def _state_now(job: TriedJob) -> TrialResult | None:
    """Return the trial of everything as it is, None without a figure."""
    tried = trials_of(job.trials, workload=job.workload).get(BASELINE_OPTION_ID)
    return tried if tried is not None and tried.step_s is not None else None


def _measured_s(job: TriedJob, tried: TrialResult | None) -> float | None:
    if tried is None or tried.step_s is None or job.trials is None:
        return None
    per_step = job.workload.batch_size / tried.samples_per_step
    return None if job.trials.has_own_data else tried.step_s.mid * per_step


def _is_fair(tried: TrialResult, warnings: tuple[StabilityWarning, ...]) -> bool:
    """Whether nothing but the network ran, on the framework whose kernels are measured."""
    setup = tried.setup
    is_alike = (setup.runner, setup.backend, setup.device, setup.python) == (
        Runner.KERAS, "tensorflow", "cpu", None,
    )  # fmt: skip
    return is_alike and _UNFAIR.isdisjoint((*warnings, *tried.warnings))
