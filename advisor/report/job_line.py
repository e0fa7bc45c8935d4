"""A job in one sentence: network, phase, batch, samples, format, and what is wanted.

Leaves to others: the whole job (`advisor.report.method_sections`), where it stands (`ui`).
"""

from advisor.format import format_count
from advisor.i18n import N_, Translator
from advisor.model.quantity import Phase
from advisor.model.recommendation import Preferences
from advisor.model.workload import Workload
from advisor.report.names import OBJECTIVES, PHASES


def job_sentence(workload: Workload, preferences: Preferences | None, tr: Translator) -> str:
    """Return the job in one sentence; without preferences nothing is said of what is wanted."""
    parts = [workload.title, tr(PHASES[workload.phase])]
    parts.append(tr(N_("batch {n}"), n=workload.batch_size))
    if workload.phase is Phase.TRAINING:
        text = N_("{samples} samples × {epochs} epochs")
    else:
        text = N_("{samples} samples")
    samples = format_count(workload.samples)
    parts.append(tr(text, samples=samples, epochs=workload.epochs))
    parts.append(workload.precision.value)
    if preferences is not None:
        parts.append(tr(OBJECTIVES[preferences.objective]))
    return " · ".join(parts)
