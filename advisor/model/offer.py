"""Cloud offers and the facts that price a job on them. Unknown prices are None, never 0.

Leaves to others: adding up a job's cost (`advisor.recommend.cost`).
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """A machine for rent, at one region and date, list price in USD, Linux, no tax.

    Attributes:
        family: joins `CpuPlatform` on (vendor, family).
        n_accelerators: a fraction for a partial GPU; accelerator None: CPU only.
        spot_usd_per_hour: interruptible price, None when unknown.
        observed_on, spot_observed_on: ISO dates of the prices.
    """

    vendor: str
    instance_type: str
    region: str
    family: str | None
    architecture: str | None
    vcpus: float | None
    memory_bytes: int | None
    accelerator: str | None
    n_accelerators: float | None
    accelerator_memory_bytes: int | None
    usd_per_hour: float | None
    spot_usd_per_hour: float | None
    observed_on: str
    spot_observed_on: str | None
    source: str
    spot_source: str | None

    @property
    def called(self) -> str:
        """Its type without the form in which it is rented, which stands beside it."""
        return self.instance_type.removesuffix("/spot")


@dataclass(frozen=True, slots=True, kw_only=True)
class CpuPlatform:
    """What CPU a family of instances really shows to its guest.

    `isa_features`: flags seen on every instance observed, spelled as Linux does.
    """

    vendor: str
    family: str
    architecture: str
    cpu_models: str
    microarchitecture: str | None
    vcpus_per_core: int | None
    reported_ghz: float | None
    isa_features: tuple[str, ...]
    source: str
    observed_on: str | None
    note: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class AcceleratorName:
    """Which device specification an offer's accelerator spelling stands for.

    Attributes:
        memory_bytes: usable memory that tells products of one name apart, None for any.
        device: canonical name of the `DeviceSpec`; None when we have no specification.
    """

    accelerator: str
    memory_bytes: int | None
    device: str | None
    note: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class BillingRule:
    """How a vendor rounds time: increment and minimum in seconds."""

    vendor: str
    increment_s: float | None
    minimum_s: float | None
    note: str | None
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class StoragePrice:
    """Disk price, USD per GiB and month.

    `is_billed_in_doublings`: sizes are billed as the next power of two of GiB.
    """

    vendor: str
    region: str | None
    kind: str
    usd_per_gib_month: float
    observed_on: str | None
    source: str
    is_billed_in_doublings: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class EgressPrice:
    """Price of traffic to the internet, USD per GiB; `free_gib_per_month` None when unknown."""

    vendor: str
    region: str | None
    usd_per_gib: float
    free_gib_per_month: float | None
    observed_on: str | None
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class SpotBand:
    """How often spot instances of a type are interrupted per month, as a band in percent."""

    vendor: str
    instance_type: str
    region: str
    low_percent: float
    high_percent: float
    observed_on: str
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Retirement:
    """A series that is retired or announced to be: not to be recommended."""

    vendor: str
    series: str
    instance_pattern: str
    status: str
    date: str | None
    source: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FreeTier:
    """A free offer: mentioned with its date and link, never added up.

    Attributes:
        limit: in words; option_id: of the option that it is a limit of, where there is one.
        session_hours: hours of a GPU in one session at most, None: not known or not so limited.
        hours_a_week: hours of a GPU in a week, likewise.
    """

    name: str
    what: str
    limit: str
    observed_on: str
    source: str
    note: str | None
    option_id: str | None = None
    session_hours: float | None = None
    hours_a_week: float | None = None
