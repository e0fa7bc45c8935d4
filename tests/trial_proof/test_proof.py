"""The comparison of the proof on figures whose answer is known, and what it takes for a fault."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from advisor.model.measurement import Outcome
from advisor.model.quantity import Phase, Precision
from advisor.model.trial import TrialReport, TrialRun, TrialSetup, TrialVerdict
from advisor.trial.judge import judge_all
from tests.trial_proof import jobs, kills, verdicts
from tests.trial_proof.all_settings import round_of, with_pairs

SETUPS = tuple(
    TrialSetup(id=name, title=name, intra_threads=at, batch_size=64 if "batch" in name else None)
    for at, name in enumerate(("now", "bfloat16", "xla", "batch-64"))
)
STEPS = {"now": 0.1, "bfloat16": 0.05, "xla": 0.4, "batch-64": 0.02}


def run(setup, at, *, step_s=None, check=2.3):
    return TrialRun(
        setup_id=setup.id, started_s=5.0 * at, duration_s=5.0, outcome=Outcome.COMPLETED,
        values_s=((step_s or STEPS[setup.id]) * (1 + at % 3 / 1000),), check_value=check,
        batch_size=1,
    )  # fmt: skip


def measured(n_rounds=3, **more):
    runs = [
        run(setup, at * len(SETUPS) + k, **more)
        for at in range(n_rounds)
        for k, setup in enumerate(SETUPS)
    ]
    return jobs.Measured(setups=SETUPS, runs=tuple(runs))


def test_regret_is_what_the_best_would_have_gained():
    truth = {"now": 1.0, "a": 1.5, "b": 1.4, "batch-64": 9.0}
    assert verdicts.regret_of(truth, "a", among={"now", "a", "b"}) == 0.0
    assert verdicts.regret_of(truth, "b", among={"now", "a", "b"}) == pytest.approx(1.5 / 1.4 - 1)
    assert verdicts.regret_of(truth, "now", among={"now", "a"}) == pytest.approx(0.5)
    assert verdicts.regret_of(truth, "unknown", among={"now", "a"}) is None


def test_a_verdict_is_asked_for_where_the_long_measurement_bears_it_out():
    faster, slower = TrialVerdict.FASTER, TrialVerdict.SLOWER
    assert verdicts.bears_out(1.6, faster)
    assert not verdicts.bears_out(0.96, faster)
    assert verdicts.bears_out(0.2, slower)
    assert not verdicts.bears_out(1.1, slower)
    assert verdicts.bears_out(None, slower)


def test_a_setting_that_computes_something_else_is_no_truth():
    found = measured()
    wrong = [run(s, at, check=9.0 if s.id == "bfloat16" else 2.3)
             for at, s in enumerate(SETUPS * 3)]  # fmt: skip
    assert "bfloat16" in verdicts.truth_of(judge_all(found.setups, found.runs))
    assert "bfloat16" not in verdicts.truth_of(judge_all(SETUPS, wrong))


def test_a_round_has_each_setting_once_and_leaves_out_what_is_far_slower():
    assert {s.id for s in round_of(jobs.Measured(setups=SETUPS))} == set(STEPS)
    later = [setup.id for setup in round_of(measured())]
    assert later[0] == later[-1] == "now"
    assert "xla" not in later
    assert later.count("bfloat16") == 1


def test_a_round_that_was_broken_off_is_made_whole():
    whole = measured()
    broken = jobs.Measured(setups=SETUPS, runs=whole.runs[:6])
    assert {s.id for s in round_of(broken)} == {"now", "xla", "batch-64"}


def test_what_is_surely_not_the_best_is_measured_three_times():
    found = round_of(measured(n_rounds=4))
    assert [s.id for s in found] == ["now", "bfloat16", "now"]


def test_no_pair_before_each_setting_had_its_rounds():
    assert with_pairs(measured(n_rounds=1)) == measured(n_rounds=1)


def test_pairs_of_what_is_faster_join_once():
    two = (SETUPS[0], SETUPS[1], TrialSetup(id="p", title="p", inter_threads=1))
    runs = [run(s, at, step_s=0.1 if s.id == "now" else 0.05) for at, s in enumerate(two * 3)]
    found = with_pairs(jobs.Measured(setups=two, runs=tuple(runs)))
    assert [s.id for s in found.setups] == ["now", "bfloat16", "p", "bfloat16+p"]
    assert with_pairs(found) == found


@pytest.mark.parametrize(("spent_s", "code"), [(60.0, 0), (130.0, 1)])
def test_a_comparison_holds_or_does_not(tmp_path, capsys, spent_s, code):
    proof = jobs.Proof(networks=("mnist-cnn",), python=None, out=tmp_path, minutes=1.0)
    assert verdicts.compare(proof) == 1
    found = measured()
    jobs.write_json(jobs.measured_file(proof, "mnist-cnn"), found)
    assert jobs.read_measured(jobs.measured_file(proof, "mnist-cnn")) == found
    report = TrialReport(
        measured_on="2026-11-22", source="n", title="N", phase=Phase.TRAINING, batch_size=1,
        precision=Precision.FLOAT32, duration_s=50.0,
        results=judge_all(SETUPS[:3], found.runs),
    )  # fmt: skip
    from advisor.model.codec import dump_document

    (tmp_path / "try-mnist-cnn.json").write_text(dump_document(report))
    jobs.write_json(tmp_path / "try-times.json", {"mnist-cnn": spent_s})
    capsys.readouterr()
    assert verdicts.compare(proof) == code
    output = capsys.readouterr().out
    assert "app: bfloat16; best: bfloat16" in output
    assert "xla              slower" in output


@pytest.mark.skipif(os.name != "posix", reason="the folder of a process")
def test_a_process_that_is_left_and_a_run_that_is_lost_are_faults(tmp_path):
    assert kills._faults(tmp_path, 0, n_kills=1) == []
    assert kills._faults(tmp_path, 2, n_kills=1) == ["no history although runs were told"]
    with subprocess.Popen(
        [sys.executable, "-c", "input()"], cwd=tmp_path, stdin=subprocess.PIPE
    ) as child:
        assert kills._orphans(tmp_path) == [child.pid]
        assert kills._orphans(Path(tmp_path) / "other") == []
        child.communicate(b"\n")
