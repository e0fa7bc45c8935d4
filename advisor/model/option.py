"""Options a user has: keep, set, rebuild, change, use another device, rent, buy; their facts.

Leaves to others: which apply (`advisor.recommend.requirements`), gains (`advisor.predict`).
"""

from dataclasses import dataclass
from enum import StrEnum

from advisor.model.measurement import Setting
from advisor.model.offer import Offer
from advisor.model.published import DeviceSpec


class OptionKind(StrEnum):
    """Kind of an option, in the order in which advice is given."""

    STAY = "stay"
    BUILD = "build"
    RUNTIME_SETTINGS = "runtime_settings"
    PRECISION = "precision"
    INPUT_PIPELINE = "input_pipeline"
    CHANGE_FRAMEWORK = "change_framework"
    LOCAL_DEVICE = "local_device"
    CHANGE_NETWORK = "change_network"
    FREE_TIER = "free_tier"
    CLOUD = "cloud"
    BUY = "buy"


# Kinds of options whose work leaves this machine.
ELSEWHERE = frozenset({OptionKind.CLOUD, OptionKind.FREE_TIER, OptionKind.BUY})


class Advice(StrEnum):
    """Verdict of the options table on an option, before this machine is looked at."""

    RECOMMEND = "recommend"
    CONDITIONAL = "conditional"
    AVOID = "avoid"


# Options for the machine's own GPUs are named after them.
DEVICE_PREFIX = "device:"


@dataclass(frozen=True, slots=True, kw_only=True)
class OptionFact:
    """A row of the options table.

    Attributes:
        phases: "training", "inference" or both; systems: OS families, empty for any.
        isa_any: the CPU must have one of these flags; gpu_vendor, gpu_architectures: empty for any.
        excluded_when: conditions as written in the table ("isa<avx").
        how: what to type; environment: variables to set.
        effect_low, effect_high: factor on speed against the state before (below 1 is slower);
            None when no figure is known.
        effect_basis: what the factor rests on, in words.
    """

    id: str
    title: str
    kind: OptionKind
    phases: tuple[str, ...]
    systems: tuple[str, ...]
    isa_any: tuple[str, ...]
    gpu_vendor: str | None
    gpu_architectures: tuple[str, ...]
    min_versions: str | None
    excluded_when: tuple[str, ...]
    how: str
    environment: tuple[Setting, ...]
    effect_low: float | None
    effect_high: float | None
    effect_basis: str | None
    effect_source: str | None
    evidence_class: str
    risks: str | None
    is_reversible: bool | None
    needs_root: bool | None
    advice: Advice
    source: str
    verified_version: str | None
    verified_on: str | None
    confidence: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Option:
    """One thing the user can do. Exactly the parts that its kind needs are not None.

    Attributes:
        device_id: device of the profile that runs the work (None: not this machine).
        offer, is_spot: for CLOUD; purchase: for BUY; fact: for rows of the options table.
    """

    id: str
    title: str
    kind: OptionKind
    device_id: str | None = None
    settings: tuple[Setting, ...] = ()
    fact: OptionFact | None = None
    offer: Offer | None = None
    is_spot: bool = False
    purchase: DeviceSpec | None = None
