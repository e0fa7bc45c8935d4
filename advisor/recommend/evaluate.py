"""Options with their times and their money, and those that turn out to be none.

Equal hardware is predicted once, however many offers have it.
Leaves to others: the times (`advisor.predict`), the order (`advisor.recommend.rank`).
"""

import dataclasses
import math
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from advisor.knowledge.cloud import CloudIndex
from advisor.model.machine import DeviceKind, GraphicsDevice, MissingFact
from advisor.model.option import Option, OptionKind
from advisor.model.prediction import Prediction
from advisor.model.quantity import Basis, Interval
from advisor.model.recommendation import (
    AvoidedOption,
    Hint,
    Preferences,
    ReasonCode,
    Rejection,
)
from advisor.model.trial import TrialReport, TrialResult
from advisor.predict.context import PredictionContext
from advisor.predict.predict import predict
from advisor.predict.transfer import hardware_key
from advisor.recommend.circumstances import is_onnx
from advisor.recommend.cost import price
from advisor.recommend.devices import families_of, own_gpu, spec_of
from advisor.recommend.effort import effort_of
from advisor.recommend.job_data import job_data
from advisor.recommend.rank import TIE_FRACTION, Candidate
from advisor.recommend.ready import NOTHING_READY, Readiness, readiness_of
from advisor.recommend.reasons import reason
from advisor.recommend.spot import NOTHING, redone_s
from advisor.recommend.staying import STAY_ID
from advisor.recommend.tried import measured_prediction

# How it is known that an option is slower here.
_SLOWER_CODES = {
    Basis.MEASURED: ReasonCode.MEASURED_SLOWER,
    Basis.SCALED_FROM_MEASUREMENT: ReasonCode.MEASURED_SLOWER,
    Basis.SCALED_FROM_PUBLISHED: ReasonCode.PUBLISHED_SLOWER,
    Basis.MODEL_ONLY: ReasonCode.SLOWER_THAN_NOW,
}
_LIBRARY_OF_THE_VENDOR = (
    "Kernels of this card were timed here through OpenCL; frameworks compute with the library of "
    "its vendor, so published times of such cards count."
)
# A setting that changes the time by less than this is not worth a row, nor the typing.
NO_GAIN = 0.05
# Ends of an interval that differ by more tell nothing of a machine that costs money.
_WIDEST = 1000.0
# What is said of rented machines, and of devices, that are no options for one reason.
_REFUSED_TITLES = {
    "slower": ("Rented machines slower than this one", "Devices slower than this machine"),
    "untold": (
        "Rented machines of which too little is known for such work",
        "Devices of which too little is known for such work",
    ),
}


@dataclass(frozen=True, slots=True, kw_only=True)
class Given:
    """What every evaluation needs; `tried` are results of trials by option."""

    context: PredictionContext
    baseline: Prediction
    preferences: Preferences
    index: CloudIndex
    today: str
    trials: TrialReport | None = None
    tried: dict[str, TrialResult] = field(default_factory=dict)


@dataclass(slots=True)
class Evaluation:
    """Options by what became of them; hints have no steps yet."""

    candidates: list[Candidate]
    hints: list[Hint]
    avoid: list[AvoidedOption]
    rejections: list[Rejection]


def evaluate(options: Iterable[Option], *, given: Given) -> Evaluation:
    """Return candidates for the ranking, and the options that are slower or cannot be told."""
    known: dict[tuple[object, ...], Prediction | MissingFact] = {}
    result = Evaluation(candidates=[], hints=[], avoid=[], rejections=[])
    slower: Counter[str] = Counter()
    untold: Counter[str] = Counter()
    for option in options:
        key = (option.id,) if option.id in given.tried else hardware_key(option)
        if key not in known:
            known[key] = predict_option(option, given=given)
        found = known[key]
        if isinstance(found, MissingFact):
            _put_missing(option, found, result=result)
            continue
        prediction = dataclasses.replace(found, option_id=option.id)
        speedup = speedup_of(
            option, prediction, baseline=given.baseline, tried=given.tried.get(option.id)
        )
        is_elsewhere = option.offer is not None or option.purchase is not None
        if is_elsewhere and prediction.total_s.high > _WIDEST * prediction.total_s.low:
            untold[option.kind.value] += 1
        elif speedup.mid < 1.0 - TIE_FRACTION and is_elsewhere:
            slower[option.kind.value] += 1
        elif speedup.mid < 1.0 - NO_GAIN and option.id != STAY_ID and not is_elsewhere:
            if _may_be_faster(option, prediction, speedup):
                result.hints.append(_uncertain_here(option, speedup))
            else:
                result.avoid.append(_slower_here(option, prediction, speedup))
        elif abs(speedup.mid - 1.0) < NO_GAIN and not is_elsewhere and option.id != STAY_ID:
            result.rejections.append(_no_gain(option, speedup))
        else:
            result.candidates.append(candidate_of(option, prediction, given=given))
    n_candidates = len(result.candidates)
    result.candidates = list(_without_slower_cards(result.candidates))
    slower[OptionKind.BUY.value] += n_candidates - len(result.candidates)
    result.rejections += _counted(+slower, "slower", ReasonCode.SLOWER_THAN_NOW)
    result.rejections += _counted(untold, "untold", ReasonCode.TIME_UNKNOWN)
    return result


