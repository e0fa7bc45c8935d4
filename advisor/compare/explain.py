"""What a name means: a system of the past, an option or its variable, a device or its kind.

A name that is not known is never guessed at: close names are offered instead.
Leaves to others: which device of the machine to begin with (`advisor.compare.routes`).
"""

import dataclasses
import difflib
import re
from collections.abc import Iterator

from advisor.compare.advised import advised, advised_job, refused
from advisor.compare.architectures import architecture_names, architectures_of
from advisor.compare.routes import circumstances, routes_of
from advisor.knowledge.graphics import find_gpu_family
from advisor.knowledge.lookup import find_device, find_past_system
from advisor.knowledge.store import Knowledge
from advisor.model.explanation import DeviceFacts, ExplainedOption, Explanation
from advisor.model.machine import DeviceKind, MachineProfile
from advisor.model.option import OptionFact
from advisor.model.published import DeviceSpec, GpuFamily
from advisor.model.quantity import Phase
from advisor.model.recommendation import Preferences, Recommendation
from advisor.predict.hardware import isa_row
from advisor.recommend.circumstances import Circumstances
from advisor.recommend.devices import families_of, served_gpus
from advisor.recommend.options import refusals_of
from advisor.recommend.requirements import Verdict, check

# How alike two names must be to be offered for one another, 0 to 1.
_CLOSE = 0.7
MOST_OFFERED = 6
# Rows of the options table shown beside a system whose name they carry.
MOST_WAYS = 4
_SHORTEST_PART = 3

_KINDS = (DeviceKind.CPU, DeviceKind.IGPU, DeviceKind.DGPU, DeviceKind.NPU)
_FAMILY_KINDS = {"igpu": DeviceKind.IGPU, "dgpu": DeviceKind.DGPU, "npu": DeviceKind.NPU}


def explain(
    name: str,
    *,
    profile: MachineProfile,
    knowledge: Knowledge,
    advice: Recommendation | None = None,
) -> Explanation | None:
    """Return what a name means and what to take on this machine; None when it is not known.

    Args:
        name: of a framework, tool, stick, flag, option, device or architecture, in any spelling.
        profile: the user's machine.
        knowledge: the facts.
        advice: the user's own for this machine, whose job and verdicts then hold here too.
    """
    system = find_past_system(knowledge, name)
    options = _options(name, profile=profile, knowledge=knowledge, advice=advice)
    devices = _devices(name, knowledge=knowledge)
    if system is None and not any(device.spec for device in devices):
        devices = architectures_of(name, knowledge=knowledge) or devices
    if system is None and not options and not devices:
        return None
    return Explanation(
        asked=name,
        machine=profile.cpu.brand,
        system=system,
        options=options,
        devices=devices,
        routes=routes_of(profile, knowledge=knowledge, advice=advice) if system or options else (),
        job=None if advice is None else advised_job(advice),
    )


def _squeezed(text: str) -> str:
    return re.sub(r"[^a-z0-9+]", "", text.lower())


def _names_of(fact: OptionFact) -> Iterator[str]:
    yield fact.id
    yield fact.title
    for setting in fact.environment:
        yield setting.name
        yield f"{setting.name}={setting.value}"


def _options(
    name: str, *, profile: MachineProfile, knowledge: Knowledge, advice: Recommendation | None
) -> tuple[ExplainedOption, ...]:
    """Return the rows of the options table of that id, title or environment variable.

    Rows that only carry the name follow where they apply to this machine.
    """
    named, akin = _named(name, knowledge=knowledge)
    families = families_of(profile, knowledge=knowledge)
    found = []
    for fact in (*named, *akin):
        phase = _phase_of(fact, advice)
        given = circumstances(profile, phase=phase, knowledge=knowledge, advice=advice)
        served = served_gpus(profile, phase=phase, families=families)
        option = _explained(
            fact,
            check(fact, given=given, families=families, served=served),
            given=given,
            advice=advice if advice is not None and advice.workload.phase is phase else None,
        )
        if fact in named or not option.refusals:
            found.append(option)
    # What applies comes first: of one flag there may be a row for each kind of processor.
    found.sort(key=lambda option: bool(option.refusals))
    return tuple(found[: max(len(named), MOST_WAYS)])


def _phase_of(fact: OptionFact, advice: Recommendation | None) -> Phase:
    """Return the phase in which a row is looked at: the advice's where it is for that one."""
    if advice is not None and advice.workload.phase.value in fact.phases:
        return advice.workload.phase
    return Phase.TRAINING if Phase.TRAINING.value in fact.phases else Phase.INFERENCE


