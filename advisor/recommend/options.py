"""All that a user could do for a job: options to predict, hints, what to avoid, what is refused.

Leaves to others: whether a row applies (`advisor.recommend.requirements`), GPUs
(`advisor.recommend.devices`), rented machines (`advisor.recommend.offers`), cards
(`advisor.recommend.purchases`), times (`advisor.predict`).
"""

import math
from collections.abc import Mapping
from dataclasses import dataclass

from advisor.knowledge.cloud import CloudIndex, cloud_index
from advisor.knowledge.store import Knowledge
from advisor.model.machine import CPU_DEVICE_ID, MachineProfile
from advisor.model.option import ELSEWHERE, Advice, Option, OptionFact, OptionKind
from advisor.model.prediction import Evidence
from advisor.model.published import GpuFamily
from advisor.model.quantity import Interval, Source
from advisor.model.recommendation import (
    AvoidedOption,
    Hint,
    Preferences,
    Reason,
    ReasonCode,
    Rejection,
)
from advisor.model.workload import Workload
from advisor.recommend.circumstances import Circumstances
from advisor.recommend.devices import (
    DeviceChoice,
    choose_devices,
    families_of,
    hints_beyond,
    official_gpus,
    served_gpus,
    with_chip,
)
from advisor.recommend.fitting import fitting, fitting_hints
from advisor.recommend.offers import choose_offers
from advisor.recommend.published_pairs import with_published
from advisor.recommend.purchases import choose_purchases, why_no_card
from advisor.recommend.reasons import reason
from advisor.recommend.requirements import Verdict, check, matching_gpus
from advisor.recommend.room import needed_bytes, usable_memory_bytes
from advisor.recommend.staying import stay_option
from advisor.recommend.steps import resolve_settings, steps_for

# A row with it is about NPUs.
_NPU_CONDITION = "npu_lacks:"
# A row with it is of no use where it is true.
_MEMORY_FITS = "memory_fits"


@dataclass(frozen=True, slots=True, kw_only=True)
class OptionList:
    """What a user could do.

    Attributes:
        options: to be predicted, priced and ranked; staying is the first where the job fits.
        hints: apply, but nobody measured what they gain here.
        avoid: apply, and make it worse.
        rejections: do not apply, and why.
        n_offers_considered: prices of rented machines that were looked at.
        undecided: conditions of rows that the profile lacks the facts for; the rows stay.
    """

    options: tuple[Option, ...]
    hints: tuple[Hint, ...]
    avoid: tuple[AvoidedOption, ...]
    rejections: tuple[Rejection, ...]
    n_offers_considered: int
    undecided: tuple[str, ...] = ()


@dataclass(slots=True)
class _Sorted:
    """Rows of the options table on their way to one of four places."""

    options: list[Option]
    hints: list[Hint]
    avoid: list[AvoidedOption]
    rejections: list[Rejection]
    undecided: dict[str, None]


def list_options(
    profile: MachineProfile,
    workload: Workload,
    preferences: Preferences,
    knowledge: Knowledge,
    *,
    today: str,
    index: CloudIndex | None = None,
) -> OptionList:
    """Return everything a user could do for a job on, or instead of, this machine.

    Args:
        profile: the machine.
        workload: the job.
        preferences: what the user refuses.
        knowledge: the facts.
        today: ISO date.
        index: of the cloud tables, when there is one already.
    """
    families = families_of(profile, knowledge=knowledge)
    given = Circumstances(
        profile=profile,
        workload=workload,
        official=official_gpus(profile, phase=workload.phase, families=families),
        is_for_this_machine=preferences.use_h_per_week is None,
    )
    rows = _sort_rows(knowledge.options, given=given, preferences=preferences, families=families)
    devices = choose_devices(profile, workload=workload, knowledge=knowledge, families=families)
    tables = index if index is not None else cloud_index(knowledge)
    offers = choose_offers(
        tables.machines,
        workload=workload,
        preferences=preferences,
        index=tables,
        today=today,
    )
    cards, card_rejections = choose_purchases(
        profile=profile, workload=workload, preferences=preferences, knowledge=knowledge
    )
    hints, known_slower = _told_hints(rows.hints, devices, given=given, knowledge=knowledge)
    at_hand = (stay_option(profile, workload), *rows.options, *devices.options)
    here, too_large = fitting(at_hand, given=given, knowledge=knowledge)
    fitting_here, too_large_hints = fitting_hints(
        (*devices.hints, *hints), given=given, knowledge=knowledge
    )
    return OptionList(
        options=(*here, *offers.options, *cards),
        hints=fitting_here,
        avoid=(*devices.avoid, *rows.avoid, *known_slower),
        rejections=(
            *too_large,
            *too_large_hints,
            *devices.rejections,
            *offers.rejections,
            *card_rejections,
            *rows.rejections,
        ),
        n_offers_considered=offers.n_considered,
        undecided=tuple(rows.undecided),
    )


