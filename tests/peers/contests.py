"""What is compared with whom: clpeak and CLBlast on OpenCL devices, libraries on the processor.

Our figures come through the session, as the app measures them.
"""

import dataclasses
import shutil
import sys
from collections.abc import Callable, Iterable

from advisor.format import format_rate
from advisor.i18n import translator_for
from advisor.knowledge.store import Knowledge
from advisor.model.kernel import (
    ClockShape,
    Direction,
    GemmShape,
    KernelShape,
    PeakShape,
    StreamShape,
)
from advisor.model.machine import CPU_DEVICE_ID, DeviceKind, MachineProfile, OpenclDevice
from advisor.model.measurement import BenchmarkRequest, Measurement, Runner, Setting
from advisor.model.quantity import Precision
from advisor.normal.peaks import Bound, Peak, cpu_flop_peak, opencl_flop_peak
from advisor.predict.work import rate
from advisor.report.names import shape_name
from probes.bench.session import Session
from tests.peers.drivers import Driver
from tests.peers.duel import PEAK, Contest, Figures, PeerFailed, PeerMissing
from tests.peers.parsing import BANDWIDTH, COMPUTE, ClpeakDevice, parse_clblast, parse_clpeak
from tests.peers.programs import find_program, run_program, run_script

OPENCL_SIZES = (1024, 2048)
CPU_SIZES = (512, 1024, 2048)
STREAM_ELEMENTS = 1 << 25
CLIENT = "clblast_client_xgemm"
CLPEAK_PACKAGE = "Debian package clpeak"
LIBRARIES = ("numpy", "tensorflow", "torch")
ONEDNN = "onednn"


def product(size: int) -> GemmShape:
    """Return a square product."""
    return GemmShape(m=size, n=size, k=size)


def our_figures(
    profile: MachineProfile,
    shapes: dict[str, KernelShape],
    *,
    runner: Runner,
    device_id: str = CPU_DEVICE_ID,
    settings: tuple[Setting, ...] = (),
) -> Figures:
    """Return the best of our values in GFLOP/s and GB/s, as peers give theirs, by an own session.

    Raises:
        PeerFailed: none of the kernels gave a figure.
    """
    requests = [
        BenchmarkRequest(
            id=name, role="headline", runner=runner, device_id=device_id, shape=shape,
            direction=Direction.FORWARD, precision=Precision.FLOAT32, settings=settings,
            min_value_s=0.2, n_values=5,
        )
        for name, shape in shapes.items()
    ]  # fmt: skip
    results = Session(profile=profile).run(requests)
    if not results.measured:
        raise PeerFailed("our own kernels: " + "; ".join(f.message for f in results.failed))
    return {m.request.id: rate(m)[0] * m.figure_s / m.min_s / 1e9 for m in results.measured}


def _giga(bound: Bound) -> float | None:
    return bound.value / 1e9 if isinstance(bound, Peak) else None


def _with_device(profile: MachineProfile, device: OpenclDevice) -> MachineProfile:
    return dataclasses.replace(profile, opencl=(device,))


def _peaks(
    profile: MachineProfile, device: OpenclDevice, knowledge: Knowledge, names: Iterable[str]
) -> Figures:
    # Of a processor the clock that it has under load counts, not the one that its driver names.
    clocks = measured_clock(profile) if device.kind is DeviceKind.CPU else ()
    bound = opencl_flop_peak(profile, device=device, knowledge=knowledge, measured=clocks)
    peak = _giga(bound)
    return {} if peak is None else dict.fromkeys(names, peak)


def clpeak_figures(found: Iterable[ClpeakDevice], *, device: OpenclDevice) -> Figures:
    """Return the best of each section for a device.

    Raises:
        PeerFailed: it saw another device, or gave no figure.
    """
    seen = tuple(found)
    same = [f for f in seen if (f.platform, f.name) == (device.platform, device.name)]
    if not same:
        names = ", ".join(f"{f.platform}: {f.name}" for f in seen) or "no device"
        raise PeerFailed(f"clpeak sees {names}, not {device.platform}: {device.name}")
    sections = {"compute": COMPUTE, "bandwidth": BANDWIDTH}
    best = {name: same[0].best(section) for name, section in sections.items()}
    figures = {name: value for name, value in best.items() if value is not None}
    if not figures:
        raise PeerFailed(f"clpeak gave no figure on {device.name}: {same[0].complaints}")
    return figures


