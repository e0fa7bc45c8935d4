"""The live run does what it says, and recordings of real machines keep their accuracy."""

import gzip
import json
import sys
from pathlib import Path

import pytest

from advisor.model.kernel import UnknownShape
from advisor.model.quantity import Phase, Precision
from probes.machine.collect import collect_profile
from probes.machine.reader import SystemReader
from tests.accuracy.live import run_live
from tests.accuracy.live_file import Recording, anonymous
from tests.accuracy.live_judge import Judge, Truth, judge_of
from tests.accuracy.live_networks import live_networks
from tests.accuracy.live_recorded import baseline_path, judge_recording, run_recorded
from tests.accuracy.live_units import (
    extra_calls,
    kernels_of,
    replay_requests,
    replayed_calls,
    steps_request,
    tasks,
    truth,
)
from tests.helpers.bundled import bundled_knowledge

RECORDINGS = sorted(Path(__file__).with_name("recorded").glob("*.json.gz"))
NETWORKS = live_networks()
# A change of the model may cost one question a little where it gains elsewhere.
_TOLERANCE = 0.1
_COVERED_TOLERANCE = 0.04


@pytest.fixture(scope="module")
def profile():
    return collect_profile(SystemReader(), today="2026-01-02", list_opencl=None)


def network(name):
    return next(n for n in NETWORKS if n.name == name)


def test_fitted_and_held_out_families_have_nothing_in_common():
    families = {
        role: {n.family for n in NETWORKS if n.role == role} for role in ("fitted", "held_out")
    }
    assert len(NETWORKS) >= 24
    assert len(families["fitted"]) >= 6
    assert len(families["held_out"]) >= 8
    assert not families["fitted"] & families["held_out"]


@pytest.mark.parametrize("one", NETWORKS, ids=lambda n: n.name)
def test_every_network_is_understood_whole(one):
    for phase in Phase:
        workload = one.workload(phase=phase, batch=one.batches[0])
        assert workload.notes == () or one.is_bundled
        assert not [o for o in workload.operators if isinstance(o.shape, UnknownShape)]
        assert kernels_of(workload)
    assert len(one.batches) == 2
    assert one.variant_batch is None or one.variant_batch in one.batches


def test_a_replay_is_what_the_product_plans_and_nothing_else(profile):
    calls = replayed_calls(network("conv-grey"), [32])
    requests = replay_requests(profile, calls)
    asked = {(r.shape, r.direction) for r in requests}
    assert asked == {(c.shape, c.direction) for c in calls}
    alone = replay_requests(profile, calls, threads=1)
    assert {(r.role, r.threads) for r in alone} == {("setting", 1)}
    assert not {r.id for r in requests} & {r.id for r in alone}


def test_extra_kernels_are_those_that_are_not_replayed(profile):
    one = network("residual-small")
    replayed = {(c.shape, c.direction) for c in replayed_calls(one, [48])}
    extra = extra_calls(one)
    assert extra
    assert not {(c.shape, c.direction) for c in extra} & replayed


def test_units_have_names_of_their_own_and_begin_with_a_calibration(profile):
    names = [task.name for task in tasks(profile, NETWORKS)]
    assert len(set(names)) == len(names)
    assert names[0] == "calibration/start"
    first = names.index("truth/1/gru-two")
    assert names[first : first + 3] == [
        "truth/1/gru-two", "replay/float32/gru-two", "truth/2/gru-two",
    ]  # fmt: skip
    assert {"calibration/9", "calibration/18", "calibration/end"} <= set(names)
    assert names[names.index("calibration/9") - 1].startswith("truth/2/")


def test_unseen_networks_are_measured_apart(tmp_path, capsys):
    planned = {}
    for flags in ((), ("--unseen",)):
        assert run_live([str(tmp_path / "some.json.gz"), "--essential", "--plan", *flags]) == 0
        names = capsys.readouterr().out.split()
        planned[flags] = {name.split("/")[-1] for name in names if name.startswith("truth/1/")}
    assert planned[("--unseen",)] == {n.name for n in NETWORKS if n.is_unseen}
    assert planned[()] == {n.name for n in NETWORKS if not n.is_unseen}
    assert min(map(len, planned.values())) >= 18


