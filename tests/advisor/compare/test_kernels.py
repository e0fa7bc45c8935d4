"""A machine among published kernels: only like with like, and its data sheet only by that name."""

import pytest

from advisor.compare.kernels import compare_kernels
from advisor.compare.ordering import of_kind
from advisor.model.codec import dump_document, load_document
from advisor.model.comparison import Comparison, NoResult, OwnBasis, Subject
from advisor.model.kernel import Direction, GemmShape, PeakShape, StreamShape
from advisor.model.machine import DeviceKind
from advisor.model.measurement import MeasurementSet
from advisor.model.published import Comparability
from advisor.model.quantity import Precision
from tests.advisor.compare.builders import a_row, facts, timed
from tests.advisor.compare.test_shapes import CONV, LSTM
from tests.advisor.recommend.builders import a_profile, a_spec, an_opencl
from tests.helpers.bundled import bundled_knowledge

GEMM = GemmShape(m=1024, n=1024, k=1024)
GEMM_FLOP = 2 * 1024**3


def session(*results):
    return MeasurementSet(measured_on="2026-11-21", duration_s=1.0, results=results)


def compared(*rows, kernel=None, profile=None, **tables):
    """Return the group of one measured kernel."""
    machine = profile or a_profile(graphics=())
    found = compare_kernels(machine, session(kernel or timed(GEMM)), facts(*rows, **tables))
    (group,) = [g for g in found.groups if g.own_basis is OwnBasis.MEASURED]
    return group


def test_the_machine_stands_between_its_neighbours():
    group = compared(a_row(1, value=1e11), a_row(2, value=1e12), a_row(3, value=5e10))
    assert group.own.mid == pytest.approx(GEMM_FLOP / 0.01)
    assert group.own.low == pytest.approx(GEMM_FLOP / 0.02)
    assert (group.slower, group.faster) == ("Device 1", "Device 2")
    assert [r.device for r in group.results] == ["Device 3", "Device 1", "Device 2"]
    assert group.results[-1].ratio == pytest.approx(1e12 / group.own.mid)
    assert group.own_software == "keras 3.15.1, tensorflow 2.21.0"
    assert group.no_result is None


def test_at_an_end_there_is_no_neighbour():
    group = compared(a_row(1, value=1e14))
    assert (group.slower, group.faster) == (None, "Device 1")
    group = compared(a_row(1, value=1e9))
    assert (group.slower, group.faster) == ("Device 1", None)


@pytest.mark.parametrize(
    "changes",
    [
        {"comparability": Comparability.NOT_COMPARABLE},
        {"n_devices": 2},
        {"n_devices": None},
        {"framework": None},
        {"precision": Precision.FLOAT16},
        {"precision": None},
        {"unit": "s"},
        {"metric": "time_ratio", "unit": "1"},
        {"value": 0.0},
        {"note": "weight gradient, published as 1 ms"},
        {"workload": "gemm m1024 n32 k1024 NN"},
        {"workload": "stream triad", "unit": "B/s"},
    ],
    ids=str,
)
def test_what_is_not_alike_is_left_out(changes):
    group = compared(a_row(1, **changes))
    assert group.results == ()
    assert group.no_result in (NoResult.NOTHING_PUBLISHED, NoResult.OTHER_SHAPES)


def test_other_sizes_are_named():
    group = compared(a_row(1, workload="gemm m1760 n16 k1760 NN"))
    assert group.no_result is NoResult.OTHER_SHAPES
    assert group.found == ("gemm m1760 n16 k1760 NN",)


def test_a_processor_whose_count_is_not_stated_is_one():
    group = compared(a_row(1, n_devices=None, device_kind=DeviceKind.CPU))
    assert len(group.results) == 1


def test_a_device_shows_its_best_figure_and_unverified_rows_are_marked():
    group = compared(
        a_row(1, value=2e12),
        a_row(2, device="Device 1", value=3e12),
        a_row(4, device="Device 1", value=9e12, workload="gemm m2048 n7000 k2048 NN"),
        a_row(3, comparability=Comparability.UNKNOWN),
    )
    assert [(r.device, r.value, r.is_certain) for r in group.results] == [
        ("Device 1", 3e12, True), ("Device 3", 3e12, False),
    ]  # fmt: skip


def test_times_of_products_become_rates():
    name = "linear dim=2x1024x512 dim=512x1024 dim=1024"
    group = compared(a_row(1, workload=name, metric="step_time", unit="s", value=0.1))
    assert group.results[0].value == pytest.approx(2 * 2 * 1024 * 512 * 1024 / 0.1)
    assert group.results[0].workload == "gemm m2048 n1024 k512"


