"""`try` and `history` as a user meets them; the processes are replaced, the rest is real."""

import csv
import dataclasses
import io
import json
import re
from pathlib import Path

import pytest

from advisor.i18n import translator_for
from advisor.model.codec import load_document
from advisor.model.own_step import OwnStep
from advisor.model.quantity import Basis, Phase, Precision
from advisor.model.trial import TrialReport, TrialVerdict
from tests.ui.fake_trials import SPEEDS
from tests.ui.history_values import (
    NOW,
    SOURCE,
    XLA,
    a_run,
    damage,
    keep,
    keep_trial,
    measured_advice,
)
from ui import history_commands, journey, settings, try_commands
from ui.cli import run
from ui.history.rows import search_of
from ui.history.store import History


def options_of(capsys):
    run(["try", "mnist-cnn", "--list"])
    return [line.split()[0] for line in capsys.readouterr().out.splitlines()]


def test_the_list_says_what_would_be_tried_and_runs_nothing(fake, capsys):
    names = options_of(capsys)
    assert {"malloc-keep", "xla"} <= set(names)
    assert fake.order == []


def test_before_and_after_are_told_kept_and_fed_into_the_advice(fake, capsys, tmp_path):
    target, pdf = tmp_path / "r.json", tmp_path / "r.pdf"
    arguments = ["try", "mnist-cnn", "--option", "malloc-keep", "--option", "xla"]
    code = run([*arguments, "--json", str(target), "--pdf", str(pdf), "--apply", "shell"])
    output = capsys.readouterr()
    assert code == 0, output.err
    assert "Best: Keep freed memory" in output.out
    job = "MNIST CNN · training · batch 128 · 60,000 samples × 12 epochs · float32"
    assert f"the last advice is now for this job, with what was tried: {job}" in output.err
    assert "export MALLOC_MMAP_MAX_=0" in output.out
    assert "slower" in output.out
    report = load_document(target.read_text(), TrialReport)
    assert [r.verdict for r in report.results] == [
        TrialVerdict.BASELINE,
        TrialVerdict.SLOWER if report.results[1].setup.id == "xla" else TrialVerdict.FASTER,
        TrialVerdict.SLOWER if report.results[2].setup.id == "xla" else TrialVerdict.FASTER,
    ]
    assert pdf.read_bytes().startswith(b"%PDF")
    advice = settings.read_last()
    assert advice.baseline.basis is Basis.MEASURED
    assert advice.trials == report
    assert run(["history", "--csv"]) == 0
    rows = list(csv.DictReader(io.StringIO(capsys.readouterr().out)))
    assert [row["setup"] for row in rows] == fake.order
    assert run(["history", "--json"]) == 0
    kept = json.loads(capsys.readouterr().out)
    assert len(kept["runs"]) == len(fake.order)
    assert [each["network"] for each in kept["advices"]] == [advice.workload.title]
    assert kept["own_steps"] == []


def test_what_was_tried_before_is_applied_without_trying_it_anew(fake, capsys):
    assert run(["try", "mnist-cnn", "--option", "malloc-keep"]) == 0
    n_runs = len(fake.order)
    capsys.readouterr()
    assert run(["try", "mnist-cnn", "--apply", "shell"]) == 0
    output = capsys.readouterr()
    assert "export MALLOC_MMAP_MAX_=0" in output.out
    assert f"taking what was tried on {journey.today()} (--minutes tries it anew)" in output.err
    assert len(fake.order) == n_runs


def test_another_job_or_more_words_are_tried_anew(fake, capsys):
    assert run(["try", "mnist-cnn", "--option", "malloc-keep"]) == 0
    for more in (["--batch-size", "64"], ["--minutes", "1"], ["--option", "malloc-keep"]):
        n_runs = len(fake.order)
        run(["try", "mnist-cnn", "--apply", "shell", *more])
        assert len(fake.order) > n_runs, more
        assert "taking what was tried" not in capsys.readouterr().err


def test_nothing_to_apply_is_one_line_and_3(fake, capsys):
    assert run(["try", "mnist-cnn", "--option", "xla", "--apply", "shell"]) == 3
    output = capsys.readouterr()
    told = [line for line in output.err.splitlines() if line.startswith("dl-advisor: ")]
    assert told[1:] == [
        "dl-advisor: nothing is applied: no setting is surely faster than what you have now"
    ]
    assert "To undo it" not in output.out


