"""The parts of a report about the machine: what it is, what it measured, what is missing.

Leaves to others: the advice (`advisor.report.advice_sections`).
"""

from collections.abc import Iterable

from advisor.format import (
    UNKNOWN,
    format_bytes,
    format_number,
    format_rate,
    format_spread,
)
from advisor.i18n import N_, Translator
from advisor.model.device_names import device_name, is_renamed, opencl_name, short_software
from advisor.model.efficiency import Efficiency
from advisor.model.kernel import ConvShape, PeakShape, RecurrentShape
from advisor.model.machine import (
    Chassis,
    Cpu,
    DeviceKind,
    MachineProfile,
    MissingFact,
    OpenclDevice,
)
from advisor.model.measurement import (
    BenchmarkRequest,
    FailedMeasurement,
    Measurement,
    MeasurementSet,
    Outcome,
    Runner,
)
from advisor.model.report import Block, Facts, Paragraph, Section, Table
from advisor.predict.work import rate
from advisor.report.names import (
    MEASURED_IN_SHORT,
    OUTCOMES,
    WARNINGS,
    environment_kind,
    request_name,
)
from advisor.report.normal_text import normal_blocks
from advisor.report.reasons import sentences_text
from advisor.report.said import said, said_line
from advisor.report.sustained_section import sustained_blocks

# The name by which people know it, and which fits a column.
_LAYERS = {ConvShape, RecurrentShape}
# Flags worth a reader's time; the profile holds all of them.
NOTABLE_ISA = (
    "sse4_2", "avx", "f16c", "fma", "fma4", "avx2", "avx_vnni", "avx512f", "avx512_vnni",
    "avx512_bf16", "amx_tile", "amx_bf16", "amx_int8", "neon", "asimd", "asimddp", "asimdhp",
    "bf16", "i8mm", "sve", "sve2",
)  # fmt: skip
DEVICE_KINDS = {
    DeviceKind.CPU: N_("CPU"),
    DeviceKind.IGPU: N_("iGPU (shares the main memory)"),
    DeviceKind.DGPU: N_("graphics card"),
    DeviceKind.NPU: N_("NPU"),
    DeviceKind.OTHER: N_("not a compute device"),
}

CASES = {
    Chassis.DESKTOP: N_("desktop"),
    Chassis.COMPACT: N_("small, without room for a card"),
    Chassis.PORTABLE: N_("carried about"),
    Chassis.SERVER: N_("server"),
}


def missing_text(fact: MissingFact, tr: Translator) -> str:
    """Return what is missing, why, and what mends it where that is known."""
    reason = said(fact.reason, tr)
    if not fact.remedy:
        return tr(N_("{fact}: {reason}."), fact=fact.fact, reason=reason)
    return tr(
        N_("{fact}: {reason}. To do: {remedy}"),
        fact=fact.fact, reason=reason, remedy=said(fact.remedy, tr),
    )  # fmt: skip


def machine_section(profile: MachineProfile, tr: Translator) -> Section:
    """Return what the machine is, with what is missing and its remedy."""
    blocks: list[Block] = [Facts(rows=tuple(_facts(profile, tr)))]
    missing = [
        Paragraph(
            text=missing_text(m, tr),
            style="note",
        )
        for m in profile.missing
    ]
    if missing:
        blocks.append(Paragraph(text=tr(N_("Not known, or missing")), style="lead"))
    return Section(title=tr(N_("This machine")), blocks=(*blocks, *missing))


def _cores(cpu: Cpu, tr: Translator) -> str:
    cores = UNKNOWN if cpu.n_physical_cores is None else str(cpu.n_physical_cores)
    told = [tr(N_("{cores} cores, {logical} threads"), cores=cores, logical=cpu.n_logical_cpus)]
    if cpu.quota_cpus is not None:
        told.append(tr(N_("a container allows {n} CPUs"), n=format_number(cpu.quota_cpus)))
    elif cpu.usable_cpus is not None and cpu.usable_cpus < cpu.n_logical_cpus:
        told.append(tr(N_("{n} usable by this process"), n=cpu.usable_cpus))
    if cpu.max_mhz is not None:
        told.append(tr(N_("up to {ghz} GHz"), ghz=format_number(cpu.max_mhz / 1000)))
    return tr(N_("; ")).join(told)


