"""Which kernels are timed on a machine, for a phase and within a budget, in which order.

First the headlines, then the kernels of the user's own network, then the table, the rows that are
missed most first, and those first that tell something of the network: whatever does not fit into
the time is what matters least.
Leaves to others: the table (`probes.bench.suite`), OpenCL devices (`probes.bench.plan_opencl`),
running it (`probes.bench.session`).
"""

from collections.abc import Iterable, Sequence

from advisor.errors import InputError
from advisor.model.instructions import has_short_format, other_onednn
from advisor.model.kernel import (
    ClockShape,
    Direction,
    GemmShape,
    KernelCall,
    KernelShape,
    PeakShape,
    RecurrentShape,
    StreamShape,
)
from advisor.model.machine import CPU_DEVICE_ID, MachineProfile, OpenclDevice
from advisor.model.measurement import REFERENCE, BenchmarkRequest, Runner
from advisor.model.quantity import Phase, Precision
from probes.bench import plan_opencl, suite
from probes.bench.likeness import split_by_network
from probes.bench.plan_builder import (
    CALIBRATION,
    HEADLINE,
    REPLAY,
    SETTING,
    SUSTAINED,
    Budget,
    PlanBuilder,
    directions_of,
)
from probes.bench.plan_opencl import is_in_short, opencl_rows
from probes.bench.plan_sizes import gemm_sizes, is_affordable, stream_elements
from probes.bench.suite import Row

__all__ = [
    "CALIBRATION",
    "HEADLINE",
    "REFERENCE",
    "REPLAY",
    "SETTING",
    "SUSTAINED",
    "Budget",
    "PlanBuilder",
    "budgets_s",
    "directions_of",
    "plan",
    "thread_counts",
]

# What is timed first and last: when it has become slower, so may have the others.
REFERENCE_SUFFIX = "/again"

REFERENCE_GEMM = suite.gemm(512)
# Takes a seventh of the time of a slow machine: a network without such layers goes before it.
_LSTM = Row(shape=suite.HEADLINE_LSTM, directions=suite.WHOLE)
VECTOR_CLOCK, SCALAR_CLOCK = ClockShape(load="vector"), ClockShape(load="scalar")

# Seconds that a device may take, with all that ends a worker; to be given to `Session.run`.
CPU_BUDGET_S = {Budget.QUICK: 58.0, Budget.THOROUGH: 590.0}
OPENCL_BUDGET_S = {
    Budget.QUICK: plan_opencl.QUICK_BUDGET_S,
    Budget.THOROUGH: plan_opencl.THOROUGH_BUDGET_S,
}
# Share of a thorough run that all OpenCL devices may take together.
_OPENCL_SHARE = 0.5


def budgets_s(
    profile: MachineProfile, *, budget: Budget, device_ids: Iterable[str] | None = None
) -> dict[str, float]:
    """Return the seconds that measuring each of the chosen devices may take, by its id.

    The processor seen through OpenCL has few in a quick run unless `device_ids` name it.

    Raises:
        InputError: for a device that is not there.
    """
    chosen = sorted(_chosen(profile, device_ids))
    others = [device_id for device_id in chosen if device_id != CPU_DEVICE_ID]
    each_s, own_s = OPENCL_BUDGET_S[budget], CPU_BUDGET_S[budget]
    if budget is Budget.THOROUGH and others:
        # All devices together are to be done in the time of one thorough run.
        is_alone = len(others) == len(chosen)
        each_s = min(each_s, own_s * (1.0 if is_alone else _OPENCL_SHARE) / len(others))
        own_s -= each_s * len(others)
    found = {device_id: own_s if device_id == CPU_DEVICE_ID else each_s for device_id in chosen}
    short = _short_ids(profile, budget=budget, is_asked=device_ids is not None)
    return found | dict.fromkeys(short & set(chosen), plan_opencl.SHORT_BUDGET_S)


def _short_ids(profile: MachineProfile, *, budget: Budget, is_asked: bool) -> frozenset[str]:
    """Return the ids of the devices that are measured in short."""
    is_thorough = budget is Budget.THOROUGH
    return frozenset(
        device.id
        for device in profile.opencl
        if is_in_short(device, is_thorough=is_thorough, is_asked=is_asked)
    )


def _chosen(profile: MachineProfile, device_ids: Iterable[str] | None) -> frozenset[str]:
    known = {CPU_DEVICE_ID, *(device.id for device in profile.opencl)}
    if device_ids is None:
        return frozenset(known)
    wanted = frozenset(device_ids)
    if unknown := sorted(wanted - known):
        there = ", ".join(sorted(known))
        raise InputError(f"no device is called {unknown[0]!r}; there is: {there}")
    return wanted


def _add_clock(plan_: PlanBuilder) -> None:
    """Ask for the clock under both loads, and for what the vector units do in it."""
    shapes = ((VECTOR_CLOCK, HEADLINE), (PeakShape(), HEADLINE), (SCALAR_CLOCK, CALIBRATION))
    for shape, role in shapes:
        plan_.add(shape, direction=Direction.FORWARD, runner=Runner.CLOCK, role=role)


