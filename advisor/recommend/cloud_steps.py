"""Commands to start, to watch and to stop a rented machine, per vendor.

Stopping is part of every answer: a machine that is forgotten costs more than any advice saves.
Options of the commands were checked against the vendors' own command-line programs or pages;
what must be filled in stands in capitals.
Leaves to others: which machine (`advisor.recommend.offers`), its price (`advisor.recommend.cost`),
what runs there (`advisor.recommend.rented_software`).
"""

import math

from advisor.i18n import N_
from advisor.model.offer import Offer
from advisor.model.option import Option
from advisor.model.recommendation import Step
from advisor.recommend.rented_software import is_arm

# Disk where nothing is known of the data: system, framework and a few gigabytes.
DISK_GIB = 32

_GCP_LIST = "https://cloud.google.com/compute/docs/regions-zones"
# Regions without a zone "a", and a zone that they have (`_GCP_LIST`, read 2026-11-28).
_GCP_FIRST_ZONES = {"europe-west1": "b", "us-east1": "b"}
# Regions that work in every account. All that came after 2019-03-20 are to be enabled first
# (https://docs.aws.amazon.com/accounts/latest/reference/manage-acct-regions.html).
_AWS_DEFAULT_REGIONS = frozenset(
    {
        "ap-northeast-1", "ap-northeast-2", "ap-northeast-3", "ap-south-1", "ap-southeast-1",
        "ap-southeast-2", "ca-central-1", "eu-central-1", "eu-north-1", "eu-west-1", "eu-west-2",
        "eu-west-3", "sa-east-1", "us-east-1", "us-east-2", "us-west-1", "us-west-2",
    }
)  # fmt: skip
# Azure's auto-shutdown comes each day: one that is set so many hours ahead comes once before it
# comes again.
_AZURE_AHEAD_H = 23


def cloud_steps(option: Option, *, hours: float, disk_gib: int = DISK_GIB) -> tuple[Step, ...]:
    """Return start, watch and stop for a CLOUD option.

    Args:
        option: with its offer.
        hours: what is billed at the longest, the base of the automatic stop where there is one.
        disk_gib: size of the disk.
    """
    offer = option.offer
    if offer is None:
        return ()
    makers = {"aws": _aws, "gcp": _gcp, "azure": _azure}
    maker = makers.get(offer.vendor)
    if maker is None:
        return _other(offer, is_spot=option.is_spot, disk_gib=disk_gib)
    return maker(offer, is_spot=option.is_spot, hours=hours, disk_gib=disk_gib)


def _stop_after_h(hours: float) -> int:
    """A quarter more than the longest time that is to be expected: a limit, not the plan."""
    return math.ceil(1.25 * hours + 1.0)


def _aws(offer: Offer, *, is_spot: bool, hours: float, disk_gib: int) -> tuple[Step, ...]:
    architecture = "arm64" if is_arm(offer) else "amd64"
    image = (
        "resolve:ssm:/aws/service/canonical/ubuntu/server/24.04/stable/current/"
        f"{architecture}/hvm/ebs-gp3/ami-id"
    )
    spot = (
        [
            (
                '  --instance-market-options \'{"MarketType":"spot","SpotOptions":'
                '{"SpotInstanceType":"one-time","InstanceInterruptionBehavior":"terminate"}}\' \\'
            )
        ]
        if is_spot
        else []
    )
    start = [
        (
            f"aws ec2 run-instances --region {offer.region} "
            f"--instance-type {offer.instance_type} --count 1 \\"
        ),
        f"  --image-id {image} \\",
        *spot,
        "  --instance-initiated-shutdown-behavior terminate --key-name MY-KEY \\",
        (
            '  --block-device-mappings \'[{"DeviceName":"/dev/sda1","Ebs":{"VolumeSize":'
            f'{disk_gib},"VolumeType":"gp3","DeleteOnTermination":true}}}}]\' \\'
        ),
        "  --tag-specifications 'ResourceType=instance,Tags=[{Key=Name,Value=dl-advisor}]'",
    ]
    watch = (
        f"aws ec2 describe-instances --region {offer.region} "
        "--filters Name=tag:Name,Values=dl-advisor "
        "--query 'Reservations[].Instances[].[InstanceId,State.Name,PublicIpAddress]' "
        "--output table"
    )
    stop = f"aws ec2 terminate-instances --region {offer.region} --instance-ids INSTANCE-ID"
    return (
        *_enabling(offer.region),
        Step(kind="shell", caption="Start", content="\n".join(start)),
        Step(kind="shell", caption="Watch", content=watch),
        _shutdown_timer(hours),
        Step(kind="shell", caption="Stop (ends the charge)", content=stop),
    )


def _enabling(region: str) -> tuple[Step, ...]:
    """Return how a region is enabled; nothing where it always is."""
    if region in _AWS_DEFAULT_REGIONS:
        return ()
    return (
        Step(
            kind="shell",
            caption=N_("First, in a new account: enable this region (takes minutes to hours)"),
            content=(
                f"aws account enable-region --region-name {region}\n"
                f"aws account get-region-opt-status --region-name {region}"
            ),
        ),
    )


def _shutdown_timer(hours: float) -> Step:
    """Return the timer; a restart, as after the driver is installed, drops it and sets it anew."""
    command = f"shutdown -h +{_stop_after_h(hours) * 60}"
    return Step(
        kind="shell",
        caption="On the rented machine: stop by itself if it is forgotten",
        content=(
            f"echo '@reboot root /sbin/{command}' | sudo tee /etc/cron.d/dl-advisor\nsudo {command}"
        ),
    )


