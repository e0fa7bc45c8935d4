"""What a live run does, unit by unit: calibrations, replays, and real steps of networks.

A unit is skipped when the recording has it. The essential ones come first: a calibration, then for
each network real steps, its replay and the real steps again, so that all of them meet the machine
in the same state; another calibration after every few networks and at the end. Then, network by
network for the same reason, bfloat16 and one thread beside float32 and all threads. Last come
kernels that the product does not replay.
Leaves to others: errors (`live_errors`), the file (`live_file`).
"""

import dataclasses
import sys
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from advisor.model.codec import encode
from advisor.model.kernel import KernelCall, OptimizerShape, OverheadShape
from advisor.model.machine import CPU_DEVICE_ID, MachineProfile
from advisor.model.measurement import BenchmarkRequest, Runner
from advisor.model.quantity import Phase, Precision
from advisor.model.workload import Workload
from advisor.predict.replay import replay_kernels
from advisor.predict.work import step_calls
from probes.bench.commands import WorkerCommand
from probes.bench.events import KernelFinished, SessionEvent
from probes.bench.load import LoadMeter
from probes.bench.plan import REPLAY, SETTING, Budget, budgets_s, plan
from probes.bench.process import Deadlines, run_worker
from probes.bench.session import Session
from tests.accuracy.live_networks import REFERENCE, REFERENCE_BATCH, LiveNetwork, live_networks
from ui.journey import REPLAY_S

Unit = dict[str, Any]
_CHILD = Path(__file__).with_name("live_child.py")
_CHILD_DEADLINES = Deadlines(start_s=60.0, stage_s=300.0, silence_s=300.0, budget_s=900.0)
# Shortest value and number of values of real steps, and of the reference.
_TRUTH = (0.2, 5)
_REFERENCE = (0.1, 3)
_ONE_THREAD = 1
FIRST = "calibration/start"
LAST = "calibration/end"
# Replays in float32 on all threads, next to those in bfloat16 and on one thread.
BESIDE = "beside"
# Clock and neighbours of a machine change within minutes.
_NETWORKS_OF_CALIBRATION = 9
# Kernels beyond those that the product replays, so that ideas can be tried on the recording.
_EXTRA_KERNELS = 24


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """A unit that is still to be done."""

    name: str
    run: Callable[[], Unit]


def kernels_of(workload: Workload) -> tuple[KernelCall, ...]:
    """Return what the product replays of a workload in a quick run."""
    return replay_kernels(workload, limit_s=REPLAY_S[Budget.QUICK])


def quick_suite(profile: MachineProfile) -> tuple[BenchmarkRequest, ...]:
    """Return what `bench --quick` times on the CPU."""
    return plan(profile, budget=Budget.QUICK, device_ids=(CPU_DEVICE_ID,))


def replay_requests(
    profile: MachineProfile,
    calls: Iterable[KernelCall],
    *,
    precision: Precision = Precision.FLOAT32,
    threads: int | None = None,
) -> tuple[BenchmarkRequest, ...]:
    """Return the requests of the product's plan for these kernels, and no others."""
    wanted = tuple(dict.fromkeys(calls))
    shapes = {(call.shape, call.direction) for call in wanted}
    found = [
        request
        for request in plan(
            profile,
            budget=Budget.QUICK,
            device_ids=(CPU_DEVICE_ID,),
            replay=wanted,
            precision=precision,
        )
        if (request.shape, request.direction) in shapes
        and request.precision is precision
        and request.runner is Runner.KERAS
        and request.role in (REPLAY, SETTING)
    ]
    return tuple(_under(request, threads=threads) for request in found)


def _under(request: BenchmarkRequest, *, threads: int | None) -> BenchmarkRequest:
    if threads is None:
        return request
    return dataclasses.replace(
        request, id=f"{request.id}/threads-{threads}", role=SETTING, threads=threads
    )


def measured(
    profile: MachineProfile,
    requests: tuple[BenchmarkRequest, ...],
    *,
    budget_s: float | dict[str, float] | None,
) -> Unit:
    """Return the answers of a session, and when each came."""
    started, clock, meter = time.time(), time.monotonic(), LoadMeter()
    ends: list[tuple[str, float]] = []

    def on_event(event: SessionEvent) -> None:
        if isinstance(event, KernelFinished):
            ends.append((event.result.request.id, round(time.monotonic() - clock, 4)))

    found = Session(profile=profile).run(requests, on_event=on_event, budget_s=budget_s)
    return {
        "started_s": started,
        "seconds": time.monotonic() - clock,
        "load": _load(meter),
        "ends_s": ends,
        "measurements": encode(found),
    }


