"""Figures of known machines, published and recorded, get the verdict and the cause they have."""

import dataclasses
from pathlib import Path

import pytest

from advisor.knowledge.store import load_knowledge
from advisor.model.codec import decode, encode
from advisor.model.efficiency import (
    CauseCode,
    Efficiency,
    PeakBasis,
    UnknownPeak,
    Verdict,
)
from advisor.model.kernel import (
    ClockShape,
    Direction,
    GemmShape,
    OverheadShape,
    PeakShape,
    StreamShape,
)
from advisor.model.machine import CPU_DEVICE_ID, DeviceKind, Memory, OpenclDevice, Power
from advisor.model.measurement import (
    BenchmarkRequest,
    Measurement,
    MeasurementSet,
    Runner,
    SoftwareStack,
    StabilityWarning,
)
from advisor.model.quantity import Precision
from advisor.normal.judge import judge_efficiency
from advisor.predict.work import bytes_moved, flop
from probes.machine.collect import collect_profile
from probes.machine.recording import RecordedReader

MACHINES = Path(__file__).parents[2] / "data" / "machines"
KNOWLEDGE = load_knowledge()
GPU = "opencl:0:0"
GEMM = GemmShape(m=1024, n=1024, k=1024)
COPY = StreamShape(op="copy", elements=1 << 25)
READ = StreamShape(op="read", elements=1 << 25)
TRIAD = StreamShape(op="triad", elements=1 << 25)


def machine(name, *, opencl=(), **changes):
    reader = RecordedReader(MACHINES / name)
    profile = collect_profile(reader, today="2026-11-21", list_opencl=lambda: opencl)
    return dataclasses.replace(profile, **changes)


def desktop(brand, uarch, *, cores, threads=None, base=None, boost=None, **changes):
    """Return a desktop with nothing unusual about it."""
    profile = machine("a10-7850k")
    cpu = dataclasses.replace(
        profile.cpu, brand=brand, microarchitecture=uarch, n_physical_cores=cores,
        n_logical_cpus=threads or cores, usable_cpus=threads or cores, base_mhz=base,
        max_mhz=boost, isa_features=("avx", "avx2", "fma"),
    )  # fmt: skip
    memory = Memory(total_bytes=16 << 30, available_bytes=None, limit_bytes=None)
    power = Power(on_battery=None, governor="performance")
    changes = {"memory": memory, "power": power, "graphics": (), **changes}
    return dataclasses.replace(profile, cpu=cpu, **changes)


def device(name, **changes):
    values = {
        "id": GPU,
        "kind": DeviceKind.IGPU,
        "name": name,
        "vendor": "Advanced Micro Devices, Inc.",
        "platform": "AMD Accelerated Parallel Processing",
        "platform_version": "OpenCL 2.0 AMD-APP",
        "device_version": "OpenCL 1.2 AMD-APP",
        "driver_version": "1800.8",
        "compute_units": 8,
        "max_mhz": 720.0,
        "global_mem_bytes": 1 << 30,
        "max_alloc_bytes": 1 << 28,
        "local_mem_bytes": 1 << 15,
        "max_work_group_size": 256,
        "has_unified_memory": True,
        "has_fp16": False,
        "has_fp64": True,
        "is_bundled_driver": False,
    }
    return OpenclDevice(**{**values, **changes})


def timed(shape, rate, *, device_id=CPU_DEVICE_ID, runner=Runner.KERAS, **changes):
    """Return a measurement of `rate` flop/s or B/s; of `rate` seconds for a fixed cost."""
    forward = Direction.FORWARD
    work = flop(shape, direction=forward)
    if isinstance(shape, StreamShape):
        work = bytes_moved(shape, direction=forward, precision=Precision.FLOAT32)
    seconds = work / rate if work else rate
    stack = changes.pop("stack", SoftwareStack(
        framework=runner.value, framework_version=None, backend=None, backend_version=None
    ))  # fmt: skip
    request = BenchmarkRequest(**{
        "id": f"{runner}/{shape}", "role": "headline", "runner": runner, "device_id": device_id,
        "shape": shape, "direction": forward, "precision": Precision.FLOAT32, **changes,
    })  # fmt: skip
    return Measurement(
        request=request, stack=stack, warmups_s=(), values_s=(seconds,) * 3, loops=1, check="-"
    )