def _gcp_machine(offer: Offer) -> tuple[str, list[str]]:
    """Return machine type and further options; our table writes an attached GPU as "+T4x1"."""
    machine, _, attached = offer.instance_type.partition("+")
    options = []
    if attached:
        accelerator, _, count = attached.rpartition("x")
        options.append(f"--accelerator=type=nvidia-tesla-{accelerator.lower()},count={count}")
    if offer.accelerator is not None:
        options.append("--maintenance-policy=TERMINATE")
    elif machine.startswith("n1-"):
        # Without it the processor of an N1 machine is a matter of luck.
        options.append('--min-cpu-platform="Intel Skylake"')
    return machine, options


def _gcp(offer: Offer, *, is_spot: bool, hours: float, disk_gib: int) -> tuple[Step, ...]:
    machine, options = _gcp_machine(offer)
    zone = f"{offer.region}-{_GCP_FIRST_ZONES.get(offer.region, 'a')}"
    family = "ubuntu-2404-lts-arm64" if is_arm(offer) else "ubuntu-2404-lts-amd64"
    if is_spot:
        options.append("--provisioning-model=SPOT")
    start = [
        f"gcloud compute instances create dl-advisor --zone={zone} --machine-type={machine} \\",
        *(f"  {entry} \\" for entry in options),
        f"  --instance-termination-action=DELETE --max-run-duration={_stop_after_h(hours)}h \\",
        f"  --image-family={family} --image-project=ubuntu-os-cloud --boot-disk-size={disk_gib}GB",
    ]
    watch = f"gcloud compute instances describe dl-advisor --zone={zone} --format='value(status)'"
    stop = f"gcloud compute instances delete dl-advisor --zone={zone} --quiet"
    return (
        Step(kind="shell", caption="Start", content="\n".join(start)),
        Step(kind="shell", caption="Watch", content=watch),
        Step(kind="shell", caption="Stop (ends the charge)", content=stop),
        Step(kind="url", caption="If this zone refuses: other zones", content=_GCP_LIST),
    )


def _azure(offer: Offer, *, is_spot: bool, hours: float, disk_gib: int) -> tuple[Step, ...]:
    image = "Canonical:ubuntu-24_04-lts:server-arm64:latest" if is_arm(offer) else "Ubuntu2404"
    spot = ["  --priority Spot --max-price -1 --eviction-policy Delete \\"] if is_spot else []
    start = [
        f"az group create --name dl-advisor --location {offer.region}",
        f"az vm create --resource-group dl-advisor --name dl-advisor --location {offer.region} \\",
        f"  --size {offer.instance_type} --image {image} \\",
        *spot,
        f"  --os-disk-size-gb {disk_gib} --admin-username azureuser --generate-ssh-keys",
    ]
    watch = (
        "az vm get-instance-view --resource-group dl-advisor --name dl-advisor "
        "--query instanceView.statuses[].displayStatus --output tsv"
    )
    return (
        Step(kind="shell", caption="Start", content="\n".join(start)),
        Step(kind="shell", caption="Watch", content=watch),
        *_azure_limit(_stop_after_h(hours)),
        Step(
            kind="shell",
            caption="Stop (deletes the machine, its disk and its address)",
            content="az group delete --name dl-advisor --yes",
        ),
    )


def _azure_limit(hours: int) -> tuple[Step, ...]:
    """Return what limits the charge of a forgotten machine: only deallocating it does."""
    if hours > _AZURE_AHEAD_H:
        text = N_(
            "A machine that is shut down from inside is still charged, and Azure's auto-shutdown "
            "comes each day: it would end this job too early. Set a budget alert for the group "
            "dl-advisor in the portal, and stop the machine as soon as the job has ended."
        )
        return (
            Step(kind="text", caption="If it is forgotten", content=text),
            Step(
                kind="shell",
                caption=N_("Stop at the end of the job and keep the disk, which is still charged"),
                content="az vm deallocate --resource-group dl-advisor --name dl-advisor",
            ),
        )
    text = N_(
        "A machine that is shut down from inside is still charged. The next command deallocates "
        "it at a time after the end of the job, and each day at that time; its disk is still "
        "charged."
    )
    # As GNU's program says it, or as that of macOS.
    at = f"$(date -u -d '+{hours} hours' +%H%M 2>/dev/null || date -u -v+{hours}H +%H%M)"
    return (
        Step(kind="text", caption="If it is forgotten", content=text),
        Step(
            kind="shell",
            caption=N_("Deallocate it by itself"),
            content=(
                f'az vm auto-shutdown --resource-group dl-advisor --name dl-advisor --time "{at}"'
            ),
        ),
    )


def _other(offer: Offer, *, is_spot: bool, disk_gib: int) -> tuple[Step, ...]:
    form = "interruptible" if is_spot else "on demand"
    where = "" if offer.region == "any" else f" in {offer.region}"
    look = "top" if offer.accelerator is None else "nvidia-smi"
    return (
        Step(
            kind="text",
            caption="Start",
            content=(
                f"In the console of {offer.vendor}, choose {offer.called} ({form})"
                f"{where} with an Ubuntu image and a disk of {disk_gib} GB."
            ),
        ),
        Step(kind="text", caption="Watch", content=f"{look}, and the log of the job."),
        Step(
            kind="text",
            caption="Stop (ends the charge)",
            content=(
                "Delete the machine, not only stop it, and its disk; look at the bill page of "
                f"{offer.vendor} afterwards."
            ),
        ),
    )
