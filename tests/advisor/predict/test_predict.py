"""Predictions of each kind of option, with their evidence, basis and arithmetic."""

import dataclasses

import pytest

from advisor.model.codec import dump_document, load_document
from advisor.model.kernel import StreamShape
from advisor.model.machine import DeviceKind, MissingFact
from advisor.model.measurement import Runner, Setting
from advisor.model.option import Advice, Option, OptionFact, OptionKind
from advisor.model.prediction import Prediction
from advisor.model.quantity import Basis, Interval, Precision
from advisor.predict.changed_job import option_precision
from advisor.predict.predict import job_times, predict, predict_baseline
from tests.advisor.predict.builders import (
    calibration,
    conv,
    device,
    gemm,
    measure,
    measurement_set,
    offer,
    opencl_device,
    operator,
    prediction_context,
    profile,
    small_cnn,
    workload,
)
from tests.helpers.bundled import bundled_knowledge


def context(*measurements, work=None, machine=None, facts=None):
    measured = measurement_set(*measurements) if measurements else None
    return prediction_context(measured, work=work, machine=machine, facts=facts)


def fact(**changes):
    values = {
        "id": "some", "title": "Some advice", "kind": OptionKind.RUNTIME_SETTINGS, "phases": (),
        "systems": (), "isa_any": (), "gpu_vendor": None, "gpu_architectures": (),
        "min_versions": None, "excluded_when": (), "how": "export X=1", "environment": (),
        "effect_low": None, "effect_high": None, "effect_basis": None, "effect_source": None,
        "evidence_class": "measured", "risks": None, "is_reversible": True, "needs_root": False,
        "advice": Advice.RECOMMEND, "source": "a page", "verified_version": None,
        "verified_on": "2026-01-01", "confidence": "high",
    }  # fmt: skip
    return OptionFact(**{**values, **changes})


def option(kind=OptionKind.RUNTIME_SETTINGS, **changes):
    return Option(id="some", title="Some advice", kind=kind, **changes)


def ask(asked, where):
    return predict(asked, where, predict_baseline(where))


def test_epoch_and_total_are_exact_multiples_of_a_step():
    step = Interval(low=1.0, mid=2.0, high=3.0)
    work = small_cnn(32, samples=100, epochs=7)
    epoch, total = job_times(step, workload=work)
    assert (epoch.mid, total.high) == (4 * 2.0, 4 * 7 * 3.0)


def test_twelve_epochs_an_hour_at_300_s():
    """S0-6: not 15; and 50 epochs take 4.2 hours."""
    step = Interval(low=3.0, mid=3.0, high=3.0)
    work = small_cnn(32, samples=3200, epochs=50)
    epoch, total = job_times(step, workload=work)
    assert epoch.mid == 300.0
    assert 3600 / epoch.mid == 12
    assert total.mid / 3600 == pytest.approx(4.1667, abs=1e-4)


def test_measured_baseline_names_its_figures():
    found = predict_baseline(context(*calibration()))
    assert found.basis is Basis.SCALED_FROM_MEASUREMENT
    statements = [evidence.statement for evidence in found.evidence]
    assert any(
        text.startswith("GEMM 1024: ")
        and text.endswith("measured here, lower quartile of 5, MAD 0 %")
        for text in statements
    )
    assert any("GB/s" in text for text in statements)
    assert found.breakdown
    assert load_document(dump_document(found), Prediction) == found


def test_what_is_timed_to_see_whether_the_machine_changes_is_no_figure_of_it():
    again = measure(gemm(1024, 1024, 1024), 1e-4, role="reference")
    with_it, without = (
        predict_baseline(context(*calibration(), *more)).evidence for more in ((again,), ())
    )
    assert with_it == without


def test_figures_are_of_what_the_network_has():
    def told(work):
        found = predict_baseline(context(*calibration(), work=work)).evidence
        return " ".join(evidence.statement for evidence in found)

    assert "Convolution: " in told(small_cnn())
    dense = workload(operator(gemm(32, 64, 10)))
    assert "Convolution" not in told(dense)
    assert "GEMM 1024: " in told(dense)
    assert "GB/s" in told(dense)