def _add_headlines(
    plan_: PlanBuilder,
    profile: MachineProfile,
    *,
    phase: Phase,
    budget: Budget,
    has_recurrent: bool,
) -> None:
    sizes: tuple[int, ...] = suite.HEADLINE_GEMM_SIZES
    if budget is Budget.THOROUGH:
        sizes = (*sizes, 4096)
    gemms = [Row(shape=suite.gemm(size)) for size in gemm_sizes(profile, sizes)]
    # NumPy first: it starts at once, and the user sees the first figures.
    plan_.add_rows(gemms, phase=phase, runner=Runner.NUMPY, role=HEADLINE)
    if budget is Budget.THOROUGH:
        _add_products(plan_, profile, runner=Runner.NUMPY)
    elements = stream_elements(profile)
    operations = (
        ("triad", "add", "copy") if budget is Budget.QUICK else ("triad", "add", "copy", "scale")
    )
    for operation in operations:
        shape = StreamShape(op=operation, elements=elements)
        plan_.add(shape, direction=Direction.FORWARD, runner=Runner.STREAM, role=HEADLINE)
    plan_.add_rows(gemms, phase=phase, runner=Runner.KERAS, role=HEADLINE)
    rows = [Row(shape=suite.HEADLINE_CONV, directions=suite.THREE)]
    if has_recurrent:
        rows.append(_LSTM)
    plan_.add_rows(rows, phase=phase, runner=Runner.KERAS, role=HEADLINE)


def _add_products(plan_: PlanBuilder, profile: MachineProfile, *, runner: Runner) -> None:
    """Ask for the products with transposed operands that the machine can afford."""
    for row in suite.TRANSPOSED_PRODUCTS:
        if isinstance(row.shape, GemmShape) and is_affordable(row.shape, profile=profile):
            plan_.add_rows([row], phase=Phase.TRAINING, runner=runner, role=CALIBRATION)


def _calibration(
    phase: Phase, batch_size: int, layers: Sequence[KernelShape]
) -> tuple[list[Row], list[Row]]:
    """Return the table for a phase in two parts: what is timed before short formats, and after.

    With a network the first part is all that tells something of it, else the first tier.
    """
    own = Row(shape=suite.dense(batch_size, 512, 256), directions=suite.THREE, tier=2)
    groups: list[Sequence[Row]] = [
        suite.OVERHEADS,
        suite.ELEMENTWISES,
        suite.INFERENCE_NORMALISATIONS,
        suite.OTHERS,
        # The least one: it tells what starting a time step costs, and takes little itself.
        suite.RECURRENTS[:1],
        suite.DEPTHWISES,
        suite.POOLS,
        suite.CONVOLUTIONS,
        (*suite.DENSES, own),
        (*suite.RECURRENTS[1:], *suite.SINGLE_RECURRENTS),
    ]
    if phase is Phase.TRAINING:
        groups[1:1] = [suite.TRAINING_OVERHEADS, suite.OPTIMIZERS, suite.NORMALISATIONS]
    rows = [row for group in groups for row in group]
    by_tier = sorted(rows, key=lambda row: row.tier)
    if layers:
        return split_by_network(by_tier, layers)
    return [row for row in by_tier if row.tier == 1], [row for row in by_tier if row.tier > 1]


def _add_replay(
    plan_: PlanBuilder,
    replay: Iterable[KernelCall],
    *,
    precision: Precision = Precision.FLOAT32,
    has_gradients: bool = True,
) -> None:
    for call in replay:
        if not has_gradients and call.direction is not Direction.FORWARD:
            continue
        plan_.add(
            call.shape,
            direction=call.direction,
            runner=Runner.KERAS,
            role=REPLAY,
            precision=precision,
        )


def _add_short_format(
    plan_: PlanBuilder,
    replay: tuple[KernelCall, ...],
    *,
    precision: Precision,
    phase: Phase,
    is_asked: bool,
    is_fast: bool,
) -> None:
    """Ask for a shorter number format; `is_fast`: the processor computes in it by itself.

    Where it does not, gradients may be a plain loop that takes minutes.
    """
    has_gradients = is_fast and (is_asked or precision is Precision.BFLOAT16)
    if is_asked:
        # First, as in float32: a kernel of the table that is the network's own is told as such.
        _add_replay(plan_, replay, precision=precision, has_gradients=has_gradients)
    plan_.add_rows(
        (*suite.SHORT_FORMATS, *(suite.ASKED_FORMATS if is_asked else ())),
        phase=phase if has_gradients else Phase.INFERENCE,
        runner=Runner.KERAS,
        role=SETTING,
        precision=precision,
    )


