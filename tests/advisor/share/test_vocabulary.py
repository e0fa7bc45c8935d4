"""Whatever does not stand in a list is named, and not repeated."""

import dataclasses

import pytest

from advisor.model.machine import DeviceKind, OsFamily
from advisor.model.quantity import Basis, Phase, Precision
from advisor.share.upload import SharedStep, SharedSystem
from advisor.share.vocabulary import find_foreign, unlisted_name
from tests.advisor.share.builders import upload, with_device, with_figure

EVIL = "<script>alert('frodo@shire.example')</script>'; DROP TABLE upload; --"
STEP = SharedStep(
    network="resnet-50", phase=Phase.TRAINING, precision=Precision.FLOAT32, batch_size=32,
    low_s=0.5, mid_s=1.0, high_s=2.0, basis=Basis.MODEL_ONLY,
)  # fmt: skip


def _system(made, **more):
    base = SharedSystem(family=OsFamily.LINUX, name=None, major=None)
    return dataclasses.replace(made, system=dataclasses.replace(base, **more))


def _step(made, **more):
    return dataclasses.replace(made, steps=(dataclasses.replace(STEP, **more),))


def test_what_we_make_is_allowed(knowledge, vocabulary):
    assert list(find_foreign(_step(upload(knowledge)), vocabulary=vocabulary)) == []


@pytest.mark.parametrize(
    ("change", "field", "value"),
    [
        (dataclasses.replace, "version", 2),
        (dataclasses.replace, "app_version", EVIL),
        (dataclasses.replace, "month", "2026-11-22"),
        (dataclasses.replace, "month", "2026-13"),
        (dataclasses.replace, "memory_gib", 15),
        (_system, "name", EVIL),
        (_system, "major", 61037),
        (with_device, "name", EVIL),
        (with_device, "name", "unlisted CPU, AMD, frodo"),
        (with_device, "name", "unlisted CPU, Intel"),
        (with_device, "kind", DeviceKind.DGPU),
        (with_device, "vendor", EVIL),
        (with_device, "threads", 11),
        (with_device, "n_packages", 9),
        (with_device, "driver", EVIL),
        (with_device, "driver_version", "1.2.3"),
        (with_figure, "device", 7),
        (with_figure, "device", -1),
        (with_figure, "kernel", EVIL),
        (with_figure, "kernel", "gemm m0 n1 k1 NN"),
        (with_figure, "kernel", "gemm m1 n1 k1 NN\n"),
        (with_figure, "kernel", "gemm m٣ n1 k1 NN"),
        (with_figure, "framework", EVIL),
        (with_figure, "framework_version", "192.168.1.2"),
        (with_figure, "backend", EVIL),
        (with_figure, "backend_version", EVIL),
        (with_figure, "threads", 0),
        (with_figure, "unit", "furlong/s"),
        (with_figure, "value", 0.0),
        (with_figure, "value", -1.0),
        (with_figure, "spread", 11.0),
        (with_figure, "n_values", 0),
        (_step, "network", EVIL),
        (_step, "batch_size", 0),
        (_step, "low_s", 1.5),
        (_step, "measured_s", 0.0),
    ],
)
def test_one_foreign_value_is_one_line_that_names_the_field(
    knowledge, vocabulary, change, field, value
):
    made = change(upload(knowledge), **{field: value})
    faults = list(find_foreign(made, vocabulary=vocabulary))
    assert len(faults) == 1
    assert str(value) not in faults[0] or isinstance(value, int)


def test_counts_are_bounded(knowledge, vocabulary):
    made = upload(knowledge)
    for more in ({"devices": made.devices * 17}, {"figures": made.figures * 65}, {"figures": ()}):
        changed = dataclasses.replace(made, **more)
        assert len(list(find_foreign(changed, vocabulary=vocabulary))) == 1


def test_general_names():
    assert unlisted_name(DeviceKind.IGPU, vendor=None, microarchitecture=None) == "unlisted iGPU"
    named = unlisted_name(DeviceKind.CPU, vendor="AMD", microarchitecture="zen3")
    assert named == "unlisted CPU, AMD, zen3"
