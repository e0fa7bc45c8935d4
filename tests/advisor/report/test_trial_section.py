"""Before and after in the report."""

import dataclasses

import pytest

from advisor.i18n import translator_for
from advisor.model.codec import dump_document, load_document
from advisor.model.machine import OsFamily
from advisor.model.measurement import StabilityWarning
from advisor.model.quantity import Interval, Precision
from advisor.model.trial import Jit, Runner, TrialReport, TrialSetup, TrialVerdict
from advisor.report.pdf import render_pdf
from advisor.report.text import render_text
from advisor.report.trial_section import VERDICTS, WARNINGS, build_trial_report, setup_title
from advisor.trial.plan import combine
from tests.advisor.recommend.test_tried import TRIALS
from tests.helpers.moments import MOMENT

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


def test_a_network_without_a_figure_of_now_is_told_as_such():
    now = dataclasses.replace(
        TRIALS.results[0], verdict=TrialVerdict.FAILED, message="the worker did not end within 60 s"
    )
    found = text(dataclasses.replace(TRIALS, results=(now,)))
    assert "The network gave no figure: the worker did not end within 60 s." in found
    assert "surely faster" not in found


def test_what_is_ahead_without_a_proof_is_named_as_that_with_how_to_use_it():
    slow, fast = TRIALS.results[0], TRIALS.results[-1]
    unsure = dataclasses.replace(
        fast, verdict=TrialVerdict.UNSTABLE, n_runs=3,
        speedup=Interval(low=0.99, mid=1.09, high=1.2),
    )  # fmt: skip
    found = " ".join(text(dataclasses.replace(TRIALS, results=(slow, unsure))).split())
    assert "Nothing that was tried is surely faster" in found
    assert "Ahead, but not proven in this time: malloc-keep, 1.1×" in found
    assert "export MALLOC_MMAP_MAX_=0" in found
    once = dataclasses.replace(unsure, n_runs=1)
    assert "Ahead" not in text(dataclasses.replace(TRIALS, results=(slow, once)))


def test_it_can_be_a_pdf_and_a_file():
    report = build_trial_report(TRIALS, TR, system=OsFamily.WINDOWS)
    assert render_pdf(report, created_at=MOMENT).startswith(b"%PDF")
    assert load_document(dump_document(TRIALS), TrialReport) == TRIALS


def test_every_verdict_and_warning_of_a_report_has_words():
    assert set(VERDICTS) == set(TrialVerdict)
    assert {StabilityWarning.ON_BATTERY, StabilityWarning.THROTTLED} <= set(WARNINGS)
    unknown = next(w for w in StabilityWarning if w not in WARNINGS)
    assert "Best" in text(dataclasses.replace(TRIALS, warnings=(unknown,)))


BF16 = TrialSetup(
    id="bfloat16", title="Mixed precision with bfloat16", precision=Precision.BFLOAT16
)
HALF = TrialSetup(
    id="threads-half", title="Half as many threads as cores", intra_threads=2, inter_threads=1
)
XLA = TrialSetup(id="xla", title="Compile with XLA", jit=Jit.ON)
TORCH = TrialSetup(id="pytorch", title="PyTorch without Keras", runner=Runner.TORCH)


@pytest.mark.parametrize(
    ("first", "second", "english", "chinese"),
    [
        (BF16, HALF, "bfloat16 + 2 threads", "bfloat16 + 2 个线程"),
        (BF16, dataclasses.replace(HALF, intra_threads=1), "bfloat16 + one thread",
         "bfloat16 + 一个线程"),
        (TORCH, HALF, "PyTorch without Keras + 2 threads", "不经 Keras 的 PyTorch + 2 个线程"),
    ],
)  # fmt: skip
def test_a_pair_goes_by_names_not_by_ids(first, second, english, chinese):
    pair = combine(first, second)
    assert setup_title(pair, TR) == english
    assert setup_title(pair, translator_for("zh_CN")) == chinese


def test_three_together_are_named_too():
    three = combine(combine(BF16, HALF), XLA)
    assert setup_title(three, TR) == "bfloat16 + 2 threads + XLA"


def test_a_pair_whose_titles_are_lost_goes_by_its_ids():
    pair = dataclasses.replace(combine(TORCH, HALF), title="")
    assert setup_title(pair, TR) == "pytorch + 2 threads"
