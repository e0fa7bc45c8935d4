"""A real search that is kept in a history, to be killed while it runs.

Arguments: the root of the project, the file of the history, the folder for the user's file.
Each finished run is also told on standard output, after it was kept.
"""

import sys
from pathlib import Path

sys.path.insert(0, sys.argv[1])

from advisor.model.quantity import Phase
from advisor.model.trial import CodeReference, TrialSetup, TrialSource
from advisor.trial.schedule import search
from probes.bench.commands import WorkerCommand, worker_script
from probes.bench.trials.run import RunLimits, run_setup
from ui.history.rows import search_of
from ui.history.store import History

_, root, file, folder = sys.argv
path = Path(folder) / "net.py"
source = TrialSource(
    name="net",
    title="net",
    phase=Phase.TRAINING,
    batch_size=8,
    code=CodeReference(path=str(path), function="build_model"),
)
setups = [TrialSetup(id=name, title=name) for name in ("now", "a", "b")]
script = Path(root) / "tests" / "data" / "workers" / "user_code.py"


def command(_name, *, python=None, settings=()):
    argv = (sys.executable, "-S", str(script), str(worker_script("main").parent))
    return WorkerCommand(argv=argv, environment=settings)


with History(Path(file)) as history:
    search_ = history.begun(search_of(source, machine="m", software="s", created_on="2026-11-22"))

    def run(setup):
        found = run_setup(source, setup, limits=RunLimits(), command=command)
        history.add_run(search_, setup, found, finished_on="2026-11-22")
        print(setup.id, found.outcome.value, flush=True)
        return found

    search(setups, run=run, budget_s=1e6, max_runs=500)
