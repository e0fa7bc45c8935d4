"""A rented machine as a SkyPilot task: one file that starts the job, and stops the machine.

An idle machine is stopped, not deleted: what was computed is on its disk.

Only for vendors whose types and regions SkyPilot names as we do. The file asks for exactly the
type and region that were priced.
Leaves to others: the vendors' own commands (`advisor.recommend.cloud_steps`).
"""

from advisor.model.option import Option
from advisor.model.recommendation import Step
from advisor.recommend.rented_software import KERAS_TRAINING, RentedJob, pip_packages

VENDORS = frozenset({"aws", "azure", "gcp"})
# The machine goes away so long after its last command has ended.
IDLE_MINUTES = 10
FILE_NAME = "dl-advisor.yaml"


def skypilot_task(option: Option, *, disk_gib: int, job: RentedJob = KERAS_TRAINING) -> str | None:
    """Return the text of a task file for a CLOUD option, None where SkyPilot does not fit."""
    offer = option.offer
    if offer is None or offer.vendor not in VENDORS:
        return None
    machine, _, attached = offer.instance_type.partition("+")
    lines = [
        "name: dl-advisor",
        "resources:",
        f"  infra: {offer.vendor}/{offer.region}",
        f"  instance_type: {machine}",
        f"  use_spot: {str(option.is_spot).lower()}",
        f"  disk_size: {disk_gib}",
        *([] if option.is_spot else [f"  autostop: {{idle_minutes: {IDLE_MINUTES}, down: false}}"]),
        "workdir: .",
        f"setup: pip install {pip_packages(offer, job)}",
        f"run: python {job.program}",
    ]
    if attached:
        name, _, count = attached.rpartition("x")
        lines.insert(4, f"  accelerators: {name}:{count}")
    return "\n".join(lines)


def skypilot_steps(
    option: Option, *, disk_gib: int, job: RentedJob = KERAS_TRAINING
) -> tuple[Step, ...]:
    """Return how to do the same with SkyPilot; empty where it does not fit."""
    task = skypilot_task(option, disk_gib=disk_gib, job=job)
    if task is None:
        return ()
    # Jobs that are managed begin again elsewhere when the machine is taken away.
    lines = ["launch -c dl-advisor", "queue dl-advisor", "down dl-advisor"]
    if option.is_spot:
        lines = ["jobs launch -n dl-advisor", "jobs queue", "jobs cancel -n dl-advisor"]
    start = f"pip install 'skypilot[{_extra(option)}]' && sky {lines[0]} {FILE_NAME}"
    return (
        Step(kind="file", caption=f"Or with SkyPilot, as {FILE_NAME}", content=task),
        Step(
            kind="shell",
            caption="Start, watch, stop",
            content="\n".join([start, f"sky {lines[1]}", f"sky {lines[2]}"]),
        ),
    )


def _extra(option: Option) -> str:
    return option.offer.vendor if option.offer is not None else ""
