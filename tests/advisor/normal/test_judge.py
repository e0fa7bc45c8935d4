"""Figures of known machines, published and recorded, get the verdict and the cause they have."""

import dataclasses

import pytest

from advisor.model.codec import decode, encode
from advisor.model.efficiency import (
    CauseCode,
    Efficiency,
    PeakBasis,
    UnknownPeak,
    Verdict,
)
from advisor.model.kernel import (
    Direction,
    GemmShape,
    OverheadShape,
    PeakShape,
    StreamShape,
)
from advisor.model.machine import DeviceKind
from advisor.model.measurement import (
    Runner,
)
from advisor.model.quantity import Precision
from advisor.normal.judge import judge_efficiency
from tests.advisor.normal.judged import (
    COPY,
    GEMM,
    KNOWLEDGE,
    READ,
    TRIAD,
    desktop,
    details,
    device,
    judge,
    machine,
    one,
    opencl,
    ryzen,
    timed,
)

# Published figures of clpeak 1.1.7 logs: device, units, clock, driver, measured and theoretical.


def test_kaveri_at_733_of_737_gflops_is_normal():
    profile = machine("a10-7850k", opencl=(device("Spectre"),))
    row = one(profile, opencl(PeakShape(), 733.1e9))
    assert row.peak == pytest.approx(737.28e9)
    assert row.ratio == pytest.approx(0.994, abs=1e-3)
    assert (row.verdict, row.cause, row.basis) == (Verdict.NORMAL, None, PeakBasis.UNITS_CLOCK)


def test_kaveri_reads_28_of_34_gbytes():
    profile = machine("a10-7850k", opencl=(device("Spectre"),))
    rows = judge(profile, opencl(READ, 28.1e9), opencl(COPY, 20e9))
    assert [row.request.shape for row in rows] == [READ]
    assert rows[0].peak == pytest.approx(2 * 2133e6 * 8)
    assert rows[0].verdict is Verdict.NORMAL


@pytest.mark.parametrize(
    ("name", "units", "mhz", "vendor", "measured", "theoretical"),
    [
        ("Intel(R) UHD Graphics 620", 24, 1150.0, "Intel(R) Corporation", 436.5e9, 441.6e9),
        ("Intel(R) Gen9 HD Graphics NEO", 24, 1200.0, "Intel(R) Corporation", 451.1e9, 460.8e9),
        ("Intel(R) HD Graphics 530", 23, 950.0, "Intel(R) Corporation", 327.5e9, 349.6e9),
    ],
)
def test_intel_graphics_by_vendor_driver(name, units, mhz, vendor, measured, theoretical):
    chip = device(name, compute_units=units, max_mhz=mhz, vendor=vendor, platform="Intel(R) OpenCL")
    profile = desktop("Unknown Processor", None, cores=4, opencl=(chip,))
    row = one(profile, opencl(PeakShape(), measured))
    if row.peak is None:
        # A name that says nothing but the generation: no family is sure.
        assert row.unknown is UnknownPeak.COMPUTE_UNITS
        assert row.verdict is Verdict.UNKNOWN
        return
    # The data sheet of the HD 530 has 24 units, of which this one lacks one.
    assert row.peak == pytest.approx(theoretical, rel=0.05)
    assert row.verdict is Verdict.NORMAL


def test_oland_on_mesa_at_an_eighth_is_the_driver():
    chip = device(
        "AMD OLAND (DRM 2.50.0, 5.9.12-arch1-1, LLVM 11.0.0)", kind=DeviceKind.DGPU,
        vendor="AMD", platform="Clover", driver_version="20.2.4", compute_units=6, max_mhz=900.0,
        platform_version="OpenCL 1.1 Mesa 20.2.4", device_version="OpenCL 1.1 Mesa 20.2.4",
    )  # fmt: skip
    profile = desktop("Unknown Processor", None, cores=4, opencl=(chip,))
    row = one(profile, opencl(PeakShape(), 86e9))
    assert row.peak == pytest.approx(691.2e9)
    assert row.ratio == pytest.approx(0.125, abs=2e-3)
    assert row.verdict is Verdict.LOW
    assert row.cause.code is CauseCode.MESA_DRIVER
    assert details(row) == {"driver": "Clover 20.2.4"}