def test_another_form_is_named_where_this_one_is_empty(fake, capsys):
    assert run(["try", "mnist-cnn", "--option", "malloc-keep", "--apply", "patch"]) == 3
    told = capsys.readouterr().err.splitlines()[-1]
    assert told.endswith("has no patch form, only shell, batch, powershell, env")


def test_a_search_that_was_broken_off_goes_on(fake, capsys):
    fake.breaks_at = 3
    arguments = ["try", "mnist-cnn", "--option", "malloc-keep"]
    assert run(arguments) == 130
    fake.breaks_at = None
    assert run([*arguments, "--resume"]) == 0
    resumed = list(fake.order)
    fake.order.clear()
    assert run(arguments) == 0
    assert resumed[:3] == fake.order[:3]
    assert abs(len(resumed) - len(fake.order)) <= 2


def test_all_tries_pairs_of_what_is_faster(fake, capsys, monkeypatch):
    if "bfloat16" not in options_of(capsys):
        monkeypatch.setitem(SPEEDS, "one-pool", 1.5)
    assert run(["try", "mnist-cnn", "--all", "--minutes", "30"]) in (0, 3)
    pair = next(at for at, name in enumerate(fake.order) if "+" in name)
    batch = next(at for at, name in enumerate(fake.order) if name.startswith("batch-"))
    assert pair < batch


def test_what_is_far_slower_is_given_up_beside_the_baseline(fake, capsys):
    assert run(["try", "mnist-cnn", "--option", "xla"]) == 0
    first = fake.limits[0]
    assert first.hopeless_step_s is None
    assert first.budget_s == 120.0
    slow = next(
        limits for name, limits in zip(fake.order, fake.limits, strict=True) if name == "xla"
    )
    assert slow.hopeless_step_s == pytest.approx(0.2, rel=0.05)
    assert slow.budget_s == 30.0


def test_no_run_is_longer_than_what_is_left_of_the_search(fake, capsys):
    run(["try", "mnist-cnn", "--option", "xla", "--minutes", "0.5"])
    assert [limits.budget_s for limits in fake.limits[:2]] == [30.0, 25.0]
    assert min(limits.budget_s for limits in fake.limits) >= 10.0


def test_the_baseline_is_never_hopeless(fake, capsys):
    assert run(["try", "mnist-cnn", "--option", "xla"]) == 0
    assert all(
        limits.hopeless_step_s is None
        for name, limits in zip(fake.order, fake.limits, strict=True)
        if name == "now"
    )


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["mnist-cnn", "--option", "nonsense"], "cannot be tried here"),
        (["nothing.py"], "no such file"),
        (["mnist-cnn", "--data", "nothing.npz"], "no such file or folder"),
        (["mnist-cnn", "--minutes", "0"], "number of minutes"),
        (["mnist-cnn", "--minutes", "nan"], "number of minutes"),
        (["mnist-cnn", "--python", "/no/python"], "no such interpreter"),
        (["mnist-cnn", "--precision", "int8"], "int8"),
        (["no-such-network"], "no bundled network"),
        (["mnist-cnn", "--apply", "nonsense"], "invalid choice"),
    ],
)
def test_bad_input_is_one_line_and_runs_nothing(fake, capsys, arguments, words):
    assert run(["try", *arguments]) == 2
    error = capsys.readouterr().err
    assert words in error
    assert len(error.splitlines()) == 1
    assert fake.order == []


def test_the_users_code_is_not_touched_without_consent(fake, capsys, tmp_path):
    mark = tmp_path / "mark"
    path = tmp_path / "net.py"
    path.write_text(f"open({str(mark)!r}, 'w')\n")
    assert run(["try", str(path)]) == 2
    assert "--run-my-code" in capsys.readouterr().err
    assert run(["try", "mnist-cnn", "--data", f"{path}:make"]) == 2
    assert "--run-my-code" in capsys.readouterr().err
    assert not mark.exists()
    assert fake.order == []
    assert run(["try", f"{path}:other", "--run-my-code", "--option", "xla"]) == 0
    assert not mark.exists()
    assert "now" in fake.order


