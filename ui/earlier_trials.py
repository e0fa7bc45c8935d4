"""What was tried before on this machine for a job: taken into a new advice for the same job.

The same is the same network with its optimiser, loss and data, batch, phase and precision, on the
same processor with the same versions of the frameworks: else its times are not those of now.
Leaves to others: what the figures are worth (`advisor.recommend.tried`), the file
(`ui.history.store`).
"""

import contextlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from advisor.errors import AdvisorError, InputError
from advisor.model.machine import Environment, MachineProfile
from advisor.model.trial import TrialReport, TrialSource, UntakenTrial
from advisor.model.workload import Workload
from advisor.recommend.tried import trials_of
from ui import dataset, try_source
from ui.history.rows import HistoryRow, Search
from ui.history.store import History
from ui.models.history_entries import report_of
from ui.settings import trials_file
from ui.try_plan import named_environment, search_row
from ui.trying import tells_something


@dataclass(frozen=True, slots=True, kw_only=True)
class EarlierTrials:
    """What a new advice takes in, or the trial that it does not take in; both None: nothing."""

    taken: TrialReport | None = None
    untaken: UntakenTrial | None = None


def earlier_trials_of(
    profile: MachineProfile, workload: Workload, *, model_file: Path | None = None
) -> EarlierTrials:
    """Return the last trial of a job here that came to a verdict, else the last one with a figure.

    Nothing when the history is not there or not readable, or such a job cannot be tried.

    Args:
        profile: this machine.
        workload: the job.
        model_file: that holds its network; None for a bundled one.
    """
    knowledge = dataset.bundled_knowledge()
    try:
        source = try_source.source_of_workload(
            workload, path=model_file, data=None, knowledge=knowledge
        )
        searches = _searches(trials_file(), search_row(profile, source))
    except (AdvisorError, OSError, ValueError):
        return EarlierTrials()
    same = [rows for rows in searches if _is_same(rows, profile, source)]
    reports = [report for report in map(report_of, same) if trials_of(report, workload=workload)]
    taken = next(filter(tells_something, reports), reports[0] if reports else None)
    if taken is not None or same or not searches:
        return EarlierTrials(taken=taken)
    return EarlierTrials(untaken=_untaken(searches[0], profile.environments))


def _searches(path: Path, wanted: Search) -> list[list[HistoryRow]]:
    """Return the runs of each search of such a job on this machine, last run first."""
    if not path.is_file():
        return []
    found: dict[str, list[HistoryRow]] = {}
    with History(path) as history:
        for row in history.rows():
            if _looks_like(row.search, wanted):
                found[row.search.key] = [*found.pop(row.search.key, ()), row]
    return [*reversed(found.values())]


def _looks_like(search: Search, wanted: Search) -> bool:
    names = ("machine", "network", "phase", "batch_size", "precision")
    return all(getattr(search, name) == getattr(wanted, name) for name in names)


def _is_same(rows: Sequence[HistoryRow], profile: MachineProfile, source: TrialSource) -> bool:
    """Whether all that makes figures comparable is as it was: a search has a digest of it."""
    digest = rows[0].search.key.partition("-")[0]
    return any(
        search_row(profile, source, environment=environment).key == digest
        for environment in (None, *_environments(rows))
    )


def _environments(rows: Iterable[HistoryRow]) -> Iterator[Environment]:
    """Yield the other Pythons that a search used, as they are now; none of those that are gone."""
    pythons = dict.fromkeys(row.setup.python for row in rows if row.setup.python is not None)
    for python in pythons:
        with contextlib.suppress(InputError):
            environment = named_environment(python)
            if environment is not None:
                yield environment


def _untaken(rows: Sequence[HistoryRow], environments: Sequence[Environment]) -> UntakenTrial:
    """Return when it was, and the versions that have changed since, as far as runs tell them."""
    now = {
        framework.name.partition("-")[0]: framework.version
        for environment in environments
        if environment.kind == "ours"
        for framework in environment.frameworks
    }
    then: dict[str, str] = {}
    for stack in (row.run.stack for row in rows if row.setup.python is None):
        if stack is not None:
            named = (
                (stack.framework, stack.framework_version),
                (stack.backend, stack.backend_version),
            )
            then.update({name: version for name, version in named if name and version})
    changed = [name for name, version in then.items() if now.get(name, version) != version]
    return UntakenTrial(
        tried_on=rows[-1].finished_on,
        then=", ".join(f"{name} {then[name]}" for name in changed),
        now=", ".join(f"{name} {now[name]}" for name in changed),
    )
