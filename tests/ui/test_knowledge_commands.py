"""`compare` and `explain` as a user types them."""

import argparse
import dataclasses
import itertools
from pathlib import Path

import pytest

from advisor.model.codec import dump_document, load_document
from advisor.model.comparison import Comparison, OwnBasis
from advisor.model.explanation import Explanation
from advisor.model.kernel import GemmShape
from advisor.model.measurement import MeasurementSet
from advisor.model.recommendation import Recommendation
from tests.advisor.compare.builders import timed
from tests.ui.advice_values import an_advice
from ui.cli import run
from ui.saved_values import saved_advice
from ui.settings import keep_last, last_recommendation_file

A10 = Path(__file__).resolve().parents[1] / "data" / "machines" / "a10-7850k" / "profile.json"


@pytest.fixture(autouse=True)
def own_folder(monkeypatch, tmp_path):
    """Keep the user's own last run out of the tests, and theirs out of it."""
    monkeypatch.setattr("ui.settings.data_folder", lambda: tmp_path / "data")


@pytest.fixture
def measurements(tmp_path):
    results = (timed(GemmShape(m=1024, n=1024, k=1024)),)
    path = tmp_path / "measurements.json"
    taken = MeasurementSet(measured_on="2026-11-20", duration_s=1.0, results=results)
    path.write_text(dump_document(taken), encoding="utf-8")
    return path


def call(*words):
    return run([str(word) for word in words])


def test_compare_by_kernel(capsys, measurements):
    assert call("compare", "--profile", A10, "--measurements", measurements) == 0
    out, err = capsys.readouterr()
    assert "GEMM 1024" in out
    assert "this machine" in out
    assert "(measured)" in out
    assert err == f"dl-advisor: {measurements} counts as measured on the machine of {A10}\n"


def test_compare_without_measurements_says_what_stands_in(capsys):
    assert call("compare", "--profile", A10) == 0
    out, err = capsys.readouterr()
    assert "data sheet, not measured" in out
    assert "its data sheet stands in" in err


def test_compare_one_kind_as_json(capsys, measurements):
    words = ("compare", "--profile", A10, "--measurements", measurements)
    assert call(*words, "--kind", "igpu", "--json") == 0
    found = load_document(capsys.readouterr().out, Comparison)
    kinds = {r.kind.value for group in found.groups for r in group.results}
    assert kinds == {"igpu"}


def test_compare_a_network(capsys):
    assert call("compare", "resnet-50", "--batch-size", 16, "--profile", A10) == 0
    assert "ResNet-50, training, batch 16, float32" in capsys.readouterr().out


def test_nothing_comparable_is_said_and_is_3(capsys):
    assert call("compare", "resnet-50", "--batch-size", 7777, "--profile", A10) == 3
    out = capsys.readouterr().out
    assert "No comparable result: only other batch sizes were published (" in out


def test_the_last_run_is_taken_and_said_so(capsys, tmp_path, measurements):
    saved = tmp_path / "advice.json"
    words = ("recommend", "mnist-mlp", "--profile", A10, "--measurements", measurements)
    assert call(*words, "--json", saved) == 0
    keep_last(load_document(saved.read_text(encoding="utf-8"), Recommendation))
    assert last_recommendation_file().is_file()
    capsys.readouterr()
    assert call("compare", "--json") == 0
    out, err = capsys.readouterr()
    assert "taking the measurements of the last run, 2026-11-20" in err
    found = load_document(out, Comparison)
    assert found.measured_on == "2026-11-20"
    for command in ("recommend", "predict"):
        assert call(command, "mnist-cnn", "--json") == 0
        out, err = capsys.readouterr()
        assert "taking the measurements of the last run, 2026-11-20" in err
        assert '"scaled_from_measurement"' in out
    assert found.groups[0].own_basis is OwnBasis.MEASURED


def test_explain_prints_and_gives_json(capsys, tmp_path):
    assert call("explain", "ryzen", "5", "5600g", "--profile", A10) == 0
    assert "AMD Ryzen 5 5600G" in capsys.readouterr().out
    saved = tmp_path / "explained.json"
    assert call("explain", "plaidml", "--profile", A10, "--json", saved) == 0
    found = load_document(saved.read_text(encoding="utf-8"), Explanation)
    assert found.system.name == "PlaidML"


def test_an_unknown_name_is_2_with_close_names(capsys):
    assert call("explain", "plaidm", "--profile", A10) == 2
    err = capsys.readouterr().err
    assert err == (
        "dl-advisor: 'plaidm' is not known: did you mean PlaidML, keras plaidml, plaidml-keras?\n"
    )
    assert call("explain", "kubernetes", "--profile", A10) == 2
    assert capsys.readouterr().err == (
        "dl-advisor: 'kubernetes' is not known, nor is anything like it:"
        " `dl-advisor explain` lists all names\n"
    )


