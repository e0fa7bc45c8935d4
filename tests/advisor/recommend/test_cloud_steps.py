"""Zones, regions and automatic stops of rented machines; the AWS commands by its own program."""

import os
import shlex
import subprocess

import pytest

from advisor.recommend.cloud_steps import cloud_steps
from advisor.recommend.steps import steps_for
from tests.advisor.recommend.builders import a_cloud_option, a_gpu_offer, a_profile, an_offer

# The vendor's program; it is large and no dependency of ours.
AWS = os.environ.get("AWS_CLI", "")
KEYS = {"AWS_ACCESS_KEY_ID": "x", "AWS_SECRET_ACCESS_KEY": "x"}


def rented(offer, *, hours=3.0):
    return cloud_steps(a_cloud_option(offer), hours=hours)


def options_of(command):
    """Option names and values of one shell command, as a shell splits it."""
    words = shlex.split(command.replace("\\\n", " "))
    return {
        word.split("=", 1)[0]: (word.split("=", 1)[1] if "=" in word else following)
        for word, following in zip(words, [*words[1:], ""], strict=True)
        if word.startswith("--")
    }


def test_the_timer_of_a_forgotten_machine_outlives_a_restart():
    # A restart drops what `shutdown` was told; installing the driver ends in one.
    steps = steps_for(a_cloud_option(a_gpu_offer()), profile=a_profile(), hours=3.0)
    assert any("sudo reboot" in step.content for step in steps)
    (timer,) = (step.content for step in steps if "sudo shutdown" in step.content)
    at_start, now = timer.split("\n")
    line, place = at_start.removeprefix("echo ").split(" | ")
    assert shlex.split(line) == ["@reboot root /sbin/shutdown -h +300"]
    assert place == "sudo tee /etc/cron.d/dl-advisor"
    assert now == "sudo shutdown -h +300"


@pytest.mark.parametrize(
    ("region", "zone"),
    [
        ("europe-west1", "europe-west1-b"),
        ("us-east1", "us-east1-b"),
        ("us-east4", "us-east4-a"),
        ("europe-west10", "europe-west10-a"),
    ],
)
@pytest.mark.parametrize("is_spot", [False, True])
def test_gcp_commands_name_a_zone_that_there_is(region, zone, is_spot):
    option = a_cloud_option(an_offer(vendor="gcp", region=region), is_spot=is_spot)
    steps = steps_for(option, profile=a_profile(), hours=1.0)
    commands = [step.content for step in steps if step.content.startswith("gcloud ")]
    assert [options_of(command)["--zone"] for command in commands] == [zone] * 3
    task = next(step.content for step in steps if step.kind == "file")
    # SkyPilot looks for a zone itself.
    assert f"  infra: gcp/{region}\n" in task


@pytest.mark.parametrize("region", ["af-south-1", "ap-southeast-5", "il-central-1", "eu-south-2"])
def test_aws_regions_that_are_off_in_a_new_account_are_enabled_first(region):
    first, start, *_ = rented(an_offer(region=region))
    enable, status = first.content.split("\n")
    assert enable == f"aws account enable-region --region-name {region}"
    assert status == f"aws account get-region-opt-status --region-name {region}"
    assert "hours" in first.caption
    assert start.caption == "Start"


@pytest.mark.parametrize("region", ["us-east-1", "eu-central-1", "sa-east-1", "ap-northeast-3"])
def test_aws_regions_that_are_always_on_need_nothing(region):
    steps = rented(an_offer(region=region))
    assert steps[0].caption == "Start"
    assert not any("enable-region" in step.content for step in steps)


def azure_limit(hours):
    steps = rented(an_offer(vendor="azure", region="eastus"), hours=hours)
    (text,) = (step.content for step in steps if step.caption == "If it is forgotten")
    commands = [step.content for step in steps if step.kind == "shell"]
    return text, commands


@pytest.mark.parametrize(("hours", "ahead"), [(3.0, 5), (17.6, 23)])
def test_azure_deallocates_a_forgotten_machine_at_a_time_after_the_job(hours, ahead):
    text, commands = azure_limit(hours)
    assert "each day" in text
    (command,) = (c for c in commands if "auto-shutdown" in c)
    options = options_of(command.split(" --time ")[0])
    assert options["--resource-group"] == options["--name"] == "dl-advisor"
    assert f"date -u -d '+{ahead} hours' +%H%M" in command
    assert f"date -u -v+{ahead}H +%H%M" in command


@pytest.mark.parametrize("hours", [17.7, 24.0, 100.0])
def test_azures_daily_shutdown_is_not_advised_for_what_takes_longer_than_a_day(hours):
    text, commands = azure_limit(hours)
    assert "budget alert" in text
    assert not any("auto-shutdown" in command for command in commands)
    assert commands[-2:] == [
        "az vm deallocate --resource-group dl-advisor --name dl-advisor",
        "az group delete --name dl-advisor --yes",
    ]


def verdict(command):
    words = shlex.split(command.replace("\\\n", " "))
    done = subprocess.run(
        [AWS, *words[1:], "--generate-cli-skeleton", "output"],
        env={**os.environ, **KEYS}, capture_output=True, text=True, timeout=60, check=False,
    )  # fmt: skip
    return done.returncode


@pytest.mark.slow
@pytest.mark.skipif(not AWS, reason="AWS_CLI names no aws program")
@pytest.mark.parametrize("is_spot", [True, False])
def test_the_real_program_takes_start_watch_and_stop(is_spot):
    steps = cloud_steps(a_cloud_option(is_spot=is_spot), hours=2.0, disk_gib=40)
    commands = [step.content for step in steps if step.content.startswith("aws ")]
    assert len(commands) == 3
    assert [verdict(command) for command in commands] == [0, 0, 0]
    assert verdict(commands[0].replace("--image-id", "--imageid")) != 0


@pytest.mark.slow
@pytest.mark.skipif(not AWS, reason="AWS_CLI names no aws program")
def test_the_real_program_takes_how_a_region_is_enabled():
    first, *_ = rented(an_offer(region="af-south-1"))
    commands = first.content.split("\n")
    assert [verdict(command) for command in commands] == [0, 0]
    assert verdict(commands[0].replace("--region-name", "--regionname")) != 0