def test_a_product_of_many_more_rows_is_not_put_beside():
    name = "linear dim=100x1024x512 dim=512x1024 dim=1024"
    group = compared(a_row(1, workload=name, metric="step_time", unit="s", value=0.1))
    assert group.results == ()
    assert group.no_result is NoResult.OTHER_SHAPES


def test_a_product_is_no_neighbour_of_its_own_data_sheet():
    spec = a_spec(device="AMD A10-7850K", kind=DeviceKind.CPU, vendor="AMD")
    other = a_spec(device="AMD FX-8350", kind=DeviceKind.CPU, vendor="AMD")
    rows = tuple(a_row(i, device=s.device, device_kind=s.kind) for i, s in enumerate((spec, other)))
    found = compare_kernels(a_profile(graphics=()), None, facts(*rows, devices=(spec, other)))
    devices = {r.device for group in found.groups for r in group.results}
    assert devices == {"AMD FX-8350"}


def test_of_several_convolutions_the_most_alike_is_taken():
    rows = (
        a_row(1, workload="conv w28 h28 c128 n8 k128 s3 r3 pad1x1 str1x1", value=1e12),
        a_row(2, device="Device 1", workload="conv w28 h28 c128 n16 k128 s3 r3 pad1x1 str1x1",
              value=9e12),
    )  # fmt: skip
    group = compared(*rows, kernel=timed(CONV))
    assert [r.value for r in group.results] == [1e12]


def test_lstm_and_gradients_find_their_own():
    row = a_row(1, workload="lstm h256 n32 t150", note="forward; input GEMM left out")
    group = compared(row, kernel=timed(LSTM))
    assert group.results[0].note == "forward; input GEMM left out"
    backward = timed(LSTM, direction=Direction.BACKWARD)
    assert compared(row, kernel=backward).no_result is NoResult.NOTHING_PUBLISHED


def test_triad_beside_triad_in_bytes():
    rows = (
        a_row(1, workload="stream triad", unit="B/s", metric="bandwidth", value=1e10,
              precision=None),
        a_row(2, workload="clpeak global memory read", unit="B/s", metric="bandwidth", value=2e10),
    )  # fmt: skip
    kernel = timed(StreamShape(op="triad", elements=1_000_000), (0.001,))
    group = compared(*rows, kernel=kernel)
    assert group.own.mid == pytest.approx(12e9)
    assert [r.device for r in group.results] == ["Device 1"]


def test_a_read_faster_than_the_memory_ran_in_a_cache():
    row = a_row(1, workload="clpeak global memory read", unit="B/s", value=1e13)
    kernel = timed(StreamShape(op="read", elements=1_000_000), (0.001,))
    spec = a_spec(device="Device 1", kind=DeviceKind.DGPU, memory_bandwidth_byte_per_s=4e11)
    assert len(compared(row, kernel=kernel).results) == 1
    assert compared(row, kernel=kernel, devices=(spec,)).results == ()


def test_the_peak_of_an_opencl_device_beside_opencl_figures_only():
    rows = (
        a_row(1, workload="clpeak fp32 mad peak", backend="OpenCL (Intel NEO)"),
        a_row(2, workload="clpeak fp32 mad peak", backend="Metal"),
    )
    device = an_opencl()
    machine = a_profile(graphics=(), opencl=(device,))
    kernel = timed(PeakShape(), (0.002,), device_id=device.id)
    group = compared(*rows, kernel=kernel, profile=machine)
    assert (group.device, group.kind) == (device.name, DeviceKind.IGPU)
    assert [r.device for r in group.results] == ["Device 1"]


def drivers(*devices, seconds=(0.002, 0.001)):
    """Return the groups of a machine on which each device was timed, and then its own figures."""
    machine = a_profile(graphics=(), opencl=devices)
    kernels = [
        timed(PeakShape(), (time,), device_id=device.id)
        for device, time in zip(devices, seconds, strict=True)
    ]
    row = a_row(1, workload="clpeak fp32 mad peak", backend="OpenCL (Intel NEO)")
    found = compare_kernels(machine, session(*kernels), facts(row))
    return [group for group in found.groups if group.own_basis is OwnBasis.MEASURED]


@pytest.mark.parametrize("kind", [DeviceKind.CPU, DeviceKind.IGPU])
def test_two_drivers_of_one_device_are_placed_once_by_the_faster(kind):
    devices = [
        an_opencl(id=f"opencl:{n}:0", kind=kind, platform=f"driver {n}", name=f"AMD with {n}")
        for n in (0, 1)
    ]
    (group,) = drivers(*devices)
    assert group.device_id == "opencl:1:0"
    (slower,) = group.slower_drivers
    assert (slower.device_id, slower.device) == ("opencl:0:0", "AMD with 0")
    assert slower.own.mid == pytest.approx(group.own.mid / 2)


