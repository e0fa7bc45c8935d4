"""What was predicted of a step and what it then took: the pair that tells how good we predict.

Once a network was tried on this machine, an advice holds the steps that were run in place of the
predicted ones, and what was tried corrects what is predicted of others: then the prediction is
made again, from all else. Errors told are those of the model.
Leaves to others: which networks may be named (`advisor.share.anonymise`).
"""

import math
from dataclasses import dataclass

from advisor.knowledge.store import Knowledge
from advisor.model.measurement import StabilityWarning
from advisor.model.own_step import OwnStep
from advisor.model.prediction import Prediction
from advisor.model.quantity import Basis
from advisor.model.recommendation import Recommendation
from advisor.model.trial import Runner, TrialResult
from advisor.predict.ceilings import fit_ceilings
from advisor.predict.context import PredictionContext
from advisor.predict.index import KnowledgeIndex
from advisor.predict.predict import BASELINE_OPTION_ID, predict_baseline
from advisor.predict.workload_time import Z_80
from advisor.recommend.tried import trials_of

_UNFAIR = frozenset({StabilityWarning.BUSY, StabilityWarning.STEAL, StabilityWarning.THROTTLED})


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
    trials, workload = advice.trials, advice.workload
    tried = trials_of(trials, workload=workload).get(BASELINE_OPTION_ID)
    has_figure = trials is not None and tried is not None and tried.step_s is not None
    if not has_figure and not advice.own_steps:
        return StepPair(predicted=advice.baseline, measured_s=None)
    context = PredictionContext(
        profile=advice.profile,
        ceilings=fit_ceilings(advice.profile, advice.measurements, knowledge),
        measurements=advice.measurements,
        workload=workload,
        knowledge=knowledge,
        index=index,
    )
    predicted = predict_baseline(context)
    if trials is None or tried is None or tried.step_s is None or trials.has_own_data:
        return StepPair(predicted=predicted, measured_s=None)
    per_step = workload.batch_size / tried.samples_per_step
    return StepPair(predicted=predicted, measured_s=tried.step_s.mid * per_step)


def own_step(
    advice: Recommendation, *, knowledge: Knowledge, index: KnowledgeIndex | None = None
) -> OwnStep | None:
    """Return what the trial of an advice tells of how well steps are predicted here.

    None without a fair figure of the state now, or without kernels of a framework measured here.

    Args:
        advice: with what was tried.
        knowledge: the facts.
        index: of the facts, where there is one already.
    """
    trials, workload = advice.trials, advice.workload
    tried = trials_of(trials, workload=workload).get(BASELINE_OPTION_ID)
    if trials is None or tried is None or not _is_fair(tried, warnings=trials.warnings):
        return None
    if not fit_ceilings(advice.profile, advice.measurements, knowledge).cpu.is_framework:
        return None
    pair = step_pair(advice, knowledge=knowledge, index=index)
    if pair.measured_s is None or pair.predicted.basis is Basis.MODEL_ONLY:
        return None
    step_s = pair.predicted.step_s
    return OwnStep(
        network=workload.network,
        phase=workload.phase,
        precision=workload.precision,
        batch_size=workload.batch_size,
        predicted_s=step_s.mid,
        log_sd=math.log(step_s.high / step_s.mid) / Z_80,
        measured_s=pair.measured_s,
        measured_on=trials.measured_on,
    )


def _is_fair(tried: TrialResult, *, warnings: tuple[StabilityWarning, ...]) -> bool:
    """Whether nothing but the network ran, on the framework whose kernels are measured."""
    setup = tried.setup
    is_alike = (setup.runner, setup.backend, setup.device, setup.python) == (
        Runner.KERAS, "tensorflow", "cpu", None,
    )  # fmt: skip
    return is_alike and _UNFAIR.isdisjoint((*warnings, *tried.warnings))