def opencl(shape, rate, **changes):
    return timed(shape, rate, device_id=GPU, runner=Runner.OPENCL, **changes)


def results(*measured, warnings=()):
    return MeasurementSet(
        measured_on="2026-11-21", duration_s=1.0, results=measured, warnings=warnings
    )


def judge(profile, *measured, warnings=()):
    return judge_efficiency(profile, results(*measured, warnings=warnings), KNOWLEDGE)


def one(profile, *measured, warnings=()):
    (row,) = judge(profile, *measured, warnings=warnings)
    return row


def details(row):
    return {detail.name: detail.value for detail in row.cause.details}


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


# Processors.


def ryzen(**changes):
    return desktop("AMD Ryzen 7 3700X 8-Core Processor", "zen2", cores=8, threads=16, **changes)


def test_one_memory_channel_is_told_by_the_firmware():
    memory = Memory(total_bytes=8 << 30, available_bytes=None, limit_bytes=None, channels=1,
                    speed_mt_per_s=3200.0)  # fmt: skip
    row = one(ryzen(memory=memory), timed(TRIAD, 19e9, runner=Runner.STREAM))
    assert row.peak == pytest.approx(51.2e9)
    assert row.basis is PeakBasis.MEMORY_CHANNELS
    assert (row.verdict, row.cause.code) == (Verdict.LOW, CauseCode.SINGLE_CHANNEL)
    assert details(row) == {"channels": 1}


def test_one_memory_channel_is_seen_by_half_the_bandwidth():
    memory = Memory(total_bytes=8 << 30, available_bytes=None, limit_bytes=None,
                    speed_mt_per_s=3200.0)  # fmt: skip
    row = one(ryzen(memory=memory), timed(TRIAD, 20.5e9, runner=Runner.STREAM))
    assert row.cause.code is CauseCode.SINGLE_CHANNEL
    assert details(row) == {"share_percent": pytest.approx(40.04, abs=0.01)}


def test_two_channels_are_normal_and_without_speed_nothing_is_known():
    memory = Memory(total_bytes=8 << 30, available_bytes=None, limit_bytes=None, channels=2,
                    speed_mt_per_s=3200.0)  # fmt: skip
    row = one(ryzen(memory=memory), timed(TRIAD, 35.4e9, runner=Runner.STREAM))
    assert (row.verdict, row.cause) == (Verdict.NORMAL, None)
    row = one(ryzen(), timed(TRIAD, 35.4e9, runner=Runner.STREAM))
    assert (row.verdict, row.unknown) == (Verdict.UNKNOWN, UnknownPeak.MEMORY)


def test_one_channel_is_remarked_even_where_the_processor_is_unknown():
    memory = Memory(total_bytes=8 << 30, available_bytes=None, limit_bytes=None, channels=1,
                    speed_mt_per_s=2400.0)  # fmt: skip
    profile = desktop("Unknown Processor", None, cores=4, memory=memory)
    row = one(profile, timed(COPY, 15e9, runner=Runner.STREAM))
    assert (row.verdict, row.cause.code) == (Verdict.NORMAL, CauseCode.SINGLE_CHANNEL)


def test_few_of_many_channels():
    memory = Memory(total_bytes=8 << 30, available_bytes=None, limit_bytes=None, channels=2,
                    speed_mt_per_s=3200.0)  # fmt: skip
    profile = desktop("AMD EPYC 7502 32-Core Processor", "zen2", cores=32, memory=memory)
    row = one(profile, timed(TRIAD, 40e9, runner=Runner.STREAM))
    assert row.cause.code is CauseCode.FEW_CHANNELS
    assert details(row) == {"channels": 2, "possible": 8}


def test_bandwidth_from_the_caches():
    memory = Memory(total_bytes=8 << 30, available_bytes=None, limit_bytes=None, channels=2,
                    speed_mt_per_s=3200.0)  # fmt: skip
    row = one(ryzen(memory=memory), timed(TRIAD, 80e9, runner=Runner.STREAM))
    assert (row.verdict, row.cause.code) == (Verdict.HIGH, CauseCode.CACHE)