def test_two_cards_stay_two_under_two_drivers_and_under_one():
    one, two = (an_opencl(id=f"opencl:0:{n}", name=f"AMD card {n}") for n in (0, 1))
    assert [group.slower_drivers for group in drivers(one, two)] == [(), ()]
    other = an_opencl(id="opencl:1:0", name="AMD card", platform="other")
    assert len(drivers(one, two, other, seconds=(0.002, 0.001, 0.003))) == 3
    last = an_opencl(id="opencl:1:1", name="AMD card 1", platform="other")
    assert len(drivers(one, two, other, last, seconds=(0.002, 0.001, 0.003, 0.004))) == 2


@pytest.mark.parametrize(
    "kernel",
    [
        timed(GEMM, role="calibration"),
        timed(GEMM, precision=Precision.BFLOAT16),
        timed(GEMM, device_id="opencl:gone"),
        timed(GemmShape(m=1, n=64, k=64)),
        timed(StreamShape(op="copy", elements=10)),
    ],
)
def test_figures_without_a_counterpart_make_no_group(kernel):
    found = compare_kernels(a_profile(graphics=()), session(kernel), facts(a_row()))
    assert all(group.own_basis is OwnBasis.DATA_SHEET for group in found.groups)


def test_the_best_large_product_of_a_device_speaks_for_all():
    slow, fast = timed(GEMM, (0.1,)), timed(GemmShape(m=2048, n=2048, k=2048), (0.1,))
    found = compare_kernels(a_profile(graphics=()), session(slow, fast), facts(a_row()))
    assert [g.shape.m for g in found.groups if g.shape is not None] == [2048]


# --- data sheets --------------------------------------------------------------------------------


def test_without_measurements_peak_stands_beside_peaks_and_says_so():
    spec = a_spec(device="Device 1", peak_fp32_flop_per_s=5e12)
    other = a_spec(device="Never timed")
    found = compare_kernels(a_profile(graphics=()), None, facts(a_row(), devices=(spec, other)))
    assert found.measured_on is None
    (group,) = found.groups
    assert (group.subject, group.own_basis) == (Subject.DATA_SHEET_RATE, OwnBasis.DATA_SHEET)
    assert [r.device for r in group.results] == ["Device 1"]
    assert group.results[0].value == 5e12
    assert group.own.low == group.own.mid == group.own.high


def test_a_gpu_without_a_known_peak_says_so():
    found = compare_kernels(a_profile(), None, facts(a_row()))
    gpu = next(group for group in found.groups if group.kind is DeviceKind.IGPU)
    assert gpu.own is None
    assert gpu.no_result is NoResult.OWN_FIGURE_UNKNOWN
    assert (gpu.slower, gpu.faster) == (None, None)


def test_a_measured_device_is_not_placed_by_its_data_sheet():
    found = compare_kernels(a_profile(), session(timed(GEMM)), facts(a_row()))
    assert [(g.kind, g.own_basis) for g in found.groups] == [
        (DeviceKind.CPU, OwnBasis.MEASURED), (DeviceKind.IGPU, OwnBasis.DATA_SHEET),
    ]  # fmt: skip


# --- the whole ----------------------------------------------------------------------------------


def test_one_kind_only_moves_the_neighbours():
    rows = (a_row(1, value=1e11), a_row(2, value=1e12, device_kind=DeviceKind.CPU))
    machine = a_profile(graphics=())
    everything = compare_kernels(machine, session(timed(GEMM)), facts(*rows))
    (group,) = of_kind(everything, kind=DeviceKind.CPU).groups
    assert (group.slower, group.faster) == (None, "Device 2")
    (group,) = of_kind(everything, kind=DeviceKind.IGPU).groups
    assert (group.results, group.no_result) == ((), NoResult.OTHER_KIND)
    assert group.found == ("cpu", "dgpu")


def test_bundled_figures_place_a_machine_and_survive_json():
    knowledge = bundled_knowledge()
    kernels = (
        timed(GEMM),
        timed(CONV),
        timed(LSTM),
        timed(StreamShape(op="triad", elements=10**8)),
    )
    found = compare_kernels(a_profile(graphics=()), session(*kernels), knowledge)
    assert [len(group.results) > 3 for group in found.groups] == [True] * 4
    for group in found.groups:
        values = [result.value for result in group.results]
        assert values == sorted(values)
        assert all(result.source.reference and result.software for result in group.results)
    assert load_document(dump_document(found), Comparison) == found
