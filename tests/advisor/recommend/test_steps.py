"""What to type: exact lines for settings, clouds and purchases."""

import json
import re
import shlex

import pytest

from advisor.model.machine import OsFamily
from advisor.model.measurement import Setting
from advisor.model.option import OptionKind
from advisor.model.quantity import Phase
from advisor.recommend.cloud_steps import DISK_GIB, cloud_steps
from advisor.recommend.rented_software import RentedJob
from advisor.recommend.steps import resolve_settings, steps_for, usable_cores
from tests.advisor.recommend.builders import (
    a_cloud_option,
    a_cpu,
    a_fact,
    a_gpu_offer,
    a_profile,
    a_spec,
    an_offer,
    an_option,
    an_os,
)

NEW_ENVIRONMENT = "python3 -m venv v\n. v/bin/activate"
OWN_ENVIRONMENT = "python3 -m venv w && w/bin/pip install x"


def settings(**values):
    return tuple(Setting(name=name, value=value) for name, value in values.items())


def contents(steps, kind=None):
    return [step.content for step in steps if kind is None or step.kind == kind]


def local(option, **changes):
    return steps_for(option, profile=a_profile(**changes), hours=1.0)


# --- local --------------------------------------------------------------------------------------


def test_staying_has_nothing_to_do():
    assert local(an_option()) == ()


def test_settings_are_export_lines_in_a_shell():
    option = an_option(
        "s", OptionKind.RUNTIME_SETTINGS, settings=settings(TF_ENABLE_ONEDNN_OPTS="1", A="x y")
    )
    (step,) = local(option)
    assert step.kind == "shell"
    assert step.content == "export TF_ENABLE_ONEDNN_OPTS=1\nexport A='x y'"


def test_settings_are_env_lines_in_powershell():
    option = an_option("s", OptionKind.RUNTIME_SETTINGS, settings=settings(A="1"))
    (step,) = local(option, os=an_os(family=OsFamily.WINDOWS))
    assert step.content == '$env:A = "1"'


def test_instructions_are_typed_as_windows_own_powershell_takes_them():
    fact = a_fact(how="python3 -m venv v && v/bin/pip install x", environment=())
    option = an_option("s", OptionKind.LOCAL_DEVICE, fact=fact)
    step = local(option, os=an_os(family=OsFamily.WINDOWS))[0]
    assert step.content == "py -m venv v; v\\Scripts\\pip install x"


@pytest.mark.parametrize(
    ("system", "how", "typed"),
    [
        (OsFamily.LINUX, "pip install x", [NEW_ENVIRONMENT, "pip install x"]),
        (OsFamily.MACOS, "pip install x", [NEW_ENVIRONMENT, "pip install x"]),
        (OsFamily.WINDOWS, "pip install x", ["pip install x"]),
        (OsFamily.LINUX, OWN_ENVIRONMENT, [OWN_ENVIRONMENT]),
        # What is removed is removed where it is.
        (OsFamily.LINUX, "pip uninstall x ; pip install y", ["pip uninstall x", "pip install y"]),
        (OsFamily.LINUX, "pip uninstall x", ["pip uninstall x"]),
    ],
)  # fmt: skip
def test_packages_go_into_an_environment_where_the_systems_own_python_refuses_them(
    system, how, typed
):
    option = an_option("s", OptionKind.CHANGE_FRAMEWORK, fact=a_fact(how=how, environment=()))
    assert contents(local(option, os=an_os(family=system)), "shell") == typed


def test_settings_of_the_row_are_taken_when_the_option_has_none():
    fact = a_fact(environment=settings(A="1"), how="export A=1")
    steps = local(an_option("s", OptionKind.RUNTIME_SETTINGS, fact=fact))
    assert contents(steps) == ["export A=1", "https://example.org/a"]


