"""OpenCL devices: asked for in a child process, checked for sense, matched with the bus.

Drivers crash, hang and lie, so the list comes from a worker under a deadline, and what cannot be
true is left out. Leaves to others: loading OpenCL (`probes.workers.opencl_list`).
"""

import dataclasses
import functools
import logging
import re
import time
from collections.abc import Callable, Mapping

from advisor.errors import FormatError
from advisor.model.machine import DeviceKind, GraphicsDevice, MissingFact, OpenclDevice
from advisor.model.measurement import Outcome
from probes.bench.commands import WorkerCommand, worker_command
from probes.bench.process import Deadlines, WorkerVerdict, run_worker
from probes.machine import text as parse

_LOGGER = logging.getLogger(__name__)

# Devices, and a fact for each platform that failed beside them; or why nothing is known.
OpenclAnswer = tuple[OpenclDevice | MissingFact, ...] | MissingFact

# Some drivers compile their run time at the first call; a driver that takes longer hangs.
LIST_TIMEOUT_S = 20.0

# A driver that is asked alone has been loaded once already, and has this share of that.
_SHARE_ALONE = 0.4
# All drivers together have so many times that to answer alone, when one ends them all.
MOST_TIMES_ALONE = 2.0
_NOT_ASKED = WorkerVerdict(
    outcome=Outcome.SKIPPED,
    result=None,
    message="not asked: others took the time set aside",
    stderr_tail="",
)

# Ends of the child that one of several drivers may have brought about.
_DRIVER_FAULTS = frozenset(
    {Outcome.CRASHED, Outcome.TIMED_OUT, Outcome.OUT_OF_MEMORY, Outcome.PROTOCOL_ERROR}
)

# A Radeon Vega once told a clock that made 43 980 464 GFLOPS of it.
MIN_CLOCK_MHZ = 50.0
MAX_CLOCK_MHZ = 7000.0
_MAX_DEVICES = 64

_ONLY_A_NUMBER = re.compile(r" device [0-9a-f]{4}:[0-9a-f]{4}$")
_VENDORS = (
    ("advanced micro devices", "AMD"),
    ("authenticamd", "AMD"),
    ("amd", "AMD"),
    ("intel", "Intel"),
    ("nvidia", "NVIDIA"),
    ("apple", "Apple"),
    ("qualcomm", "Qualcomm"),
    ("broadcom", "Broadcom"),
    ("arm", "ARM"),
)
_SIZES = ("global_mem_bytes", "max_alloc_bytes", "local_mem_bytes")
_COUNTS = ("compute_units", "max_work_group_size")
_TEXTS = ("platform", "platform_version", "vendor", "device_version", "driver_version")


def list_opencl_devices(
    command: WorkerCommand | None = None,
    *,
    timeout_s: float = LIST_TIMEOUT_S,
    list_drivers: Callable[[], tuple[str, ...]] | None = None,
) -> OpenclAnswer:
    """Ask a child process for the OpenCL devices; one for each driver where one ends them all.

    Args:
        command: how to start the listing worker; None: our own interpreter.
        timeout_s: after this the worker is killed.
        list_drivers: tells the description files of the drivers; None: those of this machine.

    Returns:
        The devices (empty: OpenCL works and offers none) and a fact for each driver or platform
        that failed beside them, or one fact on why no device is known.
    """
    ask = functools.partial(_ask, command or worker_command("opencl_list"))
    try:
        verdict = ask(timeout_s=timeout_s)
        if verdict.outcome not in _DRIVER_FAULTS:
            return _answer(verdict)
        drivers = (list_drivers or list_driver_files)()
        verdicts = {}
        until = time.monotonic() + MOST_TIMES_ALONE * timeout_s
        for driver in drivers if len(drivers) > 1 else ():
            # The good ones come soon; those that hang must not add up.
            if time.monotonic() < until:
                verdicts[driver] = ask(driver, timeout_s=_SHARE_ALONE * timeout_s)
            else:
                verdicts[driver] = _NOT_ASKED
        # Where none is whole by itself, it is not one of them.
        if any(each.outcome is Outcome.COMPLETED for each in verdicts.values()):
            return _join(verdicts)
    except (OSError, ValueError) as error:
        return _missing(str(error), outcome=None)
    return _missing(verdict.message, outcome=verdict.outcome)


def list_driver_files() -> tuple[str, ...]:
    """Return the description files of this machine's drivers; none where they are not known."""
    limits = Deadlines(budget_s=LIST_TIMEOUT_S)
    name = "opencl_drivers"
    verdict = run_worker(worker_command(name), {"worker": name}, deadlines=limits)
    files = verdict.result.get("files") if verdict.result is not None else None
    return tuple(map(str, files)) if isinstance(files, list) else ()