def _add_cpu(
    plan_: PlanBuilder,
    profile: MachineProfile,
    *,
    budget: Budget,
    replay: tuple[KernelCall, ...],
    phase: Phase,
    precision: Precision,
    batch_size: int,
    layers: Sequence[KernelShape],
) -> None:
    _add_clock(plan_)
    has_recurrent = not layers or any(isinstance(shape, RecurrentShape) for shape in layers)
    _add_headlines(plan_, profile, phase=phase, budget=budget, has_recurrent=has_recurrent)
    _add_replay(plan_, replay)
    first, rest = _calibration(phase, batch_size, layers)
    plan_.add_table(first, phase=phase, runner=Runner.KERAS)
    plan_.add_rows([_LSTM], phase=phase, runner=Runner.KERAS, role=HEADLINE)
    formats = (Precision.BFLOAT16, Precision.FLOAT16)
    asked = [precision] if precision in formats else []
    known = formats[:1] if budget is Budget.QUICK else formats
    fast = [p for p in formats if has_short_format(profile, precision=p)]

    def add_short_formats(wanted: Iterable[Precision]) -> None:
        for each in wanted:
            _add_short_format(
                plan_,
                replay,
                precision=each,
                phase=phase,
                is_asked=each in asked,
                is_fast=each in fast,
            )

    add_short_formats(p for p in fast if p in asked or p in known)
    plan_.add_table(rest, phase=phase, runner=Runner.KERAS)
    # What the processor does not compute by itself may take all the time that is left.
    add_short_formats(p for p in asked if p not in fast)
    _add_reference(plan_)
    if budget is Budget.THOROUGH:
        _add_products(plan_, profile, runner=Runner.KERAS)
        _add_settings(plan_, profile, phase=phase)


def _add_reference(plan_: PlanBuilder) -> None:
    """Ask for the product that is timed between bouts."""
    plan_.add(
        REFERENCE_GEMM,
        direction=Direction.FORWARD,
        runner=Runner.KERAS,
        role=REFERENCE,
        suffix="/reference",
    )


def _add_last_look(plan_: PlanBuilder) -> None:
    """Ask for the clock once more, after everything else."""
    plan_.add(
        VECTOR_CLOCK,
        direction=Direction.FORWARD,
        runner=Runner.CLOCK,
        role=REFERENCE,
        suffix=REFERENCE_SUFFIX,
    )


def thread_counts(profile: MachineProfile) -> tuple[int, ...]:
    """Return the thread counts of a sweep: 1, doubled up to the cores, all logical CPUs."""
    logical = profile.cpu.usable_cpus or profile.cpu.n_logical_cpus
    cores = min(logical, profile.cpu.n_physical_cores or logical)
    counts = {1, cores, logical}
    count = 2
    while count < cores:
        counts.add(count)
        count *= 2
    return tuple(sorted(counts))


def _add_settings(plan_: PlanBuilder, profile: MachineProfile, *, phase: Phase) -> None:
    for threads in thread_counts(profile):
        plan_.add_rows(
            suite.SETTING_ROWS, phase=phase, runner=Runner.KERAS, role=SETTING, threads=threads
        )
    other = other_onednn(profile)
    if other is not None:
        plan_.add_rows(
            suite.SETTING_ROWS, phase=phase, runner=Runner.KERAS, role=SETTING, settings=(other,)
        )


def _add_opencl(
    plan_: PlanBuilder,
    device: OpenclDevice,
    *,
    profile: MachineProfile,
    budget: Budget,
    phase: Phase,
    is_asked: bool,
) -> None:
    is_thorough = budget is Budget.THOROUGH
    rows = opencl_rows(device, is_thorough=is_thorough, is_asked=is_asked, profile=profile)
    for wanted in rows:
        plan_.add_rows(
            [wanted.row],
            phase=phase,
            runner=Runner.OPENCL,
            role=HEADLINE if wanted.is_headline else CALIBRATION,
            device_id=device.id,
            precision=wanted.precision,
            n_values=wanted.n_values,
        )


def plan(
    profile: MachineProfile,
    *,
    budget: Budget,
    device_ids: Iterable[str] | None = None,
    replay: tuple[KernelCall, ...] = (),
    phase: Phase = Phase.TRAINING,
    precision: Precision = Precision.FLOAT32,
    batch_size: int = 32,
    layers: Sequence[KernelShape] = (),
) -> tuple[BenchmarkRequest, ...]:
    """Return what is to be timed, most wanted first within each device.

    Args:
        profile: the machine.
        budget: quick or thorough.
        device_ids: `CPU_DEVICE_ID` and ids of OpenCL devices; None for all of them, the processor
            seen through OpenCL in short when the run is quick.
        replay: kernels of the user's own network.
        phase: in inference no gradients are timed.
        precision: number format of the user's job; a shorter one than float32 is timed besides.
        batch_size: of the user's job.
        layers: of the user's network; none: it is not known.

    Raises:
        InputError: for a device that is not there.
    """
    chosen, plan_ = _chosen(profile, device_ids), PlanBuilder(budget=budget)
    if CPU_DEVICE_ID in chosen:
        _add_cpu(
            plan_,
            profile,
            budget=budget,
            replay=replay,
            phase=phase,
            precision=precision,
            batch_size=batch_size,
            layers=layers,
        )
    asked = device_ids is not None
    for device in (each for each in profile.opencl if each.id in chosen):
        _add_opencl(plan_, device, profile=profile, budget=budget, phase=phase, is_asked=asked)
    if CPU_DEVICE_ID in chosen:
        _add_last_look(plan_)
    return plan_.requests()
