"""The table of a trial says what the verdict says, not what single runs took."""

import dataclasses

import pytest

from advisor.i18n import translator_for
from advisor.model.measurement import Outcome
from advisor.model.quantity import Interval, Phase, Precision
from advisor.model.trial import TrialReport, TrialResult, TrialRun, TrialSetup, TrialVerdict
from advisor.trial.judge import judge_all
from ui.models.trial_rows import RUN_HEADS, result_rows, run_rows, verdict_lines

TR = translator_for("en")
NOW = TrialSetup(id="now", title="As it is now", option_id="stay")
XLA = TrialSetup(id="xla", title="Compile with XLA", option_id="xla-cpu")


def result(setup, step_s, verdict, *, n_runs=3, speedup=None, **changes):
    interval = Interval(low=0.9 * step_s, mid=step_s, high=1.1 * step_s)
    return TrialResult(
        setup=setup, verdict=verdict, step_s=interval, n_runs=n_runs, speedup=speedup, **changes
    )


def report(*results):
    return TrialReport(
        measured_on="2026-11-21", source="net", title="A net", phase=Phase.TRAINING,
        batch_size=8, precision=Precision.FLOAT32, results=results, duration_s=60.0,
    )  # fmt: skip


@pytest.fixture
def judged():
    slower = Interval(low=0.18, mid=0.19, high=0.2)
    return report(
        result(NOW, 1.51, TrialVerdict.BASELINE, first_step_s=2.0, peak_memory_bytes=2**30),
        result(XLA, 7.88, TrialVerdict.SLOWER, n_runs=1, speedup=slower),
    )


def test_the_rows_of_the_verdict_have_the_steps_of_its_sentences(judged):
    rows = result_rows(judged, TR)
    assert [len(row) for row in rows] == [len(RUN_HEADS)] * 2
    assert [row[2].text for row in rows] == ["1.51 s", "7.88 s"]
    assert [row[2].value for row in rows] == [1.51, 7.88]
    assert [row[-1].text for row in rows] == ["as it is now", "slower"]
    assert (rows[0][3].text, rows[0][4].text) == ("2 s", "1 GiB")
    assert rows[1][2].explanation.endswith("(runs: 1).")
    assert verdict_lines(judged, TR)[0] == "As it is now: 1.51 s a step (runs: 3)."


def test_one_run_is_not_one_runs(judged):
    lines = verdict_lines(judged, TR)
    assert lines[1].endswith("with a 95 % interval (runs: 1).")
    assert not any("1 runs" in line for line in lines)


def test_what_has_no_figure_says_why(judged):
    failed = TrialResult(setup=XLA, verdict=TrialVerdict.FAILED, message="it crashed")
    row = result_rows(dataclasses.replace(judged, results=(judged.results[0], failed)), TR)[1]
    assert row[2].text == "–"
    assert row[2].explanation == ""
    assert row[-1].text == "failed: it crashed"


def test_a_run_tells_its_own_step_and_why_it_has_none():
    good = TrialRun(
        setup_id="now", started_s=0.0, duration_s=5.0, outcome=Outcome.COMPLETED,
        values_s=(1.31,), batch_size=8,
    )  # fmt: skip
    lost = dataclasses.replace(good, outcome=Outcome.CRASHED, values_s=(), message="it crashed")
    rows = run_rows(((NOW, good), (XLA, lost)), TR)
    assert [row[2].text for row in rows] == ["1.31 s", "–"]
    assert rows[1][-1].text.endswith(": it crashed")


def test_a_network_whose_time_was_too_short_is_not_called_unable_to_run():
    late = TrialRun(
        setup_id="now", started_s=0.0, duration_s=60.0, outcome=Outcome.TIMED_OUT,
        message="the worker did not end within 60 s",
    )  # fmt: skip
    (line,) = verdict_lines(report(*judge_all([NOW, XLA], [late])), TR)
    assert line == (
        "The network gave no figure: the worker did not end within 60 s: its steps are long,"
        " allow more minutes"
    )
    chinese = verdict_lines(report(*judge_all([NOW, XLA], [late])), translator_for("zh_CN"))[0]
    assert not set("abcdefghijklmnopqrtuvwxyz") & set(chinese)
