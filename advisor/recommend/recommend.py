"""The recommendation: from a machine, its measurements, a job and wishes to ranked advice.

A pure function: the same inputs and the same date give the same recommendation.
Leaves to others: measuring (`probes.bench`), wording and charts (`advisor.report`).
"""

import dataclasses
import math
from collections.abc import Iterable, Sequence

from advisor.knowledge.store import Knowledge, data_dates
from advisor.model.machine import MachineProfile
from advisor.model.measurement import MeasurementSet
from advisor.model.option import DEVICE_PREFIX, Option, OptionKind
from advisor.model.own_step import OwnStep
from advisor.model.quantity import Precision, Source
from advisor.model.recommendation import (
    AvoidedOption,
    Hint,
    Parameter,
    Preferences,
    RankedOption,
    Reason,
    ReasonCode,
    Recommendation,
    Rejection,
    Step,
)
from advisor.model.trial import TrialReport, UntakenTrial
from advisor.model.workload import Workload
from advisor.normal.judge import judge_efficiency
from advisor.predict.context import PredictionContext
from advisor.predict.index import KnowledgeIndex, knowledge_index
from advisor.predict.predict import predict_baseline
from advisor.recommend.caveats import advice_caveats, machine_caveats, trial_caveats
from advisor.recommend.choose import choose
from advisor.recommend.circumstances import Circumstances, is_onnx
from advisor.recommend.device_steps import device_steps
from advisor.recommend.devices import families_of, hints_beyond
from advisor.recommend.evaluate import Given, evaluate, ready_for, speedup_of
from advisor.recommend.explain import Field, explain, field_of
from advisor.recommend.frameworks import needs_cuda_12
from advisor.recommend.free import with_free_time, without_slow
from advisor.recommend.job_data import job_data
from advisor.recommend.once_there import steps_once_there
from advisor.recommend.options import list_options
from advisor.recommend.own_power import power_w
from advisor.recommend.preferences import check_date, check_preferences
from advisor.recommend.rank import Candidate, Placed, rank
from advisor.recommend.reasons import caveat
from advisor.recommend.rented_software import RentedJob
from advisor.recommend.staying import STAY_ID, steps_of_staying
from advisor.recommend.steps import steps_for
from advisor.recommend.tried import measured_prediction, trials_of, with_tried
from advisor.recommend.worth_buying import Purchases, judge_purchases, use_of

# Row of the options table about interruptible machines: one that is ranked says more.
_ABOUT_SPOT = "spot"


