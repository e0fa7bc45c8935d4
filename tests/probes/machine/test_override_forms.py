import pytest

from probes.machine.override_forms import ValueUnit, corrected_since, value_form
from probes.machine.overrides import apply_overrides
from tests.advisor.recommend.builders import a_profile, an_opencl

PROFILE = a_profile()
NAMES = (
    *(f"cpu.{name}" for name in (
        "vendor", "brand", "microarchitecture", "isa_features", "n_packages", "n_physical_cores",
        "n_logical_cpus", "usable_cpus", "quota_cpus", "base_mhz", "max_mhz",
    )),
    *(f"memory.{name}" for name in ("total_bytes", "available_bytes", "limit_bytes", "channels")),
    *(f"power.{name}" for name in ("on_battery", "governor", "max_performance_percent")),
    "os.family", "os.version",
)  # fmt: skip


@pytest.mark.parametrize("name", NAMES)
def test_the_value_as_it_is_may_be_typed_again(name):
    form = value_form(PROFILE, name)
    again = apply_overrides(PROFILE, {name: form.text})
    section, field = name.split(".")
    now = getattr(getattr(PROFILE, section), field)
    new = getattr(getattr(again, section), field)
    if form.unit is ValueUnit.BYTES and now is not None:
        assert new == pytest.approx(now, rel=0.05)
    elif isinstance(now, tuple):  # in the order of the alphabet
        assert set(new) == set(now)
    else:
        assert new == now
    assert not form.choices or form.text in form.choices


@pytest.mark.parametrize(
    ("name", "text", "unit"),
    [
        ("memory.total_bytes", "24.1 GiB", ValueUnit.BYTES),
        ("memory.limit_bytes", "unknown", ValueUnit.BYTES),
        ("cpu.max_mhz", "4200", ValueUnit.MHZ),
        ("cpu.n_physical_cores", "8", ValueUnit.NONE),
        ("power.on_battery", "yes", ValueUnit.NONE),
    ],
)
def test_a_value_is_asked_for_in_its_own_form(name, text, unit):
    given = {
        "memory.total_bytes": str(25_900_000_000), "memory.limit_bytes": "unknown",
        "cpu.max_mhz": "4200", "cpu.n_physical_cores": "8", "power.on_battery": "true",
    }  # fmt: skip
    form = value_form(apply_overrides(PROFILE, given), name)
    assert (form.text, form.unit) == (text, unit)


def test_a_value_of_one_of_several_devices_is_found():
    device = an_opencl()
    form = value_form(a_profile(opencl=(device,)), f"opencl.{device.id}.has_fp16")
    assert form.choices == ("yes", "no")
    assert not form.may_be_unknown


def test_what_was_corrected_since_is_named():
    before = apply_overrides(PROFILE, {"cpu.max_mhz": "4200"})
    assert corrected_since(PROFILE, PROFILE) == ()
    assert corrected_since(before, apply_overrides(PROFILE, {"cpu.max_mhz": "4200"})) == ()
    now = apply_overrides(before, {"cpu.max_mhz": "4300", "power.on_battery": "yes"})
    assert corrected_since(before, now) == ("cpu.max_mhz", "power.on_battery")
    # Taken back.
    assert corrected_since(before, PROFILE) == ("cpu.max_mhz",)


def test_a_device_that_is_gone_is_no_fault():
    device = an_opencl()
    name = f"opencl.{device.id}.has_fp16"
    before = apply_overrides(a_profile(opencl=(device,)), {name: "yes"})
    assert corrected_since(before, a_profile(opencl=())) == (name,)
