"""A real session with the worker of `drill.py`, to be killed while it runs.

Arguments: the root of the project, the folder of the workers, the file for DL_TEST_LOG, the
faults of the kernel, the faults of the worker.
"""

import sys
from pathlib import Path

sys.path.insert(0, sys.argv[1])

from advisor.model.kernel import Direction, PeakShape
from advisor.model.measurement import BenchmarkRequest, Runner, Setting
from advisor.model.quantity import Precision
from probes.bench.commands import WorkerCommand
from probes.bench.process import CancelToken, Deadlines, run_worker
from probes.bench.session import wire_kernel

_, _, folder, log, kernel_faults, worker_faults = sys.argv
kernel = BenchmarkRequest(
    id=f"a:{kernel_faults}",
    role="headline",
    runner=Runner.KERAS,
    device_id="cpu",
    shape=PeakShape(),
    direction=Direction.FORWARD,
    precision=Precision.FLOAT32,
    min_value_s=1e-5,
    n_values=3,
)
settings = (
    Setting(name="DL_TEST_LOG", value=log),
    Setting(name="DL_DRILL", value=worker_faults),
)
script = str(Path(__file__).with_name("drill.py"))
command = WorkerCommand(argv=(sys.executable, "-S", script, folder), environment=settings)
request = {"runner": "keras", "options": {}, "kernels": [wire_kernel(kernel)]}
run_worker(command, request, deadlines=Deadlines(), cancel=CancelToken())
