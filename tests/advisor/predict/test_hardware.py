"""Limits by data sheets: of this machine, of offers, of what is for sale."""

import dataclasses

import pytest

from advisor.model.machine import Memory
from advisor.model.quantity import Precision
from advisor.predict.hardware import (
    cpu_limits,
    is_rented,
    isa_row,
    platform_limits,
    shared_bandwidth,
    spec_limits,
)
from tests.advisor.predict.builders import DeviceKind, device, knowledge, platform, profile
from tests.advisor.predict.builders import isa_row as row
from tests.advisor.recommend.builders import a_gpu
from tests.helpers.bundled import bundled_knowledge

SPEC = device(
    "AMD Ryzen 7 5800X", kind=DeviceKind.CPU, vendor="AMD", architecture="Zen 3", peak=None,
    bandwidth=51.2e9, cores=8, ghz=3.8, per_cycle=32.0,
)  # fmt: skip


def test_peak_is_cores_times_clock_times_width():
    limits = cpu_limits(profile(cores=4, mhz=4000.0), knowledge=knowledge())
    assert limits.peak_flop_per_s(Precision.FLOAT32) == pytest.approx(4 * 4e9 * 32)
    assert limits.sustained_flop_per_s(Precision.FLOAT32) < 4 * 4e9 * 32
    assert not limits.is_guessed


def test_precision_without_units_runs_as_float32():
    limits = cpu_limits(profile(), knowledge=knowledge())
    assert limits.precisions == (Precision.FLOAT32,)
    assert limits.peak_flop_per_s(Precision.BFLOAT16) == limits.peak_flop_per_s(Precision.FLOAT32)


@pytest.mark.parametrize(
    ("features", "per_cycle"),
    [
        (("avx512f", "avx2", "fma", "avx"), 64.0),
        (("avx", "avx2", "fma"), 32.0),
        (("avx",), 16.0),
        (("sse4_2",), 8.0),
        (("asimd", "asimddp"), 16.0),
        ((), 8.0),
    ],
)
def test_unknown_microarchitecture_is_judged_by_its_flags(features, per_cycle):
    machine = profile(microarchitecture=None, isa=features, cores=1, mhz=1000.0)
    limits = cpu_limits(machine, knowledge=knowledge())
    assert limits.peak_flop_per_s(Precision.FLOAT32) == pytest.approx(per_cycle * 1e9)
    assert limits.is_guessed
    assert any("microarchitecture" in note for note in limits.notes)


@pytest.mark.parametrize(
    ("name", "per_cycle"),
    [("meteorlake", 32.0), ("tremont", 4.0), ("cortex_a78", 16.0), ("neoverse_v3", 32.0)],
)
def test_a_name_of_the_probe_has_the_row_of_the_same_width(name, per_cycle):
    limits = cpu_limits(
        profile(microarchitecture=name, isa=(), cores=1, mhz=1000.0), knowledge=bundled_knowledge()
    )
    assert limits.peak_flop_per_s(Precision.FLOAT32) == pytest.approx(per_cycle * 1e9)
    assert not limits.is_guessed


def test_unknown_clock_is_said():
    limits = cpu_limits(profile(mhz=None), knowledge=knowledge())
    assert any("clock" in note for note in limits.notes)


def test_container_limit_counts_instead_of_cores():
    limits = cpu_limits(profile(cores=16, quota=1.5), knowledge=knowledge())
    assert (limits.cores, limits.units) == (1.5, 2)


def test_memory_modules_tell_the_bandwidth():
    memory = Memory(
        total_bytes=None, available_bytes=None, limit_bytes=None, channels=2, speed_mt_per_s=3200
    )
    limits = cpu_limits(profile(memory=memory), knowledge=knowledge())
    assert limits.bandwidth_byte_per_s == pytest.approx(0.75 * 51.2e9)


