"""What is timed on an OpenCL device."""

import dataclasses

from advisor.model.kernel import (
    ConvShape,
    ElementwiseShape,
    GemmShape,
    OverheadShape,
    PeakShape,
    RecurrentShape,
    StreamShape,
    TransferShape,
)
from advisor.model.machine import DeviceKind
from advisor.model.quantity import Precision
from probes.bench.plan_opencl import is_in_short, opencl_rows
from probes.bench.plan_sizes import stream_elements


def test_what_is_missed_most_comes_first(profile):
    rows = opencl_rows(profile.opencl[0], is_thorough=False)
    tiers = [want.row.tier for want in rows if want.precision is Precision.FLOAT32]
    assert tiers == sorted(tiers)
    assert [want.precision for want in rows[-2:]] == [Precision.FLOAT16, Precision.INT8]


def test_every_class_of_kernels_is_in_a_quick_run(profile):
    shapes = [want.row.shape for want in opencl_rows(profile.opencl[0], is_thorough=False)]
    wanted = {PeakShape, StreamShape, TransferShape, OverheadShape, GemmShape, ConvShape}
    assert {*wanted, RecurrentShape} <= {type(shape) for shape in shapes}
    assert {s.op for s in shapes if isinstance(s, StreamShape)} == {"copy", "read", "local"}
    turned = {(s.transpose_a, s.transpose_b) for s in shapes if isinstance(s, GemmShape)}
    assert turned == {(False, False), (False, True), (True, False)}


def test_each_vector_width_has_its_figure_in_a_thorough_run(profile):
    rows = opencl_rows(profile.opencl[0], is_thorough=True)
    widths = {w.row.shape.width for w in rows if isinstance(w.row.shape, PeakShape)}
    assert widths == {0, 1, 2, 4, 8, 16}


def test_a_device_without_half_precision_is_asked_once_why(profile):
    without = dataclasses.replace(profile.opencl[0], has_fp16=False)
    rows = opencl_rows(without, is_thorough=True)
    assert [w.row.shape for w in rows if w.precision is Precision.FLOAT16] == [PeakShape()]
    quick = opencl_rows(without, is_thorough=False)
    assert Precision.FLOAT16 not in {want.precision for want in quick}
    with_half = opencl_rows(profile.opencl[0], is_thorough=True)
    assert len([w for w in with_half if w.precision is Precision.FLOAT16]) == 3


def test_only_a_thorough_run_has_the_rows_that_are_thorough(profile):
    device = profile.opencl[0]
    quick = opencl_rows(device, is_thorough=False)
    assert not [want for want in quick if want.row.is_thorough]
    thorough = opencl_rows(device, is_thorough=True)
    assert len(thorough) > len(quick)
    assert Precision.FLOAT16 in {want.precision for want in thorough}


def test_arrays_fit_a_weak_device(profile):
    weak = dataclasses.replace(
        profile.opencl[0], max_alloc_bytes=16 << 20, global_mem_bytes=256 << 20
    )
    shapes = [want.row.shape for want in opencl_rows(weak, is_thorough=True)]
    swept = {s.elements for s in shapes if isinstance(s, StreamShape) and s.op != "local"}
    assert swept == {4 << 20}
    assert not [s for s in shapes if isinstance(s, TransferShape)]


def test_what_is_shown_are_the_speeds_that_people_know(profile):
    wanted = opencl_rows(profile.opencl[0], is_thorough=False)
    shown = [type(want.row.shape) for want in wanted if want.is_headline]
    assert {PeakShape, StreamShape, TransferShape, GemmShape, ConvShape, RecurrentShape} == set(
        shown
    )
    fitted = [type(want.row.shape) for want in wanted if not want.is_headline]
    assert {ElementwiseShape, OverheadShape} <= set(fitted)


def test_arrays_exceed_the_caches_of_a_processor_alone(profile):
    cpu = dataclasses.replace(
        profile.opencl[0], kind=DeviceKind.CPU, global_mem_bytes=1 << 36, max_alloc_bytes=1 << 34
    )
    cache = dataclasses.replace(
        profile.cpu.caches[-1], level=3, size_bytes=480 << 20, kind="Unified"
    )
    large = dataclasses.replace(
        profile,
        cpu=dataclasses.replace(profile.cpu, caches=(cache,)),
        memory=dataclasses.replace(profile.memory, total_bytes=1 << 37, available_bytes=1 << 37),
    )

    def swept(device, profile):
        rows = opencl_rows(device, is_thorough=False, profile=profile)
        shapes = [want.row.shape for want in rows]
        return {s.elements for s in shapes if isinstance(s, StreamShape) and s.op != "local"}

    assert swept(cpu, large) == {stream_elements(large)}
    assert min(swept(cpu, large)) * 4 > 480 << 20
    assert swept(dataclasses.replace(cpu, kind=DeviceKind.DGPU), large) == {1 << 25}
    assert swept(cpu, None) == {1 << 25}


def as_processor(device):
    return dataclasses.replace(device, kind=DeviceKind.CPU, has_fp16=True)


def test_the_processor_seen_through_opencl_is_asked_for_headlines_alone(profile):
    device = as_processor(profile.opencl[0])
    rows = opencl_rows(device, is_thorough=False, is_asked=False, profile=profile)
    assert {want.precision for want in rows} == {Precision.FLOAT32}
    shapes = [want.row.shape for want in rows]
    assert {s.kind for s in shapes if isinstance(s, OverheadShape)} == {"launch", "queued_launch"}
    assert {s.op for s in shapes if isinstance(s, StreamShape)} == {"copy", "read"}
    assert [s.m for s in shapes if isinstance(s, GemmShape)] == [1024]
    assert PeakShape() in shapes
    assert len(shapes) == 6
    shown = {want.row.shape for want in rows if want.is_headline}
    assert shown == {s for s in shapes if not isinstance(s, OverheadShape)}
    # They are among the rows of a full run: the same figures, and fewer.
    full = {want.row.shape for want in opencl_rows(device, is_thorough=False, profile=profile)}
    assert set(shapes) <= full


def test_every_other_device_and_run_is_measured_in_full(profile):
    graphics, processor = profile.opencl[0], as_processor(profile.opencl[0])
    for device, is_thorough, is_asked in (
        (graphics, False, False),
        (dataclasses.replace(graphics, kind=DeviceKind.OTHER), False, False),
        (processor, True, False),
        (processor, False, True),
    ):
        how = {"is_thorough": is_thorough, "is_asked": is_asked}
        assert not is_in_short(device, **how)
        shapes = {type(want.row.shape) for want in opencl_rows(device, profile=profile, **how)}
        assert {ConvShape, RecurrentShape, TransferShape} <= shapes
    assert is_in_short(processor, is_thorough=False, is_asked=False)
