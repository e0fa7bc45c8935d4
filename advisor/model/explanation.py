"""What became of something that old advice names, and what serves its purpose on this machine.

Leaves to others: finding it (`advisor.compare.explain`), words (`advisor.report.explain_sections`).
"""

from dataclasses import dataclass
from enum import StrEnum

from advisor.model.machine import DeviceKind
from advisor.model.option import OptionFact
from advisor.model.published import CpuIsaRow, DeviceSpec, GpuFamily, PastSystem
from advisor.model.quantity import Interval, Phase
from advisor.model.recommendation import Reason


class AdvisedPlace(StrEnum):
    """Where an advice has an option that it does not leave out."""

    RANKED = "ranked"
    HINT = "hint"
    AVOID = "avoid"


@dataclass(frozen=True, slots=True, kw_only=True)
class Advised:
    """What an advice says of an option.

    Attributes:
        rank, total_s: of a ranked one, else None.
        speedup: time now / time with it, None where no figure is known.
    """

    place: AdvisedPlace
    rank: int | None
    total_s: Interval | None
    speedup: Interval | None
    reasons: tuple[Reason, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class AdvisedJob:
    """The job of the advice that an explanation goes by.

    Attributes:
        first, first_here: titles of the advice's first option, and of its first on this machine;
            None where it has none.
    """

    title: str
    phase: Phase
    created_on: str
    first: str | None
    first_here: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ExplainedOption:
    """A row of the options table and why it does not apply here; no refusals: it does.

    `advised`: what the user's advice says of it, None without one or where it says nothing.
    """

    fact: OptionFact
    refusals: tuple[Reason, ...]
    advised: Advised | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class DeviceFacts:
    """A product by its name, or an architecture: its specification, and what it computes with.

    Attributes:
        spec: None of an architecture, and where only the family of its GPU is known.
        isa: of a CPU, None when its microarchitecture is not in the table.
        family: of a GPU, or of the GPU inside a processor; None when there is none known.
        members: of an architecture, the products that are known.
    """

    name: str
    kind: DeviceKind
    spec: DeviceSpec | None
    isa: CpuIsaRow | None
    family: GpuFamily | None
    members: tuple[str, ...] = ()
    is_architecture: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """A device of this machine for a phase of the work.

    Attributes:
        level: "official", "unofficial" or "none"; None where the table of families does not say.
        way: the software to take, in words; None when the table names none.
        option_titles: rows of the options table that apply to this device and phase.
        why_not: what speaks against it (no driver, measured slower); None when nothing does.
        is_first: whether to begin here; exactly one route of each phase is.
        against: why the user's advice leaves the device out or says to avoid it.
    """

    phase: Phase
    device: str
    kind: DeviceKind
    level: str | None
    way: str | None
    option_titles: tuple[str, ...]
    advice: str | None
    why_not: str | None
    is_first: bool
    against: tuple[Reason, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Explanation:
    """All that is known under a name, and what to take on the user's machine.

    At least one of `system`, `options` and `devices` is there. `routes` is empty for a mere
    device: nothing stands in its place. `job` is that of the advice it goes by, None without one.
    """

    asked: str
    machine: str
    system: PastSystem | None
    options: tuple[ExplainedOption, ...]
    devices: tuple[DeviceFacts, ...]
    routes: tuple[Route, ...]
    job: AdvisedJob | None = None