def recommend(
    profile: MachineProfile,
    measurements: MeasurementSet | None,
    workload: Workload,
    preferences: Preferences,
    knowledge: Knowledge,
    *,
    today: str,
    app_version: str,
    index: KnowledgeIndex | None = None,
    trials: TrialReport | None = None,
    own_steps: tuple[OwnStep, ...] = (),
    untaken_trial: UntakenTrial | None = None,
) -> Recommendation:
    """Return what to do about a job.

    Args:
        profile: the machine.
        measurements: what was measured on it; None: a provisional answer from data sheets.
        workload: the job.
        preferences: what the user wants and refuses.
        knowledge: the facts.
        today: ISO date.
        app_version: is written into the recommendation.
        index: of the facts, where there is one already; None: it is made, which takes longer
            than the rest.
        trials: what was tried on this network here; goes before what is predicted.
        own_steps: jobs that were tried on this machine, which correct what is predicted of
            others on it.
        untaken_trial: of this job, made under other circumstances, which the advice mentions.

    Raises:
        InputError: when a wish or the date cannot be.
    """
    check_preferences(preferences)
    check_date(today)
    index = index or knowledge_index(knowledge)
    tried = trials_of(trials, workload=workload)
    context = PredictionContext(
        profile=profile,
        measurements=measurements,
        workload=workload,
        knowledge=knowledge,
        index=index,
        own_steps=() if tried else own_steps,
    )
    baseline = predict_baseline(context)
    if trials is not None and tried:
        now = tried[STAY_ID]
        baseline = measured_prediction(
            STAY_ID, now, trials=trials, workload=workload, baseline=baseline
        )
    given = Given(
        context=context,
        baseline=baseline,
        preferences=preferences,
        index=index.cloud,
        today=today,
        trials=trials,
        tried=tried,
    )
    listed = list_options(profile, workload, preferences, knowledge, today=today, index=index.cloud)
    listed = with_tried(listed, tried)
    evaluated = evaluate(listed.options, given=given)
    bought = _purchases(evaluated.candidates, given=given)
    others = [c for c in evaluated.candidates if c.option.kind is not OptionKind.BUY]
    ranking = rank((*others, *bought.candidates), preferences=preferences)
    ranked = _ranked(ranking.placed, given=given, hints=listed.hints)
    avoid = _by_harm((*listed.avoid, *evaluated.avoid))
    # The steps of a ranked GPU hold what hints say of it; a slower one needs none.
    decided = {row.option.id for row in ranked} | {row.option.id for row in evaluated.avoid}
    if any(row.option.is_spot for row in ranked):
        decided.add(_ABOUT_SPOT)
    uncertain = (
        dataclasses.replace(
            hint, steps=_steps(hint.option, given=given, hours=0.0, hints=listed.hints)
        )
        for hint in evaluated.hints
    )
    all_hints = (*hints_beyond(listed.hints, decided), *uncertain, *bought.hints)
    hints, slow = without_slow(
        in_order_of_advice(with_free_time(hint, given=given) for hint in all_hints),
        local_s=[
            row.prediction.total_s.high
            for row in ranked
            if row.option.kind is OptionKind.LOCAL_DEVICE and not row.prediction.is_warned
        ],
    )
    undecided = tuple(caveat("condition_unknown", condition=text) for text in listed.undecided)
    return Recommendation(
        created_on=today,
        app_version=app_version,
        profile=profile,
        measurements=measurements,
        workload=workload,
        preferences=preferences,
        baseline=given.baseline,
        ranked=ranked,
        hints=hints,
        avoid=avoid,
        rejected=(
            *_limited(ranking.rejections),
            *listed.rejections,
            *evaluated.rejections,
            *bought.rejections,
            *slow,
        ),
        caveats=(
            *trial_caveats(trials if tried else None, untaken=untaken_trial),
            *machine_caveats(
                profile, measurements=measurements, workload=workload, is_tried=bool(tried)
            ),
            *advice_caveats(
                ranked,
                baseline=given.baseline,
                preferences=preferences,
                today=today,
                first_w=_first_w(ranked, profile=profile, knowledge=knowledge),
            ),
            *undecided,
        ),
        n_offers_considered=listed.n_offers_considered,
        data_dates=_dates(knowledge),
        sources=_sources(ranked, avoid),
        efficiencies=judge_efficiency(profile, measurements, knowledge),
        trials=trials,
        own_steps=own_steps,
        untaken_trial=untaken_trial,
    )


def _first_w(
    ranked: Sequence[RankedOption], *, profile: MachineProfile, knowledge: Knowledge
) -> float | None:
    """Return the watts of the first option; None where there is none."""
    if not ranked:
        return None
    watts, _ = power_w(ranked[0].option, profile=profile, knowledge=knowledge)
    return watts


def _purchases(candidates: Sequence[Candidate], *, given: Given) -> Purchases:
    return judge_purchases(
        [entry for entry in candidates if entry.option.kind is OptionKind.BUY],
        rented=[entry for entry in candidates if entry.option.kind is OptionKind.CLOUD],
        use=use_of(given.preferences, baseline=given.baseline),
        baseline=given.baseline,
        profile=given.context.profile,
    )


def in_order_of_advice(hints: Iterable[Hint]) -> tuple[Hint, ...]:
    """Return hints in the order of advice: what changes least first, buying last."""
    places = {kind: position for position, kind in enumerate(OptionKind)}
    return tuple(sorted(hints, key=lambda hint: places[hint.option.kind]))


def _ranked(
    placed: Sequence[Placed], *, given: Given, hints: Sequence[Hint]
) -> tuple[RankedOption, ...]:
    if not placed:
        return ()
    preferences = given.preferences
    field = field_of(
        placed,
        objective=preferences.objective,
        use=use_of(preferences, baseline=given.baseline),
        use_h_per_week=preferences.use_h_per_week,
        today=given.today,
    )
    return tuple(_row(entry, given=given, field=field, hints=hints) for entry in choose(placed))