def _ask(command: WorkerCommand, driver: str | None = None, *, timeout_s: float) -> WorkerVerdict:
    limits = Deadlines(
        start_s=timeout_s, stage_s=timeout_s, silence_s=timeout_s, budget_s=timeout_s
    )
    return run_worker(command, {"worker": "opencl_list", "driver": driver}, deadlines=limits)


def _answer(verdict: WorkerVerdict) -> OpenclAnswer:
    if verdict.outcome is not Outcome.COMPLETED or verdict.result is None:
        return _missing(verdict.message, outcome=verdict.outcome)
    try:
        devices = parse_opencl_listing(verdict.result.get("devices"))
    except FormatError as error:
        return _missing(str(error), outcome=None)
    failures = parse_failures(verdict.result.get("failed"))
    return failures[0] if failures and not devices else (*devices, *failures)


def _join(verdicts: Mapping[str, WorkerVerdict]) -> OpenclAnswer:
    """Return the devices of all drivers, each of which was asked alone, and who failed."""
    devices: list[OpenclDevice] = []
    failures: list[MissingFact] = []
    n_platforms = 0
    for driver, verdict in verdicts.items():
        answer = _answer(verdict)
        if isinstance(answer, MissingFact):
            failures.append(
                MissingFact(
                    fact=f"opencl.driver:{driver}",
                    reason=f"{driver}: {answer.reason}",
                    remedy=f"update or remove the OpenCL driver {driver}",
                )
            )
            continue
        failures += [entry for entry in answer if isinstance(entry, MissingFact)]
        found = [entry for entry in answer if isinstance(entry, OpenclDevice)]
        places = [_places(device) for device in found]
        devices += [
            dataclasses.replace(device, id=f"opencl:{n_platforms + platform}:{n}", driver=driver)
            for device, (platform, n) in zip(found, places, strict=True)
        ]
        n_platforms += 1 + max((platform for platform, _ in places), default=-1)
    return (*devices, *failures)


def _places(device: OpenclDevice) -> tuple[int, int]:
    """Return the indices of the platform and of the device in it."""
    _, platform, index = device.id.split(":")
    return int(platform), int(index)


def parse_failures(data: object) -> tuple[MissingFact, ...]:
    """Return a fact for each platform that could not be listed; garbage gives none."""
    facts = []
    for entry in parse.objects(data)[:_MAX_DEVICES]:
        platform = parse.clean_name(entry.get("platform"))
        message = parse.clean_name(entry.get("message")) or "the driver gave no reason"
        number = parse.parse_int(entry.get("platform_index"))
        facts.append(
            MissingFact(
                fact="opencl" if number is None else f"opencl.platform:{number}",
                reason=f"{platform}: {message}" if platform else message,
                remedy=f"update or remove the OpenCL driver {platform}" if platform else None,
            )
        )
    return tuple(facts)


def _missing(reason: str, *, outcome: Outcome | None) -> MissingFact:
    remedies = {
        Outcome.CRASHED: "an OpenCL driver crashed while it was listed: update or remove it",
        Outcome.TIMED_OUT: "an OpenCL driver hung while it was listed: update or remove it",
    }
    remedy = remedies.get(outcome) if outcome is not None else None
    return MissingFact(fact="opencl", reason=reason or "the list did not come", remedy=remedy)


def parse_opencl_listing(data: object) -> tuple[OpenclDevice, ...]:
    """Return the devices in the worker's answer.

    A device without a name or without a sensible size is left out with a log entry; a clock that
    cannot be is None.

    Raises:
        FormatError: when the answer is no list, or holds entries and none is a device.
    """
    if not isinstance(data, list):
        raise FormatError(f"the OpenCL worker answered with {type(data).__name__}, not a list")
    devices: dict[str, OpenclDevice] = {}
    for entry in data[:_MAX_DEVICES]:
        device = _parse_device(entry)
        if device is None:
            _LOGGER.warning("an OpenCL device was left out, its facts make no sense: %.300r", entry)
        else:
            devices.setdefault(device.id, device)
    if data and not devices:
        raise FormatError(f"none of {len(data)} OpenCL devices told facts that make sense")
    return tuple(devices.values())