def test_hawaii_by_both_drivers():
    """The same chip: 98 % by the vendor's driver, 62 % by Mesa, which is above the threshold."""
    for measured, share in ((4150e9, 0.984), (2614e9, 0.620)):
        chip = device("Hawaii", kind=DeviceKind.DGPU, compute_units=40, max_mhz=824.0)
        profile = desktop("Unknown Processor", None, cores=4, opencl=(chip,))
        row = one(profile, opencl(PeakShape(), measured))
        assert row.ratio == pytest.approx(share, abs=2e-3)
        assert row.verdict is Verdict.NORMAL


def vega(mhz):
    return device("AMD Radeon(TM) Vega 8 Graphics", max_mhz=mhz)


NONSENSE_MHZ = 42_949_672.96  # 8 units x 128 x this = 43 980 465 GFLOP/s


def test_a_nonsense_clock_is_replaced_by_the_data_sheet_and_told():
    profile = desktop("Unknown Processor", None, cores=4, opencl=(vega(NONSENSE_MHZ),))
    row = one(profile, opencl(PeakShape(), 1000e9))
    assert 1.1e12 <= row.peak <= 1.3e12
    assert row.verdict is Verdict.NORMAL
    assert row.cause.code is CauseCode.CLOCK_NONSENSE
    assert details(row) == {"clock_mhz": NONSENSE_MHZ}


def test_a_nonsense_rate_is_not_normal():
    profile = desktop("Unknown Processor", None, cores=4, opencl=(vega(NONSENSE_MHZ),))
    row = one(profile, opencl(PeakShape(), 43_980_464e9))
    assert row.verdict is Verdict.HIGH
    assert row.cause.code is CauseCode.CLOCK_NONSENSE


def test_a_nonsense_clock_without_data_sheet_gives_no_bound():
    chip = device("Radeon of the future", max_mhz=NONSENSE_MHZ)
    profile = desktop("Unknown Processor", None, cores=4, opencl=(chip,))
    row = one(profile, opencl(PeakShape(), 1000e9))
    assert (row.verdict, row.peak, row.ratio) == (Verdict.UNKNOWN, None, None)
    assert row.unknown is UnknownPeak.CLOCK_NONSENSE
    assert row.cause.code is CauseCode.CLOCK_NONSENSE


def test_no_clock_and_no_units_are_told_apart():
    for mhz, why in ((None, UnknownPeak.CLOCK), (1000.0, UnknownPeak.COMPUTE_UNITS)):
        chip = device("Some GPU", vendor="Nobody", max_mhz=mhz)
        profile = desktop("Unknown Processor", None, cores=4, opencl=(chip,))
        assert one(profile, opencl(PeakShape(), 1e11)).unknown is why


def test_opencl_on_the_processor_against_the_processor():
    """Ryzen 7 3700X by Intel's runtime, float16 vectors: 829.6 of 921.6 at its base clock."""
    chip = device("AMD Ryzen 7 3700X 8-Core Processor", kind=DeviceKind.CPU, compute_units=16,
                  vendor="Intel(R) Corporation", platform="Intel(R) OpenCL")  # fmt: skip
    profile = ryzen(opencl=(chip,))
    row = one(profile, opencl(PeakShape(), 829.6e9))
    assert row.peak == pytest.approx(8 * 4.4e9 * 32)
    assert row.verdict is Verdict.NORMAL
    scalar = one(profile, opencl(PeakShape(), 211.8e9))
    assert scalar.verdict is Verdict.LOW
    assert scalar.cause.code is CauseCode.UNEXPLAINED


def test_pocl_for_any_processor():
    chip = device("pthread-AMD EPYC", kind=DeviceKind.CPU, platform="Portable Computing Language")
    row = one(ryzen(opencl=(chip,)), opencl(PeakShape(), 200e9))
    assert row.cause.code is CauseCode.GENERIC_POCL
    named = dataclasses.replace(chip, name="pthread-znver2-AMD Ryzen 7 3700X")
    row = one(ryzen(opencl=(named,)), opencl(PeakShape(), 200e9))
    assert row.cause.code is CauseCode.UNEXPLAINED


# Products, costs, and what is not judged.


def kaveri_with(*measured):
    chip = device("Spectre")
    return judge(machine("a10-7850k", opencl=(chip,)), *measured)