def _steps(
    option: Option, *, given: Given, hours: float, hints: Sequence[Hint]
) -> tuple[Step, ...]:
    context = given.context
    here = Circumstances(profile=context.profile, workload=context.workload)
    if option.kind is OptionKind.STAY:
        return steps_of_staying(given=here, facts=context.knowledge.options)
    if not option.id.startswith(DEVICE_PREFIX):
        disk_gib = job_data(context.workload, given.preferences).disk_gib
        return steps_for(
            option,
            profile=context.profile,
            hours=hours,
            disk_gib=disk_gib,
            job=_rented_job(option, given=given),
        )
    families = families_of(context.profile, knowledge=context.knowledge)
    reached = device_steps(
        option,
        profile=context.profile,
        phase=context.workload.phase,
        families=families,
        hints=hints,
        ready=ready_for(option, given=context),
        is_onnx=is_onnx(context.workload),
    )
    further = steps_once_there(
        option.id.removeprefix(DEVICE_PREFIX),
        given=here,
        families=families,
        facts=context.knowledge.options,
    )
    return (*reached, *further)


def _rented_job(option: Option, *, given: Given) -> RentedJob:
    workload = given.context.workload
    device = None if option.offer is None else given.index.accelerator_device(option.offer)
    family = None if device is None else given.index.families.get(device.device)
    # Keras computes no int8: a network that is quantised is an ONNX file afterwards.
    as_onnx = is_onnx(workload) or workload.precision is Precision.INT8
    return RentedJob(phase=workload.phase, is_onnx=as_onnx, needs_cuda_12=needs_cuda_12(family))


def _row(placed: Placed, *, given: Given, field: Field, hints: Sequence[Hint]) -> RankedOption:
    candidate = placed.candidate
    option, prediction = candidate.option, candidate.prediction
    speedup = speedup_of(
        option, prediction, baseline=given.baseline, tried=given.tried.get(option.id)
    )
    # What is stopped too early is lost.
    waiting_s = candidate.redone_s.high + candidate.effort.wait_s
    hours = (prediction.total_s.high + waiting_s) / 3600.0
    return RankedOption(
        option=option,
        rank=placed.rank,
        prediction=prediction,
        cost=candidate.cost,
        speedup=speedup,
        score=placed.score,
        score_parts=placed.score_parts,
        reasons=explain(placed, speedup=speedup, field=field),
        steps=_steps(option, given=given, hours=hours, hints=hints),
        is_pareto=placed.is_pareto,
        tied_with=placed.tied_with,
        done_s=candidate.effective_s,
    )


def _by_harm(avoid: Iterable[AvoidedOption]) -> tuple[AvoidedOption, ...]:
    """Sort by how bad it is: the smallest factor first, unknown factors last."""
    return tuple(
        sorted(
            avoid,
            key=lambda entry: (
                float("inf") if entry.speedup is None else entry.speedup.mid,
                entry.option.id,
            ),
        )
    )


def _limited(rejections: Iterable[Rejection]) -> tuple[Rejection, ...]:
    """Return what the limits refused; of rented machines, and of cards, the nearest to each."""
    kept = []
    many: dict[tuple[str, ReasonCode], list[Rejection]] = {}
    for rejection in rejections:
        kind, colon, _ = rejection.option_id.partition(":")
        if colon and kind in (OptionKind.CLOUD.value, OptionKind.BUY.value):
            many.setdefault((kind, rejection.reasons[0].code), []).append(rejection)
        else:
            kept.append(rejection)
    for (kind, code), refused in sorted(many.items()):
        nearest = min(refused, key=_miss)
        own, *others = nearest.reasons
        count = Parameter(name="n_offers", value=float(len(refused)))
        counted = Reason(code=own.code, parameters=(*own.parameters, count))
        option_id = f"{kind}:{code.value}"
        kept.append(Rejection(option_id=option_id, title=nearest.title, reasons=(counted, *others)))
    return tuple(kept)


def _miss(rejection: Rejection) -> tuple[float, str]:
    """Order what is refused by how far it is beyond the limit."""
    numbers = [p.value for p in rejection.reasons[0].parameters if isinstance(p.value, float)]
    return (numbers[0] if numbers else math.inf, rejection.option_id)


def _dates(knowledge: Knowledge) -> tuple[Parameter, ...]:
    return tuple(
        Parameter(name=entry.table, value=entry.newest)
        for entry in data_dates(knowledge)
        if entry.newest is not None
    )


def _sources(ranked: Iterable[RankedOption], avoid: Iterable[AvoidedOption]) -> tuple[Source, ...]:
    """Return each source of a shown figure once, in order of appearance."""
    found: dict[Source, None] = {}
    for entry in ranked:
        for evidence in entry.prediction.evidence:
            found.setdefault(evidence.source)
        for source in entry.cost.sources:
            found.setdefault(source)
    for avoided in avoid:
        for evidence in avoided.evidence:
            found.setdefault(evidence.source)
    return tuple(found)
