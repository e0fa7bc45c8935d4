import csv
import re
from importlib import resources

import pytest

from advisor.model.machine import DeviceKind
from probes.machine.tables import (
    find_arm_core,
    find_hypervisor,
    find_opencl_driver,
    find_pci_device,
    find_pci_vendor,
    find_soc_gpu,
    find_x86_model,
)

FOLDER = resources.files("probes.machine").joinpath("data")
TABLES = sorted(entry.name for entry in FOLDER.iterdir() if entry.name.endswith(".csv"))
HEX = re.compile(r"[0-9a-f]{4}")


def rows(name):
    return list(csv.DictReader(FOLDER.joinpath(name).read_text(encoding="utf-8").splitlines()))


@pytest.mark.parametrize("name", TABLES)
def test_every_row_is_whole_and_has_a_source(name):
    for number, row in enumerate(rows(name), start=2):
        assert None not in row, f"{name}:{number} has too many cells"
        assert row["source"], f"{name}:{number} has no source"


@pytest.mark.parametrize(
    ("name", "keys"),
    [
        ("architecture_names.csv", ("name",)),
        ("arm_cores.csv", ("implementer", "part")),
        ("pci_devices.csv", ("vendor_id", "device_first", "device_last")),
        ("pci_vendors.csv", ("vendor_id",)),
        ("soc_gpus.csv", ("compatible",)),
        ("opencl_drivers.csv", ("vendor", "system", "distribution")),
        ("hypervisors.csv", ("text",)),
        ("x86_flags.csv", ("vendor", "flag")),
        ("x86_models.csv", ("vendor", "family", "model_first", "requires_flag")),
    ],
)
def test_keys_are_unique(name, keys):
    found = [tuple(row[key] for key in keys) for row in rows(name)]
    assert len(found) == len(set(found))


def test_ranges_of_devices_are_ranges():
    for row in rows("pci_devices.csv"):
        assert HEX.fullmatch(row["device_first"])
        assert HEX.fullmatch(row["device_last"])
        assert int(row["device_first"], 16) <= int(row["device_last"], 16)


def test_every_vendor_of_a_device_has_a_name():
    missing = {row["vendor_id"] for row in rows("pci_devices.csv")}
    missing -= {row["vendor_id"] for row in rows("pci_vendors.csv")}
    assert missing == set()


def test_the_narrowest_range_tells():
    device = find_pci_device("1002", device_id="130f")
    assert device is not None
    assert (device.kind, device.family) == (DeviceKind.IGPU, "kaveri")
    assert device.name == "Kaveri [Radeon R7 Graphics]"
    wide = find_pci_device("1002", device_id="130a")
    assert wide is not None
    assert wide.name is None


def test_what_is_not_in_a_table_is_none():
    assert find_pci_device("1002", device_id="ffff") is None
    assert find_pci_device(None, device_id="130f") is None
    assert find_pci_vendor("ffff") is None
    assert find_arm_core(0x41, part=0xFFF) is None
    assert find_x86_model("GenuineIntel", family=6, model=254, flags=frozenset()) is None
    assert find_soc_gpu(("nobody,nothing",)) is None
    assert find_hypervisor("LENOVO") is None
    assert find_opencl_driver("Nobody", system="linux", distribution="debian") is None


def test_a_distribution_that_is_not_known_gets_the_general_advice():
    driver = find_opencl_driver("AMD", system="linux", distribution="")
    other = find_opencl_driver("AMD", system="linux", distribution="gentoo")
    assert driver is not None
    assert driver == other
    assert driver.environment == "RUSTICL_ENABLE=radeonsi"


def test_the_first_known_word_of_the_device_tree_names_the_gpu():
    assert find_soc_gpu(("rockchip,rk3588-mali", "arm,mali-valhall-csf")) == ("ARM", "Mali-G610")
