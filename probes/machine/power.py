"""Power, load, temperature and memory of a Linux machine at this moment.

Leaves to others: judging whether the machine is quiet enough to measure (`probes.bench`).
"""

import re

from advisor.model.machine import Load, Memory, Power
from probes.machine import text as parse
from probes.machine.cgroup import read_memory_limit
from probes.machine.reader import Reader

# Two readings of the CPU counters this far apart; ten ticks of the kernel's clock.
LOAD_WINDOW_S = 0.1
_OWN_STAT = "/proc/self/stat"

_SUPPLIES = "/sys/class/power_supply"
_HWMON = "/sys/class/hwmon"
_THERMAL = "/sys/class/thermal"
_CPU_SENSORS = ("coretemp", "k10temp", "zenpower", "cpu_thermal")
_CPU_ZONES = ("x86_pkg_temp", "cpu-thermal", "cpu_thermal", "soc_thermal")
_CHANNEL = re.compile(r"CHANNEL[ _-]?([A-P]|\d{1,2})", re.IGNORECASE)
_UDEV_KEY = re.compile(r"E:MEMORY_DEVICE_(\d{1,3})_([A-Z_]+)=(.*)")


def collect_power(reader: Reader) -> Power:
    """Return the power state."""
    governor = reader.read_text("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")
    driver = reader.read_text("/sys/devices/system/cpu/cpu0/cpufreq/scaling_driver")
    percent = reader.read_text("/sys/devices/system/cpu/intel_pstate/max_perf_pct")
    return Power(
        on_battery=_read_on_battery(reader),
        governor=parse.clean_name(governor),
        max_performance_percent=parse.positive(parse.parse_float(percent)),
        scaling_driver=parse.clean_name(driver),
        has_battery=_has_battery(reader),
    )


def _has_battery(reader: Reader) -> bool | None:
    """Return whether one feeds the machine, not a mouse; None where no supply is told at all."""
    names = reader.list_dir(_SUPPLIES)
    return any(_is_battery(reader, f"{_SUPPLIES}/{name}") for name in names) if names else None


def _is_battery(reader: Reader, folder: str) -> bool:
    kind = (reader.read_text(f"{folder}/type") or "").strip()
    scope = (reader.read_text(f"{folder}/scope") or "").strip()
    return kind == "Battery" and scope != "Device"


def _read_on_battery(reader: Reader) -> bool | None:
    """Return None on machines without a battery and without a word on the mains."""
    is_discharging: bool | None = None
    for name in reader.list_dir(_SUPPLIES):
        folder = f"{_SUPPLIES}/{name}"
        kind = (reader.read_text(f"{folder}/type") or "").strip()
        if kind in ("Mains", "USB"):
            online = parse.parse_int(reader.read_text(f"{folder}/online"))
            if online == 1:
                return False
            if online == 0 and kind == "Mains" and is_discharging is None:
                is_discharging = True
        if _is_battery(reader, folder):
            status = (reader.read_text(f"{folder}/status") or "").strip()
            if status == "Discharging" or is_discharging is None:
                is_discharging = status == "Discharging"
    return is_discharging


def collect_load(reader: Reader) -> Load:
    """Return how busy others keep the machine; reads the CPU counters twice.

    The window draws and loads while the machine is looked at: our own time does not count.
    """
    own_before = parse_own_ticks(reader.read_text(_OWN_STAT))
    before = parse_cpu_ticks(reader.read_text("/proc/stat"))
    reader.pause(LOAD_WINDOW_S)
    after = parse_cpu_ticks(reader.read_text("/proc/stat"))
    own = parse_own_ticks(reader.read_text(_OWN_STAT)) - own_before
    busy, stolen = compare_ticks(before, after=after, own=own)
    fields = (reader.read_text("/proc/loadavg") or "").split()
    average = parse.parse_float(fields[0]) if fields else None
    return Load(
        load_average_1m=average if average is not None and average >= 0 else None,
        busy_fraction=busy,
        steal_fraction=stolen,
        temperature_c=_read_temperature(reader),
    )


def parse_cpu_ticks(text: str | None) -> tuple[int, ...] | None:
    """Return user, nice, system, idle, iowait, irq, softirq, steal of all CPUs together."""
    fields = (text or "").split("\n", 1)[0].split()
    if len(fields) < 9 or fields[0] != "cpu":
        return None
    ticks = [parse.parse_int(field) for field in fields[1:9]]
    known = tuple(tick for tick in ticks if tick is not None and 0 <= tick < 1 << 64)
    return known if len(known) == 8 else None


