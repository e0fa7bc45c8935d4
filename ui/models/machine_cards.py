"""The machine as cards: processor, memory, each GPU, OpenCL device and NPU, environments, system.

Leaves to others: drawing (`ui.widgets.card`), changing a value (`ui.presenters.machine`).
"""

from collections.abc import Iterator

from advisor.format import UNKNOWN, format_bytes, format_number, format_percent
from advisor.i18n import N_, NP_, Translator
from advisor.model.device_names import is_renamed, opencl_name
from advisor.model.machine import (
    DeviceKind,
    Environment,
    GraphicsDevice,
    MachineProfile,
    Npu,
    OpenclDevice,
)
from advisor.report.machine_sections import CASES, DEVICE_KINDS, NOTABLE_ISA
from advisor.report.names import environment_kind
from advisor.report.said import said
from ui.models.cards import Card, CardFact, Remedy

_CARVE_OUT = N_("Set aside for the graphics by the firmware; programs do not get it.")
_SHARED = N_("Main memory that the graphics may use besides.")
_LARGEST = N_("The largest single buffer the driver hands out: a tensor cannot be larger.")
_QUOTA = N_("A container may use no more than this, however many cores it sees.")


class _Facts:
    """Collects the lines of a card under the names by which a user may replace them."""

    def __init__(self, profile: MachineProfile, tr: Translator, *, prefix: str) -> None:
        self._own = frozenset(profile.overrides)
        self._prefix = prefix
        self._tr = tr
        self.lines: list[CardFact] = []

    def add(
        self, label: str, value: str | None, *, name: str = "", tip: str = "", is_bad: bool = False
    ) -> None:
        """Add a line; without a name its value cannot be replaced."""
        path = f"{self._prefix}.{name}" if name else ""
        self.lines.append(
            CardFact(
                label=self._tr(label),
                value=value or UNKNOWN,
                tip=self._tr(tip) if tip else "",
                path=path,
                is_own=path in self._own,
                is_bad=is_bad,
            )
        )


def machine_cards(profile: MachineProfile, tr: Translator) -> tuple[Card, ...]:
    """Return a card for each part of the machine; what is missing comes first."""
    missing = _missing(profile, tr)
    return (
        *([missing] if missing.remedies else []),
        _processor(profile, tr),
        _memory(profile, tr),
        *(_graphics(device, profile, tr) for device in profile.graphics),
        *(_opencl(device, profile, tr) for device in profile.opencl),
        *(_npu(npu, tr) for npu in profile.npus),
        *_environments(profile.environments, tr),
        _system(profile, tr),
    )


def _missing(profile: MachineProfile, tr: Translator) -> Card:
    remedies = tuple(
        Remedy(
            text=tr(N_("{fact}: {reason}."), fact=fact.fact, reason=said(fact.reason, tr)),
            remedy=said(fact.remedy or "", tr),
        )
        for fact in profile.missing
    )
    return Card(title=tr(N_("Not known, or missing")), remedies=remedies)


def _mhz(value: float | None) -> str | None:
    return None if value is None else f"{format_number(value / 1000)} GHz"


def _count(value: float | None) -> str | None:
    return None if value is None else format_number(value)


def _processor(profile: MachineProfile, tr: Translator) -> Card:
    cpu = profile.cpu
    facts = _Facts(profile, tr, prefix="cpu")
    facts.add(N_("Architecture"), cpu.microarchitecture, name="microarchitecture")
    facts.add(N_("Cores"), _count(cpu.n_physical_cores), name="n_physical_cores")
    facts.add(N_("Threads"), _count(cpu.n_logical_cpus), name="n_logical_cpus")
    if cpu.quota_cpus is not None:
        facts.add(N_("Allowed by the container"), _count(cpu.quota_cpus), name="quota_cpus",
                  tip=_QUOTA, is_bad=True)  # fmt: skip
    facts.add(N_("Base clock"), _mhz(cpu.base_mhz), name="base_mhz")
    facts.add(N_("Highest clock"), _mhz(cpu.max_mhz), name="max_mhz")
    notable = [flag for flag in NOTABLE_ISA if flag in cpu.isa_features]
    facts.add(N_("Instructions"), ", ".join(notable), tip=" ".join(cpu.isa_features))
    caches = [
        f"L{c.level} {format_bytes(c.size_bytes)}" for c in cpu.caches if c.kind != "instruction"
    ]
    facts.add(N_("Caches"), ", ".join(caches))
    return Card(title=tr(N_("Processor")), subtitle=cpu.brand, facts=tuple(facts.lines))