@pytest.mark.parametrize("precision", [Precision.BFLOAT16, Precision.FLOAT16])
def test_a_format_that_would_be_imitated_is_computed_in_float32(precision):
    slow = tuple(
        measurement
        for measurement in calibration(factor=20.0, precision=precision)
        if measurement.request.precision is precision
    )
    measured = (*calibration(), *slow)
    job = dataclasses.replace(small_cnn(), precision=precision)
    plain = predict_baseline(context(*measured))
    imitated = predict_baseline(context(*measured, work=job))
    assert imitated.step_s == plain.step_s
    assert any("GEMM 1024" in evidence.statement for evidence in imitated.evidence)
    features = ("avx2", "avx512_bf16", "avx512_fp16")
    able = predict_baseline(context(*measured, work=job, machine=profile(isa=features)))
    assert able.step_s.mid > 5.0 * plain.step_s.mid


def test_baseline_of_an_unmeasured_machine_shows_its_data_sheet():
    found = predict_baseline(context())
    assert found.basis is Basis.MODEL_ONLY
    assert "512 GFLOP/s" in found.evidence[0].statement
    assert any("data sheet" in text for text in found.assumptions)


def test_notes_of_the_network_are_assumptions():
    work = dataclasses.replace(small_cnn(), notes=("A layer was guessed.",))
    assert "A layer was guessed." in predict_baseline(context(work=work)).assumptions


@pytest.fixture(scope="module")
def bundled():
    return bundled_knowledge()


def kaveri(bundled, **changes):
    machine = profile(
        brand="AMD A10-7850K Radeon R7, 12 Compute Cores 4C+8G", microarchitecture="steamroller",
        isa=("avx", "fma", "f16c"), cores=4, mhz=3700.0, **changes,
    )  # fmt: skip
    work = small_cnn(128, network="cifar10-a10-cnn", samples=50_000)
    return context(machine=machine, work=work, facts=bundled)


def test_a10_7850k_cites_its_published_epochs(bundled):
    """S0-1 and S0-2: 1100 s with AVX, 5800 s by OpenCL."""
    statements = [e.statement for e in predict_baseline(kaveri(bundled)).evidence]
    assert any("1100 s per epoch on AMD A10-7850K" in text for text in statements)
    assert any("5800 s per epoch" in text for text in statements)


def test_igpu_of_the_a10_7850k_is_slower_by_the_published_ratio(bundled):
    where = kaveri(bundled, opencl=(opencl_device(),))
    now = predict_baseline(where)
    found = predict(option(OptionKind.LOCAL_DEVICE, device_id="opencl0"), where, now)
    assert isinstance(found, Prediction)
    assert found.basis is Basis.SCALED_FROM_PUBLISHED
    assert found.step_s.mid == pytest.approx(5800 / 1100 * now.step_s.mid)


def test_a_card_beside_the_a10_7850k_is_not_as_slow_as_the_gpu_inside(bundled):
    card = dataclasses.replace(opencl_device(), kind=DeviceKind.DGPU)
    where = kaveri(bundled, opencl=(card,))
    found = ask(option(OptionKind.LOCAL_DEVICE, device_id="opencl0"), where)
    assert isinstance(found, MissingFact)


def test_stay_is_the_baseline():
    where = context(*calibration())
    now = predict_baseline(where)
    assert predict(option(OptionKind.STAY), where, now) is now


def test_published_effect_divides_the_time():
    where = context(*calibration())
    now = predict_baseline(where)
    asked = option(fact=fact(effect_low=1.5, effect_high=2.4, effect_basis="CNN 1.5, MLP 2.4"))
    found = predict(asked, where, now)
    assert isinstance(found, Prediction)
    assert found.step_s.mid == pytest.approx(now.step_s.mid / (1.5 * 2.4) ** 0.5)
    assert found.basis is Basis.SCALED_FROM_PUBLISHED
    assert "1.5 to 2.4 times the speed (CNN 1.5, MLP 2.4)" in found.evidence[0].statement
    assert found.step_s.high / found.step_s.low > now.step_s.high / now.step_s.low


