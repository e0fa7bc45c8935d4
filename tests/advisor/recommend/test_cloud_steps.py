"""The printed AWS commands are understood by the vendor's own program, without a network."""

import os
import shlex
import subprocess

import pytest

from advisor.recommend.cloud_steps import cloud_steps
from tests.advisor.recommend.builders import a_cloud_option

# The vendor's program; it is large and no dependency of ours.
AWS = os.environ.get("AWS_CLI", "")
KEYS = {"AWS_ACCESS_KEY_ID": "x", "AWS_SECRET_ACCESS_KEY": "x"}


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
