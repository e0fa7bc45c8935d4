"""The SkyPilot task: exact text; with the real package it is read, checked and priced offline."""

import os
import subprocess
from pathlib import Path

import pytest

from advisor.recommend.skypilot import skypilot_steps, skypilot_task
from tests.advisor.recommend.builders import a_cloud_option, a_gpu_offer, an_offer

# A Python that has skypilot; it is large and no dependency of ours.
PYTHON = os.environ.get("SKYPILOT_PYTHON", "")
CHILD = Path(__file__).with_name("skypilot_child.py")


def test_the_task_asks_for_what_was_priced():
    task = skypilot_task(a_cloud_option(is_spot=True), disk_gib=40)
    assert task == "\n".join(
        [
            "name: dl-advisor",
            "resources:",
            "  infra: aws/us-east-1",
            "  instance_type: c7i.4xlarge",
            "  use_spot: true",
            "  disk_size: 40",
            "workdir: .",
            "setup: pip install tensorflow-cpu keras",
            "run: python TRAIN.py",
        ]
    )


def test_an_attached_gpu_is_asked_for_by_itself():
    offer = a_gpu_offer(vendor="gcp", instance_type="n1-standard-4+T4x1", region="us-central1")
    task = skypilot_task(a_cloud_option(offer), disk_gib=40)
    assert "  instance_type: n1-standard-4\n  accelerators: T4:1\n" in task
    assert 'setup: pip install "tensorflow[and-cuda]" keras' in task


def test_stopping_is_part_of_it_and_other_vendors_have_none():
    *_, last = skypilot_steps(a_cloud_option(), disk_gib=40)
    assert last.content.endswith("sky down dl-advisor")
    # An idle machine keeps what was computed; one that is taken away begins again elsewhere.
    task = skypilot_task(a_cloud_option(), disk_gib=40) or ""
    assert "  autostop: {idle_minutes: 10, down: false}" in task
    *_, last = skypilot_steps(a_cloud_option(is_spot=True), disk_gib=40)
    assert "sky jobs launch -n dl-advisor dl-advisor.yaml" in last.content
    assert last.content.endswith("sky jobs cancel -n dl-advisor")
    assert skypilot_steps(a_cloud_option(an_offer(vendor="smallcloud")), disk_gib=40) == ()


@pytest.mark.slow
@pytest.mark.skipif(not PYTHON, reason="SKYPILOT_PYTHON names no Python that has skypilot")
@pytest.mark.parametrize(
    ("change", "answer"),
    [
        (lambda text: text, "cost 0.250 c7i.4xlarge"),
        (lambda text: text.replace("use_spot: true", "use_spot: false"), "cost 0.714 c7i.4xlarge"),
        (lambda text: text.replace("c7i.4xlarge", "c99.4xlarge"), "refused"),
        (lambda text: text.replace("us-east-1", "mars-1"), "refused"),
        (lambda text: text.replace("instance_type", "instance_tipe"), "refused"),
    ],
)
def test_the_real_skypilot_reads_checks_and_prices_it(tmp_path, change, answer):
    task = tmp_path / "task.yaml"
    task.write_text(change(skypilot_task(a_cloud_option(is_spot=True), disk_gib=64)))
    environment = {**os.environ, "HOME": str(tmp_path), "SKYPILOT_DISABLE_USAGE_COLLECTION": "1"}
    done = subprocess.run(
        [PYTHON, str(CHILD), str(task)],
        cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=120, check=False,
    )  # fmt: skip
    assert answer in done.stdout, done.stdout + done.stderr