def test_no_processor_has_more_channels_than_its_data_sheet():
    memory = Memory(
        total_bytes=None, available_bytes=None, limit_bytes=None, channels=4, speed_mt_per_s=6400
    )
    machine = profile(cores=8, brand="AMD Ryzen 7 7840U w/ Radeon 780M Graphics", memory=memory)
    limits = cpu_limits(machine, knowledge=bundled_knowledge())
    assert limits.bandwidth_byte_per_s == pytest.approx(0.75 * 102.4e9)


def test_some_of_the_cores_do_not_draw_all_of_the_bandwidth():
    memory = Memory(
        total_bytes=None, available_bytes=None, limit_bytes=None, channels=12, speed_mt_per_s=4800
    )
    whole = cpu_limits(profile(cores=96, memory=memory), knowledge=knowledge())
    part = cpu_limits(profile(cores=96, quota=4.0, memory=memory), knowledge=knowledge())
    assert whole.bandwidth_byte_per_s == pytest.approx(0.75 * 460.8e9)
    assert part.bandwidth_byte_per_s == pytest.approx(48e9)


@pytest.mark.parametrize("brand", ["AMD Ryzen Threadripper PRO 7980X", "Ampere Altra Max"])
def test_a_workstation_has_the_memory_of_a_server(brand):
    usual = cpu_limits(profile(cores=64), knowledge=knowledge())
    large = cpu_limits(profile(cores=64, brand=brand), knowledge=knowledge())
    assert large.bandwidth_byte_per_s > 2.0 * usual.bandwidth_byte_per_s


def test_two_sockets_have_two_memories():
    machine = profile(cores=32, brand="Intel(R) Xeon(R) Gold 6148")
    two = dataclasses.replace(machine, cpu=dataclasses.replace(machine.cpu, n_packages=2))
    one = cpu_limits(machine, knowledge=knowledge()).bandwidth_byte_per_s
    assert one < cpu_limits(two, knowledge=knowledge()).bandwidth_byte_per_s < 2.0 * one


def test_specification_of_the_processor_is_used():
    machine = profile(brand="AMD Ryzen 7 5800X 8-Core Processor", mhz=None)
    limits = cpu_limits(machine, knowledge=knowledge(devices=(SPEC,)))
    assert limits.ghz == pytest.approx(3.8)
    assert limits.bandwidth_byte_per_s == pytest.approx(0.75 * 51.2e9)


def test_processor_for_sale():
    limits = spec_limits(SPEC, knowledge=knowledge())
    assert limits is not None
    assert limits.peak_flop_per_s(Precision.FLOAT32) == pytest.approx(8 * 3.8e9 * 32)
    unknown = device("Odd CPU", kind=DeviceKind.CPU, cores=None, ghz=3.0)
    assert spec_limits(unknown, knowledge=knowledge()) is None


def test_two_virtual_cpus_are_one_core():
    limits = platform_limits(platform(), vcpus=8, architecture="x86_64", knowledge=knowledge())
    assert (limits.cores, limits.is_guessed) == (4.0, False)
    whole = platform_limits(
        platform(per_core=1), vcpus=8, architecture="x86_64", knowledge=knowledge()
    )
    assert whole.cores == 8.0


@pytest.mark.parametrize(("architecture", "cores"), [("x86_64", 4.0), ("arm64", 8.0)])
def test_unknown_platform_is_assumed_and_said(architecture, cores):
    limits = platform_limits(None, vcpus=8, architecture=architecture, knowledge=knowledge())
    assert limits.cores == cores
    assert limits.is_guessed
    assert limits.notes


def test_spellings_of_platforms():
    facts = knowledge(
        cpu_isa=(
            row("Zen 4", flop_per_cycle=32.0, names=("zen4",)),
            row("Skylake-SP/X", flop_per_cycle=64.0, names=("skylake_avx512",)),
            row("Cascade Lake", flop_per_cycle=64.0, names=("cascadelake",)),
        )
    )
    for text, name in (
        ("Zen4 (Genoa)", "Zen 4"), ("Cascade Lake | Skylake-SP", "Skylake-SP/X"),
        ("zen4", "Zen 4"),
    ):  # fmt: skip
        found = isa_row(facts, microarchitecture=text)
        assert found is not None
        assert found.microarchitecture == name
    assert isa_row(facts, microarchitecture="Odd") is None
    assert isa_row(facts, microarchitecture=None) is None


