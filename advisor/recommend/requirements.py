"""Whether a row of the options table applies to a machine and a job, and exactly why not.

Leaves to others: the facts that are asked for (`advisor.recommend.circumstances`), what the
option gains (`advisor.predict`), what is done with a refusal (`advisor.recommend.options`).
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass

from advisor.errors import FormatError
from advisor.knowledge.conditions import Condition, parse_condition
from advisor.model.machine import GraphicsDevice
from advisor.model.option import OptionFact, OptionKind
from advisor.model.published import GpuFamily
from advisor.model.recommendation import Reason, ReasonCode
from advisor.recommend.circumstances import (
    FRAMEWORKS_NOW,
    Circumstances,
    decide,
    framework_versions,
    gpu_vendor,
)
from advisor.recommend.reasons import reason

# Rows of these kinds change what is installed now: a version they name must be there already.
# Rows of the other kinds name what they install.
_NEEDS_NOW = frozenset(
    {
        OptionKind.RUNTIME_SETTINGS,
        OptionKind.PRECISION,
        OptionKind.INPUT_PIPELINE,
        OptionKind.CHANGE_NETWORK,
    }
)
_CLAUSE = re.compile(r"\s*([a-z][a-z0-9_-]*)\s*(>=|<=|==|<|>)\s*(\d+(?:\.\d+)*)\s*\Z")

# A row that is excluded where there is no GPU is about GPUs.
_GPU_CONDITIONS = frozenset({"gpu_lacks", "no_gpu", "no_igpu"})

# Flag of a condition that nobody outside the user's code can decide.
_CODE_FLAG = "depends_on_code"


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """Whether a row applies.

    Attributes:
        refusals: why it does not; empty when it applies.
        open_questions: why its figure cannot be claimed here, though it may be worth trying.
        unknown: conditions that the profile lacks the facts for.
    """

    refusals: tuple[Reason, ...] = ()
    open_questions: tuple[Reason, ...] = ()
    unknown: tuple[str, ...] = ()

    @property
    def applies(self) -> bool:
        """Whether nothing refuses the row."""
        return not self.refusals


def check(
    fact: OptionFact,
    *,
    given: Circumstances,
    families: Mapping[str, GpuFamily],
    served: frozenset[str] | None = None,
) -> Verdict:
    """Return whether a row of the options table applies.

    Args:
        fact: the row.
        given: the machine and the job.
        families: GPU family by the id of each graphics device that is recognised.
        served: ids of the GPUs for which any software does this job. A row about GPUs in
            general needs one of them; a row about named families knows better. None: all.
    """
    refusals = [
        *_system_refusals(fact, given),
        *_isa_refusals(fact, given),
        *_gpu_refusals(fact, given=given, families=families, served=served),
        *_version_refusals(fact, given),
    ]
    questions = list(_other_framework(fact))
    unknown = []
    for text in fact.excluded_when:
        if text == _CODE_FLAG:
            questions.append(reason(ReasonCode.DEPENDS_ON_YOUR_CODE))
            continue
        condition = _parsed(text)
        answer = None if condition is None else decide(condition, given=given)
        if answer is None:
            unknown.append(text)
        elif answer and condition is not None:
            refusals.append(_exclusion(condition, text, given))
    return Verdict(
        refusals=tuple(refusals), open_questions=tuple(questions), unknown=tuple(unknown)
    )


def _parsed(text: str) -> Condition | None:
    """A condition of a newer table that this version does not know is undecided, not an error."""
    try:
        return parse_condition(text)
    except FormatError:
        return None


def _exclusion(condition: Condition, text: str, given: Circumstances) -> Reason:
    if condition.name in ("already_default", "onednn_by_default"):
        return reason(ReasonCode.ALREADY_SO, system=given.profile.os.family.value)
    if condition.name == "short_format":
        return reason(ReasonCode.ALREADY_SO)
    if condition.name == "framework_not_installed":
        return reason(ReasonCode.FRAMEWORK_NOT_FOUND, framework=" | ".join(condition.values))
    if condition.name == "isa_lacks":
        return reason(ReasonCode.ISA_MISSING, needed=" | ".join(condition.values))
    if condition.name in ("gpu_lacks", "no_gpu", "no_igpu", "npu_lacks"):
        return reason(ReasonCode.GPU_MISSING, vendor=" | ".join(condition.values) or condition.name)
    return reason(ReasonCode.EXCLUDED, condition=text)


def _system_refusals(fact: OptionFact, given: Circumstances) -> list[Reason]:
    found = []
    system = given.profile.os.family.value
    if fact.systems and system not in fact.systems:
        needed = ", ".join(fact.systems)
        found.append(reason(ReasonCode.WRONG_SYSTEM, system=system, needed_systems=needed))
    phase = given.workload.phase.value
    if fact.phases and phase not in fact.phases:
        found.append(reason(ReasonCode.WRONG_PHASE, phase=phase, needed=", ".join(fact.phases)))
    return found


def _isa_refusals(fact: OptionFact, given: Circumstances) -> list[Reason]:
    features = given.profile.cpu.isa_features
    if not fact.isa_any or not set(fact.isa_any).isdisjoint(features):
        return []
    return [reason(ReasonCode.ISA_MISSING, needed=" | ".join(fact.isa_any))]


def _gpu_refusals(
    fact: OptionFact,
    *,
    given: Circumstances,
    families: Mapping[str, GpuFamily],
    served: frozenset[str] | None,
) -> list[Reason]:
    is_about_gpus = fact.gpu_vendor is not None or bool(fact.gpu_architectures)
    gpus = matching_gpus(fact, given=given, families=families)
    if is_about_gpus and not gpus:
        names = ", ".join(fact.gpu_architectures)
        return [reason(ReasonCode.GPU_MISSING, vendor=fact.gpu_vendor or "", families=names)]
    if fact.gpu_architectures or served is None or not gpus:
        return []
    if not (is_about_gpus or _mentions_gpus(fact)) or any(gpu.id in served for gpu in gpus):
        return []
    names = ", ".join(gpu.name for gpu in gpus)
    phase = given.workload.phase.value
    return [reason(ReasonCode.FRAMEWORK_DOES_NOT_RUN, device=names, phase=phase)]


def _mentions_gpus(fact: OptionFact) -> bool:
    return any(text.split(":")[0] in _GPU_CONDITIONS for text in fact.excluded_when)


def matching_gpus(
    fact: OptionFact, *, given: Circumstances, families: Mapping[str, GpuFamily]
) -> tuple[GraphicsDevice, ...]:
    """Return the GPUs of the machine that a row is about; all when it names none."""
    return tuple(
        gpu
        for gpu in given.profile.graphics
        if _is_vendor(gpu, fact.gpu_vendor) and _is_family(gpu, fact, families)
    )


def _is_vendor(gpu: GraphicsDevice, wanted: str | None) -> bool:
    if wanted is None:
        return True
    word = gpu_vendor(gpu)
    return word == wanted.lower()


def _is_family(gpu: GraphicsDevice, fact: OptionFact, families: Mapping[str, GpuFamily]) -> bool:
    if not fact.gpu_architectures:
        return True
    family = families.get(gpu.id)
    return family is not None and family.id in fact.gpu_architectures


def _other_framework(fact: OptionFact) -> list[Reason]:
    """A figure measured under a framework other than the one that runs the work now."""
    if fact.kind not in _NEEDS_NOW:
        return []
    named = set()
    for text in fact.excluded_when:
        condition = None if text == _CODE_FLAG else _parsed(text)
        if condition is not None and condition.name == "framework_not_installed":
            named |= set(condition.values)
    if not named or not named.isdisjoint(FRAMEWORKS_NOW):
        return []
    return [reason(ReasonCode.DEPENDS_ON_YOUR_CODE, framework=", ".join(sorted(named)))]


def _version_refusals(fact: OptionFact, given: Circumstances) -> list[Reason]:
    if fact.kind not in _NEEDS_NOW or not fact.min_versions or not given.profile.environments:
        return []
    installed = framework_versions(given.profile)
    refusals = []
    for clause in fact.min_versions.split(";"):
        match = _CLAUSE.match(clause)
        if match is None:
            continue
        name, operator, needed = match.groups()
        versions = installed.get(name, ())
        if not versions:
            refusals.append(
                reason(ReasonCode.FRAMEWORK_NOT_FOUND, framework=name, needed=operator + needed)
            )
        elif not any(_satisfies(version, operator, needed) for version in versions):
            refusals.append(
                reason(
                    ReasonCode.FRAMEWORK_TOO_OLD,
                    framework=name,
                    needed=operator + needed,
                    found=", ".join(sorted(set(versions))),
                )
            )
    return refusals


def version_key(text: str) -> tuple[int, ...]:
    """Return the numeric parts of a version for comparing; "2.21.0+cpu" is (2, 21)."""
    match = re.match(r"\d+(?:\.\d+)*", text.strip())
    parts = [int(part) for part in match.group().split(".")] if match else []
    while parts and parts[-1] == 0:
        parts.pop()
    return tuple(parts)


def _satisfies(version: str, operator: str, needed: str) -> bool:
    found, limit = version_key(version), version_key(needed)
    if operator == "<=":
        # "<=2.18" includes every patch of 2.18.
        return found[: len(limit)] <= limit
    if operator == "==":
        return found[: len(limit)] == limit
    if operator == "<":
        return found < limit
    if operator == ">":
        return found > limit
    return found >= limit
