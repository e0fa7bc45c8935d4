"""Processors: memory channels, containers, clocks, libraries, and what else slows them."""

import dataclasses

import pytest

from advisor.model.efficiency import (
    CauseCode,
    PeakBasis,
    UnknownPeak,
    Verdict,
)
from advisor.model.kernel import (
    ClockShape,
    PeakShape,
)
from advisor.model.machine import Memory
from advisor.model.measurement import (
    Runner,
    StabilityWarning,
)
from tests.advisor.normal.judged import (
    COPY,
    GEMM,
    TRIAD,
    desktop,
    details,
    judge,
    machine,
    one,
    ryzen,
    timed,
)


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


def hybrid():
    """Eight fast cores to 5.8 GHz, sixteen slow ones to 4.3 GHz."""
    return desktop("13th Gen Intel(R) Core(TM) i9-13900K", "alderlake", cores=24, threads=32)


def test_slow_cores_are_not_counted_as_fast_ones():
    row = one(hybrid(), timed(GEMM, 1.9e12))
    assert row.peak == pytest.approx(2.59e12, rel=0.02)
    assert (row.verdict, row.cause) == (Verdict.NORMAL, None)
    assert one(hybrid(), timed(GEMM, 0.9e12)).verdict is Verdict.LOW


def test_the_measured_clock_of_fast_and_slow_cores_is_their_mean():
    peak = timed(PeakShape(), 2.5e12, runner=Runner.CLOCK)
    rows = judge(hybrid(), timed(GEMM, 1.9e12), peak, clock(4.8))
    bounded = [row for row in rows if row.basis is PeakBasis.CORES_MEASURED_CLOCK_ISA]
    assert bounded
    assert all(row.peak == pytest.approx(16 * 4.8e9 * 32) for row in bounded)
    assert all(row.verdict is Verdict.NORMAL for row in rows)