def clpeak_contest(
    profile: MachineProfile, driver: Driver, device: OpenclDevice, *, knowledge: Knowledge
) -> Contest:
    """Return multiply-adds and memory against clpeak.

    Its bandwidth is that of reading; our copy, which counts reading and writing, stands beside.
    """
    shapes: dict[str, KernelShape] = {
        "multiply-add peak": PeakShape(),
        "memory read": StreamShape(op="read", elements=STREAM_ELEMENTS),
        "memory copy": StreamShape(op="copy", elements=STREAM_ELEMENTS),
    }
    platform, number = device.id.split(":")[1:]

    def theirs() -> Figures:
        program = find_program("clpeak", package=CLPEAK_PACKAGE)
        command = [
            program, "-p", platform, "-d", number, "--compute-sp", "--global-bandwidth",
        ]  # fmt: skip
        text = run_program(command, settings=driver.variables)
        return clpeak_figures(parse_clpeak(text), device=device)

    return Contest(
        device=f"{driver.name}: {device.name}",
        peer="clpeak",
        ours=_ours_on(profile, driver, device, shapes),
        theirs=theirs,
        pairs=(
            ("multiply-add peak", "compute", "GFLOP/s"),
            ("memory read", "bandwidth", "GB/s"),
            ("memory copy", "bandwidth", "GB/s"),
        ),
        peaks=_peaks(profile, device, knowledge, ["multiply-add peak"]),
    )


def _ours_on(
    profile: MachineProfile, driver: Driver, device: OpenclDevice, shapes: dict[str, KernelShape]
) -> Callable[[], Figures]:
    return lambda: our_figures(
        _with_device(profile, device),
        shapes,
        runner=Runner.OPENCL,
        device_id=device.id,
        settings=(driver.setting,),
    )


def clblast_contest(
    profile: MachineProfile,
    driver: Driver,
    device: OpenclDevice,
    *,
    knowledge: Knowledge,
    client: str | None = None,
) -> Contest:
    """Return products against CLBlast with its default tuning, by its client or its library.

    Args:
        profile: the machine.
        driver: of the device.
        device: on which both compute.
        knowledge: for the bound.
        client: path of `clblast_client_xgemm`; None: where it is found, else the library.
    """
    program = client or shutil.which(CLIENT)
    names = [f"gemm {size}" for size in OPENCL_SIZES]

    def theirs() -> Figures:
        if program is None:
            arguments = [device.platform, device.name, *map(str, OPENCL_SIZES)]
            return run_script("clblast_gemm.py", arguments, settings=driver.variables)
        return _by_client(program, driver, device)

    return Contest(
        device=f"{driver.name}: {device.name}",
        peer="CLBlast client" if program else "CLBlast library",
        ours=_ours_on(
            profile, driver, device, {f"gemm {size}": product(size) for size in OPENCL_SIZES}
        ),
        theirs=theirs,
        pairs=tuple((name, name, "GFLOP/s") for name in names),
        peaks=_peaks(profile, device, knowledge, names),
    )


def _by_client(program: str, driver: Driver, device: OpenclDevice) -> Figures:
    platform, number = device.id.split(":")[1:]
    figures: Figures = {}
    for size in OPENCL_SIZES:
        n = str(size)
        command = [
            program, "-platform", platform, "-device", number, "-m", n, "-n", n, "-k", n,
            "-layout", "101", "-transA", "111", "-transB", "111", "-alpha", "1", "-beta", "0",
            "-runs", "10", "-precision", "32", "-warm_up", "-q", "-no_abbrv",
        ]  # fmt: skip
        text = run_program(command, settings=driver.variables)
        found = parse_clblast(text).get((size, size, size))
        if found is None:
            lines = text.strip().splitlines()
            raise PeerFailed(f"{CLIENT}: {lines[-1] if lines else 'no output'}")
        figures[f"gemm {size}"] = found
    return figures


def best_library_figures(
    pythons: Iterable[str], *, onednn: str | None = None
) -> tuple[Figures, tuple[str, ...]]:
    """Return the figures of every library found, "numpy gemm 512" and so on, and what is missing.

    Args:
        pythons: interpreters whose libraries are tried.
        onednn: path of oneDNN's shared library; None: where the system has it.

    Raises:
        PeerMissing: there is no library at all.
    """
    figures: Figures = {}
    missing: list[str] = []
    asked = [(library, library, python) for library in LIBRARIES for python in pythons]
    # The library is the system's, whatever interpreter calls it.
    asked.append((ONEDNN, f"{ONEDNN}={onednn}" if onednn else ONEDNN, sys.executable))
    for library, argument, python in asked:
        try:
            found = run_script("cpu_gemm.py", [argument, *map(str, CPU_SIZES)], python=python)
        except PeerMissing as error:
            missing.append(f"{error} ({python})")
            continue
        for name, value in found.items():
            key = f"{library} {name}"
            figures[key] = max(value, figures.get(key, 0.0))
    if not figures:
        raise PeerMissing("; ".join(missing))
    return {**figures, **best_of(figures)}, tuple(dict.fromkeys(missing))


