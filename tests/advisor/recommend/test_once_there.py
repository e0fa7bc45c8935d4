"""What helps further on a GPU: rows that the processor alone refuses."""

import dataclasses

import pytest

from advisor.model.machine import DeviceKind, OsFamily
from advisor.model.option import Advice, OptionKind
from advisor.recommend.circumstances import Circumstances
from advisor.recommend.once_there import steps_once_there
from tests.advisor.recommend.builders import a_fact, a_gpu, a_profile, a_workload, an_os
from tests.advisor.recommend.families import RDNA3

ROW = a_fact(
    title="Compute in half precision", kind=OptionKind.PRECISION, gpu_vendor="amd",
    gpu_architectures=(RDNA3.id,), excluded_when=("runs_on:cpu",), how="torch.autocast()",
    systems=("linux",), environment=(),
)  # fmt: skip
CARD = a_gpu(kind=DeviceKind.DGPU, name="Radeon RX 7900 XTX")


def told(fact, *, gpu_id="gpu0", **profile):
    given = Circumstances(profile=a_profile(graphics=(CARD,), **profile), workload=a_workload())
    families = {"gpu0": RDNA3}
    return [
        step.content
        for step in steps_once_there(gpu_id, given=given, families=families, facts=(fact,))
    ]


def test_a_row_for_this_gpu_is_told_with_its_commands():
    assert told(ROW) == ["Compute in half precision", "torch.autocast()"]


@pytest.mark.parametrize(
    ("changes", "more"),
    [
        ({"excluded_when": ()}, {}),  # a row of its own
        ({"advice": Advice.AVOID}, {}),
        ({"gpu_architectures": ("another",)}, {}),
        ({}, {"os": an_os(family=OsFamily.WINDOWS)}),
        ({}, {"gpu_id": "gpu9"}),
        ({"excluded_when": ("runs_on:cpu", "batch_size>=1")}, {}),
    ],
)
def test_other_rows_are_not(changes, more):
    assert told(dataclasses.replace(ROW, **changes), **more) == []
