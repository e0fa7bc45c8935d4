"""What is compared with the window open and without it."""

import dataclasses

import pytest

from advisor.model.kernel import Direction, GemmShape
from advisor.model.machine import DeviceKind
from advisor.model.measurement import BenchmarkRequest, Runner
from advisor.model.quantity import Precision
from probes.bench.plan import Budget, plan
from tests.advisor.predict.builders import opencl_device, profile
from tests.window_cost import ratios, short_plan, summary

REQUEST = BenchmarkRequest(
    id="x", role="headline", runner=Runner.NUMPY, device_id="cpu",
    shape=GemmShape(m=1, n=1, k=1), direction=Direction.FORWARD, precision=Precision.FLOAT32,
)  # fmt: skip
GEMM = "gemm-m1024n1024k1024/forward"


def test_the_short_plan_has_a_headline_of_each_kind():
    asked = [
        dataclasses.replace(REQUEST, id=name, role=role)
        for name, role in (
            (f"numpy/{GEMM}", "headline"),
            ("numpy/gemm-m512n512k512/forward", "headline"),
            (f"keras/{GEMM}", "setting"),
            (f"opencl/opencl:0:0/{GEMM}", "headline"),
            (f"opencl/opencl:1:0/{GEMM}", "headline"),
            ("opencl/opencl:0:0/gemm-m512n512k512/forward", "headline"),
            ("keras/gemm-m512n512k512/forward/reference", "reference"),
        )
    ]
    assert [r.id for r in short_plan(asked)] == [
        f"numpy/{GEMM}",
        f"opencl/opencl:0:0/{GEMM}",
        "keras/gemm-m512n512k512/forward/reference",
    ]


def test_slower_with_the_window_is_above_one():
    pairs = [
        ratios({"a": 1.1, "b": 2.0, "c": 9.0}, {"a": 1.0, "b": 2.0}),
        ratios({"a": 1.3, "b": 2.2}, {"a": 1.0, "b": 2.0}),
        ratios({"a": 1.2, "b": 1.8}, {"a": 1.0, "b": 2.0}),
    ]
    lines, middle = summary(pairs)
    assert middle == pytest.approx(1.1)
    assert [line.split()[-4] for line in lines] == ["1.200", "1.000", "1.100"]


def test_a_processor_measured_in_short_has_the_product_that_is_timed_here():
    device = dataclasses.replace(opencl_device(), kind=DeviceKind.CPU)
    machine = dataclasses.replace(profile(), opencl=(device,))
    asked = short_plan(plan(machine, budget=Budget.QUICK))
    assert f"opencl/{device.id}/{GEMM}" in {request.id for request in asked}
