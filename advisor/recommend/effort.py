"""What an option costs a person besides computing: work, and waiting before the first step.

A prediction tells how long the machine computes. A person who asks "what shall I do?" also pays
with the time to set things up; without it every short job would be sent to a rented machine.
Leaves to others: money (`advisor.recommend.cost`), the order (`advisor.recommend.rank`).
"""

from dataclasses import dataclass

from advisor.model.option import Option, OptionKind
from advisor.recommend.ready import NOTHING_READY, Readiness
from advisor.recommend.staying import asks_work_of

# A rented machine is billed while it starts and installs a framework; the data come on top.
# An assumption, stated in every price that uses it.
CLOUD_SETUP_S = 600.0
# Time from ordering a card to having it in hand. An assumption, stated with every purchase.
DELIVERY_S = 3 * 86_400.0
# What asks for administrator rights takes somewhat longer, or a colleague.
ROOT_WORK_S = 600.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Effort:
    """Seconds of a person's work, and of waiting before the job can start.

    `basis` says in words what the work consists of.
    """

    work_s: float
    wait_s: float
    basis: str


_WHOLE_WAY = "install a driver and a framework for the device, test it"

# Minutes of work of somebody who does it for the first time and reads the page that we link to.
# They are judgements, not measurements: what matters is their order and their size against the
# job (minutes, an hour, half a day), which no plausible correction changes.
_WORK_MINUTES: dict[OptionKind, tuple[float, str]] = {
    OptionKind.STAY: (0.0, "nothing to do"),
    OptionKind.BUILD: (240.0, "fetch the tools, compile for hours, install the result"),
    OptionKind.RUNTIME_SETTINGS: (5.0, "set a variable or change a line, start again"),
    OptionKind.PRECISION: (20.0, "change a line, compare the accuracy"),
    OptionKind.INPUT_PIPELINE: (30.0, "rewrite how the data are read"),
    OptionKind.CHANGE_FRAMEWORK: (90.0, "install another framework, convert, compare results"),
    OptionKind.LOCAL_DEVICE: (60.0, _WHOLE_WAY),
    OptionKind.CHANGE_NETWORK: (60.0, "change the network and judge its results again"),
    OptionKind.FREE_TIER: (20.0, "register, bring code and data, watch the session"),
    OptionKind.CLOUD: (30.0, "account, quota, key, bring code and data, fetch results, stop it"),
    OptionKind.BUY: (180.0, "choose, order, fit, install drivers and a framework"),
}

# Of the way to a GPU of this machine, by whether its driver and a framework for it are there.
_LEFT_OF_THE_WAY: dict[tuple[bool, bool], tuple[float, str]] = {
    (False, False): _WORK_MINUTES[OptionKind.LOCAL_DEVICE],
    (True, False): (40.0, "install a framework for the device, whose driver works, test it"),
    (False, True): (
        40.0,
        "install a driver for the device, for which a framework is there, test it",
    ),
    (True, True): (
        20.0,
        "start the program with the framework for the device that is there, test it",
    ),
}


def changes_network(option: Option) -> bool:
    """Return whether an option computes something else than was asked: a smaller network, say.

    Another number format computes the same network.
    """
    return option.kind is OptionKind.CHANGE_NETWORK


def effort_of(option: Option, *, upload_s: float = 0.0, ready: Readiness = NOTHING_READY) -> Effort:
    """Return what an option asks of a person.

    Args:
        option: what is to be done.
        upload_s: to bring the data to a rented machine.
        ready: what is installed already for a GPU of this machine.
    """
    kind = asks_work_of(option)
    minutes, basis = _WORK_MINUTES[kind]
    if kind is OptionKind.LOCAL_DEVICE:
        minutes, basis = _LEFT_OF_THE_WAY[ready.has_driver, ready.framework is not None]
    work_s = minutes * 60.0
    if option.fact is not None and option.fact.needs_root:
        work_s += ROOT_WORK_S
    wait_s = {OptionKind.CLOUD: CLOUD_SETUP_S + upload_s, OptionKind.BUY: DELIVERY_S}.get(
        option.kind, 0.0
    )
    return Effort(work_s=work_s, wait_s=wait_s, basis=basis)