def best_of(figures: Figures) -> Figures:
    """Return the best of all libraries for each size, by the names "best gemm 512" and so on."""
    names = [f"gemm {size}" for size in CPU_SIZES]
    of_size = {n: [v for key, v in figures.items() if key.endswith(" " + n)] for n in names}
    return {f"best {name}": max(values) for name, values in of_size.items() if values}


def leaders(figures: Figures) -> list[str]:
    """Return which library was the best in each size: "gemm 512: tensorflow, 380 GFLOP/s"."""
    found = []
    for best, value in best_of(figures).items():
        name = best.removeprefix("best ")
        who = next(k for k, v in figures.items() if v == value and k.endswith(" " + name))
        found.append(f"{name}: {who.removesuffix(name).strip()}, {value:.0f} GFLOP/s")
    return found


def _pairs(same: dict[Runner, str], names: Iterable[str]) -> tuple[tuple[str, str, str], ...]:
    """Return each of our figures with that of the same library, and with the best of all."""
    return tuple(
        (f"{runner.value} {name}", f"{peer} {name}", "GFLOP/s")
        for runner, own in same.items()
        for name in names
        for peer in (own, "best")
    )


def cpu_contest(
    profile: MachineProfile,
    *,
    knowledge: Knowledge,
    pythons: tuple[str, ...] = (),
    onednn: str | None = None,
) -> Contest:
    """Return our products on the processor against the plainest calls of the libraries.

    The bound of each round follows from the clock that the cores held in that round under
    multiply-adds of the widest vectors, where it can be measured: wide vectors lower the clock.

    Args:
        profile: the machine.
        knowledge: for the bound.
        pythons: further interpreters whose libraries are tried.
        onednn: path of oneDNN's shared library; None: where the system has it.
    """
    shapes: dict[str, KernelShape] = {f"gemm {size}": product(size) for size in CPU_SIZES}
    same = {Runner.NUMPY: "numpy", Runner.KERAS: "tensorflow"}

    def ours() -> Figures:
        clocks = measured_clock(profile)
        figures = {
            f"{runner.value} {name}": value
            for runner in same
            for name, value in our_figures(profile, shapes, runner=runner).items()
        }
        bound = cpu_flop_peak(profile, knowledge=knowledge, measured=clocks)
        contest.notes.extend(clock_notes(clocks))
        peak = _giga(bound)
        if not isinstance(bound, Peak) or peak is None:
            contest.notes.append(f"processor: no bound, not known: {bound.value}")
            return figures
        contest.notes.append(f"processor: bound {peak:.0f} GFLOP/s by {bound.basis.value}")
        return {PEAK: peak, **figures}

    def theirs() -> Figures:
        pythons_ = dict.fromkeys((sys.executable, *pythons))
        figures, missing = best_library_figures(pythons_, onednn=onednn)
        contest.notes.extend(f"best library, {who}" for who in leaders(figures))
        contest.notes.extend(note for note in missing if note not in contest.notes)
        return figures

    pairs = _pairs(same, shapes)
    contest = Contest(device="processor", peer="", ours=ours, theirs=theirs, pairs=pairs)
    return contest


def measured_clock(profile: MachineProfile) -> tuple[Measurement, ...]:
    """Return the clock under both loads and the multiply-add peak; empty where there is none."""
    shapes = (ClockShape(load="vector"), ClockShape(load="scalar"), PeakShape())
    requests = [
        BenchmarkRequest(
            id=str(shape), role="headline", runner=Runner.CLOCK, device_id=CPU_DEVICE_ID,
            shape=shape, direction=Direction.FORWARD, precision=Precision.FLOAT32,
        )
        for shape in shapes
    ]  # fmt: skip
    return Session(profile=profile).run(requests).measured


def clock_notes(measured: Iterable[Measurement]) -> list[str]:
    """Return a line for each figure: "processor: clock under vector load 3.81 GHz"."""
    return [
        f"processor: {shape_name(m.request.shape, translator_for('en'))} {format_rate(*rate(m))}"
        for m in measured
    ]