def _sort_rows(
    facts: tuple[OptionFact, ...],
    *,
    given: Circumstances,
    preferences: Preferences,
    families: Mapping[str, GpuFamily],
) -> _Sorted:
    places = _Sorted(options=[], hints=[], avoid=[], rejections=[], undecided={})
    served = served_gpus(given.profile, phase=given.workload.phase, families=families)
    for fact in facts:
        verdict = check(fact, given=given, families=families, served=served)
        if verdict.applies:
            places.undecided.update(dict.fromkeys(verdict.unknown))
        refusals = refusals_of(fact, verdict, given=given, preferences=preferences)
        option = _option_of(fact, given=given, families=families)
        if refusals:
            places.rejections.append(
                Rejection(option_id=fact.id, title=fact.title, reasons=refusals)
            )
        elif _is_for_memory(fact) and not verdict.unknown:
            places.hints.append(_saving_hint(option, fact, given))
        elif makes_it_worse(fact):
            places.avoid.append(_avoided(option, fact))
        elif _has_figure(fact) and not verdict.open_questions and fact.kind not in ELSEWHERE:
            places.options.append(option)
        else:
            hint = _hint(option, fact, verdict, given.profile)
            places.hints.append(with_chip(hint, profile=given.profile, families=families))
    return places


def refusals_of(
    fact: OptionFact,
    verdict: Verdict,
    *,
    given: Circumstances,
    preferences: Preferences,
) -> tuple[Reason, ...]:
    """Return all that speaks against a row before anything is predicted: wishes, job, machine."""
    return (
        *_unwanted(fact, preferences, given.profile),
        *verdict.refusals,
    )


def _told_hints(
    hints: list[Hint], devices: DeviceChoice, *, given: Circumstances, knowledge: Knowledge
) -> tuple[list[Hint], list[AvoidedOption]]:
    """Return hints with what is published of their way, and those that it speaks against.

    A device that is to be avoided for all such work has no hints.
    """
    told: list[Hint] = []
    slower: list[AvoidedOption] = []
    for hint in hints_beyond(hints, {entry.option.id for entry in devices.avoid}):
        found = with_published(
            hint, profile=given.profile, workload=given.workload, knowledge=knowledge
        )
        if isinstance(found, AvoidedOption):
            slower.append(found)
        else:
            told.append(found)
    return told, slower


def _unwanted(
    fact: OptionFact, preferences: Preferences, profile: MachineProfile
) -> tuple[Reason, ...]:
    # A free notebook is not rented: it costs nothing.
    if fact.kind is OptionKind.CLOUD and not preferences.allows_cloud:
        return (reason(ReasonCode.CLOUD_NOT_ALLOWED),)
    if fact.kind is OptionKind.BUY and not preferences.allows_buying:
        return (reason(ReasonCode.BUYING_NOT_ALLOWED),)
    no_card = why_no_card(profile, preferences) if fact.kind is OptionKind.BUY else None
    return () if no_card is None else (no_card,)


def _has_figure(fact: OptionFact) -> bool:
    return fact.effect_low is not None or fact.effect_high is not None