def test_bandwidth_grows_with_cores_until_the_socket_is_full():
    rates = [shared_bandwidth(n, year=2023, is_server=True) for n in (1, 4, 32, 256)]
    assert rates == sorted(rates)
    assert rates[0] > 10e9
    assert rates[-1] <= 300e9
    assert shared_bandwidth(8, year=2013, is_server=False) < rates[1]


@pytest.mark.parametrize(("architecture", "vendor"), [("x86_64", "Intel"), ("arm64", "Arm")])
def test_a_hidden_processor_is_taken_for_one_of_the_usual_vendor(architecture, vendor):
    found = platform_limits(None, vcpus=8, architecture=architecture, knowledge=knowledge())
    assert (found.vendor, found.is_guessed) == (vendor, True)


@pytest.mark.parametrize(
    ("hypervisor", "is_guest"), [("kvm", True), ("wsl", False), ("", False), (None, False)]
)
def test_a_guest_has_the_memory_of_a_server(hypervisor, is_guest):
    machine = profile(cores=16, mhz=4000.0)
    system = dataclasses.replace(machine.os, hypervisor=hypervisor)
    machine = dataclasses.replace(machine, os=system)
    assert is_rented(machine) is is_guest
    bare = cpu_limits(profile(cores=16, mhz=4000.0), knowledge=knowledge())
    found = cpu_limits(machine, knowledge=knowledge())
    assert (found.bandwidth_byte_per_s > bare.bandwidth_byte_per_s) is is_guest


@pytest.mark.parametrize(
    ("base", "boost", "ghz"),
    [
        # A workstation: between both. A small one: the base is that of its least power.
        (3.4, 4.5, 3.84),
        (0.8, 3.4, 2.21),
        (1.4, 4.8, 3.12),
    ],
)
def test_clock_under_load_of_what_names_two(base, boost, ghz):
    spec = dataclasses.replace(SPEC, base_ghz=base, boost_ghz=boost)
    limits = spec_limits(spec, knowledge=knowledge())
    assert limits is not None
    assert limits.ghz == pytest.approx(ghz)


def test_memory_soldered_beside_a_gpu_tells_the_bandwidth():
    graphics = a_gpu(name="Radeon 8060S", compute_units=None, kind=DeviceKind.IGPU)
    machine = profile(cores=16, brand="AMD RYZEN AI MAX+ 395 w/ Radeon 8060S")
    beside = dataclasses.replace(machine, graphics=(graphics,))
    facts = bundled_knowledge()
    usual = cpu_limits(machine, knowledge=facts).bandwidth_byte_per_s
    assert cpu_limits(beside, knowledge=facts).bandwidth_byte_per_s > 1.5 * usual


def test_a_training_step_takes_what_its_kind_of_processor_takes():
    known = dataclasses.replace(
        row("Zen 3", flop_per_cycle=32.0, names=("zen3",)), training_step_factor=1.05
    )
    for facts, factor in ((knowledge(cpu_isa=(known,)), 1.05), (knowledge(), 1.0)):
        assert cpu_limits(profile(), knowledge=facts).training_step_factor == factor


def test_networks_gain_little_of_what_the_units_for_bfloat16_could():
    plain = row("Zen 3", flop_per_cycle=32.0, names=("zen3",))
    units = dataclasses.replace(plain, bf16_flop_per_cycle_per_core=512.0)
    limits = cpu_limits(profile(), knowledge=knowledge(cpu_isa=(units,)))
    peak, short = (limits.peak_flop_per_s(p) for p in (Precision.FLOAT32, Precision.BFLOAT16))
    assert short == 16.0 * peak
    single = limits.sustained_flop_per_s(Precision.FLOAT32)
    assert single < limits.sustained_flop_per_s(Precision.BFLOAT16) < 1.5 * single