def _without_slower_cards(candidates: list[Candidate]) -> Iterator[Candidate]:
    """Yield candidates but cards to buy that are no faster than a GPU that is there already."""
    own_s = min(
        (
            entry.prediction.total_s.mid
            for entry in candidates
            if entry.option.kind is OptionKind.LOCAL_DEVICE
        ),
        default=math.inf,
    )
    for entry in candidates:
        is_card = entry.option.kind is OptionKind.BUY
        if not is_card or entry.prediction.total_s.mid < (1.0 - TIE_FRACTION) * own_s:
            yield entry


def _counted(kinds: Counter[str], why: str, code: ReasonCode) -> Iterator[Rejection]:
    """Yield one line for all machines of a kind that are refused alike: rented, else devices."""
    for kind, count in sorted(kinds.items()):
        rented, devices = _REFUSED_TITLES[why]
        yield Rejection(
            option_id=f"{kind}:{why}",
            title=rented if kind == OptionKind.CLOUD.value else devices,
            reasons=(reason(code, n_offers=float(count)),),
        )


def predict_option(option: Option, *, given: Given) -> Prediction | MissingFact:
    """Return the time of an option.

    A GPU of this machine that nothing was measured on is predicted as one that could be bought;
    so is a graphics card where published times of such cards tell enough, whatever its kernels
    take through OpenCL: frameworks compute with the library of the vendor.
    """
    if given.trials is not None and option.id in given.tried:
        return measured_prediction(
            option.id,
            given.tried[option.id],
            trials=given.trials,
            workload=given.context.workload,
            baseline=given.baseline,
        )
    found = predict(option, given.context, given.baseline)
    if option.kind is not OptionKind.LOCAL_DEVICE:
        return found
    gpu = own_gpu(option, profile=given.context.profile)
    if gpu is None or not (isinstance(found, MissingFact) or _is_timed_card(gpu, found)):
        return found
    spec = spec_of(gpu, profile=given.context.profile, knowledge=given.context.knowledge)
    if spec is None:
        return found
    same = Option(id=option.id, title=option.title, kind=OptionKind.BUY, purchase=spec)
    bought = predict(same, given.context, given.baseline)
    if isinstance(found, MissingFact):
        return bought
    if isinstance(bought, MissingFact) or not _is_told_by_published(bought):
        return found
    return dataclasses.replace(
        bought,
        assumptions=(*bought.assumptions, _LIBRARY_OF_THE_VENDOR),
        evidence=(*bought.evidence, *found.evidence),
    )


def _is_told_by_published(prediction: Prediction) -> bool:
    return prediction.basis is Basis.SCALED_FROM_PUBLISHED and not prediction.is_warned


def _is_timed_card(gpu: GraphicsDevice, found: Prediction) -> bool:
    return gpu.kind is DeviceKind.DGPU and found.basis is Basis.SCALED_FROM_MEASUREMENT


