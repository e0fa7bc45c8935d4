"""What was predicted of a step and what it then took: the pair that tells how good we predict.

Once a network was tried on this machine, an advice holds the steps that were run in place of the
predicted ones: then the prediction is made again, from all else.
Leaves to others: which networks may be named (`advisor.share.anonymise`).
"""

from dataclasses import dataclass

from advisor.knowledge.store import Knowledge
from advisor.model.prediction import Prediction
from advisor.model.recommendation import Recommendation
from advisor.predict.ceilings import fit_ceilings
from advisor.predict.context import PredictionContext
from advisor.predict.predict import BASELINE_OPTION_ID, predict_baseline
from advisor.recommend.tried import trials_of


@dataclass(frozen=True, slots=True, kw_only=True)
class StepPair:
    """A step of the user's job on this machine as it is: predicted, and as timed.

    `measured_s` is None when it was not timed, or with data of the user's own: reading them is
    part of such a step.
    """

    predicted: Prediction
    measured_s: float | None


def step_pair(advice: Recommendation, *, knowledge: Knowledge) -> StepPair:
    """Return what an advice says about a step on this machine as it is."""
    trials, workload = advice.trials, advice.workload
    tried = trials_of(trials, workload=workload).get(BASELINE_OPTION_ID)
    if trials is None or tried is None or tried.step_s is None:
        return StepPair(predicted=advice.baseline, measured_s=None)
    context = PredictionContext(
        profile=advice.profile,
        ceilings=fit_ceilings(advice.profile, advice.measurements, knowledge),
        measurements=advice.measurements,
        workload=workload,
        knowledge=knowledge,
    )
    per_step = workload.batch_size / tried.samples_per_step
    return StepPair(
        predicted=predict_baseline(context),
        measured_s=None if trials.has_own_data else tried.step_s.mid * per_step,
    )