def test_a_prediction_rests_on_the_last_calibration_before_its_network(tmp_path):
    recording = Recording(tmp_path / "some.json.gz")
    begun = {
        "calibration/start": 0.0, "truth/1/gru-two": 1.0, "calibration/9": 2.0,
        "calibration/bfloat16": 3.0, "truth/1/dense-tiny": 4.0, "calibration/end": 5.0,
    }  # fmt: skip
    for name, at in begun.items():
        recording.put(name, {"started_s": at, "load": {}})
    judge = Judge(recording, bundled_knowledge())
    found = {
        name: judge.last_calibration(
            Truth(
                network=network(name), phase=Phase.INFERENCE, batch=1,
                precision=Precision.FLOAT32, bouts_s=(1.0,),
            )
        )
        for name in ("gru-two", "dense-tiny")
    }  # fmt: skip
    assert found == {"gru-two": "start", "dense-tiny": "9"}


def test_real_steps_are_timed_and_one_bad_network_does_not_take_the_others():
    good = steps_request(network("dense-tiny"), phase=Phase.TRAINING, batch=32, timing=(0.01, 2))
    bad = {**good, "model_json": '{"class_name": "Nothing"}'}
    unit = truth([bad, good])
    assert unit["message"] == ""
    assert len(unit["reference"]["values_s"]) == 3
    failed, timed = unit["cases"]
    assert failed["message"]
    assert "values_s" not in failed
    assert len(timed["values_s"]) == 2
    assert 1e-5 < min(timed["values_s"]) < 1.0


def test_a_child_that_dies_leaves_a_unit_that_says_so(monkeypatch, tmp_path):
    script = tmp_path / "dies.py"
    script.write_text("import os; os.abort()\n")
    monkeypatch.setattr("tests.accuracy.live_units._CHILD", script)
    unit = truth([])
    assert unit["message"]
    assert unit["reference"] is None
    assert unit["cases"] == []


def test_a_recording_grows_and_forgets_what_was_disturbed(tmp_path, profile):
    path = tmp_path / "some.json.gz"
    recording = Recording(path)
    recording.begin(profile, {"app": "1"})
    recording.put("a", {"load": {"others": 0.01}})
    recording.put("b", {"load": {"others": 0.3}})
    again = Recording(path)
    assert again.profile == anonymous(profile)
    assert again.profile.cpu == profile.cpu
    assert sys.executable not in gzip.decompress(path.read_bytes()).decode("utf-8")
    assert set(again.units) == {"a", "b"}
    again.forget_busy(0.1)
    assert set(again.units) == {"a"}
    assert not path.with_name(path.name + ".part").exists()


def test_a_recording_of_another_format_is_refused(tmp_path):
    path = tmp_path / "old.json.gz"
    path.write_bytes(gzip.compress(b'{"format": 0, "units": {}}'))
    with pytest.raises(ValueError, match="format 0"):
        Recording(path)


def test_what_is_recorded_is_not_measured_again(tmp_path, capsys):
    path = tmp_path / "some.json.gz"
    recording = Recording(path)
    recording.put("calibration/start", {"load": {}})
    run_live([str(path), "--only", "gru-two", "--essential", "--plan"])
    listed = capsys.readouterr().out.split()
    assert listed == [
        "truth/1/gru-two",
        "replay/float32/gru-two",
        "truth/2/gru-two",
        "calibration/end",
    ]
    assert run_live([str(path), "--only", "gru-two", "--minutes", "0"]) == 1


@pytest.mark.parametrize("arguments", [["x.json", "--only", "nothing"], []])
def test_bad_arguments_end_with_2(arguments, capsys):
    with pytest.raises(SystemExit) as end:
        run_live(arguments)
    assert end.value.code == 2
    assert capsys.readouterr().err


def test_a_missing_recording_ends_with_2(tmp_path):
    with pytest.raises(SystemExit) as end:
        run_recorded([str(tmp_path / "none.json.gz")])
    assert end.value.code == 2


@pytest.mark.parametrize("path", RECORDINGS, ids=lambda p: p.name)
def test_errors_stay_at_the_baseline(path):
    baseline = json.loads(baseline_path(path).read_text(encoding="utf-8"))
    verdict = json.loads(judge_recording(judge_of(path)).to_json())
    assert set(verdict["errors"]) == set(baseline["errors"])
    for question, before in baseline["errors"].items():
        found = verdict["errors"][question]
        assert found["n"] == before["n"], question
        assert found["median_error"] <= before["median_error"] * (1 + _TOLERANCE), question
        assert found["p90_error"] <= before["p90_error"] * (1 + _TOLERANCE), question
        if question.endswith("/all") and before["covered"] is not None:
            # The goal is 0.75 to 0.90; until it is met, it must not get further away.
            low = min(0.75, before["covered"] - _COVERED_TOLERANCE)
            assert low <= found["covered"] <= max(0.95, before["covered"]), question
    for question, before in baseline["choices"].items():
        assert verdict["choices"][question]["wrong"] <= before["wrong"], question
