"""What the history of trials holds, row by row, and what runs are kept under.

Leaves to others: keeping them (`ui.history.store`).
"""

import hashlib
import json
from dataclasses import dataclass

from advisor.model.codec import encode
from advisor.model.own_step import OwnStep
from advisor.model.trial import TrialRun, TrialSetup, TrialSource


@dataclass(frozen=True, slots=True, kw_only=True)
class Search:
    """What runs belong to: a network and a job on a machine, with one set of software.

    Attributes:
        key: digest of all that makes runs comparable.
        machine: name of the processor.
    """

    key: str
    created_on: str
    network: str
    title: str
    phase: str
    batch_size: int
    precision: str
    machine: str


@dataclass(frozen=True, slots=True, kw_only=True)
class HistoryRow:
    """A finished run with what it belongs to.

    Attributes:
        finished_on: ISO date; finished_at: ISO date and time with its zone, "" where only the
            date was kept.
    """

    search: Search
    finished_on: str
    setup: TrialSetup
    run: TrialRun
    finished_at: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class OwnStepRow:
    """A step that was tried, with the search that it is from; `step` is None: it is damaged."""

    search: Search
    step: OwnStep | None


def search_of(
    source: TrialSource, *, machine: str, software: str, created_on: str, code_text: str = ""
) -> Search:
    """Return the search that runs of a source belong to on this machine.

    Args:
        source: the network and the job.
        machine: name of the processor, with what else changes the figures.
        software: versions of what runs.
        created_on: ISO date.
        code_text: content of the user's own file, which may change under the same name.
    """
    parts = [json.dumps(encode(source), sort_keys=True), machine, software, code_text]
    digest = hashlib.sha256("\0".join(parts).encode()).hexdigest()[:24]
    return Search(
        key=digest,
        created_on=created_on,
        network=source.name,
        title=source.title,
        phase=source.phase.value,
        batch_size=source.batch_size,
        precision=source.precision.value,
        machine=machine,
    )
