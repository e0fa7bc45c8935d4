"""One product, timed for minutes: does the machine keep up what it does in a burst?

Leaves to others: what the values say (`advisor.predict.sustained`).
"""

import dataclasses
from collections.abc import Callable

from advisor.errors import InputError
from advisor.model.kernel import Direction
from advisor.model.machine import CPU_DEVICE_ID, MachineProfile
from advisor.model.measurement import BenchmarkRequest, MeasurementSet, Outcome, Runner
from advisor.model.quantity import Precision
from probes.bench import suite
from probes.bench.commands import WorkerCommand, worker_command
from probes.bench.events import SessionEvent
from probes.bench.labels import kernel_label
from probes.bench.plan import SUSTAINED
from probes.bench.plan_sizes import gemm_sizes
from probes.bench.process import CancelToken
from probes.bench.session import Session

# Short enough to be asked to stop between two of them, long enough to be steady.
VALUE_S = 0.5
LONGEST_MINUTES = 240.0
_OPENCL_SIZE = 1024


def plan_sustained(
    profile: MachineProfile,
    *,
    minutes: float,
    runner: Runner = Runner.KERAS,
    device_id: str = CPU_DEVICE_ID,
) -> BenchmarkRequest:
    """Return the product that keeps a device busy for so many minutes.

    Raises:
        InputError: for a device that is not there, or a number of minutes that makes no sense.
    """
    if not 0.0 < minutes <= LONGEST_MINUTES:
        raise InputError(f"{minutes:g} minutes: give more than 0 and up to {LONGEST_MINUTES:g}")
    if device_id not in (CPU_DEVICE_ID, *(device.id for device in profile.opencl)):
        there = ", ".join([CPU_DEVICE_ID, *(device.id for device in profile.opencl)])
        raise InputError(f"no device is called {device_id!r}; there is: {there}")
    is_cpu = device_id == CPU_DEVICE_ID
    size = max(gemm_sizes(profile, suite.HEADLINE_GEMM_SIZES)) if is_cpu else _OPENCL_SIZE
    shape, used = suite.gemm(size), runner if is_cpu else Runner.OPENCL
    label = kernel_label(shape, direction=Direction.FORWARD)
    return BenchmarkRequest(
        id=f"{used.value}/{device_id}/{label}/{SUSTAINED}",
        role=SUSTAINED,
        runner=used,
        device_id=device_id,
        shape=shape,
        direction=Direction.FORWARD,
        precision=Precision.FLOAT32,
        min_value_s=VALUE_S,
        n_values=max(1, round(minutes * 60.0 / VALUE_S)),
    )


def measure_sustained(
    profile: MachineProfile,
    *,
    minutes: float,
    device_id: str = CPU_DEVICE_ID,
    python: str | None = None,
    on_event: Callable[[SessionEvent], None] | None = None,
    cancel: CancelToken | None = None,
    command: Callable[..., WorkerCommand] = worker_command,
) -> MeasurementSet:
    """Keep a device busy and return its values; a cancelled run gives those that there are.

    The CPU is kept busy through Keras, and where that is impossible through NumPy.

    Args:
        profile: the machine.
        minutes: how long.
        device_id: "cpu" or an OpenCL device.
        python: interpreter whose framework is used; None: our own.
        on_event: see `Session.run`.
        cancel: stops early.
        command: makes the command of a worker; replaced in tests.

    Raises:
        InputError: see `plan_sustained`.
    """
    session = Session(profile=profile, python=python, command=command)
    request = plan_sustained(profile, minutes=minutes, device_id=device_id)
    found = session.run((request,), on_event=on_event, cancel=cancel)
    is_cancelled = any(failed.outcome is Outcome.CANCELLED for failed in found.failed)
    if found.measured or is_cancelled or request.runner is not Runner.KERAS:
        return found
    other = plan_sustained(profile, minutes=minutes, runner=Runner.NUMPY)
    second = session.run((other,), on_event=on_event, cancel=cancel)
    return dataclasses.replace(
        second,
        duration_s=found.duration_s + second.duration_s,
        results=(*found.results, *second.results),
    )
