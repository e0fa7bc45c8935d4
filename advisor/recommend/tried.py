"""What was tried on the user's own network goes before what was predicted.

A row of the options table that was tried is judged by its figures, wherever the table had put
it; a setting without a row that proved faster becomes an option of its own.
Leaves to others: trying (`advisor.trial`), ranking (`advisor.recommend.rank`).
"""

import dataclasses

from advisor.model.machine import CPU_DEVICE_ID
from advisor.model.option import Option, OptionKind
from advisor.model.prediction import Evidence, Prediction
from advisor.model.quantity import Basis, Precision, Source
from advisor.model.trial import TrialReport, TrialResult, TrialSetup, TrialVerdict
from advisor.model.workload import Workload
from advisor.predict.predict import BASELINE_OPTION_ID, job_times
from advisor.recommend.options import OptionList

OWN_PREFIX = "tried:"
_WITH_FIGURE = frozenset(
    {
        TrialVerdict.BASELINE,
        TrialVerdict.FASTER,
        TrialVerdict.SLOWER,
        TrialVerdict.NO_DIFFERENCE,
    }
)


def trials_of(trials: TrialReport | None, *, workload: Workload) -> dict[str, TrialResult]:
    """Return the result that counts for each option; none for another network or job.

    Of several batch sizes, say, the fastest counts.
    """
    if trials is None or not _is_same_job(trials, workload):
        return {}
    found: dict[str, TrialResult] = {}
    for result in trials.results:
        if result.verdict not in _WITH_FIGURE or result.step_s is None:
            continue
        name = _option_id(result)
        if name is not None and (name not in found or _sample_s(result) < _sample_s(found[name])):
            found[name] = result
    return found if BASELINE_OPTION_ID in found else {}


def _is_same_job(trials: TrialReport, workload: Workload) -> bool:
    return (trials.source, trials.phase, trials.batch_size, trials.precision) == (
        workload.network, workload.phase, workload.batch_size, workload.precision,
    )  # fmt: skip


def _option_id(result: TrialResult) -> str | None:
    if result.setup.option_id is not None:
        return result.setup.option_id
    return f"{OWN_PREFIX}{result.setup.id}" if result.verdict is TrialVerdict.FASTER else None


def _sample_s(result: TrialResult) -> float:
    return result.step_s.mid / result.samples_per_step if result.step_s else float("inf")


def measured_prediction(
    option_id: str,
    result: TrialResult,
    *,
    trials: TrialReport,
    workload: Workload,
    baseline: Prediction,
) -> Prediction:
    """Return the time of the job from steps that were really run.

    Args:
        option_id: what the prediction is for.
        result: of its trial.
        trials: the search that it belongs to.
        workload: the job.
        baseline: as predicted, for what the steps do not tell.
    """
    assert result.step_s is not None
    step_s = result.step_s.scaled(workload.batch_size / result.samples_per_step)
    epoch_s, total_s = job_times(step_s, workload=workload)
    share = step_s.mid / baseline.step_s.mid
    told = _evidence(result, trials)
    return dataclasses.replace(
        baseline,
        option_id=option_id,
        step_s=step_s,
        epoch_s=epoch_s,
        total_s=total_s,
        basis=Basis.MEASURED,
        evidence=(told, *(one for one in baseline.evidence if one != told)),
        # What was assumed of the step is not needed any more; where its time goes is.
        assumptions=tuple(workload.notes),
        breakdown=tuple(
            dataclasses.replace(part, time_s=share * part.time_s) for part in baseline.breakdown
        ),
        is_warned=False,
    )


def _evidence(result: TrialResult, trials: TrialReport) -> Evidence:
    statement = f"runs of this network here, in processes of its own: {result.n_runs}"
    if result.speedup is not None:
        factor = result.speedup
        statement += f"; {factor.mid:.2f} times the speed ({factor.low:.2f} to {factor.high:.2f})"
    source = Source(
        title="tried on this machine", reference=_title(result.setup), date=trials.measured_on
    )
    return Evidence(statement=statement, source=source)


def _title(setup: TrialSetup) -> str:
    return setup.title.replace("{backend}", setup.backend)


def with_tried(listed: OptionList, tried: dict[str, TrialResult]) -> OptionList:
    """Return the list with all that was tried among the options, to be judged by its figures."""
    if not tried:
        return listed
    known = {option.id for option in listed.options}
    moved = {name: _own_option(name, result) for name, result in tried.items()}
    moved.update({hint.option.id: hint.option for hint in listed.hints})
    moved.update({avoided.option.id: avoided.option for avoided in listed.avoid})
    wanted = [name for name in tried if name not in known]
    return dataclasses.replace(
        listed,
        options=(*listed.options, *(moved[name] for name in wanted)),
        hints=tuple(h for h in listed.hints if h.option.id not in tried),
        avoid=tuple(a for a in listed.avoid if a.option.id not in tried),
        rejections=tuple(r for r in listed.rejections if r.option_id not in tried),
    )


def _own_option(name: str, result: TrialResult) -> Option:
    setup = result.setup
    is_precise = setup.precision in (None, Precision.FLOAT32)
    return Option(
        id=name,
        title=_title(setup),
        kind=OptionKind.RUNTIME_SETTINGS if is_precise else OptionKind.PRECISION,
        device_id=CPU_DEVICE_ID,
        settings=setup.settings,
    )