def test_in_chinese_the_runs_and_the_history_are_told_in_chinese(fake, capsys, monkeypatch):
    monkeypatch.setattr(try_commands, "user_translator", lambda: translator_for("zh_CN"))
    monkeypatch.setattr(history_commands, "user_translator", lambda: translator_for("zh_CN"))
    assert run(["try", "mnist-cnn", "--option", "malloc-keep", "--apply", "shell"]) == 0
    assert "每步" in capsys.readouterr().err
    assert run(["history"]) == 0
    out = capsys.readouterr().out
    lines = [line for line in out.splitlines() if line.startswith("20") and "mnist-cnn" in line]
    assert len(lines) == len(set(fake.order))
    assert all("训练，批大小" in line for line in lines)
    assert not re.search("Advice|Network|Setting|Step|Runs", out)


def test_the_history_lists_advice_runs_and_own_steps(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "120")
    keep(measured_advice(time_s=0.4))
    damage()
    key = keep_trial()
    with History(try_commands.history_file()) as kept:
        step = OwnStep(
            network="net", phase=Phase.TRAINING, precision=Precision.FLOAT32, batch_size=8,
            predicted_s=0.25, log_sd=0.1, measured_s=0.1, measured_on="2026-11-21",
        )  # fmt: skip
        kept.add_own_step(kept.rows()[0].search, step)
    assert run(["history"]) == 0
    out = capsys.readouterr().out
    titles = [
        out.index(f"\n{t}\n") for t in ("Advice", "Runs of trials", "Steps, predicted and run")
    ]
    assert titles == sorted(titles)
    assert out.count("2026-11-20 ") == 1
    # Runs of one setting in one search stand together, with the middle one of their steps.
    (now,) = (line.split() for line in out.splitlines() if "As it is now" in line)
    assert now[-3:] == ["4", "100", "ms"]
    (pair,) = (line for line in out.splitlines() if "A CPU" in line and "250 ms" in line)
    assert "100 ms" in pair
    assert "cannot be read: not JSON" in out
    assert run(["history", "--json"]) == 0
    typed = json.loads(capsys.readouterr().out)
    assert [each["problem"] == "" for each in typed["advices"]] == [True, False]
    assert Path(typed["advices"][0]["file"]).is_file()
    (own,) = typed["own_steps"]
    assert (own["machine"], own["step"]["predicted_s"]) == ("A CPU", 0.25)
    assert {row["search"]["key"] for row in typed["runs"]} == {key}


def test_the_history_counts_how_often_the_state_now_ran_in_turns(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "120")
    with History(try_commands.history_file()) as kept:
        for key, n_turns in (("keras", 3), ("another keras", 0)):
            search = kept.begun(
                search_of(SOURCE, machine="A CPU", software=key, created_on="2026-11-21")
            )
            kept.add_run(search, NOW, a_run(NOW, 0.1, 0), finished_on="2026-11-21")
            for number in range(n_turns):
                run_ = dataclasses.replace(a_run(XLA, 0.05, number), beside_s=(0.1, 0.1))
                kept.add_run(search, XLA, run_, finished_on="2026-11-21")
    assert run(["history"]) == 0
    lines = capsys.readouterr().out.splitlines()
    counts = [line.split()[-3] for line in lines if "As it is now" in line]
    assert sorted(counts) == ["1", "4"]


def test_runs_of_a_damaged_search_are_listed_as_they_are(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "120")
    with History(try_commands.history_file()) as kept:
        begun = search_of(SOURCE, machine="A CPU", software="keras", created_on="2026-11-21")
        search = kept.begun(dataclasses.replace(begun, precision="float99"))
        kept.add_run(search, NOW, a_run(NOW, 0.1, 0), finished_on="2026-11-21")
    assert run(["history"]) == 0
    (now,) = (line for line in capsys.readouterr().out.splitlines() if "As it is now" in line)
    assert now.split()[-3:] == ["1", "100", "ms"]


def test_a_history_without_anything(capsys):
    assert run(["history"]) == 0
    assert "nothing was advised or tried yet" in capsys.readouterr().err
    assert not Path(try_commands.history_file()).exists()


def test_a_trial_of_another_network_leaves_what_was_measured(fake, capsys):
    here = journey.probe_machine(with_opencl=False)
    advice = dataclasses.replace(measured_advice(time_s=0.5), profile=here)
    assert settings.keep_last(advice) is None
    assert run(["try", "mnist-cnn", "--option", "xla"]) == 0, capsys.readouterr().err
    kept = settings.read_last()
    assert kept.workload.network == "mnist-cnn"
    assert kept.measurements == advice.measurements
