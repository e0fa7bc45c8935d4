"""Which device of a machine to begin with for training and for inference, and by what software.

Decided by the tables of GPU families and options alone, before any network is known: a GPU comes
first where its vendor supports the work officially, where others timed such work on the card, or
where it is a card with a row of its own in the options table; the processor comes first
everywhere else.
Leaves to others: times and ranks of a real job (`advisor.recommend`).
"""

import dataclasses
from collections.abc import Mapping

from advisor.compare.advised import against_device
from advisor.knowledge.store import Knowledge
from advisor.model.explanation import Route
from advisor.model.machine import DeviceKind, GraphicsDevice, MachineProfile, OsFamily
from advisor.model.option import Advice, OptionFact, OptionKind
from advisor.model.published import GpuFamily
from advisor.model.quantity import Phase
from advisor.model.recommendation import Reason, Recommendation
from advisor.model.workload import Job
from advisor.network.load import bundled_workload
from advisor.recommend.circumstances import Circumstances
from advisor.recommend.devices import (
    Support,
    families_of,
    is_proven,
    official_gpus,
    served_gpus,
    support_of,
)
from advisor.recommend.published_pairs import slower_pair
from advisor.recommend.requirements import check, matching_gpus

# Conditions of the options table need a job: a usual one stands in.
TYPICAL_NETWORK = "cifar10-deep-cnn"
_SOFTWARE = (OptionKind.CHANGE_FRAMEWORK, OptionKind.BUILD)


def circumstances(
    profile: MachineProfile,
    *,
    phase: Phase,
    knowledge: Knowledge,
    advice: Recommendation | None = None,
) -> Circumstances:
    """Return a machine with the job of an advice for this phase, else with a usual one."""
    if advice is not None and advice.workload.phase is phase:
        workload = advice.workload
    else:
        job = Job(phase=phase)
        workload = bundled_workload(TYPICAL_NETWORK, job=job, networks=knowledge.networks)
    families = families_of(profile, knowledge=knowledge)
    return Circumstances(
        profile=profile,
        workload=workload,
        official=official_gpus(profile, phase=phase, families=families),
        is_for_this_machine=advice is None or advice.preferences.use_h_per_week is None,
    )


def routes_of(
    profile: MachineProfile, *, knowledge: Knowledge, advice: Recommendation | None = None
) -> tuple[Route, ...]:
    """Return the devices of a machine for training, then for inference, the first to try first.

    What the user's advice speaks against, for the job's own phase, is not the first.
    """
    families = families_of(profile, knowledge=knowledge)
    routes: list[Route] = []
    for phase in Phase:
        given = circumstances(profile, phase=phase, knowledge=knowledge, advice=advice)
        own = advice if advice is not None and advice.workload.phase is phase else None
        served = served_gpus(profile, phase=phase, families=families)
        facts = [
            fact
            for fact in knowledge.options
            if fact.advice is not Advice.AVOID
            and phase.value in fact.phases
            and check(fact, given=given, families=families, served=served).applies
        ]
        of_gpus = [
            _spoken_against(
                _gpu_route(gpu, facts, given=given, families=families, knowledge=knowledge),
                () if own is None else against_device(gpu.id, own),
            )
            for gpu in profile.graphics
            if gpu.kind in (DeviceKind.IGPU, DeviceKind.DGPU)
        ]
        first = next((gpu for gpu in of_gpus if gpu.is_first), None)
        cpu = _cpu_route(facts, given, is_first=first is None)
        # Only one device is the first.
        others = [
            gpu if gpu is first else dataclasses.replace(gpu, is_first=False) for gpu in of_gpus
        ]
        routes += sorted((*others, cpu), key=lambda route: not route.is_first)
    return tuple(routes)


def _spoken_against(route: Route, reasons: tuple[Reason, ...]) -> Route:
    if not reasons:
        return route
    return dataclasses.replace(route, against=reasons, is_first=False)


def _gpu_route(
    gpu: GraphicsDevice,
    facts: list[OptionFact],
    *,
    given: Circumstances,
    families: Mapping[str, GpuFamily],
    knowledge: Knowledge,
) -> Route:
    phase, profile = given.workload.phase, given.profile
    family = families.get(gpu.id)
    support = Support(level=None, route=None)
    if family is not None:
        support = support_of(family, system=profile.os.family, phase=phase)
    own_rows = []
    if support.level != "none":
        own_rows = [
            fact
            for fact in facts
            if fact.kind is OptionKind.LOCAL_DEVICE
            and gpu in matching_gpus(fact, given=given, families=families)
        ]
    why_not = _why_not(gpu, profile=profile, phase=phase, knowledge=knowledge)
    proven = is_proven(gpu, support, profile=profile, phase=phase, knowledge=knowledge)
    return Route(
        phase=phase,
        device=gpu.name,
        kind=gpu.kind,
        level=support.level,
        way=support.route,
        option_titles=tuple(fact.title for fact in own_rows),
        advice=family.advice if family else None,
        why_not=why_not,
        is_first=why_not is None and _comes_first(gpu, support, own_rows, proven=proven),
    )


def _comes_first(
    gpu: GraphicsDevice, support: Support, rows: list[OptionFact], *, proven: bool
) -> bool:
    if proven:
        return True
    if support.level == "none":
        return False
    if support.level == "official":
        return True
    named = [fact for fact in rows if fact.gpu_architectures]
    if support.level == "unofficial":
        return gpu.kind is DeviceKind.DGPU and bool(named)
    return any(fact.advice is Advice.RECOMMEND for fact in rows)


def _why_not(
    gpu: GraphicsDevice, *, profile: MachineProfile, phase: Phase, knowledge: Knowledge
) -> str | None:
    if gpu.kernel_driver is None and profile.os.family is OsFamily.LINUX:
        return "no driver serves it"
    pair = slower_pair(gpu, profile=profile, phase=phase, knowledge=knowledge)
    if pair is None:
        return None
    there, here = pair.device, pair.cpu
    return (
        f"others measured {there.value:g} {there.unit} on it against {here.value:g} "
        f"{here.unit} on the processor beside it ({there.workload})"
    )


def _cpu_route(facts: list[OptionFact], given: Circumstances, *, is_first: bool) -> Route:
    titles = tuple(
        fact.title
        for fact in facts
        if fact.kind in _SOFTWARE
        and fact.advice is Advice.RECOMMEND
        and fact.effect_low is not None
        and not _is_about_gpus(fact)
    )
    return Route(
        phase=given.workload.phase,
        device=given.profile.cpu.brand,
        kind=DeviceKind.CPU,
        level="official",
        way=None,
        option_titles=titles,
        advice=None,
        why_not=None,
        is_first=is_first,
    )


def _is_about_gpus(fact: OptionFact) -> bool:
    return fact.gpu_vendor is not None or any("gpu" in text for text in fact.excluded_when)
