"""The part of a report that says how long the network takes on each option, and nothing else.

Leaves to others: how the times here were found (`advisor.report.method_sections`), what to do
(`advisor.report.advice_sections`).
"""

from advisor.format import format_duration_interval
from advisor.i18n import N_, Translator
from advisor.model.prediction import Prediction
from advisor.model.quantity import Phase
from advisor.model.recommendation import Recommendation
from advisor.model.report import Paragraph, Section, Table
from advisor.recommend.staying import is_as_it_is, stay_option
from advisor.report.advice_sections import warning_notes
from advisor.report.names import BASES
from advisor.report.reasons import timing_texts
from advisor.report.said import said_title


def times_section(advice: Recommendation, tr: Translator) -> Section:
    """Return step, epoch and whole job of this machine as it is, then of each option by time.

    Inference has no epochs: its job is one pass over the samples. What there is to know before the
    times are believed stands below.
    """
    has_epochs = advice.workload.phase is Phase.TRAINING
    options = [row for row in advice.ranked if row.option.id != advice.baseline.option_id]
    options.sort(key=lambda row: (row.prediction.total_s.mid, row.rank))
    named = [(_own_title(advice, tr), advice.baseline)]
    named += [(said_title(row.option.title, tr), row.prediction) for row in options]
    heads = (N_("Option"), N_("Step"), N_("Epoch"), N_("Whole job"), N_("Basis"))
    table = Table(
        heads=tuple(tr(head) for head in heads if has_epochs or head != "Epoch"),
        rows=tuple(_row(title, times, tr, has_epochs=has_epochs) for title, times in named),
        caption=tr(N_("Each with the interval that holds in 8 of 10 cases:")),
    )
    known = tuple(Paragraph(text=text) for text in timing_texts(advice, tr))
    return Section(
        title=tr(N_("Predicted times")), blocks=(table, *warning_notes(advice, tr), *known)
    )


def _own_title(advice: Recommendation, tr: Translator) -> str:
    """Return what the times of this machine are of: as it is, but for what it has to do first."""
    own = stay_option(advice.profile, advice.workload)
    return tr(N_("This machine as it is")) if is_as_it_is(own) else said_title(own.title, tr)


def _row(title: str, times: Prediction, tr: Translator, *, has_epochs: bool) -> tuple[str, ...]:
    shown = (times.step_s, *((times.epoch_s,) if has_epochs else ()), times.total_s)
    basis = tr(BASES[times.basis]) + (" (!)" if times.is_warned else "")
    return (title, *(format_duration_interval(each, tr) for each in shown), basis)