def test_a_choice_of_two_values_is_no_setting():
    option = an_option("s", OptionKind.RUNTIME_SETTINGS, settings=settings(A="0|1"))
    assert local(option) == ()


@pytest.mark.parametrize(
    ("how", "kind"),
    [
        ("pip install openvino", "shell"),
        ("KERAS_BACKEND=torch python train.py", "shell"),
        ('keras.mixed_precision.set_global_policy("mixed_bfloat16")', "python"),
        ("model.compile(..., jit_compile=True)", "python"),
        ("never pass run_eagerly=True", "text"),
    ],
)
def test_kind_of_an_instruction(how, kind):
    fact = a_fact(how=how, source="a table")
    step = local(an_option("s", OptionKind.CHANGE_FRAMEWORK, fact=fact))[-1]
    assert (step.kind, step.content) == (kind, how)


def test_instructions_are_split_where_the_table_splits_them():
    fact = a_fact(how="pip install nncf ; model.quantize()", source="a table")
    steps = local(an_option("s", OptionKind.CHANGE_FRAMEWORK, fact=fact))
    assert [step.kind for step in steps] == ["shell", "shell", "python"]


@pytest.mark.parametrize(
    ("changes", "cores"),
    [
        ({}, 4),
        ({"n_physical_cores": None}, None),
        ({"n_physical_cores": 16, "n_logical_cpus": 32, "usable_cpus": 32}, 16),
        ({"n_physical_cores": 16, "n_logical_cpus": 32, "usable_cpus": 6}, 6),
        ({"quota_cpus": 2.5}, 2),
        ({"quota_cpus": 0.5}, 1),
    ],
)
def test_cores_honour_affinity_and_quota(changes, cores):
    assert usable_cores(a_profile(cpu=a_cpu(**changes))) == cores


def test_placeholders_become_numbers_or_are_left_out():
    wanted = settings(OMP_NUM_THREADS="PHYS", A="1")
    assert resolve_settings(wanted, profile=a_profile()) == settings(OMP_NUM_THREADS="4", A="1")
    unknown = a_profile(cpu=a_cpu(n_physical_cores=None))
    assert resolve_settings(wanted, profile=unknown) == settings(A="1")


# --- rented -------------------------------------------------------------------------------------


def rented(offer, *, is_spot=False, hours=3.0):
    return cloud_steps(a_cloud_option(offer, is_spot=is_spot), hours=hours)


def options_of(command):
    """Option names and values of one shell command, as a shell splits it."""
    words = shlex.split(command.replace("\\\n", " "))
    return {
        word.split("=", 1)[0]: (word.split("=", 1)[1] if "=" in word else following)
        for word, following in zip(words, [*words[1:], ""], strict=True)
        if word.startswith("--")
    }


@pytest.mark.parametrize("vendor", ["aws", "gcp", "azure", "somebody"])
@pytest.mark.parametrize("is_spot", [False, True])
def test_every_vendor_has_start_watch_and_stop(vendor, is_spot):
    steps = rented(an_offer(vendor=vendor), is_spot=is_spot)
    captions = [step.caption for step in steps]
    assert captions[0] == "Start"
    assert "Watch" in captions
    assert any(caption.startswith("Stop") for caption in captions)
    assert all(step.content for step in steps)


def test_aws_spot_command():
    start = options_of(rented(an_offer(), is_spot=True)[0].content)
    assert start["--region"] == "us-east-1"
    assert start["--instance-type"] == "c7i.4xlarge"
    assert "/amd64/" in start["--image-id"]
    market = json.loads(start["--instance-market-options"])
    assert market["MarketType"] == "spot"
    (disk,) = json.loads(start["--block-device-mappings"])
    assert disk["Ebs"]["VolumeSize"] == DISK_GIB
    assert disk["Ebs"]["DeleteOnTermination"] is True
    assert "MaxPrice" not in str(market)