def test_a_container_with_one_and_a_half_cpus():
    profile = machine("container-quota")
    row = one(profile, timed(GEMM, 150e9))
    assert row.peak == pytest.approx(4 * 64 * 2.5e9, rel=0.6)
    assert row.cause.code is CauseCode.CPU_QUOTA
    assert details(row) == {"quota": 1.5, "cores": 4}
    assert row.verdict is Verdict.LOW


def test_a_virtual_machine_does_not_know_its_memory_nor_its_clock():
    profile = machine("small-vm")
    product, memory = judge(profile, timed(GEMM, 450e9), timed(TRIAD, 80e9, runner=Runner.STREAM))
    assert memory.unknown is UnknownPeak.SHARED_HOST
    assert product.basis is PeakBasis.CORES_BASE_CLOCK_ISA
    assert product.peak == pytest.approx(2 * 2596.1e6 * 64)
    assert (product.verdict, product.cause.code) == (Verdict.HIGH, CauseCode.VIRTUAL_CLOCK)
    slow = one(profile, timed(GEMM, 100e9))
    assert slow.cause.code is CauseCode.VIRTUAL_CPUS
    stolen = one(profile, timed(GEMM, 100e9), warnings=(StabilityWarning.STEAL,))
    assert stolen.cause.code is CauseCode.STEAL


def clock(ghz, load="vector", **changes):
    values_s = (1e6 / (ghz * 1e9),)
    return dataclasses.replace(
        timed(ClockShape(load=load), 1.0, runner=Runner.CLOCK, **changes), values_s=values_s
    )


def test_a_measured_clock_bounds_what_a_virtual_machine_can_do():
    profile = machine("small-vm")
    row = one(profile, timed(GEMM, 450e9), clock(3.8), clock(4.1, "scalar"))
    assert row.basis is PeakBasis.CORES_MEASURED_CLOCK_ISA
    assert row.peak == pytest.approx(2 * 3.8e9 * 64)
    assert (row.verdict, row.cause) == (Verdict.NORMAL, None)
    # Without vectors there is the scalar one, and nonsense is no clock.
    assert one(profile, timed(GEMM, 450e9), clock(4.0, "scalar")).peak == 2 * 4.0e9 * 64
    nonsense = one(profile, timed(GEMM, 450e9), clock(90.0))
    assert nonsense.basis is PeakBasis.CORES_BASE_CLOCK_ISA


@pytest.mark.parametrize(
    ("flop_per_s", "per_cycle"),
    [
        (2 * 3.8e9 * 31, 32),  # one vector unit of two
        (2 * 3.8e9 * 62, 64),
        (2 * 3.8e9 * 125, 128),  # more than the table knows
        (2 * 3.8e9 * 45, 64),
        (2 * 3.8e9 * 29, 64),  # near a half, yet not close: many threads, disturbed
        (2 * 3.8e9 * 15.5, 64),  # a quarter: no processor lacks so much
    ],
)
def test_the_vector_units_are_counted_by_what_they_do(flop_per_s, per_cycle):
    profile = machine("small-vm")
    peak = timed(PeakShape(), flop_per_s, runner=Runner.CLOCK)
    row = one(profile, timed(GEMM, 100e9), clock(3.8), peak)
    assert row.peak == pytest.approx(2 * 3.8e9 * per_cycle)


def test_the_base_clock_of_a_real_machine():
    profile = desktop("Unknown Processor", "haswell", cores=4, base=2400.0)
    row = one(profile, timed(GEMM, 400e9))
    assert row.cause.code is CauseCode.BASE_CLOCK


def test_a_laptop_on_battery():
    profile = machine("intel-iris-xe-laptop")
    row = one(profile, timed(GEMM, 60e9))
    assert (row.verdict, row.cause.code) == (Verdict.LOW, CauseCode.ON_BATTERY)
    plugged = dataclasses.replace(profile.power, on_battery=False)
    row = one(dataclasses.replace(profile, power=plugged), timed(GEMM, 60e9))
    assert (row.cause.code, details(row)) == (CauseCode.POWER_LIMIT, {"limit_percent": 71.0})
    free = dataclasses.replace(plugged, max_performance_percent=100.0)
    row = one(dataclasses.replace(profile, power=free), timed(GEMM, 60e9))
    assert (row.cause.code, details(row)) == (CauseCode.GOVERNOR, {"governor": "powersave"})
    # With its own driver the processor chooses the clock, and "powersave" is what is usual there.
    for driver, code in (("acpi-cpufreq", CauseCode.GOVERNOR), ("intel_pstate", None)):
        own = dataclasses.replace(free, scaling_driver=driver)
        row = one(dataclasses.replace(profile, power=own), timed(GEMM, 60e9))
        assert (row.cause.code is CauseCode.GOVERNOR) is (code is not None)