def test_explain_goes_by_the_advice_of_the_file_else_by_the_last_one(capsys, tmp_path):
    saved = tmp_path / "advice.json"
    assert call("recommend", "mnist-cnn", "--profile", A10, "--json", saved) == 0
    assert call("explain", "theano", "--profile", saved) == 0
    assert "by your advice of " in " ".join(capsys.readouterr().out.split())
    assert call("explain", "theano", "--profile", A10) == 0
    assert "by your advice of " not in " ".join(capsys.readouterr().out.split())


def test_the_last_advice_of_another_machine_does_not_count():
    options = argparse.Namespace(profile=None)
    advice = an_advice()
    assert saved_advice(options, advice.profile) is None
    keep_last(advice)
    assert saved_advice(options, advice.profile) == advice
    cpu = dataclasses.replace(advice.profile.cpu, brand="Another")
    assert saved_advice(options, dataclasses.replace(advice.profile, cpu=cpu)) is None


def test_several_names_are_explained_one_after_another(capsys, tmp_path):
    assert call("explain", "keras", "plaidml", "CNTK", "--profile", A10) == 0
    lines = capsys.readouterr().out.splitlines()
    titles = [line for line, below in itertools.pairwise(lines) if below[:3] == "==="]
    assert titles == ["keras plaidml", "CNTK"]
    assert call("explain", "PlaidML", "kubernetes", "--profile", A10) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert "'kubernetes' is not known" in err
    target = tmp_path / "explained.json"
    assert call("explain", "PlaidML", "CNTK", "--profile", A10, "--json", target) == 2
    assert "give one name with --json" in capsys.readouterr().err
    assert not target.exists()


def test_a_gpu_named_last_does_not_swallow_the_names_before_it(capsys):
    assert call("explain", "Theano", "Caffe", "RX 580", "--profile", A10) == 0
    lines = capsys.readouterr().out.splitlines()
    titles = [line for line, below in itertools.pairwise(lines) if below[:3] == "==="]
    assert titles == ["Theano", "Caffe", "RX 580"]
    assert call("explain", "my", "RX", "580", "card", "--profile", A10) == 0
    out = capsys.readouterr().out
    assert "my RX 580 card: GPU" in out
    assert "not a compute device" not in out


def test_explain_without_a_name_lists_all_in_columns(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "80")
    assert call("explain") == 0
    out = capsys.readouterr().out
    for name in ("PlaidML", "CNTK", "OMP_NUM_THREADS", "AMD Ryzen 5 5600G"):
        assert name in out
    assert max(map(len, out.splitlines())) <= 80
    assert any("CNTK" in line and len(line.split("  ")) > 2 for line in out.splitlines())
    assert call("explain", "--json") == 2


def test_an_advice_stands_for_what_it_holds(capsys, tmp_path, measurements):
    saved, bare = tmp_path / "advice.json", tmp_path / "bare.json"
    words = ("recommend", "mnist-mlp", "--profile", A10)
    assert call(*words, "--measurements", measurements, "--json", saved) == 0
    assert call(*words, "--json", bare) == 0
    again = tmp_path / "again.json"
    taken = ("recommend", "mnist-mlp", "--profile", saved, "--measurements", saved)
    assert call(*taken, "--json", again) == 0
    assert again.read_bytes() == saved.read_bytes()
    capsys.readouterr()
    assert call(*words, "--measurements", bare) == 2
    assert capsys.readouterr().err == (
        f"dl-advisor: {bare}: this advice was made without measurements:"
        " `dl-advisor bench --out FILE` writes such a file\n"
    )


def test_a_missing_file_is_2(capsys, tmp_path):
    assert call("compare", "--profile", tmp_path / "none.json") == 2
    assert "none.json: there is no such file" in capsys.readouterr().err
    assert call("compare", "--profile", A10, "--measurements", A10) == 2
    assert capsys.readouterr().err.endswith(
        ": holds facts about a machine, not measurements:"
        " `dl-advisor bench --out FILE` writes such a file\n"
    )


def test_findings_fit_the_terminal(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "60")
    assert call("data", "findings") == 0
    assert max(map(len, capsys.readouterr().out.splitlines())) <= 60


def test_findings_are_listed_with_their_verdict(capsys):
    assert call("data", "findings") == 0
    out = capsys.readouterr().out
    assert len([line for line in out.splitlines() if line.startswith("S")]) == 40
    assert "OPEN" in out
    assert "S1-17" in out
