"""This machine among published results: figure beside figure, only like with like.

Every value is a rate, so that more is better: "flop/s", "B/s", or samples per second as "1/s".
Leaves to others: choosing the rows (`advisor.compare`), words and bars (`advisor.report`).
"""

from dataclasses import dataclass
from enum import StrEnum

from advisor.model.kernel import Direction, KernelShape
from advisor.model.machine import DeviceKind
from advisor.model.quantity import Interval, Phase, Precision, Source


class Subject(StrEnum):
    """What is compared."""

    KERNEL = "kernel"
    NETWORK = "network"
    DATA_SHEET_RATE = "data_sheet_rate"
    DATA_SHEET_BANDWIDTH = "data_sheet_bandwidth"


class OwnBasis(StrEnum):
    """What the figure of this machine is."""

    MEASURED = "measured"
    PREDICTED = "predicted"
    DATA_SHEET = "data_sheet"


class NoResult(StrEnum):
    """Why nothing stands beside the figure of this machine, or why it has none."""

    NOTHING_PUBLISHED = "nothing_published"
    OTHER_PHASE = "other_phase"
    OTHER_PRECISION = "other_precision"
    OTHER_BATCHES = "other_batches"
    OTHER_SHAPES = "other_shapes"
    SEVERAL_DEVICES = "several_devices"
    OTHER_WORK = "other_work"
    NO_RATE = "no_rate"
    FRAMEWORK_NOT_NAMED = "framework_not_named"
    OTHER_KIND = "other_kind"
    OWN_FIGURE_UNKNOWN = "own_figure_unknown"


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparedResult:
    """One published figure.

    Attributes:
        value: in the unit of the group; ratio: value / this machine's, above 1 it is faster
            (None where this machine has no figure).
        software: framework, version and backend in words; None for a data sheet.
        workload: as published; batch_size: None where the figure has none.
        is_certain: False where nobody could check that the work was that of its name.
        note: what a reader must know before using the figure.
        is_same_machine: the median of others who have the device of this machine.
    """

    device: str
    kind: DeviceKind
    year: int | None
    value: float
    unit: str
    ratio: float | None
    software: str | None
    workload: str
    batch_size: int | None
    is_certain: bool
    source: Source
    note: str | None
    is_same_machine: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class SlowerDriver:
    """The same hardware under another driver, which reaches less of it."""

    device_id: str
    device: str
    own: Interval


@dataclass(frozen=True, slots=True, kw_only=True)
class ComparisonGroup:
    """One device of this machine under one kernel or network, and the others, slowest first.

    Attributes:
        shape, direction: of a kernel, None otherwise; workload, phase, batch_size: of a network.
        own: the figure of this machine, None when it is not known.
        slower, faster: names of the nearest published devices on either side, None at an end.
        no_result: why `results` is empty or `own` is None; None when neither is.
        found: what was published instead, in words ("batch 128"); empty when there is nothing.
        slower_drivers: figures of the same hardware under other drivers, the fastest first.
    """

    subject: Subject
    device_id: str
    device: str
    kind: DeviceKind
    unit: str
    own: Interval | None
    own_basis: OwnBasis
    own_software: str | None
    results: tuple[ComparedResult, ...]
    precision: Precision = Precision.FLOAT32
    shape: KernelShape | None = None
    direction: Direction | None = None
    workload: str | None = None
    phase: Phase | None = None
    batch_size: int | None = None
    slower: str | None = None
    faster: str | None = None
    no_result: NoResult | None = None
    found: tuple[str, ...] = ()
    slower_drivers: tuple[SlowerDriver, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison:
    """A machine among published devices. `measured_on` is None when nothing was measured."""

    machine: str
    collected_on: str
    measured_on: str | None
    groups: tuple[ComparisonGroup, ...]
