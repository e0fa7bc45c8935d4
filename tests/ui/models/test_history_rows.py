"""The list of the history says in a few words what came of each entry."""

import dataclasses

import pytest

from advisor.i18n import translator_for
from advisor.model.trial import TrialVerdict
from tests.advisor.recommend.test_tried import TRIALS
from tests.ui.history_values import measured_advice
from ui.models.history_diff import diff_advices
from ui.models.history_entries import EntryKind, HistoryEntry
from ui.models.history_rows import HISTORY_HEADS, best_text, diff_text


@pytest.mark.parametrize(
    ("verdict", "words"),
    [(TrialVerdict.BASELINE, "nothing surely faster"), (TrialVerdict.FAILED, "no figure")],
)
def test_a_trial_without_a_figure_of_now_is_no_trial_without_gain(verdict, words):
    now = dataclasses.replace(TRIALS.results[0], verdict=verdict)
    report = dataclasses.replace(TRIALS, results=(now,))
    entry = HistoryEntry(id="x", kind=EntryKind.TRIAL, date="2026-11-29", report=report)
    assert best_text(entry, translator_for("en")) == words


@pytest.mark.parametrize(("language", "joint"), [("en", ". "), ("zh_CN", "。")])
def test_sentences_of_a_comparison_stand_as_the_language_has_them(language, joint):
    advice = measured_advice(time_s=0.5)
    later = dataclasses.replace(advice, created_on="2026-12-24")
    found = diff_text(diff_advices(advice, later, names=("a", "b")), translator_for(language))
    assert joint in found[:-1]
    assert ("。 " in found) is False


def test_the_column_of_machines_is_not_called_this_machine_in_chinese():
    heads = [translator_for("zh_CN")(head) for head in HISTORY_HEADS]
    assert "机器" in heads
    assert "本机" not in heads
    assert "Machine" in [translator_for("en")(head) for head in HISTORY_HEADS]
