"""A machine and its measurements as an upload: an allow-list, not a filter.

Nothing is copied from the profile. Every text is looked up in a list of ours, every number is
rounded, and what finds no place is left out. A device that our table lacks becomes general
("unlisted CPU, AMD, zen3").
Leaves to others: the lists (`advisor.share.vocabulary`), sending (`advisor.share.client`).
"""

import re
from typing import TypedDict

from advisor.errors import InputError
from advisor.knowledge.lookup import find_device
from advisor.knowledge.store import Knowledge
from advisor.model.kernel import StreamShape
from advisor.model.machine import (
    CPU_DEVICE_ID,
    DeviceKind,
    MachineProfile,
    OpenclDevice,
    OperatingSystem,
    OsFamily,
)
from advisor.model.measurement import Measurement, MeasurementSet
from advisor.model.prediction import Prediction
from advisor.model.published import DeviceSpec
from advisor.model.workload import Workload
from advisor.normal.peaks import gpu_spec
from advisor.predict.work import rate
from advisor.share.kernels import kernel_name
from advisor.share.upload import (
    MAX_DEVICES,
    MAX_FIGURES,
    UPLOAD_VERSION,
    SharedDevice,
    SharedFigure,
    SharedStep,
    SharedSystem,
    Upload,
)
from advisor.share.vocabulary import (
    APP_VERSION,
    BACKENDS,
    FRAMEWORKS,
    MAX_PACKAGES,
    MEMORY_TIERS_GIB,
    PLATFORMS,
    SYSTEMS,
    THREAD_TIERS,
    UNITS,
    VENDORS,
    find_foreign,
    unlisted_name,
    vocabulary_of,
)

_GIB = 2**30
# A machine of 16 GiB tells a little less: firmware and graphics take their part.
_MEMORY_TOLD = 0.8
_HEADLINE = "headline"
_NUMBERS = re.compile(r"v?([0-9]{1,4})\.([0-9]{1,3})(?=$|[.\s+\-])")
_BYTE = r"(?:25[0-5]|2[0-4][0-9]|1?[0-9]?[0-9])"
_ADDRESS = re.compile(rf"(?<![0-9.])(?:{_BYTE}\.){{3}}{_BYTE}(?![0-9.])")
_MAJOR = re.compile(r"([0-9]{1,4})(?=$|[.\s])")
_WINDOWS = re.compile(r"Microsoft Windows ([0-9]{1,2})(?=$|\s)")


class _Identity(TypedDict):
    """What a device is called."""

    name: str
    kind: DeviceKind
    vendor: str | None


def anonymise(
    profile: MachineProfile,
    measurements: MeasurementSet,
    *,
    knowledge: Knowledge,
    app_version: str,
    month: str,
    workload: Workload | None = None,
    baseline: Prediction | None = None,
    measured_step_s: float | None = None,
) -> Upload:
    """Return what may be shared of a machine and its measurements.

    Args:
        profile: the machine.
        measurements: of it; only headline kernels are shared, never those of the user's network.
        knowledge: the bundled tables, without the user's own rows: they are nobody's business.
        app_version: of the product.
        month: "2026-11".
        workload: the job of `baseline`; only a bundled network is shared.
        baseline: predicted times of it on this machine as it is.
        measured_step_s: the same step as timed, None when it was not.

    Raises:
        InputError: when there is nothing to share.
    """
    devices, places = _devices(profile, knowledge)
    figures = tuple(_figures(measurements, places))[:MAX_FIGURES]
    upload = Upload(
        version=UPLOAD_VERSION,
        app_version=_app_version(app_version),
        month=month,
        system=_system(profile.os),
        memory_gib=memory_tier(profile.memory.total_bytes),
        devices=devices,
        figures=figures,
        steps=_steps(workload, baseline, measured_step_s, knowledge),
    )
    if not figures:
        raise InputError("there is nothing to share: measure first (`dl-advisor advise`)")
    foreign = next(find_foreign(upload, vocabulary=vocabulary_of(knowledge)), None)
    if foreign is not None:
        raise InputError(f"not shared, because it would hold what is not allowed: {foreign}")
    return upload


def memory_tier(total_bytes: int | None) -> int | None:
    """Return the largest tier of main memory that the machine all but fills."""
    if total_bytes is None:
        return None
    fitting = [tier for tier in MEMORY_TIERS_GIB if total_bytes >= _MEMORY_TOLD * tier * _GIB]
    return fitting[-1] if fitting else None


def short_version(text: str | None) -> str | None:
    """Return the first two numbers of a version, None where it does not begin with them.

    What could be the address of a machine is no version.
    """
    match = None if _ADDRESS.search(text or "") else _NUMBERS.match((text or "").strip())
    return f"{int(match[1])}.{int(match[2])}" if match else None


def _app_version(text: str) -> str:
    match = re.match(r"[0-9]{1,3}\.[0-9]{1,3}\.[0-9]{1,3}", text)
    return match[0] if match and APP_VERSION.fullmatch(match[0]) else "0.0.0"


def _system(system: OperatingSystem) -> SharedSystem:
    if system.family is OsFamily.WINDOWS:
        windows = _WINDOWS.match(system.name)
        return SharedSystem(
            family=system.family, name="Windows", major=int(windows[1]) if windows else None
        )
    name = system.name if system.name in SYSTEMS else None
    if system.family is OsFamily.MACOS:
        name = "macOS"
    major = _MAJOR.match(system.version or "") if name else None
    return SharedSystem(family=system.family, name=name, major=int(major[1]) if major else None)