def _memory(profile: MachineProfile, tr: Translator) -> Card:
    memory = profile.memory
    facts = _Facts(profile, tr, prefix="memory")
    facts.add(N_("Installed"), format_bytes(memory.total_bytes), name="total_bytes")
    facts.add(N_("Free now"), format_bytes(memory.available_bytes))
    if memory.limit_bytes is not None:
        facts.add(N_("Allowed by the container"), format_bytes(memory.limit_bytes),
                  name="limit_bytes", is_bad=True)  # fmt: skip
    facts.add(N_("Channels in use"), _count(memory.channels), name="channels")
    speed = memory.speed_mt_per_s
    facts.add(N_("Speed"), None if speed is None else f"{format_number(speed)} MT/s",
              name="speed_mt_per_s")  # fmt: skip
    return Card(title=tr(N_("Memory")), facts=tuple(facts.lines))


def _graphics(device: GraphicsDevice, profile: MachineProfile, tr: Translator) -> Card:
    facts = _Facts(profile, tr, prefix=f"graphics.{device.id}")
    facts.add(N_("Kind"), tr(DEVICE_KINDS[device.kind]), name="kind")
    driver = device.kernel_driver or tr(N_("no driver serves it"))
    facts.add(N_("Driver"), driver, is_bad=device.kernel_driver is None)
    facts.add(N_("Own memory"), format_bytes(device.carve_out_bytes), name="carve_out_bytes",
              tip=_CARVE_OUT if device.kind is DeviceKind.IGPU else "")  # fmt: skip
    if device.kind is DeviceKind.IGPU:
        facts.add(N_("Shared memory"), format_bytes(device.shared_limit_bytes),
                  name="shared_limit_bytes", tip=_SHARED)  # fmt: skip
    facts.add(N_("Compute units"), _count(device.compute_units), name="compute_units")
    facts.add(N_("Highest clock"), _mhz(device.max_mhz), name="max_mhz")
    return Card(title=tr(N_("Graphics")), subtitle=device.name, facts=tuple(facts.lines))


def _opencl(device: OpenclDevice, profile: MachineProfile, tr: Translator) -> Card:
    facts = _Facts(profile, tr, prefix=f"opencl.{device.id}")
    facts.add(N_("Kind"), tr(DEVICE_KINDS[device.kind]), name="kind")
    driver = f"{device.platform} {device.driver_version}"
    if device.is_bundled_driver:
        driver = tr(N_("{driver} (comes with this app)"), driver=driver)
    facts.add(N_("Driver"), driver)
    if is_renamed(device):
        facts.add(N_("Its driver's name for it"), device.name)
    facts.add(N_("Compute units"), _count(device.compute_units), name="compute_units")
    facts.add(N_("Highest clock"), _mhz(device.max_mhz), name="max_mhz")
    tip = _SHARED if device.has_unified_memory else ""
    facts.add(N_("Memory it may use"), format_bytes(device.global_mem_bytes),
              name="global_mem_bytes", tip=tip)  # fmt: skip
    facts.add(N_("Largest allocation"), format_bytes(device.max_alloc_bytes),
              name="max_alloc_bytes", tip=_LARGEST)  # fmt: skip
    formats = ["float32"]
    formats += ["float16"] if device.has_fp16 else []
    formats += ["float64"] if device.has_fp64 else []
    facts.add(N_("Number formats"), ", ".join(formats))
    return Card(title="OpenCL", subtitle=opencl_name(device, profile), facts=tuple(facts.lines))


def _npu(npu: Npu, tr: Translator) -> Card:
    driver = npu.kernel_driver or tr(N_("no driver serves it"))
    fact = CardFact(label=tr(N_("Driver")), value=driver, is_bad=npu.kernel_driver is None)
    return Card(title="NPU", subtitle=npu.name, facts=(fact,))


def _environments(found: tuple[Environment, ...], tr: Translator) -> Iterator[Card]:
    if not found:
        return
    facts = tuple(
        CardFact(
            label=f"Python {each.version or UNKNOWN} ({environment_kind(each.kind, tr)})",
            value=", ".join(f"{f.name} {f.version}" for f in each.frameworks)
            or tr(N_("no framework")),
            tip=each.python,
        )
        for each in found
    )
    yield Card(title=tr(N_("Python environments")), facts=facts)


def _system(profile: MachineProfile, tr: Translator) -> Card:
    system, power, load = profile.os, profile.power, profile.load
    facts = _Facts(profile, tr, prefix="os")
    facts.add(N_("Kernel"), system.kernel)
    inside = [name for name in (system.hypervisor, system.container) if name]
    facts.add(N_("Runs inside"), " + ".join(inside) or tr(N_("nothing: the bare machine")))
    if profile.chassis is not None:
        facts.add(N_("Case"), tr(CASES[profile.chassis]))
    if power.on_battery is not None:
        word = tr(N_("battery")) if power.on_battery else tr(N_("mains"))
        facts.add(NP_("where it comes from", "Power"), word, is_bad=power.on_battery)
    if power.governor is not None:
        facts.add(N_("Governor"), power.governor)
    if load.busy_fraction is not None:
        facts.add(N_("Busy when looked at"), format_percent(load.busy_fraction))
    name = f"{system.name} {system.version or ''}".strip()
    return Card(title=tr(N_("System")), subtitle=name, facts=tuple(facts.lines))