def _load(meter: LoadMeter) -> Unit:
    share = meter.share()
    return dataclasses.asdict(share) if share is not None else {}


def steps_request(
    network: LiveNetwork,
    *,
    phase: Phase,
    batch: int,
    precision: Precision = Precision.FLOAT32,
    timing: tuple[float, int] = _TRUTH,
) -> Unit:
    """Return real steps of a network as the worker takes them."""
    return {
        "model_json": network.config_text(),
        "phase": phase.value,
        "batch_size": batch,
        "precision": precision.value,
        "optimizer": network.optimizer,
        "min_value_s": timing[0],
        "n_values": timing[1],
    }


def truth(requests: list[Unit], *, threads: int | None = None) -> Unit:
    """Return the real steps asked for, all in one child, after those of the reference."""
    reference = next(n for n in live_networks() if n.name == REFERENCE)
    first = steps_request(
        reference, phase=Phase.INFERENCE, batch=REFERENCE_BATCH, timing=_REFERENCE
    )
    asked = [first, *requests]
    started, clock, meter = time.time(), time.monotonic(), LoadMeter()
    verdict = run_worker(
        WorkerCommand(argv=(sys.executable, "-X", "utf8", str(_CHILD))),
        {"options": {"threads": threads, "backend": "tensorflow"}, "networks": asked},
        deadlines=_CHILD_DEADLINES,
    )
    answers = (verdict.result or {}).get("networks") or []
    unit: Unit = {
        "started_s": started,
        "seconds": time.monotonic() - clock,
        "load": _load(meter),
        "message": verdict.message,
    }
    kept = ("phase", "batch_size", "precision", "optimizer")
    cases = [
        {**{key: wish[key] for key in kept}, "threads": threads, **answer}
        for wish, answer in zip(asked, answers, strict=False)
    ]
    unit["reference"], unit["cases"] = (cases[0], cases[1:]) if cases else (None, [])
    return unit


def _truth_of(network: LiveNetwork) -> Unit:
    return truth(
        [
            steps_request(network, phase=phase, batch=batch)
            for batch in network.batches
            for phase in (Phase.INFERENCE, Phase.TRAINING)
        ]
    )


def _variant_of(network: LiveNetwork, *, threads: int | None) -> Unit:
    batch = network.variant_batch or 1
    formats = [Precision.FLOAT32] if threads else [Precision.FLOAT32, Precision.BFLOAT16]
    return truth(
        [
            steps_request(network, phase=phase, batch=batch, precision=precision)
            for phase in (Phase.INFERENCE, Phase.TRAINING)
            for precision in formats
        ],
        threads=threads,
    )


def replayed_calls(network: LiveNetwork, batches: Iterable[int]) -> tuple[KernelCall, ...]:
    """Return what is replayed of a network for both phases."""
    return tuple(
        call
        for batch in batches
        for phase in (Phase.INFERENCE, Phase.TRAINING)
        for call in kernels_of(network.workload(phase=phase, batch=batch))
    )


def extra_calls(network: LiveNetwork) -> tuple[KernelCall, ...]:
    """Return kernels that the product does not replay, those with the largest results first."""
    batch = network.variant_batch or network.batches[-1]
    replayed = {(c.shape, c.direction) for c in replayed_calls(network, [batch])}
    found: dict[KernelCall, int] = {}
    for phase in (Phase.INFERENCE, Phase.TRAINING):
        for call in step_calls(network.workload(phase=phase, batch=batch)):
            is_fixed = isinstance(call.shape, OptimizerShape | OverheadShape)
            if not is_fixed and (call.shape, call.direction) not in replayed:
                key = KernelCall(shape=call.shape, direction=call.direction)
                found[key] = found.get(key, 0) + call.count
    ordered = sorted(found, key=lambda c: (-getattr(c.shape, "elements", 0), repr(c)))
    return tuple(ordered[:_EXTRA_KERNELS])


def tasks(profile: MachineProfile, networks: tuple[LiveNetwork, ...]) -> tuple[Task, ...]:
    """Return every unit, the essential ones first."""
    return (*_essential(profile, networks), *_variants(profile, networks))