def test_a_large_effect_is_told_as_people_write_numbers():
    where = context(*calibration())
    asked = option(fact=fact(effect_low=9.7, effect_high=264.0, effect_basis="CNN"))
    found = predict(asked, where, predict_baseline(where))
    assert "published: 9.7 to 264 times the speed" in found.evidence[0].statement


@pytest.mark.parametrize(("epochs", "most"), [(1, 4.0), (2, 8.0), (10, 40.0), (1000, 100.0)])
def test_what_needs_a_pass_first_gains_no_more_than_the_epochs_after_it(epochs, most):
    where = context(*calibration(), work=dataclasses.replace(small_cnn(), epochs=epochs))
    now = predict_baseline(where)
    cached = option(fact=fact(id="transfer-cached", effect_low=100.0, effect_high=100.0))
    found = predict(cached, where, now)
    assert isinstance(found, Prediction)
    speedup = now.total_s.mid / found.total_s.mid
    assert 0.7 * most < speedup < most


def test_one_sided_effect_and_slow_down():
    where = context(*calibration())
    now = predict_baseline(where)
    slow = predict(option(fact=fact(effect_low=0.5)), where, now)
    assert isinstance(slow, Prediction)
    assert slow.step_s.mid == pytest.approx(2 * now.step_s.mid)


@pytest.mark.parametrize(
    "asked",
    [
        option(fact=fact()),
        option(fact=fact(effect_low=0.0, effect_high=0.0)),
        option(),
        option(OptionKind.CLOUD),
        option(OptionKind.LOCAL_DEVICE, device_id="opencl9"),
    ],
)
def test_unknown_effect_is_missing(asked):
    found = ask(asked, context(*calibration()))
    assert isinstance(found, MissingFact)
    assert found.reason


SETTING = (Setting(name="TF_ENABLE_ONEDNN_OPTS", value="0"),)


def under(setting, factor, **request):
    return tuple(
        measure(m.request.shape, factor * m.min_s, direction=m.request.direction,
                runner=m.request.runner, role="setting", settings=setting, **request)
        for m in calibration()
    )  # fmt: skip


def test_setting_that_was_timed_here_beats_the_published_effect():
    where = context(*calibration(), *under(SETTING, 2.0))
    now = predict_baseline(where)
    asked = option(settings=SETTING, fact=fact(effect_low=3.0, effect_high=3.0))
    found = predict(asked, where, now)
    assert isinstance(found, Prediction)
    assert found.basis is Basis.SCALED_FROM_MEASUREMENT
    assert found.step_s.mid == pytest.approx(2 * now.step_s.mid)
    other = (Setting(name="OTHER", value="0"),)
    missed = predict(dataclasses.replace(asked, settings=other), where, now)
    assert isinstance(missed, Prediction)
    assert missed.basis is Basis.SCALED_FROM_PUBLISHED


def test_half_precision_follows_from_its_own_kernels():
    half = tuple(
        dataclasses.replace(m, request=dataclasses.replace(m.request, role="setting"))
        for m in calibration(factor=0.5, precision=Precision.BFLOAT16)
        if m.request.shape.__class__.__name__ in ("GemmShape", "ConvShape", "ElementwiseShape")
    )
    where = context(*calibration(), *half)
    mixed = fact(how='keras.mixed_precision.set_global_policy("mixed_bfloat16")',
                 effect_low=0.74, effect_high=1.73)  # fmt: skip
    asked = option(OptionKind.CHANGE_NETWORK, fact=mixed)
    now = predict_baseline(where)
    found = predict(asked, where, now)
    assert isinstance(found, Prediction)
    assert found.basis is Basis.SCALED_FROM_MEASUREMENT
    assert found.step_s.mid < 0.8 * now.step_s.mid
    unmeasured = ask(asked, context(*calibration()))
    assert isinstance(unmeasured, Prediction)
    assert unmeasured.basis is Basis.SCALED_FROM_PUBLISHED


