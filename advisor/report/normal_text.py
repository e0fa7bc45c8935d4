"""Is this normal? The figures against what the hardware could do, as a table with likely causes.

Leaves to others: the verdicts and causes (`advisor.normal`).
"""

from collections.abc import Iterable, Iterator

from advisor.format import UNKNOWN, format_factor, format_number, format_percent, format_rate
from advisor.i18n import N_, Translator
from advisor.model.device_names import device_name
from advisor.model.efficiency import (
    Cause,
    CauseCode,
    Detail,
    Efficiency,
    PeakBasis,
    UnknownPeak,
    Verdict,
)
from advisor.model.machine import MachineProfile
from advisor.model.measurement import Runner
from advisor.model.report import Block, Paragraph, Table
from advisor.report.names import request_name

_C = CauseCode

VERDICTS = {
    Verdict.NORMAL: N_("normal"),
    Verdict.LOW: N_("low"),
    Verdict.HIGH: N_("higher than can be"),
    Verdict.UNKNOWN: N_("no bound known"),
}
UNKNOWN_PEAKS = {
    UnknownPeak.CORES: N_("the number of cores is not known"),
    UnknownPeak.CLOCK: N_("the clock is not known"),
    UnknownPeak.CLOCK_NONSENSE: N_("no clock is known that can be true"),
    UnknownPeak.MICROARCHITECTURE: N_("the microarchitecture is not known"),
    UnknownPeak.COMPUTE_UNITS: N_("what its compute units do in a cycle is not known"),
    UnknownPeak.MEMORY: N_("channels and speed of the memory are not known"),
    UnknownPeak.SHARED_HOST: N_("a virtual machine does not see the memory of its host"),
    UnknownPeak.PEAK_NOT_MEASURED: N_("the multiply-add peak was not measured"),
}
BASES = {
    PeakBasis.CORES_CLOCK_ISA: N_("cores × highest clock × operations per cycle"),
    PeakBasis.CORES_BASE_CLOCK_ISA: N_("cores × base clock × operations per cycle"),
    PeakBasis.CORES_MEASURED_CLOCK_ISA: N_("cores × measured clock × operations per cycle"),
    PeakBasis.UNITS_CLOCK: N_("compute units × clock × operations per cycle"),
    PeakBasis.DATA_SHEET: N_("data sheet"),
    PeakBasis.MEMORY_CHANNELS: N_("memory channels × speed × 8 bytes"),
    PeakBasis.MEASURED_PEAK: N_("the device's own measured peak"),
    PeakBasis.USUAL_COST: N_("what it usually takes"),
}
# The first sentence whose placeholders are all known is taken.
CAUSES: dict[CauseCode, tuple[str, ...]] = {
    _C.SINGLE_CHANNEL: (
        N_("Memory works in a single channel ({channels} reported): a second module of the same"
           " size in the other channel nearly doubles it"),
        N_("{share_percent} of the bandwidth is what one memory channel of two gives: look whether"
           " both channels hold a module"),
    ),
    _C.FEW_CHANNELS: (N_("Only {channels} of {possible} memory channels hold a module"),),
    _C.MESA_DRIVER: (
        N_("The open Mesa driver ({driver}) compiles the kernels: the vendor's own OpenCL driver,"
           " where there is one, or a newer Mesa may do far better"),
    ),
    _C.LAYERED_DRIVER: (
        N_("{driver} translates OpenCL to another interface: install the vendor's own driver"),
    ),
    _C.GENERIC_POCL: (
        N_("PoCL does not know this processor by name ({device}) and compiles for any: wide"
           " vectors may stay unused; a newer PoCL or Intel's CPU runtime does better"),
    ),
    _C.CPU_QUOTA: (N_("A container may use {quota} CPUs of {cores} cores"),),
    _C.AFFINITY: (N_("This process may run on {usable} CPUs of {cores} cores"),),
    _C.FEW_THREADS: (N_("It ran with {threads} threads on {cores} cores"),),
    _C.ON_BATTERY: (N_("The machine ran on battery: plug it in and measure again"),),
    _C.POWER_LIMIT: (
        N_("The system limits the processor to {limit_percent} of its performance"),
    ),
    _C.GOVERNOR: (N_("The frequency governor is {governor}, which may hold the clock down"),),
    _C.THROTTLED: (N_("The processor was throttled while it was measured: let it cool"),),
    _C.BUSY: (N_("Other programs computed meanwhile: close them and measure again"),),
    _C.STEAL: (N_("The host of this virtual machine took CPU time away"),),
    _C.SLOW_LIBRARY: (
        N_("The library ({library}) is to blame: {other} does {factor_x} as much on the same"
           " processor"),
    ),
    _C.UNTUNED_KERNEL: (
        N_("The kernel is not tuned for this device, its arithmetic alone is much faster"),
    ),
    _C.UNEVEN_CORES: (
        N_("Only {fast} of the {cores} cores are fast ones; the bound counts all as fast"),
    ),
    _C.VIRTUAL_CPUS: (
        N_("In a virtual machine ({name}) two CPUs are often two threads of one core, and other"
           " guests share it"),
    ),
    _C.VIRTUAL_CLOCK: (
        N_("The virtual machine ({name}) tells the base clock ({clock_mhz}); the processor runs"
           " faster, so the share may exceed 100 %"),
    ),
    _C.BASE_CLOCK: (
        N_("Only the base clock ({clock_mhz}) is known; the processor runs faster, so the share"
           " may exceed 100 %"),
    ),
    _C.CLOCK_NONSENSE: (
        N_("The driver tells a clock of {clock_mhz}, which cannot be; it was not used"),
    ),
    _C.MATRIX_UNIT: (
        N_("The library uses the processor's matrix unit, the bound counts its vector units only"),
    ),
    _C.CACHE: (N_("A part of it came from the caches, not from memory"),),
    _C.UNEXPLAINED: (N_("Nothing known about the machine explains it"),),
}  # fmt: skip