def candidate_of(option: Option, prediction: Prediction, *, given: Given) -> Candidate:
    """Return an option with its price, its effort and its expected lost work."""
    context = given.context
    cost = price(
        option,
        prediction,
        workload=context.workload,
        preferences=given.preferences,
        knowledge=context.knowledge,
        today=given.today,
        profile=context.profile,
        index=given.index,
    )
    data = job_data(context.workload, given.preferences)
    lost = NOTHING
    if option.offer is not None:
        band = given.index.spot_band(option.offer)
        lost = redone_s(option, prediction, band=band, upload_s=data.upload_s)
    return Candidate(
        option=option,
        prediction=prediction,
        cost=cost,
        effort=effort_of(option, upload_s=data.upload_s, ready=ready_for(option, given=context)),
        redone_s=lost,
    )


def ready_for(option: Option, *, given: PredictionContext) -> Readiness:
    """Return what is installed already for a GPU of this machine; nothing for other options."""
    gpu = own_gpu(option, profile=given.profile)
    if gpu is None:
        return NOTHING_READY
    families = families_of(given.profile, knowledge=given.knowledge)
    return readiness_of(
        gpu,
        family=families.get(gpu.id),
        profile=given.profile,
        phase=given.workload.phase,
        measurements=given.measurements,
        is_onnx=is_onnx(given.workload),
    )


def speedup_of(
    option: Option,
    prediction: Prediction,
    *,
    baseline: Prediction,
    tried: TrialResult | None = None,
) -> Interval:
    """Return time now / time then.

    What is scaled from this machine shares its error, which cancels in the ratio; what is known
    from elsewhere has its own, which adds. What was tried here was run beside the state now: its
    own ratio is known far better than either time.
    """
    if option.kind is OptionKind.STAY:
        return Interval(low=1.0, mid=1.0, high=1.0)
    mid = baseline.total_s.mid / prediction.total_s.mid
    if tried is not None and tried.speedup is not None:
        return tried.speedup.scaled(mid / tried.speedup.mid)
    now, then = _log_width(baseline.total_s), _log_width(prediction.total_s)
    is_other = (
        option.purchase is not None
        or (option.offer is not None and option.offer.accelerator is not None)
        or option.kind is OptionKind.LOCAL_DEVICE
    )
    if is_other or prediction.basis is Basis.MEASURED:
        width = math.hypot(now, then)
    else:
        width = math.sqrt(max(0.0, then * then - now * now))
    factor = math.exp(width)
    return Interval(low=mid / factor, mid=mid, high=mid * factor)


def _log_width(interval: Interval) -> float:
    if interval.low <= 0.0:
        return 0.0
    return math.log(interval.high / interval.low) / 2.0


def _put_missing(option: Option, missing: MissingFact, *, result: Evaluation) -> None:
    why = reason(ReasonCode.TIME_UNKNOWN, why=missing.reason)
    if option.offer is not None or option.purchase is not None:
        result.rejections.append(Rejection(option_id=option.id, title=option.title, reasons=(why,)))
        return
    result.hints.append(Hint(option=option, reasons=(why,), steps=()))


def _no_gain(option: Option, speedup: Interval) -> Rejection:
    factors = reason(
        ReasonCode.NOT_APPLICABLE,
        why="no difference to speak of",
        low_x=speedup.low,
        high_x=speedup.high,
    )
    return Rejection(option_id=option.id, title=option.title, reasons=(factors,))


def _may_be_faster(option: Option, prediction: Prediction, speedup: Interval) -> bool:
    """Whether nobody measured a GPU of this machine, and its interval does not say slower."""
    return (
        option.kind is OptionKind.LOCAL_DEVICE
        and prediction.basis in (Basis.SCALED_FROM_PUBLISHED, Basis.MODEL_ONLY)
        and speedup.high > 1.0
    )


def _uncertain_here(option: Option, speedup: Interval) -> Hint:
    why = reason(
        ReasonCode.UNCERTAIN_SPEED,
        factor_x=speedup.mid,
        low_x=speedup.low,
        high_x=speedup.high,
    )
    return Hint(option=option, reasons=(why,), steps=())


def _slower_here(option: Option, prediction: Prediction, speedup: Interval) -> AvoidedOption:
    code = _SLOWER_CODES[prediction.basis]
    if code is ReasonCode.PUBLISHED_SLOWER and option.kind is OptionKind.LOCAL_DEVICE:
        # Others measured devices like it, not this one.
        code = ReasonCode.SLOWER_THAN_NOW
    return AvoidedOption(
        option=option,
        reasons=(reason(code, factor_x=1.0 / speedup.mid),),
        speedup=speedup,
        evidence=prediction.evidence,
    )