@pytest.mark.parametrize(
    ("how", "precision"),
    [
        ("set_global_policy('mixed_float16')", Precision.FLOAT16),
        ("leave it", Precision.FLOAT32),
    ],
)
def test_precision_of_an_option(how, precision):
    assert option_precision(option(fact=fact(how=how)), workload=small_cnn()) is precision
    assert option_precision(option(), workload=small_cnn()) is Precision.FLOAT32


def in_groups(c=64, *, n=8):
    """A network of one convolution in as many groups as channels, and a dense layer."""
    grouped = dataclasses.replace(conv(n, c, 28, c, kernel=7, groups=c), as_groups=True)
    return workload(operator(grouped), operator(gemm(n, 10, c), inputs=(0,)), batch=n)


def test_layers_written_otherwise_are_told_by_their_own_kernels():
    rewriting = option(fact=fact(id="groups-as-depthwise", effect_low=2.4, effect_high=8.1))
    measured = context(*calibration(), work=in_groups())
    now = predict_baseline(measured)
    told = ask(rewriting, measured)
    assert told.basis is Basis.SCALED_FROM_MEASUREMENT
    assert {share.operator_kind for share in told.breakdown} >= {"depthwise", "gemm"}
    assert "grouped" not in {share.operator_kind for share in told.breakdown}
    # The gain is that of this network, neither that of the range nor the same for another one.
    gain = now.step_s.mid / told.step_s.mid
    assert gain > 2.0
    other = context(*calibration(), work=in_groups(8, n=1))
    few = predict_baseline(other).step_s.mid / ask(rewriting, other).step_s.mid
    assert few < 0.7 * gain
    # What others measured tells it before anything is measured here.
    assert ask(rewriting, context(work=in_groups())).basis is Basis.SCALED_FROM_PUBLISHED


def opencl_calibration(rate):
    size = 512
    return (
        measure(gemm(size, size, size), 2 * size**3 / rate, runner=Runner.OPENCL,
                device_id="opencl0"),
        measure(StreamShape(op="copy", elements=1 << 20), 8 * (1 << 20) / 15e9,
                runner=Runner.OPENCL, device_id="opencl0"),
    )  # fmt: skip


@pytest.mark.parametrize(("rate", "is_faster"), [(2e12, True), (5e9, False)])
def test_igpu_is_judged_by_its_own_kernels(rate, is_faster):
    machine = profile(opencl=(opencl_device(),))
    where = context(*calibration(), *opencl_calibration(rate), machine=machine)
    now = predict_baseline(where)
    found = predict(option(OptionKind.LOCAL_DEVICE, device_id="opencl0"), where, now)
    assert isinstance(found, Prediction)
    assert (found.step_s.mid < now.step_s.mid) is is_faster
    assert found.basis is Basis.SCALED_FROM_MEASUREMENT
    assert "measured here" in found.evidence[0].statement


def test_device_without_enough_memory_has_no_time():
    machine = profile(opencl=(opencl_device(memory=1 << 20),))
    where = context(*calibration(), *opencl_calibration(1e12), machine=machine)
    found = ask(option(OptionKind.LOCAL_DEVICE, device_id="opencl0"), where)
    assert isinstance(found, MissingFact)
    assert "GiB" in found.reason


def test_rented_and_bought_hardware():
    where = context(*calibration())
    rented = ask(option(OptionKind.CLOUD, offer=offer()), where)
    bought = ask(option(OptionKind.BUY, purchase=device("RTX Test", peak=20e12)), where)
    for found in (rented, bought):
        assert isinstance(found, Prediction)
        assert found.total_s.mid == pytest.approx(30 * found.step_s.mid)
    small = ask(option(OptionKind.CLOUD, offer=offer(memory=1 << 20)), where)
    assert isinstance(small, MissingFact)


def test_gpu_tip_without_hardware_uses_its_effect():
    asked = option(OptionKind.BUY, fact=fact(effect_low=2.0, effect_high=2.0))
    found = ask(asked, context(*calibration()))
    assert isinstance(found, Prediction)
    assert found.basis is Basis.SCALED_FROM_PUBLISHED