def is_essential(name: str) -> bool:
    """Return whether a unit belongs to float32 under the default settings."""
    return not (name.startswith("extra/") or is_variant(name))


def is_variant(name: str) -> bool:
    """Return whether a unit sets bfloat16 or one thread beside the default settings."""
    return name.startswith("variant/") or any(
        part in name for part in (f"/{BESIDE}/", "/bfloat16", "/threads-")
    )


def _essential(profile: MachineProfile, networks: tuple[LiveNetwork, ...]) -> list[Task]:
    suite = quick_suite(profile)
    limits = budgets_s(profile, budget=Budget.QUICK, device_ids=(CPU_DEVICE_ID,))

    def calibrate() -> Unit:
        return measured(profile, suite, budget_s=limits)

    found = [Task(name=FIRST, run=calibrate)]
    for place, network in enumerate(networks):
        if place and place % _NETWORKS_OF_CALIBRATION == 0:
            found.append(Task(name=f"calibration/{place}", run=calibrate))

        def replay(network: LiveNetwork = network) -> Unit:
            calls = replayed_calls(network, network.batches)
            return measured(profile, replay_requests(profile, calls), budget_s=120.0)

        def steps(network: LiveNetwork = network) -> Unit:
            return _truth_of(network)

        found.append(Task(name=f"truth/1/{network.name}", run=steps))
        found.append(Task(name=f"replay/float32/{network.name}", run=replay))
        found.append(Task(name=f"truth/2/{network.name}", run=steps))
    found.append(Task(name=LAST, run=calibrate))
    return found


def _variants(profile: MachineProfile, networks: tuple[LiveNetwork, ...]) -> list[Task]:
    chosen = [network for network in networks if network.variant_batch is not None]
    keras = [r for r in quick_suite(profile) if r.runner is Runner.KERAS]
    plain = [r for r in keras if r.precision is Precision.FLOAT32]

    def table() -> Unit:
        alone = tuple(_under(request, threads=_ONE_THREAD) for request in plain)
        return measured(profile, alone, budget_s=90.0)

    def short_table() -> Unit:
        short = (
            dataclasses.replace(
                request, id=f"{request.id}/bfloat16", role=SETTING, precision=Precision.BFLOAT16
            )
            for request in plain
        )
        return measured(profile, tuple(short), budget_s=90.0)

    found = [
        Task(name="calibration/threads-1", run=table),
        Task(name="calibration/bfloat16", run=short_table),
    ]
    for network in chosen:

        def replay_plain(network: LiveNetwork = network) -> Unit:
            calls = replayed_calls(network, [network.variant_batch or 1])
            return measured(profile, replay_requests(profile, calls), budget_s=90.0)

        def replay_short(network: LiveNetwork = network) -> Unit:
            calls = replayed_calls(network, [network.variant_batch or 1])
            asked = replay_requests(profile, calls, precision=Precision.BFLOAT16)
            return measured(profile, asked, budget_s=90.0)

        def replay_alone(network: LiveNetwork = network) -> Unit:
            calls = replayed_calls(network, [network.variant_batch or 1])
            asked = replay_requests(profile, calls, threads=_ONE_THREAD)
            return measured(profile, asked, budget_s=90.0)

        found += [
            _variant_task(network, bout=1, threads=None),
            _variant_task(network, bout=1, threads=_ONE_THREAD),
            Task(name=f"replay/{BESIDE}/{network.name}", run=replay_plain),
            Task(name=f"replay/bfloat16/{network.name}", run=replay_short),
            Task(name=f"replay/threads-1/{network.name}", run=replay_alone),
            _variant_task(network, bout=2, threads=None),
            _variant_task(network, bout=2, threads=_ONE_THREAD),
        ]
    for network in networks:

        def extra(network: LiveNetwork = network) -> Unit:
            asked = replay_requests(profile, extra_calls(network))
            return measured(profile, asked, budget_s=20.0)

        found.append(Task(name=f"extra/{network.name}", run=extra))
    return found


def _variant_task(network: LiveNetwork, *, bout: int, threads: int | None) -> Task:
    label = f"threads-{threads}" if threads else "default"
    return Task(
        name=f"variant/{bout}/{label}/{network.name}",
        run=lambda: _variant_of(network, threads=threads),
    )
