from pathlib import Path

import pytest

from advisor.errors import InputError
from advisor.model.codec import dump_document, load_document
from advisor.model.machine import DeviceKind, MachineProfile
from advisor.model.plausible import check_machine
from probes.machine.collect import collect_profile
from probes.machine.overrides import apply_overrides
from probes.machine.recording import RecordedReader

MACHINES = Path(__file__).parents[2] / "data" / "machines"


@pytest.fixture(scope="module")
def profile():
    reader = RecordedReader(MACHINES / "a10-7850k")
    return collect_profile(reader, today="2026-11-21", list_opencl=lambda: ())


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [
        ("cpu.n_physical_cores", "2", 2),
        ("cpu.max_mhz", "4000", 4000.0),
        ("cpu.max_mhz", "3.7 GHz", 3700.0),
        ("cpu.base_mhz", "2600mhz", 2600.0),
        ("cpu.quota_cpus", "none", None),
        ("cpu.brand", "My CPU", "My CPU"),
        ("cpu.microarchitecture", "Zen 3", "zen3"),
        ("cpu.microarchitecture", "cortex-A76", "cortex_a76"),
        ("cpu.microarchitecture", "unknown", None),
        ("cpu.isa_features", "AVX2, fma", ("avx2", "fma")),
        ("memory.total_bytes", "16GiB", 16 << 30),
        ("memory.total_bytes", "1.5 GB", 3 << 29),
        ("memory.limit_bytes", "unknown", None),
        ("power.on_battery", "yes", True),
        ("power.on_battery", "off", False),
    ],
)
def test_a_value_is_typed_and_recorded(profile, name, text, value):
    changed = apply_overrides(profile, {name: text})
    section, field = name.split(".")
    assert getattr(getattr(changed, section), field) == value
    assert changed.overrides == (name,)
    assert load_document(dump_document(changed), MachineProfile) == changed


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("64", "'64' is no known architecture; close to it: x86_64, "),
        ("haswel", "close to it: haswell"),
        ("zen9", "close to it: zen"),
        ("%%%", "'%%%' is no known architecture; known are zen3, haswell, cortex_a76 and others"),
    ],
)
def test_an_architecture_that_nobody_knows_is_refused_with_close_ones(profile, text, told):
    with pytest.raises(InputError) as refused:
        apply_overrides(profile, {"cpu.microarchitecture": text})
    assert told in str(refused.value)


def test_entries_are_named_by_their_id(profile):
    changed = apply_overrides(
        profile, {"graphics.gpu0.compute_units": "6", "graphics.gpu0.kind": "dgpu"}
    )
    assert changed.graphics[0].compute_units == 6
    assert changed.graphics[0].kind is DeviceKind.DGPU
    assert profile.graphics[0].compute_units == 8


def test_a_given_value_is_no_longer_missing(make_machine):
    empty = collect_profile(make_machine({}), today="2026-11-21", list_opencl=None)
    changed = apply_overrides(empty, {"cpu.n_physical_cores": "4"})
    assert "cpu.n_physical_cores" in {fact.fact for fact in empty.missing}
    assert "cpu.n_physical_cores" not in {fact.fact for fact in changed.missing}


@pytest.mark.parametrize(
    ("given", "expected"),
    [
        ({"cpu.n_physical_cores": "6"}, {"cpu.n_physical_cores": 6, "cpu.n_logical_cpus": 6}),
        ({"cpu.n_logical_cpus": "1"}, {"cpu.n_physical_cores": 1, "cpu.usable_cpus": 1}),
        (
            {"memory.total_bytes": "1 MiB"},
            {"memory.total_bytes": 1 << 20, "memory.available_bytes": 1 << 20},
        ),
    ],
)
def test_what_contradicts_a_given_value_is_made_to_fit(profile, given, expected):
    changed = apply_overrides(profile, given)
    check_machine(changed)
    for name, value in expected.items():
        section, field = name.split(".")
        assert getattr(getattr(changed, section), field) == value


def test_two_given_values_that_contradict_each_other_are_refused(profile):
    with pytest.raises(InputError, match=r"cpu.n_physical_cores: 9 .* cpu.n_logical_cpus is 8"):
        apply_overrides(profile, {"cpu.n_physical_cores": "9", "cpu.n_logical_cpus": "8"})


def test_overrides_add_up(profile):
    once = apply_overrides(profile, {"cpu.max_mhz": "4000"})
    twice = apply_overrides(once, {"cpu.base_mhz": "3700"})
    assert twice.overrides == ("cpu.base_mhz", "cpu.max_mhz")


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("cpu.cores", "4"),
        ("cpu", "4"),
        ("missing.0", "x"),
        ("collected_on", "2026-01-01"),
        ("cpu.n_physical_cores.x", "4"),
        ("cpu.n_physical_cores", "four"),
        ("cpu.n_physical_cores", "0"),
        ("cpu.n_physical_cores", "-1"),
        ("cpu.n_physical_cores", "99999"),
        ("cpu.n_logical_cpus", "none"),
        ("cpu.max_mhz", "nan"),
        ("cpu.max_mhz", "-5"),
        ("cpu.brand", ""),
        ("cpu.caches", "1"),
        ("cpu.caches.0.size_bytes", "1"),
        ("memory.total_bytes", "lots"),
        ("cpu.max_mhz", "3.7"),
        ("cpu.max_mhz", "3.7 THz"),
        ("power.on_battery", "maybe"),
        ("os.family", "dos"),
        ("graphics.gpu7.kind", "igpu"),
        ("graphics.gpu0", "igpu"),
        ("graphics.gpu0.id", "gpu1"),
        ("graphics.gpu0.kind", "toaster"),
        ("npus.npu0.name", "x"),
    ],
)
def test_what_cannot_be_is_refused_in_one_line(profile, name, text):
    with pytest.raises(InputError) as caught:
        apply_overrides(profile, {name: text})
    message = str(caught.value)
    assert "\n" not in message
    assert name in message
