import pytest

from probes.machine.power import (
    collect_load,
    collect_memory,
    collect_power,
    compare_ticks,
    parse_cpu_ticks,
    parse_memory_modules,
)

SUPPLY = "/sys/class/power_supply"


@pytest.mark.parametrize(
    ("files", "on_battery"),
    [
        ({}, None),
        ({"AC/type": "Mains", "AC/online": "1", "BAT0/type": "Battery"}, False),
        ({"BAT0/type": "Battery", "BAT0/status": "Discharging"}, True),
        ({"BAT0/type": "Battery", "BAT0/status": "Full"}, False),
        ({"ACAD/type": "Mains", "ACAD/online": "0"}, True),
        (
            {
                "ACAD/type": "Mains",
                "ACAD/online": "0",
                "BAT0/type": "Battery",
                "BAT0/status": "Discharging",
                "ucsi/type": "USB",
                "ucsi/online": "1",
            },
            False,
        ),
        ({"mouse/type": "Battery", "mouse/scope": "Device", "mouse/status": "Discharging"}, None),
    ],
)
def test_on_battery(make_machine, files, on_battery):
    reader = make_machine({f"{SUPPLY}/{name}": text for name, text in files.items()})
    assert collect_power(reader).on_battery is on_battery


@pytest.mark.parametrize(
    ("files", "has_battery"),
    [
        ({}, None),
        ({"AC/type": "Mains", "AC/online": "1"}, False),
        ({"AC/type": "Mains", "AC/online": "1", "BAT1/type": "Battery"}, True),
        ({"mouse/type": "Battery", "mouse/scope": "Device"}, False),
    ],
)
def test_a_battery_that_feeds_the_machine(make_machine, files, has_battery):
    reader = make_machine({f"{SUPPLY}/{name}": text for name, text in files.items()})
    assert collect_power(reader).has_battery is has_battery


def test_load_needs_two_different_readings(make_machine):
    stat = "cpu 100 0 0 100 0 0 0 0\n"
    assert collect_load(make_machine({"/proc/stat": stat})).busy_fraction is None
    later = "cpu 130 0 0 160 0 0 0 10\n"
    load = collect_load(make_machine({"/proc/stat": stat, "/proc/stat@2": later}))
    assert (load.busy_fraction, load.steal_fraction) == (0.4, 0.1)


def test_our_own_time_is_no_load(make_machine):
    stat = "cpu 100 0 0 100 0 0 0 0\n"
    later = "cpu 130 0 0 160 0 0 0 10\n"
    own = "7 (a (b) 1) S 1 7 7 0 -1 4 9 0 0 0 {} {} 0 0 20 0 1 0 1 1 1\n"
    files = {
        "/proc/stat": stat, "/proc/stat@2": later,
        "/proc/self/stat": own.format(50, 4), "/proc/self/stat@2": own.format(65, 9),
    }  # fmt: skip
    assert collect_load(make_machine(files)).busy_fraction == 0.2
    files["/proc/self/stat@2"] = own.format(900, 9)
    assert collect_load(make_machine(files)).busy_fraction == 0.0
    files["/proc/self/stat@2"] = "7 (damaged"
    assert collect_load(make_machine(files)).busy_fraction == 0.4


@pytest.mark.parametrize("text", [None, "", "cpu 1 2 3", "cpu a b c d e f g h", "cpu0 1 2 3 4 5 6"])
def test_damaged_counters_are_none(text):
    assert parse_cpu_ticks(text) is None
    assert compare_ticks(None, after=None) == (None, None)


def test_a_counter_that_runs_backwards_counts_as_unchanged():
    busy, stolen = compare_ticks((9, 0, 0, 0, 0, 0, 0, 0), after=(5, 0, 0, 10, 0, 0, 0, 0))
    assert (busy, stolen) == (0.0, 0.0)


def test_a_sensor_that_tells_nonsense_is_not_believed(make_machine):
    files = {
        "/sys/class/hwmon/hwmon0/name": "k10temp",
        "/sys/class/hwmon/hwmon0/temp1_input": "-273000",
        "/sys/class/thermal/thermal_zone0/type": "x86_pkg_temp",
        "/sys/class/thermal/thermal_zone0/temp": "55000",
    }
    assert collect_load(make_machine(files)).temperature_c == 55.0


def test_memory_of_a_container_that_has_more_than_the_machine(make_machine):
    files = {
        "/proc/meminfo": "MemTotal: 1000 kB\nMemAvailable: 900 kB\n",
        "/proc/self/cgroup": "0::/\n",
        "/sys/fs/cgroup/memory.max": "99999999999\n",
    }
    memory = collect_memory(make_machine(files))
    assert (memory.total_bytes, memory.available_bytes) == (1024000, 921600)
    assert memory.limit_bytes is None


def module(number, *, bank="", place="", size=8, rate=3200):
    key = f"E:MEMORY_DEVICE_{number}"
    return (
        f"{key}_BANK_LOCATOR={bank}\n{key}_LOCATOR={place}\n{key}_SIZE={size}\n"
        f"{key}_CONFIGURED_SPEED_MTS={rate}\n"
    )


def test_channels_are_counted_by_controller_and_letter():
    text = module(0, place="Controller0-ChannelA-DIMM0")
    text += module(1, place="Controller1-ChannelA-DIMM0", rate=2933)
    assert parse_memory_modules(text) == (2, 2933.0)


def test_channels_of_16_bits_count_a_quarter():
    text = "".join(
        module(n, bank=f"P0 CHANNEL {n}", rate=7500) + f"E:MEMORY_DEVICE_{n}_DATA_WIDTH=16\n"
        for n in range(8)
    )
    assert parse_memory_modules(text) == (2, 7500.0)


def test_modules_without_a_channel_leave_it_unknown():
    text = module(0, bank="P0 CHANNEL A", place="DIMM 0") + module(1, bank="BANK 1")
    assert parse_memory_modules(text) == (None, 3200.0)
    assert parse_memory_modules(None) == (None, None)


def test_empty_slots_do_not_count():
    text = module(0, bank="P0 CHANNEL A") + "E:MEMORY_DEVICE_1_PRESENT=0\n"
    assert parse_memory_modules(text) == (1, 3200.0)


def test_what_sets_the_clock_is_told(make_machine):
    folder = "/sys/devices/system/cpu/cpu0/cpufreq"
    files = {
        f"{folder}/scaling_governor": "powersave\n",
        f"{folder}/scaling_driver": "intel_pstate\n",
    }
    power = collect_power(make_machine(files))
    assert (power.governor, power.scaling_driver) == ("powersave", "intel_pstate")
    assert collect_power(make_machine({})).scaling_driver is None
