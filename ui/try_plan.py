"""What can be tried on this machine, and what the runs of a search are kept under.

The command line and the window come to the same search with the same words, so that one can go
on where the other was left.
Leaves to others: running (`ui.try_run`), what is worth trying (`advisor.trial.plan`).
"""

import dataclasses
from pathlib import Path

from advisor.model.machine import Environment, MachineProfile
from advisor.model.trial import TrialSetup, TrialSource
from advisor.trial.plan import list_trials
from probes.bench.other_python import find_environment
from probes.machine.reader import SystemReader
from ui import dataset, journey
from ui.history.rows import Search, search_of
from ui.try_run import gpu_backends, machine_facts


def named_environment(python: str | None) -> Environment | None:
    """Return what is installed in an interpreter that the user named; None when none was named.

    Raises:
        InputError: when it is not there, or has no framework.
    """
    if python is None:
        return None
    return find_environment(python, reader=SystemReader())


def setups_for(
    profile: MachineProfile,
    source: TrialSource,
    *,
    environment: Environment | None = None,
    with_batches: bool = False,
) -> tuple[TrialSetup, ...]:
    """Return the baseline and what is worth trying, the most promising first.

    Args:
        profile: this machine.
        source: the network and the job.
        environment: another Python that the user has named.
        with_batches: try other batch sizes as well.
    """
    facts = dataclasses.replace(machine_facts(), gpu_backends=gpu_backends(profile, environment))
    return list_trials(
        profile,
        source,
        facts=facts,
        options=dataset.bundled_knowledge().options,
        environment=environment,
        with_batches=with_batches,
    )


def search_row(
    profile: MachineProfile, source: TrialSource, *, environment: Environment | None = None
) -> Search:
    """Return what the runs of a source are kept under; with the content of the user's files."""
    own = next((e for e in profile.environments if e.kind == "ours"), None)
    software = repr([e.frameworks for e in (own, environment) if e is not None])
    paths = {reference.path for reference in (source.code, source.data) if reference is not None}
    code = [Path(path) for path in sorted(paths) if path.endswith(".py")]
    texts = [path.read_text(encoding="utf-8", errors="replace") for path in code]
    return search_of(
        source,
        machine=profile.cpu.brand,
        software=software,
        created_on=journey.today(),
        code_text="\0".join(texts),
    )
