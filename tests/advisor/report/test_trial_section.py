"""Before and after in the report."""

import dataclasses

from advisor.i18n import translator_for
from advisor.model.codec import dump_document, load_document
from advisor.model.machine import OsFamily
from advisor.model.measurement import StabilityWarning
from advisor.model.trial import TrialReport, TrialVerdict
from advisor.report.pdf import render_pdf
from advisor.report.text import render_text
from advisor.report.trial_section import VERDICTS, WARNINGS, build_trial_report
from tests.advisor.recommend.test_tried import TRIALS

TR = translator_for("en")


def text(trials):
    return render_text(build_trial_report(trials, TR, system=OsFamily.LINUX))


def test_the_best_comes_first_with_how_to_use_and_undo_it():
    found = text(TRIALS)
    assert "Best: malloc-keep, 2×" in found
    assert "export MALLOC_MMAP_MAX_=0" in found
    assert "unset MALLOC_MMAP_MAX_" in found
    for words in ("slower", "no difference", "wrong result", "as it is now"):
        assert words in found


def test_nothing_faster_is_said_and_warnings_are_shown():
    trials = dataclasses.replace(
        TRIALS, results=TRIALS.results[:1], warnings=(StabilityWarning.BUSY,)
    )
    found = text(trials)
    assert "Nothing that was tried is surely faster" in found
    assert "Other programs used the processor" in found


def test_it_can_be_a_pdf_and_a_file():
    report = build_trial_report(TRIALS, TR, system=OsFamily.WINDOWS)
    assert render_pdf(report).startswith(b"%PDF")
    assert load_document(dump_document(TRIALS), TrialReport) == TRIALS


def test_every_verdict_and_warning_of_a_report_has_words():
    assert set(VERDICTS) == set(TrialVerdict)
    assert {StabilityWarning.ON_BATTERY, StabilityWarning.THROTTLED} <= set(WARNINGS)
    unknown = next(w for w in StabilityWarning if w not in WARNINGS)
    assert "Best" in text(dataclasses.replace(TRIALS, warnings=(unknown,)))
