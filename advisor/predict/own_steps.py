"""What steps that were tried on this machine tell of the steps of another job on it.

Their mean error is drawn towards nothing by what noise explains (in the manner of James and Stein,
to nothing within two standard errors), and bounded. Noise is what the predictions said of
themselves, or how far their errors scatter where that is more. In training a network tells a little
more of itself: at another batch a third of its own error comes back. Intervals stay as wide.
Leaves to others: when a correction counts (`advisor.predict.context`), the pair of told and taken
(`advisor.share.steps`).
"""

import dataclasses
import math
import statistics
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from advisor.format import format_percent
from advisor.model.own_step import OwnStep
from advisor.model.prediction import Evidence
from advisor.model.quantity import Phase, Precision, Source
from advisor.model.workload import Workload
from advisor.predict.workload_time import StepEstimate

# Whatever was tried, a prediction is not moved further than this.
LARGEST_LOG = math.log(1.5)
# Within so many standard errors a mean says nothing: with one, a single network that happened to be
# off made the others worse (decision 0014).
_STANDARD_ERRORS = 2.0
# By so much all steps of a machine move together from one hour to another (standard deviation of
# the logarithm): between the first and the last suite of the two quietest recordings they moved
# by 0.005 to 0.05 (decision 0014).
_HOUR_SD = 0.02
# Less is nothing to speak of.
_LEAST_LOG = 1e-3
# Of a network's own error, what comes back at another batch: two recordings, 54 pairs a phase. In
# inference it does not come back often enough to help (decision 0014).
OWN_SHARE = {Phase.TRAINING: 0.3, Phase.INFERENCE: 0.0}


@dataclass(frozen=True, slots=True, kw_only=True)
class Correction:
    """What is added to the logarithm of a step.

    Attributes:
        evidence: what was tried, in words.
        n_networks: that were tried in the same phase and precision.
    """

    log: float
    evidence: tuple[Evidence, ...]
    n_networks: int

    def of(self, step: StepEstimate) -> StepEstimate:
        """Return a step with the correction, as uncertain as before."""
        factor = math.exp(self.log)
        return dataclasses.replace(
            step,
            step_s=step.step_s.scaled(factor),
            breakdown=tuple(
                dataclasses.replace(part, time_s=factor * part.time_s) for part in step.breakdown
            ),
            notes=(*step.notes, _note(self.log)),
        )


def correction(own_steps: Iterable[OwnStep], workload: Workload) -> Correction | None:
    """Return what own steps say about a job; None when they say nothing.

    Args:
        own_steps: of this machine; of each job the last one counts.
        workload: the job; only steps of its phase and precision count.
    """
    networks = _by_network(own_steps, phase=workload.phase, precision=workload.precision)
    if not networks:
        return None
    errors = {name: _mean_error(steps) for name, steps in networks.items()}
    mean = statistics.fmean(errors.values())
    doubt = max(_said_doubt(networks.values()), _seen_doubt(errors.values())) + _HOUR_SD**2
    beyond_noise = max(0.0, 1.0 - _STANDARD_ERRORS**2 * doubt / mean**2) if mean else 0.0
    shared = _clipped(beyond_noise * mean)
    log = shared
    evidence: list[Evidence] = []
    if abs(shared) >= _LEAST_LOG:
        evidence.append(_evidence(mean, networks))
    own = errors.get(workload.network)
    share = OWN_SHARE[workload.phase]
    if own is not None and share > 0.0:
        log = _clipped(shared + share * (own - shared))
        evidence.append(_own_evidence(own, networks[workload.network]))
    if abs(log) < _LEAST_LOG:
        return None
    return Correction(log=log, evidence=tuple(evidence), n_networks=len(networks))


def _by_network(
    own_steps: Iterable[OwnStep], *, phase: Phase, precision: Precision
) -> dict[str, list[OwnStep]]:
    """Return the last step of each job, by network."""
    last = {
        (step.network, step.batch_size): step
        for step in own_steps
        if (step.phase, step.precision) == (phase, precision)
        and min(step.predicted_s, step.measured_s) > 0.0
    }
    found: dict[str, list[OwnStep]] = {}
    for (name, _batch), step in sorted(last.items()):
        found.setdefault(name, []).append(step)
    return found


def _mean_error(steps: Sequence[OwnStep]) -> float:
    return statistics.fmean(math.log(step.measured_s / step.predicted_s) for step in steps)


def _said_doubt(networks: Iterable[Sequence[OwnStep]]) -> float:
    """Return the variance of the mean error, by what each prediction said of itself."""
    variances = [statistics.fmean(step.log_sd**2 for step in steps) for steps in networks]
    return statistics.fmean(variances) / len(variances)


def _seen_doubt(errors: Iterable[float]) -> float:
    """Return the variance of the mean error, by how the errors scatter; 0 of fewer than two."""
    found = list(errors)
    return statistics.variance(found) / len(found) if len(found) > 1 else 0.0


def _clipped(log: float) -> float:
    return min(max(log, -LARGEST_LOG), LARGEST_LOG)


def _note(log: float) -> str:
    share = format_percent(abs(math.expm1(log)))
    if log > 0.0:
        return f"The time of a step is {share} longer for what was tried on this machine."
    return f"The time of a step is {share} shorter for what was tried on this machine."


def _than_predicted(log: float) -> str:
    word = "more" if log > 0.0 else "less"
    return f"{format_percent(abs(math.expm1(log)))} {word} than predicted"


def _evidence(mean: float, networks: dict[str, list[OwnStep]]) -> Evidence:
    steps = [step for found in networks.values() for step in found]
    count = "1 network" if len(networks) == 1 else f"{len(networks)} networks"
    return Evidence(
        statement=f"{count} tried on this machine ({_dates(steps)}) took {_than_predicted(mean)}",
        source=_source(steps),
    )


def _own_evidence(own: float, steps: Sequence[OwnStep]) -> Evidence:
    return Evidence(
        statement=f"this network tried on this machine ({_dates(steps)}) took "
        f"{_than_predicted(own)}",
        source=_source(steps),
    )


def _dates(steps: Iterable[OwnStep]) -> str:
    dates = sorted({step.measured_on for step in steps})
    return dates[0] if len(dates) == 1 else f"{dates[0]} – {dates[-1]}"


def _source(steps: Sequence[OwnStep]) -> Source:
    names = ", ".join(dict.fromkeys(step.network for step in steps))
    return Source(
        title="tried on this machine",
        reference=names,
        date=max(step.measured_on for step in steps),
    )
