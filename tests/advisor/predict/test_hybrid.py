"""Fast and slow cores: counted by threads, by data sheets, and in the limits made of them."""

import dataclasses

import pytest

from advisor.knowledge.lookup import find_device
from advisor.model.machine import DeviceKind
from advisor.model.quantity import Precision
from advisor.predict.hardware import spec_limits
from advisor.predict.hybrid import SLOW_PEAK, SLOW_RATE, SLOW_WIDTH, CoreMix, core_mix
from tests.helpers.bundled import bundled_knowledge

I9 = "Intel Core i9-13900K"


def sheet(name):
    found = find_device(bundled_knowledge(), name, kind=DeviceKind.CPU)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("cores", "threads", "architecture", "slow"),
    [
        (24, 32, "alderlake", 16),
        (16, 22, "Meteor Lake", 10),
        (6, 12, "alderlake", 0),
        (4, 4, "gracemont", 0),
        (8, 16, "zen4", 0),
        (20, 20, "arrowlake_s", 0),
        (24, None, "alderlake", 0),
        (14, 20, None, 0),
    ],
)
def test_the_threads_tell_how_many_cores_are_slow(cores, threads, architecture, slow):
    assert core_mix(cores, threads=threads, architecture=architecture) == CoreMix(cores, slow)


def test_a_data_sheet_tells_where_threads_do_not():
    """Two threads on a core may be switched off in the firmware."""
    assert core_mix(24, threads=24, architecture="alderlake", spec=sheet(I9)).slow == 16
    other = dataclasses.replace(sheet(I9), cores=12)
    assert core_mix(24, threads=24, architecture="alderlake", spec=other).slow == 0


def test_slow_cores_come_last():
    mix = CoreMix(12.0, 8.0)
    assert mix.worth(3) == 3.0
    assert mix.worth(6) == 4.0 + 2 * SLOW_RATE
    assert mix.worth() == mix.worth(100) == 4.0 + 8 * SLOW_RATE
    assert mix.worth(slow_rate=SLOW_WIDTH) == 8.0
    assert mix.limited_to(3.0) == CoreMix(3.0, 0.0)
    assert mix.limited_to(6.0) == CoreMix(6.0, 2.0)
    assert mix.limited_to(20.0) is mix


def test_the_peak_of_a_hybrid_processor_is_that_of_its_data_sheet():
    spec = sheet(I9)
    mix = core_mix(spec.cores, threads=spec.threads, architecture=spec.architecture)
    peak = mix.worth(slow_rate=SLOW_PEAK) * spec.boost_ghz * 1e9 * 32
    assert peak == pytest.approx(spec.peak_fp32_flop_per_s, rel=0.02)


def test_the_limits_count_slow_cores_as_what_they_do_in_networks():
    limits = spec_limits(sheet(I9), knowledge=bundled_knowledge())
    assert limits.slow_cores == 16.0
    one = limits.peak_flop_per_s(Precision.FLOAT32, cores=1)
    assert one == pytest.approx(limits.ghz * 1e9 * 32)
    assert limits.peak_flop_per_s(Precision.FLOAT32) == pytest.approx(one * (8 + 16 * SLOW_RATE))


def test_no_processor_whose_cores_are_alike_is_taken_for_a_hybrid_one():
    names = [d for d in bundled_knowledge().devices if d.kind is DeviceKind.CPU and d.cores]
    hybrids = {
        d.architecture
        for d in names
        if core_mix(d.cores, threads=d.threads, architecture=d.architecture, spec=d).slow
    }
    assert hybrids == {"Alder Lake", "Raptor Lake", "Meteor Lake"}
