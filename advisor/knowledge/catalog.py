"""Machines for rent, each once: offers of one type differ in region, price and date only.

Thousands of offers are a few hundred machines. What is asked of a machine is asked once for
all of its offers; `machine_types` groups them once for a knowledge.
Leaves to others: whether a machine is fit for a job (`advisor.recommend.offers`).
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from operator import attrgetter

from advisor.model.offer import Offer

# All that describes the machine. What is left is where, when and for how much.
_machine = attrgetter(
    "vendor",
    "instance_type",
    "family",
    "architecture",
    "vcpus",
    "memory_bytes",
    "accelerator",
    "n_accelerators",
    "accelerator_memory_bytes",
)
_by_price = attrgetter("usd_per_hour", "region")
_by_spot_price = attrgetter("spot_usd_per_hour", "region")


@dataclass(frozen=True, slots=True, kw_only=True)
class MachineType:
    """One machine and its offers; make it with `machine_type`.

    Attributes:
        offers: at least one, in the order of the table.
        on_demand, spot: the cheapest offer of each form, of equally cheap ones that of the first
            region by name; None where no offer has such a price.
        n_prices: prices of both forms; n_unpriced: offers without any price.
    """

    offers: tuple[Offer, ...]
    on_demand: Offer | None
    spot: Offer | None
    n_prices: int
    n_unpriced: int

    @property
    def sample(self) -> Offer:
        """An offer, for what all of them have in common."""
        return self.offers[0]


def machine_type(offers: Sequence[Offer]) -> MachineType:
    """Return the type of offers of one machine, at least one."""
    on_demand = [offer for offer in offers if offer.usd_per_hour is not None]
    spot = [offer for offer in offers if offer.spot_usd_per_hour is not None]
    n_unpriced = 0
    if len(on_demand) < len(offers):
        n_unpriced = sum(o.usd_per_hour is None and o.spot_usd_per_hour is None for o in offers)
    return MachineType(
        offers=tuple(offers),
        on_demand=min(on_demand, key=_by_price, default=None),
        spot=min(spot, key=_by_spot_price, default=None),
        n_prices=len(on_demand) + len(spot),
        n_unpriced=n_unpriced,
    )


def machine_types(offers: Iterable[Offer]) -> tuple[MachineType, ...]:
    """Return the types of offers, in the order in which each is first offered."""
    groups: dict[tuple[object, ...], list[Offer]] = defaultdict(list)
    for offer in offers:
        groups[_machine(offer)].append(offer)
    return tuple(machine_type(group) for group in groups.values())