def test_aws_on_demand_has_no_market_and_arm_its_own_image():
    start = options_of(rented(an_offer(architecture="arm64"))[0].content)
    assert "--instance-market-options" not in start
    assert "/arm64/" in start["--image-id"]


def test_aws_stop_terminates_in_the_same_region():
    stop = rented(an_offer(region="eu-west-1"))[-1].content
    assert stop.startswith("aws ec2 terminate-instances --region eu-west-1 ")


def test_a_forgotten_machine_stops_by_itself_after_the_longest_time_and_a_quarter():
    texts = contents(rented(an_offer(), hours=3.0))
    assert any(text.endswith("\nsudo shutdown -h +300") for text in texts)
    start = options_of(rented(an_offer(vendor="gcp"), hours=3.0)[0].content)
    assert start["--max-run-duration"] == "5h"


def test_gcp_spot_command():
    offer = an_offer(vendor="gcp", instance_type="c3-standard-22", region="us-central1")
    start = options_of(rented(offer, is_spot=True)[0].content)
    assert start["--zone"] == "us-central1-a"
    assert start["--machine-type"] == "c3-standard-22"
    assert start["--provisioning-model"] == "SPOT"
    assert start["--instance-termination-action"] == "DELETE"
    assert start["--image-family"] == "ubuntu-2404-lts-amd64"


def test_gcp_attached_gpu_and_n1_processor():
    gpu = a_gpu_offer(vendor="gcp", instance_type="n1-standard-4+T4x1", region="us-central1")
    start = options_of(rented(gpu)[0].content)
    assert start["--machine-type"] == "n1-standard-4"
    assert start["--accelerator"] == "type=nvidia-tesla-t4,count=1"
    assert start["--maintenance-policy"] == "TERMINATE"
    plain = an_offer(vendor="gcp", instance_type="n1-highcpu-16", region="us-central1")
    assert options_of(rented(plain)[0].content)["--min-cpu-platform"] == "Intel Skylake"


def test_azure_spot_command_and_deleting_the_group():
    offer = an_offer(vendor="azure", instance_type="Standard_D16s_v6", region="eastus")
    steps = rented(offer, is_spot=True)
    create, start = steps[0].content.split("\n", 1)
    assert create == "az group create --name dl-advisor --location eastus"
    options = options_of(start)
    assert options["--size"] == "Standard_D16s_v6"
    assert options["--priority"] == "Spot"
    assert options["--max-price"] == "-1"
    assert options["--image"] == "Ubuntu2404"
    assert steps[-1].content == "az group delete --name dl-advisor --yes"
    arm = rented(an_offer(vendor="azure", architecture="arm64"))[0].content
    assert "arm64" in options_of(arm)["--image"]


def test_another_vendor_is_named_and_deleting_is_part_of_it():
    steps = rented(a_gpu_offer(vendor="somebody", region="any", instance_type="1x-T4"))
    assert "somebody" in steps[0].content
    assert "1x-T4" in steps[0].content
    assert "any" not in re.findall(r"\w+", steps[0].content)
    assert "Delete the machine" in steps[-1].content


def test_a_rented_machine_for_inference_trains_nothing():
    option = a_cloud_option(is_spot=True)
    steps = steps_for(option, profile=a_profile(), hours=1.0, job=RentedJob(phase=Phase.INFERENCE))
    text = "\n".join(f"{step.caption}\n{step.content}" for step in steps)
    assert "v/bin/python PREDICT.py" in text
    assert "run: python PREDICT.py" in text
    assert "Save the results of each part" in text
    assert not any(word in text for word in ("TRAIN.py", "BackupAndRestore", "epoch"))


def test_commands_have_no_stray_line_ends():
    for vendor in ("aws", "gcp", "azure"):
        for step in rented(an_offer(vendor=vendor), is_spot=True):
            lines = step.content.split("\n")
            assert not lines[-1].endswith("\\")
            assert all(line.strip() for line in lines)