def _facts(profile: MachineProfile, tr: Translator) -> Iterable[tuple[str, str]]:
    cpu, memory = profile.cpu, profile.memory
    architecture = f" ({cpu.microarchitecture})" if cpu.microarchitecture else ""
    if profile.overrides:
        yield tr(N_("Changed by you")), ", ".join(profile.overrides)
    yield tr(N_("Processor")), f"{cpu.brand}{architecture}"
    yield tr(N_("Cores")), _cores(cpu, tr)
    notable = [flag for flag in NOTABLE_ISA if flag in cpu.isa_features]
    yield tr(N_("Instructions")), ", ".join(notable) or UNKNOWN
    caches = [
        f"L{c.level} {format_bytes(c.size_bytes)}" for c in cpu.caches if c.kind != "instruction"
    ]
    yield tr(N_("Caches")), ", ".join(caches) or UNKNOWN
    total = memory.limit_bytes or memory.total_bytes
    free = format_bytes(memory.available_bytes)
    yield tr(N_("Memory")), tr(N_("{total}, {free} free"), total=format_bytes(total), free=free)
    for device in profile.graphics:
        driver = device.kernel_driver or tr(N_("no driver"))
        yield tr(N_("Graphics")), f"{device.name}: {tr(DEVICE_KINDS[device.kind])}, {driver}"
    for opencl in profile.opencl:
        yield "OpenCL", _opencl(opencl, profile, tr)
    for npu in profile.npus:
        yield "NPU", npu.name
    if profile.chassis is not None:
        yield tr(N_("Case")), tr(CASES[profile.chassis])
    system = profile.os
    inside = [name for name in (system.hypervisor, system.container) if name]
    name = f"{system.name} {system.version or ''}".strip()
    if inside:
        name = tr(N_("{system}, inside {name}"), system=name, name=" + ".join(inside))
    yield tr(N_("System")), name
    for environment in profile.environments:
        names = ", ".join(f"{f.name} {f.version}" for f in environment.frameworks)
        kind = environment_kind(environment.kind, tr)
        yield "Python", f"{environment.version or UNKNOWN} ({kind}): {names}"


_FIGURE = N_(
    "A figure is the lower quartile of its values; of memory traffic, and of what is a difference"
    " of two times, the median."
)


def _opencl(device: OpenclDevice, profile: MachineProfile, tr: Translator) -> str:
    size = format_bytes(device.global_mem_bytes)
    most = format_bytes(device.max_alloc_bytes)
    told = tr(
        N_("{name}: {kind}, {units} compute units, {size}, largest allocation {most}, the driver"
           " that comes with this app")
        if device.is_bundled_driver
        else N_("{name}: {kind}, {units} compute units, {size}, largest allocation {most}"),
        name=opencl_name(device, profile), kind=tr(DEVICE_KINDS[device.kind]),
        units=device.compute_units, size=size, most=most,
    )  # fmt: skip
    if not is_renamed(device):
        return told
    return tr(N_("{told}; its driver calls it {name}"), told=told, name=device.name)


def _stack(measurement: Measurement) -> str:
    stack = measurement.stack
    name = f"{stack.framework} {stack.framework_version or ''}".strip()
    backend = short_software(stack.backend or "")
    below = f"{backend} {stack.backend_version or ''}".strip()
    return f"{name}, {below}" if below else name


def _is_shown(request: BenchmarkRequest) -> bool:
    """Whether a figure is for people: the headlines, and Keras on another backend."""
    return request.role == "headline" or any(s.name == "KERAS_BACKEND" for s in request.settings)


