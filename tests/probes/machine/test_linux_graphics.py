import pytest

from advisor.model.machine import DeviceKind
from probes.machine.linux_graphics import collect_devices, parse_clock_levels

PCI = "/sys/bus/pci/devices"


def slot(address, vendor, device, *, code="0x030000", **files):
    folder = f"{PCI}/{address}"
    found = {
        f"{folder}/class": code,
        f"{folder}/vendor": f"0x{vendor}\n",
        f"{folder}/device": f"0x{device}\n",
    }
    return found | {f"{folder}/{name}": text for name, text in files.items()}


@pytest.mark.parametrize(
    ("address", "vendor", "device", "kind"),
    [
        ("0000:00:02.0", "8086", "9a49", DeviceKind.IGPU),
        ("0000:00:02.0", "8086", "7d55", DeviceKind.IGPU),
        ("0000:03:00.0", "8086", "ffff", DeviceKind.DGPU),
        ("0000:03:00.0", "8086", "56a0", DeviceKind.DGPU),
        ("0000:00:05.0", "8086", "e20b", DeviceKind.DGPU),
        ("0000:00:01.0", "1002", "130f", DeviceKind.IGPU),
        ("0000:c5:00.0", "1002", "150e", DeviceKind.IGPU),
        ("0000:03:00.0", "1002", "73bf", DeviceKind.DGPU),
        ("0000:01:00.0", "10de", "2684", DeviceKind.DGPU),
        ("0000:00:02.0", "1234", "1111", DeviceKind.OTHER),
        ("0000:00:02.0", "1af4", "1050", DeviceKind.OTHER),
        ("0000:00:02.0", "1013", "00b8", DeviceKind.OTHER),
        ("0000:00:02.0", "1b36", "0100", DeviceKind.OTHER),
        ("0000:03:00.0", "1a03", "2000", DeviceKind.OTHER),
        ("0000:03:00.0", "abcd", "0001", DeviceKind.OTHER),
    ],
)
def test_the_kind_of_a_device(make_machine, address, vendor, device, kind):
    graphics, npus = collect_devices(make_machine(slot(address, vendor, device)), cpu_vendor="AMD")
    assert [gpu.kind for gpu in graphics] == [kind]
    assert npus == ()


@pytest.mark.parametrize(
    ("files", "cpu_vendor", "kind"),
    [
        ({"mem_info_vram_total": str(512 << 20)}, "AMD", DeviceKind.IGPU),
        ({"mem_info_vram_total": str(512 << 20)}, "Intel", DeviceKind.DGPU),
        ({"mem_info_vram_total": str(8 << 30)}, "AMD", DeviceKind.DGPU),
        (
            {"mem_info_vram_total": str(1 << 30), "mem_info_vram_vendor": "samsung"},
            "AMD",
            DeviceKind.DGPU,
        ),
        ({}, "AMD", DeviceKind.DGPU),
    ],
)
def test_an_amd_gpu_newer_than_the_table(make_machine, files, cpu_vendor, kind):
    reader = make_machine(slot("0000:04:00.0", "1002", "fffe", **files))
    graphics, _ = collect_devices(reader, cpu_vendor=cpu_vendor)
    assert graphics[0].kind is kind
    assert graphics[0].name == "AMD device 1002:fffe"


@pytest.mark.parametrize(
    ("told", "name"),
    [
        ("Model: \t\t NVIDIA H100 80GB HBM3\nIRQ:   \t\t 17\n", "NVIDIA H100 80GB HBM3"),
        ("IRQ: 17\n", "NVIDIA device 10de:2330"),
    ],
)
def test_a_gpu_newer_than_the_table_is_called_as_its_driver_does(make_machine, told, name):
    files = slot("0000:00:06.0", "10de", "2330")
    files["/proc/driver/nvidia/gpus/0000:00:06.0/information"] = told
    graphics, _ = collect_devices(make_machine(files), cpu_vendor="Intel")
    assert [gpu.name for gpu in graphics] == [name]


def test_npus_are_found_with_and_without_a_driver(make_machine):
    files = slot("0000:00:0b.0", "8086", "7d1d", code="0x120000")
    files |= slot("0000:c6:00.1", "1022", "1502", code="0x118000")
    files |= slot("0000:c7:00.0", "1d1d", "0001", code="0x120000")
    reader = make_machine(files, links={f"{PCI}/0000:00:0b.0/driver": "intel_vpu"})
    graphics, npus = collect_devices(reader, cpu_vendor="Intel")
    assert [(npu.id, npu.name, npu.kernel_driver) for npu in npus] == [
        ("npu0", "Meteor Lake NPU", "intel_vpu"),
        ("npu1", "Ryzen AI NPU (XDNA)", None),
    ]
    assert [gpu.kind for gpu in graphics] == [DeviceKind.OTHER]


def test_an_accelerator_outside_the_bus(make_machine):
    files = {"/sys/class/accel/accel0/device/of_node/compatible": "rockchip,rk3588-rknn-core\0"}
    reader = make_machine(files, links={"/sys/class/accel/accel0/device/driver": "rocket"})
    _, npus = collect_devices(reader, cpu_vendor="ARM")
    assert [(n.name, n.kernel_driver) for n in npus] == [("rockchip,rk3588-rknn-core", "rocket")]


def test_an_igpu_and_a_card_are_two_devices(make_machine):
    files = slot("0000:01:00.0", "1002", "73df") | slot("0000:0a:00.0", "1002", "164e")
    graphics, _ = collect_devices(make_machine(files), cpu_vendor="AMD")
    assert [(g.id, g.kind) for g in graphics] == [
        ("gpu0", DeviceKind.DGPU),
        ("gpu1", DeviceKind.IGPU),
    ]


def test_other_functions_and_damaged_ones_are_left_out(make_machine):
    files = slot("0000:00:1f.3", "8086", "a0c8", code="0x040300")
    files |= slot("0000:00:02.0", "zzzz", "9a49")
    assert collect_devices(make_machine(files), cpu_vendor="Intel") == ((), ())


@pytest.mark.parametrize(
    ("text", "mhz"),
    [
        ("0: 200Mhz \n1: 720Mhz *\n", 720.0),
        ("0: 200Mhz *\n1: 99999999Mhz\n", 200.0),
        ("garbage", None),
        (None, None),
    ],
)
def test_clock_levels(text, mhz):
    assert parse_clock_levels(text) == mhz


def test_the_clock_of_xe(make_machine):
    files = slot("0000:00:02.0", "8086", "64a0", **{"tile0/gt0/freq0/rp0_freq": "2050\n"})
    graphics, _ = collect_devices(make_machine(files), cpu_vendor="Intel")
    assert graphics[0].max_mhz == 2050.0
