"""What comes before a run, and what becomes of one that was cancelled at once."""

import dataclasses
import io
import time

import pytest

from advisor.errors import InputError
from advisor.i18n import translator_for
from advisor.model.measurement import MeasurementSet
from advisor.report.build import build_summary
from advisor.report.text import render_text
from probes.bench.process import CancelToken
from tests.advisor.recommend.builders import a_cpu, a_profile
from tests.ui.history_values import measured_advice
from ui import dataset, journey
from ui.cli import run
from ui.files import write_document
from ui.last_measured import MeasuredRun
from ui.models.history_diff import diff_advices
from ui.progress import TerminalProgress
from ui.sharing import upload_of


def test_the_version_is_that_of_the_sources():
    assert journey.app_version().count(".") >= 1


@pytest.mark.alone
def test_a_warm_start_loads_what_a_run_needs(fresh):
    journey.warm_up()
    began = time.process_time()
    dataset.bundled_index()
    assert time.process_time() - began < 0.01


def test_a_run_cancelled_before_its_first_figure_says_so(fresh):
    cancel = CancelToken()
    cancel.cancel()
    request = journey.JourneyRequest(network="mnist-mlp")
    advice = journey.walk(request, on_event=lambda _event: None, cancel=cancel)
    assert advice.measurements is not None
    assert advice.measurements.is_cancelled
    assert not advice.measurements.measured
    assert {"run_cancelled", "not_measured"} <= {each.code for each in advice.caveats}
    lines = render_text(build_summary(advice, translator_for("en"))).splitlines()
    assert lines[0].startswith("Cancelled run: ")
    assert any("The run was cancelled: 0 of " in line for line in lines)
    with pytest.raises(InputError, match="nothing was measured"):
        upload_of(advice)
    diff = diff_advices(advice, advice, names=("a", "b"))
    assert any("rests on no measurement" in note for note in diff.notes)


@pytest.mark.parametrize(("brand", "is_taken"), [(None, True), ("Another One", False)])
def test_the_first_guess_goes_by_what_this_machine_measured_last(fresh, brand, is_taken):
    here = journey.probe_machine(with_opencl=False)
    known = measured_advice(time_s=0.5).measurements
    cpu = dataclasses.replace(here.cpu, brand=brand or here.cpu.brand)
    earlier = MeasuredRun(profile=dataclasses.replace(here, cpu=cpu), measurements=known)
    cancel, told = CancelToken(), []
    cancel.cancel()
    request = journey.JourneyRequest(network="mnist-mlp", earlier=earlier)
    final = journey.walk(request, on_event=told.append, cancel=cancel)
    first = next(each for each in told if isinstance(each, journey.ProvisionalReady))
    assert first.recommendation.measurements == (known if is_taken else None)
    assert final.measurements.is_cancelled
    stream = io.StringIO()
    TerminalProgress(stream).show(first)
    expected = "by what was measured on" if is_taken else "nothing measured yet"
    assert f"First guess, {expected}" in stream.getvalue()


class AskedSession:
    """Takes down what it is asked and measures nothing."""

    def __init__(self, **_how):
        pass

    def run(self, requests, *, on_event, cancel, budget_s):
        type(self).asked = (tuple(requests), budget_s)
        return MeasurementSet(measured_on="2026-11-28", duration_s=2.0, results=())


def test_beside_known_figures_only_what_is_lacking_is_asked_for_and_in_less_time(
    fresh, monkeypatch
):
    monkeypatch.setattr("probes.bench.session.Session", AskedSession)
    here = journey.probe_machine(with_opencl=False)
    request = journey.JourneyRequest(network="mnist-mlp")
    work = journey.load_job(request, dataset.bundled_knowledge())
    how = {"on_event": lambda _event: None, "cancel": CancelToken()}
    journey.measure(here, work, request, **how)
    whole, whole_s = AskedSession.asked
    kernel = measured_advice(time_s=0.5).measurements.measured[0]
    own = next(each for each in whole if each.role == "replay")
    reference = next(
        each for each in whole if each.id.endswith("gemm-m512n512k512/forward/reference")
    )
    others = [each for each in whole if each is not own]
    results = tuple(dataclasses.replace(kernel, request=each) for each in others)
    known = MeasurementSet(measured_on="2026-11-28", duration_s=60.0, results=results)
    both = journey.measure(here, work, request, **how, known=known)
    asked, limit_s = AskedSession.asked
    assert asked == (own, reference)
    assert limit_s["cpu"] == journey.REST_S[request.budget] < whole_s["cpu"]
    assert (both.results, both.duration_s) == (results, 62.0)
    answer = dataclasses.replace(kernel, request=own)
    everything = dataclasses.replace(known, results=(*results, answer))
    assert journey.measure(here, work, request, **how, known=everything) is everything


def test_a_job_that_is_too_large_is_advised_on_all_the_same(tmp_path, capsys):
    file = tmp_path / "profile.json"
    write_document(str(file), a_profile())
    words = ["recommend", "vgg19", "--batch-size", "65536", "--profile", str(file)]
    assert run(words) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert "here it would run with a batch of" in out
    assert "1 Leave everything as it is" not in out


def test_a_profile_that_cannot_be_is_refused_with_its_name(tmp_path, capsys):
    file = tmp_path / "profile.json"
    write_document(str(file), a_profile(cpu=a_cpu(base_mhz=-5.0)))
    assert run(["recommend", "mnist-mlp", "--profile", str(file)]) == 2
    assert "cpu.base_mhz: -5.0 cannot be: from 1 to 20000" in capsys.readouterr().err
