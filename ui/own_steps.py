"""What was tried here before, for the predictions to come: read from the history, and added to it.

Leaves to others: what it is worth (`advisor.predict.own_steps`), the file (`ui.history.store`).
"""

from advisor.errors import InputError
from advisor.model.machine import MachineProfile
from advisor.model.own_step import OwnStep
from advisor.share.steps import TriedJob, own_step
from ui import dataset
from ui.history.rows import Search
from ui.history.store import History
from ui.settings import trials_file


def own_steps_of(profile: MachineProfile) -> tuple[OwnStep, ...]:
    """Return what was tried on this machine; none when the history is not there or not readable."""
    path = trials_file()
    if not path.is_file():
        return ()
    try:
        with History(path) as history:
            return history.own_steps(machine=profile.cpu.brand)
    except InputError:
        return ()


def keep_own_step(history: History, search: Search, job: TriedJob) -> None:
    """Keep what a finished search tells of the predictions, if it tells anything.

    Args:
        history: open.
        search: whose runs are in it.
        job: with what was tried.

    Raises:
        InputError: when the history cannot be written.
    """
    step = own_step(job, knowledge=dataset.bundled_knowledge(), index=dataset.bundled_index())
    if step is not None:
        history.add_own_step(search, step)
