"""What `bench` measures: this machine, or the frameworks of another interpreter.

Leaves to others: arguments, files and text (`ui.commands`), the measuring (`probes.bench`).
"""

from advisor.model.machine import MachineProfile
from advisor.model.measurement import MeasurementSet
from advisor.model.workload import Workload
from probes.bench.other_python import measure_environment
from probes.machine.reader import SystemReader
from ui import journey
from ui.progress import TerminalProgress


def measure(
    request: journey.JourneyRequest,
    *,
    profile: MachineProfile,
    workload: Workload | None,
    progress: TerminalProgress,
) -> MeasurementSet:
    """Measure what is asked for; cancelled by the progress it gives what there is.

    The kernels of a network are always timed through Keras on TensorFlow, also in another
    interpreter; without a network every framework of that interpreter is timed.

    Raises:
        InputError: for a device, an interpreter or a framework that is not there.
    """
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