def _value(detail: Detail) -> str:
    if isinstance(detail.value, str):
        return detail.value
    if detail.name.endswith("_percent"):
        return format_percent(detail.value / 100.0)
    if detail.name.endswith("_x"):
        return format_factor(detail.value)
    if detail.name.endswith("_mhz"):
        return f"{format_number(detail.value)} MHz"
    return format_number(detail.value)


def cause_text(cause: Cause, tr: Translator) -> str:
    """Return the sentence of a cause, without a full stop."""
    values = {detail.name: _value(detail) for detail in cause.details}
    for sentence in CAUSES[cause.code]:
        try:
            sentence.format(**values)
        except KeyError:
            continue
        return tr(sentence, **values)
    return cause.code.value


def _kernel(row: Efficiency, tr: Translator) -> str:
    name = request_name(row.request, tr)
    if row.request.runner in (Runner.NUMPY, Runner.KERAS):
        return f"{name} ({row.request.runner.value})"
    return name


def _share(row: Efficiency) -> str:
    """Return the share; how much cheaper than usual a fixed cost is says nothing."""
    if row.ratio is None:
        return UNKNOWN
    is_cost = row.basis is PeakBasis.USUAL_COST
    return format_percent(min(1.0, row.ratio) if is_cost else row.ratio)


def _why(row: Efficiency, tr: Translator) -> str:
    if row.cause is not None:
        return cause_text(row.cause, tr)
    return tr(UNKNOWN_PEAKS[row.unknown]) if row.unknown else ""


def normal_blocks(
    rows: Iterable[Efficiency], tr: Translator, *, profile: MachineProfile | None = None
) -> tuple[Block, ...]:
    """Return the table of shares with verdict and likely cause; nothing when there are no rows.

    `profile` tells the names of the devices; None: they are called by their ids.
    """
    shown = tuple(rows)
    if not shown:
        return ()
    heads = (
        N_("Device"), N_("Kernel"), N_("Measured"), N_("Could be"), N_("Share"), N_("Verdict"),
        N_("Likely cause"),
    )  # fmt: skip
    table = Table(
        heads=tuple(tr(head) for head in heads),
        rows=tuple(
            (
                device_name(row.device_id, profile),
                _kernel(row, tr),
                format_rate(row.value, row.unit),
                format_rate(row.peak, row.unit),
                _share(row),
                tr(VERDICTS[row.verdict]),
                _why(row, tr),
            )
            for row in shown
        ),
        right_aligned=(2, 3, 4),
        caption=tr(N_("Is this normal? Each figure against what the hardware could do:")),
    )
    used = {row.basis: tr(BASES[row.basis]) for row in shown if row.basis is not None}
    if not used:
        return (table,)
    bases = tr(
        N_("What it could be follows from: {bases}."), bases=tr(N_("; ")).join(used.values())
    )
    notes = (bases, *_normal_from(shown, tr, profile=profile))
    return (table, *(Paragraph(text=text, style="note") for text in notes))


def _normal_from(
    rows: Iterable[Efficiency], tr: Translator, *, profile: MachineProfile | None
) -> Iterator[str]:
    """Say from which share on a verdict is normal, and for which rows from another one."""
    by_share: dict[str, list[str]] = {}
    for row in rows:
        if row.ratio is not None:
            name = f"{device_name(row.device_id, profile)}: {_kernel(row, tr)}"
            by_share.setdefault(format_percent(row.normal_low), []).append(name)
    if not by_share:
        return
    usual = max(by_share, key=lambda share: len(by_share[share]))
    yield tr(N_("A share from {share} on is normal."), share=usual)
    for share, names in by_share.items():
        if share != usual:
            text = N_("From {share} on it is normal for: {names}.")
            yield tr(text, share=share, names=tr(N_("; ")).join(names))