def test_products_against_the_measured_peak():
    peak = opencl(PeakShape(), 733.1e9)
    for measured, verdict in ((330e9, Verdict.NORMAL), (19e9, Verdict.LOW)):
        _, product = kaveri_with(peak, opencl(GEMM, measured))
        assert (product.peak, product.basis) == (pytest.approx(733.1e9), PeakBasis.MEASURED_PEAK)
        assert product.verdict is verdict
    assert product.cause.code is CauseCode.UNTUNED_KERNEL
    disturbed, product = kaveri_with(opencl(PeakShape(), 300e9), opencl(GEMM, 330e9))
    assert (product.peak, product.basis) == (disturbed.peak, disturbed.basis)
    assert product.verdict is Verdict.NORMAL
    (alone,) = kaveri_with(opencl(GEMM, 100e9))
    assert alone.unknown is UnknownPeak.PEAK_NOT_MEASURED


def test_launch_costs():
    launch = OverheadShape(kind="launch")
    (usual,) = kaveri_with(opencl(launch, 33.8e-6))
    assert (usual.unit, usual.verdict) == ("s", Verdict.NORMAL)
    (cheap,) = kaveri_with(opencl(launch, 1e-6))
    assert (cheap.verdict, cheap.cause) == (Verdict.NORMAL, None)
    chip = device("pthread-cortex-a7", kind=DeviceKind.CPU, platform="Portable Computing Language")
    (pi,) = judge(machine("raspberry-pi-3", opencl=(chip,)), opencl(launch, 0.19))
    assert pi.verdict is Verdict.LOW
    assert pi.ratio < 1e-3


def test_costs_of_the_framework_follow_the_clock():
    call = OverheadShape(kind="train_call")
    fast, slow = ryzen(), machine("raspberry-pi-3")
    assert one(fast, timed(call, 1.8e-3)).verdict is Verdict.LOW
    assert one(slow, timed(call, 1.8e-3)).verdict is Verdict.NORMAL
    assert judge(fast, timed(OverheadShape(kind="variable"), 1.0)) == ()


def test_the_best_of_a_class_is_judged():
    small = GemmShape(m=1024, n=64, k=64)
    rows = judge(
        ryzen(), timed(GEMM, 700e9), timed(small, 900e9), timed(GEMM, 1e12, role="setting"),
        timed(GEMM, 2e12, role="reference"),
        timed(GEMM, 2e12, precision=Precision.BFLOAT16),
        timed(GEMM, 2e12, direction=Direction.INPUT_GRADIENT),
        timed(GemmShape(m=2048, n=2048, k=2048), 720e9),
    )  # fmt: skip
    assert [row.value for row in rows] == [pytest.approx(720e9)]


def test_nothing_measured_is_nothing_to_judge():
    assert judge_efficiency(ryzen(), None, KNOWLEDGE) == ()
    assert judge(ryzen()) == ()


def test_local_memory_is_no_bandwidth_of_the_memory():
    assert kaveri_with(opencl(StreamShape(op="local", elements=1 << 20), 1e12)) == ()


def test_paired_instructions_may_exceed_one_per_lane():
    """RDNA 3: the data sheet promises twice what one instruction for each lane gives."""
    chip = device("AMD Radeon 780M Graphics", compute_units=6, max_mhz=2900.0)
    profile = machine("windows-laptop", opencl=(chip,))
    for measured, verdict in ((4.2e12, Verdict.NORMAL), (7.5e12, Verdict.NORMAL)):
        row = one(profile, opencl(PeakShape(), measured))
        assert row.peak == pytest.approx(768 * 2 * 2.9e9)
        assert row.verdict is verdict


def test_every_row_survives_json():
    peak, product = kaveri_with(opencl(PeakShape(), 100e9), opencl(GEMM, 5e9))
    for row in (peak, product):
        assert decode(encode(row), Efficiency) == row


def test_order_of_measurements_changes_nothing():
    measured = (timed(GEMM, 700e9), timed(TRIAD, 30e9, runner=Runner.STREAM),
                timed(GEMM, 40e9, runner=Runner.NUMPY))  # fmt: skip
    assert judge(ryzen(), *measured) == judge(ryzen(), *reversed(measured))
