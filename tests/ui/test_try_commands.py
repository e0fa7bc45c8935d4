"""`try` and `history` as a user meets them; the processes are replaced, the rest is real."""

import csv
import io
import json
from pathlib import Path

import pytest

from advisor.i18n import translator_for
from advisor.model.codec import load_document
from advisor.model.quantity import Basis
from advisor.model.trial import TrialReport, TrialVerdict
from tests.ui.fake_trials import SPEEDS
from ui import history_commands, settings, try_commands
from ui.cli import run


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
    assert len(json.loads(capsys.readouterr().out)) == len(fake.order)


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
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == len(fake.order)
    assert all("训练" in line and "批大小" in line for line in lines)


def test_a_history_without_anything(capsys):
    assert run(["history"]) == 0
    assert "nothing was tried yet" in capsys.readouterr().err
    assert not Path(try_commands.history_file()).exists()