def _devices(
    profile: MachineProfile, knowledge: Knowledge
) -> tuple[tuple[SharedDevice, ...], dict[str, int]]:
    """Return the processor and its OpenCL devices, and their places by id of the profile."""
    devices = [_cpu(profile, knowledge)]
    places = {CPU_DEVICE_ID: 0}
    for device in profile.opencl[: MAX_DEVICES - 1]:
        places[device.id] = len(devices)
        devices.append(_opencl(device, profile, knowledge))
    return tuple(devices), places


def _cpu(profile: MachineProfile, knowledge: Knowledge) -> SharedDevice:
    cpu = profile.cpu
    spec = find_device(knowledge, cpu.brand, kind=DeviceKind.CPU)
    packages = cpu.n_packages
    return SharedDevice(
        **_identity(spec, DeviceKind.CPU, cpu.vendor, cpu.microarchitecture, knowledge),
        threads=_tier(cpu.usable_cpus or cpu.n_logical_cpus),
        n_packages=packages if packages is not None and 1 <= packages <= MAX_PACKAGES else None,
        is_rare=spec is None or (packages or 1) > 2,
    )


def _opencl(device: OpenclDevice, profile: MachineProfile, knowledge: Knowledge) -> SharedDevice:
    if device.kind is DeviceKind.CPU:
        spec = find_device(knowledge, profile.cpu.brand, kind=DeviceKind.CPU)
        family = profile.cpu.microarchitecture
        vendor: str | None = profile.cpu.vendor
    else:
        spec = gpu_spec(profile, device=device, knowledge=knowledge)
        family, vendor = None, device.vendor
    platform = device.platform.strip()
    return SharedDevice(
        **_identity(spec, device.kind, vendor, family, knowledge),
        driver=platform if platform in PLATFORMS else None,
        driver_version=short_version(device.driver_version),
        is_rare=spec is None,
    )


def _identity(
    spec: DeviceSpec | None,
    kind: DeviceKind,
    vendor: str | None,
    microarchitecture: str | None,
    knowledge: Knowledge,
) -> _Identity:
    """Return name, kind and vendor: those of our table, else general ones."""
    if spec is not None:
        known = spec.vendor if spec.vendor in VENDORS else None
        return _Identity(name=spec.device, kind=spec.kind, vendor=known)
    listed = _vendor(vendor)
    families = vocabulary_of(knowledge).microarchitectures
    family = microarchitecture if microarchitecture in families else None
    name = unlisted_name(kind, vendor=listed, microarchitecture=family)
    return _Identity(name=name, kind=kind, vendor=listed)


def _vendor(text: str | None) -> str | None:
    """Return the vendor that a text begins with, in our spelling."""
    words = re.findall(r"[a-z]+", (text or "").lower())
    if words[:3] == ["advanced", "micro", "devices"]:
        return "AMD"
    return next((vendor for vendor in VENDORS if words[:1] == [vendor.lower()]), None)


def _tier(threads: int) -> int | None:
    fitting = [tier for tier in THREAD_TIERS if tier <= threads]
    return fitting[-1] if fitting else None


def _figures(measurements: MeasurementSet, places: dict[str, int]) -> list[SharedFigure]:
    """Return the headlines, each identity once: the first."""
    found: dict[tuple[object, ...], SharedFigure] = {}
    for measurement in measurements.measured:
        figure = _figure(measurement, places)
        if figure is None:
            continue
        key = (
            *(figure.device, figure.kernel, figure.direction, figure.precision),
            *(figure.framework, figure.backend, figure.threads),
        )
        found.setdefault(key, figure)
    return list(found.values())


def _figure(measurement: Measurement, places: dict[str, int]) -> SharedFigure | None:
    request, stack = measurement.request, measurement.stack
    is_shown = request.role == _HEADLINE or isinstance(request.shape, StreamShape)
    kernel = kernel_name(request.shape)
    place = places.get(request.device_id)
    if not is_shown or request.settings or kernel is None or place is None:
        return None
    value, unit = rate(measurement)
    if stack.framework not in FRAMEWORKS or unit not in UNITS or measurement.median_s <= 0.0:
        return None
    backend = stack.backend.strip() if stack.backend else None
    is_known = backend in BACKENDS
    return SharedFigure(
        device=place,
        kernel=kernel,
        direction=request.direction,
        precision=request.precision,
        framework=stack.framework,
        framework_version=short_version(stack.framework_version),
        backend=backend if is_known else None,
        backend_version=short_version(stack.backend_version) if is_known else None,
        threads=request.threads,
        value=_rounded(value),
        unit=unit,
        spread=min(10.0, _rounded(measurement.mad_s / measurement.median_s, digits=2)),
        n_values=len(measurement.values_s),
        is_steady=not measurement.warnings,
    )


def _rounded(value: float, *, digits: int = 4) -> float:
    return float(f"{value:.{digits}g}")


def _steps(
    workload: Workload | None,
    baseline: Prediction | None,
    measured_s: float | None,
    knowledge: Knowledge,
) -> tuple[SharedStep, ...]:
    """Return the prediction of a bundled network; a network of the user's own is never named."""
    names = {facts.name for facts in knowledge.networks}
    if workload is None or baseline is None or workload.network not in names:
        return ()
    step = SharedStep(
        network=workload.network,
        phase=workload.phase,
        precision=workload.precision,
        batch_size=workload.batch_size,
        low_s=_rounded(baseline.step_s.low),
        mid_s=_rounded(baseline.step_s.mid),
        high_s=_rounded(baseline.step_s.high),
        basis=baseline.basis,
        measured_s=None if measured_s is None else _rounded(measured_s),
    )
    return (step,) if step.low_s > 0.0 else ()
