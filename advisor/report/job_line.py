"""A job in one sentence: network, phase, batch, samples, format, what is wanted and refused.

Leaves to others: the whole job (`advisor.report.method_sections`), where it stands (`ui`).
"""

from collections.abc import Iterator

from advisor.format import format_count, format_duration, format_number, format_usd
from advisor.i18n import N_, Translator
from advisor.model.quantity import Phase
from advisor.model.recommendation import Preferences
from advisor.model.workload import Workload
from advisor.report.names import CONTINENTS, OBJECTIVES, PHASES

SEPARATOR = " · "
_SAMPLES_AND_EPOCHS = N_("{samples} samples × {epochs} epochs")


def job_sentence(workload: Workload, preferences: Preferences | None, tr: Translator) -> str:
    """Return the job in one sentence; without preferences nothing is said of what is wanted."""
    parts = [workload.title, tr(PHASES[workload.phase])]
    parts.append(tr(N_("batch {n}"), n=workload.batch_size))
    parts.append(amount_text(workload, tr))
    parts.append(workload.precision.value)
    if preferences is not None:
        parts += wishes(preferences, tr)
    return SEPARATOR.join(parts)


def amount_text(workload: Workload, tr: Translator) -> str:
    """Return how much is to be run: "50,000 samples × 10 epochs", "1 sample"."""
    samples = format_count(workload.samples)
    is_one = workload.samples == 1
    if workload.phase is not Phase.TRAINING:
        return tr(N_("1 sample") if is_one else N_("{samples} samples"), samples=samples)
    if workload.epochs == 1:
        text = N_("1 sample × 1 epoch") if is_one else N_("{samples} samples × 1 epoch")
    else:
        text = N_("1 sample × {epochs} epochs") if is_one else _SAMPLES_AND_EPOCHS
    return tr(text, samples=samples, epochs=workload.epochs)


def wishes(preferences: Preferences, tr: Translator) -> Iterator[str]:
    """Yield what is wanted, each limit that is set, and what else was said; nothing of the rest."""
    yield tr(OBJECTIVES[preferences.objective])
    if preferences.max_usd is not None:
        yield tr(N_("at most {usd}"), usd=format_usd(preferences.max_usd))
    if preferences.deadline_h is not None:
        yield tr(N_("ready within {time}"), time=format_duration(preferences.deadline_h * 3600, tr))
    if not preferences.allows_cloud:
        yield tr(N_("no renting"))
    elif preferences.regions:
        places = ", ".join(_place(region, tr) for region in preferences.regions)
        yield tr(N_("renting only {places}"), places=places)
    if not preferences.allows_buying:
        yield tr(N_("no buying"))
    if preferences.electricity_usd_per_kwh is not None:
        price = format_number(preferences.electricity_usd_per_kwh)
        yield tr(N_("electricity at {price} USD/kWh"), price=price)
    if preferences.data_bytes is not None and preferences.allows_cloud:
        yield tr(N_("{size} GB to upload"), size=format_number(preferences.data_bytes / 1e9))
    if preferences.use_h_per_week is not None:
        hours = format_number(preferences.use_h_per_week)
        yield tr(N_("{hours} h of computing a week"), hours=hours)


def _place(region: str, tr: Translator) -> str:
    """Return where a region is: a continent by its name, a cloud's region as the cloud calls it."""
    names = {place.value: name for place, name in CONTINENTS.items()}
    return tr(names[region]) if region in names else tr(N_("in {region}"), region=region)
