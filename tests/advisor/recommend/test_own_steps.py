"""What was tried corrects the prediction for this machine's processor, and nothing else."""

import dataclasses
import json

import pytest

from advisor.model.codec import dump_document, load_document
from advisor.model.kernel import GemmShape, StreamShape
from advisor.model.measurement import MeasurementSet, Runner, StabilityWarning
from advisor.model.option import OptionKind
from advisor.model.own_step import OwnStep
from advisor.model.quantity import Basis, Precision
from advisor.model.recommendation import Preferences, Recommendation
from advisor.predict.context import PredictionContext
from advisor.predict.predict import predict, predict_baseline
from advisor.recommend.recommend import recommend
from advisor.share.steps import job_of, own_step, step_pair
from tests.advisor.predict.builders import calibration, measure, opencl_device
from tests.advisor.predict.test_predict import SETTING, fact, option, under
from tests.advisor.recommend.test_tried import NOW, TRIALS, WORKLOAD
from tests.advisor.share.builders import machine
from tests.helpers.bundled import bundled_index, bundled_knowledge

KNOWLEDGE = bundled_knowledge()
GEMM = GemmShape(m=1024, n=1024, k=1024)
STREAM = StreamShape(op="triad", elements=10**7)
OWN = tuple(
    OwnStep(
        network=name, phase=WORKLOAD.phase, precision=WORKLOAD.precision, batch_size=32,
        predicted_s=0.1, log_sd=0.05, measured_s=0.1 * factor, measured_on="2026-11-20",
    )
    for name, factor in (("lenet", 1.3), ("alexnet", 1.35), ("lstm", 1.25))
)  # fmt: skip


def measured(*more):
    results = (measure(GEMM, 0.01), measure(STREAM, 0.004), *more)
    return MeasurementSet(measured_on="2026-11-21", duration_s=1.0, results=results)


MEASURED = measured()


def advise(own_steps=(), *, measurements=MEASURED, trials=None, profile=None, **wishes):
    wishes = {"allows_cloud": False, "allows_buying": False, **wishes}
    return recommend(
        profile or machine(), measurements, WORKLOAD, Preferences(**wishes), KNOWLEDGE,
        today="2026-11-22", app_version="0", trials=trials, own_steps=own_steps,
        index=bundled_index(),
    )  # fmt: skip


def context(own_steps, measurements=MEASURED, profile=None):
    profile = profile or machine()
    return PredictionContext(
        profile=profile,
        measurements=measurements, workload=WORKLOAD, knowledge=KNOWLEDGE, own_steps=own_steps,
        index=bundled_index(),
    )  # fmt: skip


def test_a_step_takes_longer_after_others_did_and_is_no_surer():
    before, after = advise().baseline, advise(OWN).baseline
    ratio = after.step_s.mid / before.step_s.mid
    assert 1.2 < ratio < 1.3
    assert after.total_s.mid == pytest.approx(ratio * before.total_s.mid)
    assert after.step_s.high / after.step_s.low == pytest.approx(
        before.step_s.high / before.step_s.low
    )
    assert sum(part.time_s for part in after.breakdown) == pytest.approx(after.step_s.mid)
    assert after.evidence[0].statement.startswith("3 networks tried on this machine (2026-11-20)")
    assert any("longer for what was tried" in text for text in after.assumptions)


@pytest.mark.parametrize("how", ["variable", "keras.config.set_dtype_policy('mixed_bfloat16')"])
def test_what_was_measured_under_a_setting_keeps_its_ratio(how):
    short = measure(GEMM, 0.005, precision=Precision.BFLOAT16)
    every = measured(*calibration(), short, *under(SETTING, 2.0))
    settings = SETTING if how == "variable" else ()
    asked = option(settings=settings, fact=fact(how=how))
    times = []
    for own in ((), OWN):
        where = context(own, every)
        now = predict_baseline(where)
        then = predict(asked, where, now)
        assert then.basis is Basis.SCALED_FROM_MEASUREMENT
        assert "under this setting" in " ".join(then.assumptions)
        times.append((now.step_s.mid, then.step_s.mid))
        assert sum(part.time_s for part in then.breakdown) == pytest.approx(then.step_s.mid)
    (plain, plain_then), (told, told_then) = times
    assert told / plain == pytest.approx(told_then / plain_then)
    assert told > 1.2 * plain