def _explained(
    fact: OptionFact,
    verdict: Verdict,
    *,
    given: Circumstances,
    advice: Recommendation | None,
) -> ExplainedOption:
    """Return a row with what an advice says of it; without one with what it would refuse it for."""
    if advice is not None:
        place, refusals = advised(fact.id, advice), refused(fact.id, advice)
        if place is not None or refusals:
            return ExplainedOption(fact=fact, refusals=refusals, advised=place)
    preferences = Preferences() if advice is None else advice.preferences
    refusals = refusals_of(fact, verdict, given=given, preferences=preferences)
    return ExplainedOption(fact=fact, refusals=refusals)


def _named(
    name: str, *, knowledge: Knowledge
) -> tuple[tuple[OptionFact, ...], tuple[OptionFact, ...]]:
    """Return the rows of that very name, and those that have it as a word of their id or title."""
    wanted = _squeezed(name)
    if not wanted:
        return (), ()
    named, akin = [], []
    words = tuple(re.findall(r"[a-z0-9+]+", name.lower()))
    for fact in knowledge.options:
        texts = (fact.id, fact.title)
        spelled = [tuple(re.findall(r"[a-z0-9+]+", text.lower())) for text in texts]
        if wanted in {_squeezed(known) for known in _names_of(fact)}:
            named.append(fact)
        elif any(_has_run(known, words) for known in spelled):
            akin.append(fact)
    return tuple(named), tuple(akin)


def _has_run(words: tuple[str, ...], run: tuple[str, ...]) -> bool:
    n = len(run)
    return any(words[i : i + n] == run for i in range(len(words) - n + 1))


def _devices(name: str, *, knowledge: Knowledge) -> tuple[DeviceFacts, ...]:
    """Return the product of that name: a processor, a GPU, or both parts of one."""
    found = []
    family = find_gpu_family(knowledge, pci_vendor_id=None, pci_device_id=None, name=name)
    for kind in _KINDS:
        spec = find_device(knowledge, name, kind=kind)
        if spec is not None:
            found.append(_facts_of(spec, family=family, knowledge=knowledge))
    if any(facts.kind is not DeviceKind.CPU for facts in found):
        # The GPU speaks for itself.
        found = [
            dataclasses.replace(facts, family=None) if facts.kind is DeviceKind.CPU else facts
            for facts in found
        ]
    if not found and family is not None:
        found.append(_family_alone(name, family))
    return tuple(found)


def _facts_of(spec: DeviceSpec, *, family: GpuFamily | None, knowledge: Knowledge) -> DeviceFacts:
    isa = None
    if spec.kind is DeviceKind.CPU:
        isa = isa_row(knowledge, microarchitecture=spec.architecture)
    elif family is None:
        family = find_gpu_family(
            knowledge, pci_vendor_id=None, pci_device_id=None, name=spec.device
        )
    return DeviceFacts(name=spec.device, kind=spec.kind, spec=spec, isa=isa, family=family)


def _family_alone(name: str, family: GpuFamily) -> DeviceFacts:
    kind = _FAMILY_KINDS.get(family.kind, DeviceKind.OTHER)
    return DeviceFacts(name=name, kind=kind, spec=None, isa=None, family=family)


def close_names(name: str, *, knowledge: Knowledge) -> tuple[str, ...]:
    """Return known names that a person may have meant, the most alike first."""
    wanted = _squeezed(name)
    if not wanted:
        return ()
    known = {_squeezed(text): text for text in _all_names(knowledge)}
    parts = []
    if len(wanted) >= _SHORTEST_PART:
        parts = sorted((key for key in known if wanted in key), key=lambda key: (len(key), key))
    close = difflib.get_close_matches(wanted, known, n=MOST_OFFERED, cutoff=_CLOSE)
    ordered = dict.fromkeys((*close, *parts))
    return tuple(known[key] for key in ordered)[:MOST_OFFERED]


def _all_names(knowledge: Knowledge) -> Iterator[str]:
    yield from architecture_names(knowledge)
    for spec in knowledge.devices:
        yield spec.device
    for fact in knowledge.options:
        yield fact.id
        for setting in fact.environment:
            yield setting.name
    for system in knowledge.past_systems:
        yield from system.aliases
        yield system.name