def _parse_device(entry: object) -> OpenclDevice | None:
    if not isinstance(entry, Mapping):
        return None
    name = parse.clean_name(entry.get("name"))
    indices = [parse.parse_int(entry.get(key)) for key in ("platform_index", "device_index")]
    sizes = {key: _size(entry.get(key)) for key in (*_SIZES, *_COUNTS)}
    if name is None or None in indices or None in sizes.values():
        return None
    if not sizes["global_mem_bytes"] or not sizes["compute_units"]:
        return None
    numbers = {key: value or 0 for key, value in sizes.items()}
    texts = {key: parse.clean_name(entry.get(key)) or "" for key in _TEXTS}
    extensions = _words(entry.get("extensions"))
    is_unified = entry.get("has_unified_memory") is True
    return OpenclDevice(
        id=f"opencl:{indices[0]}:{indices[1]}",
        kind=_kind(entry.get("type"), is_unified=is_unified),
        name=name,
        vendor=texts["vendor"],
        platform=texts["platform"],
        platform_version=texts["platform_version"],
        device_version=texts["device_version"],
        driver_version=texts["driver_version"],
        compute_units=numbers["compute_units"],
        max_mhz=_clock(entry.get("max_mhz")),
        global_mem_bytes=numbers["global_mem_bytes"],
        max_alloc_bytes=numbers["max_alloc_bytes"],
        local_mem_bytes=numbers["local_mem_bytes"],
        max_work_group_size=numbers["max_work_group_size"],
        has_unified_memory=is_unified,
        has_fp16="cl_khr_fp16" in extensions,
        has_fp64="cl_khr_fp64" in extensions or "cl_amd_fp64" in extensions,
        is_bundled_driver=entry.get("is_bundled_driver") is True,
    )


def _size(value: object) -> int | None:
    number = parse.parse_int(value)
    return number if number is not None and 0 <= number < 1 << 63 else None


def _clock(value: object) -> float | None:
    clock = parse.parse_float(value)
    return clock if clock is not None and MIN_CLOCK_MHZ <= clock <= MAX_CLOCK_MHZ else None


def _words(value: object) -> frozenset[str]:
    if isinstance(value, str):
        return frozenset(value.split())
    return frozenset(str(word) for word in value) if isinstance(value, list) else frozenset()


def _kind(value: object, *, is_unified: bool) -> DeviceKind:
    if value == "cpu":
        return DeviceKind.CPU
    if value == "gpu":
        return DeviceKind.IGPU if is_unified else DeviceKind.DGPU
    return DeviceKind.NPU if value == "accelerator" else DeviceKind.OTHER


def find_vendor(text: str) -> str | None:
    """Return the short vendor name in an OpenCL vendor text, None when none is known."""
    lowered = text.lower()
    return next((name for word, name in _VENDORS if word in lowered), None)


def match_with_bus(
    devices: tuple[OpenclDevice, ...], *, graphics: tuple[GraphicsDevice, ...]
) -> tuple[OpenclDevice, ...]:
    """Return the devices with the kind that the bus tells where it leaves no doubt.

    Drivers call iGPUs discrete. Where all GPUs of a vendor on the bus are of one kind, its OpenCL
    GPUs are of that kind too.
    """
    return tuple(_match_kind(device, graphics=graphics) for device in devices)


def _match_kind(device: OpenclDevice, *, graphics: tuple[GraphicsDevice, ...]) -> OpenclDevice:
    gpu_kinds = (DeviceKind.IGPU, DeviceKind.DGPU)
    if device.kind not in gpu_kinds:
        return device
    vendor = find_vendor(device.vendor) or find_vendor(device.name)
    kinds = {g.kind for g in graphics if g.vendor == vendor and g.kind in gpu_kinds}
    if vendor is None or len(kinds) != 1:
        return device
    return dataclasses.replace(device, kind=kinds.pop())


def name_by_driver(
    graphics: tuple[GraphicsDevice, ...], *, opencl: tuple[OpenclDevice, ...]
) -> tuple[GraphicsDevice, ...]:
    """Return the GPUs, those known by their number alone by the name that their driver tells.

    Only where nothing else can be meant: all GPUs of the vendor and kind have one number, and
    their OpenCL devices one name of several words (AMD's driver calls them "gfx1103").
    """
    return tuple(_name_one(gpu, graphics=graphics, opencl=opencl) for gpu in graphics)


def _name_one(
    gpu: GraphicsDevice,
    *,
    graphics: tuple[GraphicsDevice, ...],
    opencl: tuple[OpenclDevice, ...],
) -> GraphicsDevice:
    if gpu.vendor is None or not _ONLY_A_NUMBER.search(gpu.name):
        return gpu
    like = {g.name for g in graphics if (g.vendor, g.kind) == (gpu.vendor, gpu.kind)}
    names = {
        device.name
        for device in opencl
        if device.kind is gpu.kind
        and gpu.vendor in (find_vendor(device.vendor), find_vendor(device.name))
    }
    name = names.pop() if len(names) == 1 else ""
    return dataclasses.replace(gpu, name=name) if len(like) == 1 and " " in name else gpu


def list_doubtful_facts(devices: tuple[OpenclDevice, ...]) -> tuple[MissingFact, ...]:
    """Return a fact for each device whose driver told no clock that can be true."""
    return tuple(
        MissingFact(
            fact=f"opencl.{device.id}.max_mhz",
            reason=f"the OpenCL driver of {device.name} tells no clock that can be true",
            remedy=None,
        )
        for device in devices
        if device.max_mhz is None
    )