def test_nothing_is_corrected_before_something_was_measured():
    before, after = advise(measurements=None), advise(OWN, measurements=None)
    assert dataclasses.replace(after, own_steps=()) == before


def test_an_opencl_device_is_left_alone():
    device = opencl_device()
    profile = dataclasses.replace(machine(), opencl=(device,))
    every = measured(
        measure(GEMM, 0.002, runner=Runner.OPENCL, device_id=device.id),
        measure(STREAM, 0.002, runner=Runner.OPENCL, device_id=device.id),
    )
    asked = option(OptionKind.LOCAL_DEVICE, device_id=device.id)
    found = []
    for own in ((), OWN):
        where = context(own, every, profile)
        found.append(predict(asked, where, predict_baseline(where)))
    assert found[0] == found[1]
    assert found[0].basis is Basis.SCALED_FROM_MEASUREMENT


def test_a_job_with_its_own_trial_is_not_corrected():
    before, after = advise(trials=TRIALS), advise(OWN, trials=TRIALS)
    assert dataclasses.replace(after, own_steps=()) == before


def test_it_is_saved_and_a_file_from_before_opens():
    advice = advise(OWN)
    text = dump_document(advice)
    assert load_document(text, Recommendation) == advice
    document = json.loads(text)
    holder = document if "own_steps" in document else document["value"]
    assert len(holder.pop("own_steps")) == len(OWN)
    assert load_document(json.dumps(document), Recommendation).own_steps == ()


def test_errors_that_are_told_are_those_of_the_model():
    raw = predict_baseline(context(()))
    assert step_pair(advise(OWN), knowledge=KNOWLEDGE, index=bundled_index()).predicted == raw
    tried = step_pair(advise(OWN, trials=TRIALS), knowledge=KNOWLEDGE, index=bundled_index())
    assert (tried.predicted, tried.measured_s) == (raw, NOW.step_s.mid)


def test_a_trial_gives_the_pair_without_earlier_corrections():
    found = own_step(job_of(advise(OWN, trials=TRIALS)), knowledge=KNOWLEDGE, index=bundled_index())
    step = context(()).baseline_step
    assert found.log_sd == pytest.approx(step.log_sd)
    assert (found.network, found.batch_size) == (WORKLOAD.network, WORKLOAD.batch_size)
    assert found.predicted_s == pytest.approx(step.step_s.mid)
    assert (found.measured_s, found.measured_on) == (0.1, "2026-11-22")


@pytest.mark.parametrize("warning", ["busy", "steal", "throttled"])
def test_an_unfair_trial_tells_nothing(warning):
    warnings = (StabilityWarning(warning),)
    busy = dataclasses.replace(TRIALS, warnings=warnings)
    assert own_step(job_of(advise(trials=busy)), knowledge=KNOWLEDGE, index=bundled_index()) is None
    now = dataclasses.replace(NOW, warnings=warnings)
    busy = dataclasses.replace(TRIALS, results=(now, *TRIALS.results[1:]))
    assert own_step(job_of(advise(trials=busy)), knowledge=KNOWLEDGE, index=bundled_index()) is None


@pytest.mark.parametrize("change", [{"has_own_data": True}, {"source": "other"}, {"results": ()}])
def test_own_data_or_another_job_tell_nothing(change):
    trials = dataclasses.replace(TRIALS, **change)
    assert (
        own_step(job_of(advise(trials=trials)), knowledge=KNOWLEDGE, index=bundled_index()) is None
    )


def test_another_framework_or_a_data_sheet_tells_nothing():
    setup = dataclasses.replace(NOW.setup, backend="torch")
    trials = dataclasses.replace(
        TRIALS, results=(dataclasses.replace(NOW, setup=setup), *TRIALS.results[1:])
    )
    assert (
        own_step(job_of(advise(trials=trials)), knowledge=KNOWLEDGE, index=bundled_index()) is None
    )
    assert (
        own_step(
            job_of(advise(measurements=None, trials=TRIALS)),
            knowledge=KNOWLEDGE,
            index=bundled_index(),
        )
        is None
    )
    assert own_step(job_of(advise()), knowledge=KNOWLEDGE, index=bundled_index()) is None