def measurement_section(
    results: MeasurementSet,
    tr: Translator,
    *,
    profile: MachineProfile | None = None,
    efficiencies: Iterable[Efficiency] = (),
) -> Section:
    """Return the headline figures, whether they are normal, the warnings and what failed.

    `profile` tells the names of the devices; None: they are called by their ids.
    """
    shown = [m for m in results.measured if _is_shown(m.request)]
    rows = []
    for measurement in shown:
        value, unit = rate(measurement)
        rows.append(
            (
                request_name(measurement.request, tr),
                device_name(measurement.request.device_id, profile),
                said(_stack(measurement), tr),
                format_rate(value, unit),
                format_spread(measurement.spread),
                str(len(measurement.values_s)),
            )
        )
    heads = (N_("Kernel"), N_("Device"), N_("Software"), N_("Figure"), N_("MAD"), N_("Values"))
    sustained = tuple(sustained_blocks(results, tr, profile=profile))
    table = Table(
        heads=tuple(tr(head) for head in heads),
        rows=tuple(rows),
        right_aligned=(3, 4, 5),
        caption=tr(N_("{n} kernels were timed in {seconds} s; the headline figures:"),
                   n=len(results.measured), seconds=format_number(results.duration_s, digits=2)),
    )  # fmt: skip
    warnings = [
        Paragraph(text=sentences_text([tr(WARNINGS[w])], tr), style="note")
        for w in results.warnings
    ]
    return Section(
        title=tr(N_("Measured here")),
        blocks=(
            *((table, Paragraph(text=tr(_FIGURE), style="note")) if rows else ()),
            *sustained,
            *normal_blocks(efficiencies, tr, profile=profile),
            *warnings,
            *_remark_on_short(results, tr),
            *_failures(results, tr, profile=profile),
        ),
    )


def _remark_on_short(results: MeasurementSet, tr: Translator) -> Iterable[Block]:
    """Say why an OpenCL device has few figures, where no layer was asked of it."""
    asked: dict[str, set[type]] = {}
    for result in results.results:
        request = result.request
        if request.runner is Runner.OPENCL and request.role != "sustained":
            asked.setdefault(request.device_id, set()).add(type(request.shape))
    if any(PeakShape in shapes and not shapes & _LAYERS for shapes in asked.values()):
        yield Paragraph(text=tr(MEASURED_IN_SHORT), style="note")


def _failures(
    results: MeasurementSet, tr: Translator, *, profile: MachineProfile | None
) -> Iterable[Block]:
    """Tell each kernel that failed; those that had no time left in one sentence."""
    failed = [f for f in results.failed if f.outcome is not Outcome.SKIPPED]
    n_skipped = len(results.failed) - len(failed)
    if n_skipped:
        text = tr(
            N_("{n} kernels of less weight were left out, as the time set aside was used up."),
            n=n_skipped,
        )
        yield Paragraph(text=text, style="note")
    if failed:
        yield Table(
            heads=(tr(N_("Without a figure")), tr(N_("Device")), tr(N_("What happened"))),
            rows=tuple(_failure_row(same, tr, profile=profile) for same in _alike(failed)),
        )


def _alike(failed: Iterable[FailedMeasurement]) -> Iterable[list[FailedMeasurement]]:
    """Put together what failed for the same reason: a framework that cannot load is one fact."""
    groups: dict[tuple[str, ...], list[FailedMeasurement]] = {}
    for failure in failed:
        request = failure.request
        key = (request.runner, request.device_id, failure.outcome, failure.message)
        groups.setdefault(key, []).append(failure)
    return groups.values()


def _failure_row(
    same: list[FailedMeasurement], tr: Translator, *, profile: MachineProfile | None
) -> tuple[str, str, str]:
    first = same[0]
    name = request_name(first.request, tr)
    if len(same) > 1:
        name = tr(N_("{n} kernels of {runner}"), n=len(same), runner=first.request.runner.value)
    what = f"{tr(OUTCOMES[first.outcome])}: {said_line(first.message, tr)}"
    return name, device_name(first.request.device_id, profile), what
