"""What `bench` measures: this machine, another interpreter's frameworks, or one product for long.

Leaves to others: arguments, files and text (`ui.commands`), the measuring (`probes.bench`).
"""

from advisor.errors import InputError
from advisor.model.machine import CPU_DEVICE_ID, MachineProfile
from advisor.model.measurement import MeasurementSet
from advisor.model.workload import Workload
from probes.bench.other_python import measure_environment
from probes.bench.sustained import measure_sustained
from probes.machine.reader import SystemReader
from ui import journey
from ui.progress import TerminalProgress


def measure(
    request: journey.JourneyRequest,
    *,
    profile: MachineProfile,
    workload: Workload | None,
    progress: TerminalProgress,
    sustained_minutes: float | None = None,
) -> MeasurementSet:
    """Measure what is asked for; cancelled by the progress it gives what there is.

    The kernels of a network are always timed through Keras on TensorFlow, also in another
    interpreter; without a network every framework of that interpreter is timed.

    Args:
        request: what the user asks for.
        profile: the machine.
        workload: a network whose kernels are timed as well; None: no network.
        progress: is told what happens, and cancels.
        sustained_minutes: keep one device busy for so long instead; None: do not.

    Raises:
        InputError: for a device, an interpreter or a framework that is not there.
    """
    if sustained_minutes is not None:
        return _measure_sustained(
            request,
            profile=profile,
            workload=workload,
            progress=progress,
            minutes=sustained_minutes,
        )
    if request.python is None or workload is not None:
        return journey.measure(
            profile, workload, request, on_event=progress.show, cancel=progress.cancel
        )
    return measure_environment(
        request.python,
        profile,
        reader=SystemReader(),
        budget=request.budget,
        phase=request.job.phase,
        device_ids=request.device_ids,
        on_plan=lambda plan: progress.show(journey.PlanReady(n_kernels=len(plan))),
        on_event=progress.show,
        cancel=progress.cancel,
    )


def _measure_sustained(
    request: journey.JourneyRequest,
    *,
    profile: MachineProfile,
    workload: Workload | None,
    progress: TerminalProgress,
    minutes: float,
) -> MeasurementSet:
    device_ids = request.device_ids or (CPU_DEVICE_ID,)
    if len(device_ids) > 1:
        raise InputError("--sustained keeps one device busy: give one --device")
    if workload is not None:
        raise InputError("--sustained times one product: leave --network out")
    return measure_sustained(
        profile,
        minutes=minutes,
        device_id=device_ids[0],
        python=request.python,
        on_event=progress.show,
        cancel=progress.cancel,
    )