def test_many_cores_at_their_base_clock_are_normal():
    """2.5 GHz of 3.9: the bound takes the highest clock, the threshold the lowest."""
    profile = machine("dual-socket-xeon")
    half = 0.36 * 40 * 3.9e9 * 64
    assert one(profile, timed(GEMM, half)).verdict is Verdict.NORMAL
    assert one(profile, timed(GEMM, half / 2)).verdict is Verdict.LOW


def test_unknown_clock_and_microarchitecture():
    assert one(machine("macbook-air-m2"), timed(GEMM, 900e9)).unknown is UnknownPeak.CLOCK
    profile = desktop("Unknown Processor", None, cores=4, boost=4000.0)
    assert one(profile, timed(GEMM, 1e11)).unknown is UnknownPeak.MICROARCHITECTURE
    profile = desktop("Unknown Processor", "haswell", cores=4, boost=4e9)
    assert one(profile, timed(GEMM, 1e11)).unknown is UnknownPeak.CLOCK_NONSENSE


def test_unknown_number_of_cores():
    profile = ryzen()
    cpu = dataclasses.replace(profile.cpu, brand="Unknown", n_physical_cores=None)
    row = one(dataclasses.replace(profile, cpu=cpu), timed(GEMM, 1e11))
    assert row.unknown is UnknownPeak.CORES


def test_apple_matrix_unit():
    profile = machine("macbook-air-m2")
    cpu = dataclasses.replace(profile.cpu, max_mhz=3500.0)
    row = one(dataclasses.replace(profile, cpu=cpu), timed(GEMM, 1.5e12))
    assert (row.verdict, row.cause.code) == (Verdict.HIGH, CauseCode.MATRIX_UNIT)


def test_the_slow_library_is_named():
    rows = judge(ryzen(), timed(GEMM, 40e9, runner=Runner.NUMPY), timed(GEMM, 700e9))
    numpy, keras = rows
    assert (numpy.cause.code, keras.verdict) == (CauseCode.SLOW_LIBRARY, Verdict.NORMAL)
    assert details(numpy) == {
        "library": "numpy", "other": "keras", "factor_x": pytest.approx(17.5)
    }  # fmt: skip


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"quota_cpus": 2.0}, CauseCode.CPU_QUOTA),
        ({"usable_cpus": 2}, CauseCode.AFFINITY),
        ({"n_logical_cpus": 12}, CauseCode.UNEVEN_CORES),
    ],
)
def test_limits_of_the_processor(change, code):
    profile = ryzen()
    cpu = dataclasses.replace(profile.cpu, **change)
    row = one(dataclasses.replace(profile, cpu=cpu), timed(GEMM, 200e9))
    assert row.cause.code is code


def test_prescribed_threads():
    row = one(ryzen(), timed(GEMM, 100e9, threads=1))
    assert (row.cause.code, details(row)) == (CauseCode.FEW_THREADS, {"threads": 1, "cores": 8})


@pytest.mark.parametrize(
    ("warning", "code"),
    [
        (StabilityWarning.BUSY, CauseCode.BUSY),
        (StabilityWarning.THROTTLED, CauseCode.THROTTLED),
        (StabilityWarning.ON_BATTERY, CauseCode.ON_BATTERY),
    ],
)
def test_what_the_session_noticed(warning, code):
    row = one(ryzen(), timed(GEMM, 100e9), warnings=(warning,))
    assert row.cause.code is code
    assert one(ryzen(), timed(GEMM, 700e9), warnings=(warning,)).cause is None


@pytest.mark.parametrize("other", ["STEAL", "BUSY"])
def test_the_host_and_other_programs_are_named_before_throttling(other):
    warnings = (StabilityWarning.THROTTLED, StabilityWarning[other])
    assert one(ryzen(), timed(GEMM, 100e9), warnings=warnings).cause.code is CauseCode[other]


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
