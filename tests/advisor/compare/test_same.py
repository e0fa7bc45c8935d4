"""Only a median of others on the very product of this machine is called one."""

import dataclasses

import pytest

from advisor.compare.kernels import compare_kernels
from advisor.i18n import translator_for
from advisor.model.machine import DeviceKind
from advisor.model.published import Comparability, PublishedResult, ResultPhase
from advisor.model.quantity import Precision
from advisor.report.compare_sections import group_section
from tests.advisor.share.builders import machine, measured
from tests.helpers.bundled import bundled_knowledge

ROW = PublishedResult(
    id="community-1", study="community", year=2026, phase=ResultPhase.KERNEL,
    workload="gemm m1024 n1024 k1024 NN", batch_size=None, precision=Precision.FLOAT32,
    framework="keras", framework_version="3.15", backend="tensorflow", build=None,
    device="AMD Ryzen 5 5600G", device_kind=DeviceKind.CPU, threads=None, n_devices=1,
    metric="rate", value=3e9, unit="flop/s", parameters=None, multiply_adds_per_sample=None,
    comparability=Comparability.COMPARABLE, source="collector",
    note="community median of 6 uploads, middle half 2e+09 to 4e+09; linux",
)  # fmt: skip


@pytest.mark.parametrize(
    ("change", "is_same"),
    [
        ({}, True),
        ({"study": "deepbench"}, False),
        ({"device": "AMD Ryzen 7 5700G"}, False),
        ({"device_kind": DeviceKind.IGPU}, False),
    ],
)
def test_the_same_product_of_others_is_marked(change, is_same):
    known = bundled_knowledge()
    row = dataclasses.replace(ROW, **change)
    knowledge = dataclasses.replace(known, published=(*known.published, row))
    groups = compare_kernels(machine(), measured(), knowledge).groups
    (group,) = (g for g in groups if g.results and g.shape and "gemm" in g.results[0].workload)
    marked = [r for r in group.results if r.is_same_machine]
    assert [r.value for r in marked] == ([3e9] if is_same else [])
    # Far below: it is drawn all the same, has a row, and its note is read.
    text = repr(group_section(group, translator_for("en")))
    assert text.count("same machine, others' median") == (3 if is_same else 0)