def parse_own_ticks(text: str | None) -> int:
    """Return user and system time of a process, all its threads together; 0: not known."""
    # The name of the program stands in brackets and may hold anything; 11 fields are between.
    fields = (text or "").rpartition(")")[2].split()[11:13]
    known = [tick for field in fields if (tick := parse.parse_int(field)) is not None]
    return sum(known) if len(known) == 2 else 0


def compare_ticks(
    before: tuple[int, ...] | None, *, after: tuple[int, ...] | None, own: int = 0
) -> tuple[float | None, float | None]:
    """Return the shares of busy and stolen time between two readings; None without a difference.

    `own`: ticks that the caller itself used meanwhile, which do not count as busy.
    """
    if before is None or after is None:
        return None, None
    changes = [max(0, late - early) for early, late in zip(before, after, strict=True)]
    total = sum(changes)
    if total == 0:
        return None, None
    idle = changes[3] + changes[4]
    return max(0, total - idle - max(0, own)) / total, changes[7] / total


def _read_temperature(reader: Reader) -> float | None:
    for entry in reader.list_dir(_HWMON):
        name = (reader.read_text(f"{_HWMON}/{entry}/name") or "").strip()
        if name in _CPU_SENSORS:
            value = _parse_temperature(reader.read_text(f"{_HWMON}/{entry}/temp1_input"))
            if value is not None:
                return value
    for entry in reader.list_dir(_THERMAL):
        kind = (reader.read_text(f"{_THERMAL}/{entry}/type") or "").strip()
        if kind in _CPU_ZONES:
            value = _parse_temperature(reader.read_text(f"{_THERMAL}/{entry}/temp"))
            if value is not None:
                return value
    return None


def _parse_temperature(text: str | None) -> float | None:
    """Return degrees Celsius from thousandths; a sensor that tells nonsense is not believed."""
    value = parse.parse_int(text)
    return value / 1000 if value is not None and 1_000 <= value <= 150_000 else None


def collect_memory(reader: Reader) -> Memory:
    """Return main memory, free memory, and the container's limit where it is lower."""
    pairs = parse.parse_key_values(reader.read_text("/proc/meminfo"), separator=":")
    total = parse.positive_int(parse.parse_size(pairs.get("MemTotal")))
    available = parse.parse_size(pairs.get("MemAvailable"))
    limit = read_memory_limit(reader)
    if limit is not None and total is not None and limit >= total:
        limit = None
    if limit is not None and available is not None:
        available = min(available, limit)
    channels, speed = parse_memory_modules(reader.read_text("/run/udev/data/+dmi:id"))
    return Memory(
        total_bytes=total,
        available_bytes=available,
        limit_bytes=limit,
        channels=channels,
        speed_mt_per_s=speed,
    )


def parse_memory_modules(text: str | None) -> tuple[int | None, float | None]:
    """Return channels in use and transfer rate (MT/s) from what udev kept of the firmware tables.

    Channels are counted only where every module in use names its channel.
    """
    modules: dict[str, dict[str, str]] = {}
    for line in (text or "").splitlines():
        match = _UDEV_KEY.fullmatch(line.strip())
        if match is not None:
            modules.setdefault(match[1], {})[match[2]] = match[3]
    used = [
        m for m in modules.values() if m.get("PRESENT") != "0" and parse.parse_int(m.get("SIZE"))
    ]
    rates = [
        parse.positive(parse.parse_float(m.get("CONFIGURED_SPEED_MTS") or m.get("SPEED_MTS")))
        for m in used
    ]
    known_rates = [rate for rate in rates if rate is not None and rate < 100_000]
    places = {_channel(m): parse.positive_int(parse.parse_int(m.get("DATA_WIDTH"))) for m in used}
    is_complete = bool(places) and None not in places
    channels = parse.wide_channels(places.values()) if is_complete else None
    return channels, min(known_rates, default=None)


def _channel(module: dict[str, str]) -> str | None:
    """Return the controller and channel of a module, as the firmware words them."""
    for key in ("BANK_LOCATOR", "LOCATOR"):
        place = module.get(key, "")
        match = _CHANNEL.search(place)
        if match is not None:
            return place[: match.end()].upper()
    return None