def _is_for_memory(fact: OptionFact) -> bool:
    """Return whether a row is for jobs that do not fit the memory: it pays for that with time."""
    return _MEMORY_FITS in fact.excluded_when


def makes_it_worse(fact: OptionFact) -> bool:
    """Return whether a row is against itself: the table says avoid, or it is never faster."""
    if fact.advice is Advice.AVOID:
        return True
    return fact.effect_high is not None and fact.effect_high < 1.0


def effect_of(fact: OptionFact) -> Interval | None:
    """Return a row's factor on speed, the middle geometric; None when no figure is known."""
    known = [effect for effect in (fact.effect_low, fact.effect_high) if effect is not None]
    if not known or min(known) <= 0.0:
        return None
    low, high = min(known), max(known)
    return Interval(low=low, mid=min(max(math.sqrt(low * high), low), high), high=high)


def _option_of(
    fact: OptionFact, *, given: Circumstances, families: Mapping[str, GpuFamily]
) -> Option:
    device_id: str | None = CPU_DEVICE_ID
    if fact.kind in ELSEWHERE:
        device_id = None
    elif fact.kind is OptionKind.LOCAL_DEVICE:
        is_about_npus = any(text.startswith(_NPU_CONDITION) for text in fact.excluded_when)
        npus, gpus = given.profile.npus, matching_gpus(fact, given=given, families=families)
        devices = npus if is_about_npus else gpus
        device_id = devices[0].id if devices else None
    return Option(
        id=fact.id,
        title=fact.title,
        kind=fact.kind,
        device_id=device_id,
        settings=resolve_settings(fact.environment, profile=given.profile),
        fact=fact,
    )


def fact_evidence(fact: OptionFact) -> tuple[Evidence, ...]:
    """Return what a row's figure, or its verdict, rests on."""
    statement = fact.effect_basis or fact.risks
    if not statement:
        return ()
    reference = fact.effect_source or fact.source
    source = Source(title=fact.title, reference=reference, date=fact.verified_on)
    return (Evidence(statement=statement, source=source),)


def figure_reason(fact: OptionFact) -> Reason:
    """Return the published factor of a row as a reason, or that there is none."""
    effect = effect_of(fact)
    if effect is None:
        return reason(ReasonCode.NO_FIGURE)
    return reason(ReasonCode.PUBLISHED_EFFECT, low_x=effect.low, high_x=effect.high)


def _avoided(option: Option, fact: OptionFact) -> AvoidedOption:
    effect = effect_of(fact)
    reasons = []
    if effect is not None and effect.mid < 1.0:
        reasons.append(
            reason(
                ReasonCode.PUBLISHED_SLOWER,
                factor_x=1.0 / effect.mid,
                low_x=effect.low,
                high_x=effect.high,
            )
        )
    if fact.advice is Advice.AVOID:
        why = fact.risks or fact.effect_basis or fact.how
        reasons.append(reason(ReasonCode.TABLE_SAYS_AVOID, why=why))
    return AvoidedOption(
        option=option, reasons=tuple(reasons), speedup=effect, evidence=fact_evidence(fact)
    )


def _hint(option: Option, fact: OptionFact, verdict: Verdict, profile: MachineProfile) -> Hint:
    return Hint(
        option=option,
        reasons=(figure_reason(fact), *verdict.open_questions),
        steps=steps_for(option, profile=profile, hours=0.0),
    )


def _saving_hint(option: Option, fact: OptionFact, given: Circumstances) -> Hint:
    """Return a way to save memory, with what is lacking and what it costs."""
    available = usable_memory_bytes(given.profile)
    lacking = reason(
        ReasonCode.MEMORY_TOO_SMALL,
        needed_bytes=float(needed_bytes(given.workload, profile=given.profile)),
        available_bytes=float(available or 0),
    )
    return Hint(
        option=option,
        reasons=(lacking, figure_reason(fact)),
        steps=steps_for(option, profile=given.profile, hours=0.0),
    )