def arrival_of(option):
    steps = steps_for(option, profile=a_profile(), hours=1.0)
    caption = "On the rented machine: look, install, run"
    return next(step.content.split("\n") for step in steps if step.caption == caption)


def test_on_arrival_look_install_and_save():
    option = a_cloud_option(a_gpu_offer(), is_spot=True)
    arrival = arrival_of(option)
    # A plain Ubuntu has no driver of the GPU, and no venv.
    assert "python3-venv" in arrival[0]
    assert arrival[1].startswith("cat /proc/driver/nvidia/version || (")
    assert "tensorflow[and-cuda]" in arrival[3]
    steps = steps_for(option, profile=a_profile(), hours=1.0)
    assert any("BackupAndRestore" in step.content for step in steps)
    assert arrival[-1] == "v/bin/python TRAIN.py"
    cpu = arrival_of(a_cloud_option())
    assert cpu[1] == "lscpu"
    assert "tensorflow-cpu" in cpu[3]
    arm = a_cloud_option(an_offer(architecture="arm64"))
    assert arrival_of(arm)[3] == "v/bin/pip install tensorflow keras"
    other = a_cloud_option(a_gpu_offer(vendor="smallcloud"))
    assert arrival_of(other)[0] == "nvidia-smi"


@pytest.mark.parametrize(("maker", "command"), [(an_offer, "top"), (a_gpu_offer, "nvidia-smi")])
def test_a_machine_is_watched_with_what_it_has(maker, command):
    watch = next(s for s in rented(maker(vendor="smallcloud")) if s.caption == "Watch")
    assert watch.content.startswith(f"{command}, ")


# --- bought -------------------------------------------------------------------------------------


def test_a_purchase_says_what_it_needs_and_what_the_price_is():
    steps = local(an_option("b", OptionKind.BUY, purchase=a_spec()))
    assert "170 W" in steps[0].content
    assert "price at launch of 2021" in steps[1].content
    unknown = a_spec(launch_price_usd=None, tdp_w=None)
    steps = local(an_option("b", OptionKind.BUY, purchase=unknown))
    assert " W " not in steps[0].content
    assert "No price" in steps[1].content


def test_options_without_their_part_have_no_steps():
    assert local(an_option("b", OptionKind.BUY)) == ()
    assert cloud_steps(an_option("c", OptionKind.CLOUD), hours=1.0) == ()


@pytest.mark.parametrize("vendor", ["aws", "gcp", "azure", "smallcloud"])
def test_the_disk_is_as_large_as_the_job_needs(vendor):
    option = a_cloud_option(an_offer(vendor=vendor))
    steps = steps_for(option, profile=a_profile(), hours=1.0, disk_gib=216)
    text = "\n".join(step.content for step in steps)
    assert "216" in text


def test_a_row_about_renting_in_general_has_its_own_words():
    fact = a_fact(kind=OptionKind.CLOUD, how="save checkpoints every few minutes")
    option = an_option("spot", OptionKind.CLOUD, fact=fact)
    first, *_ = steps_for(option, profile=a_profile(), hours=0.0)
    assert first.content == "save checkpoints every few minutes"


@pytest.mark.parametrize(
    ("system", "typed"),
    [
        (OsFamily.LINUX, [NEW_ENVIRONMENT, "apt install a", "pip install b"]),
        (OsFamily.WINDOWS, ["pip install w", "pip install b"]),
        (OsFamily.MACOS, [NEW_ENVIRONMENT, "pip install b"]),
    ],
)
def test_instructions_for_another_system_are_left_out(system, typed):
    how = "Linux: apt install a ; Windows: pip install w ; pip install b"
    option = an_option(kind=OptionKind.LOCAL_DEVICE, fact=a_fact(how=how, environment=()))
    steps = steps_for(option, profile=a_profile(os=an_os(family=system)), hours=0.0)
    assert [step.content for step in steps if step.kind == "shell"] == typed
