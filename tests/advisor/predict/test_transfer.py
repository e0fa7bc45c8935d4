"""Hardware that was not measured: ratios of processors, rooflines of GPUs, published results."""

import dataclasses

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from advisor.model.machine import DeviceKind, MissingFact
from advisor.model.offer import AcceleratorName
from advisor.model.option import Option, OptionKind
from advisor.model.quantity import Basis, Phase, Precision
from advisor.predict.hardware import platform_limits
from advisor.predict.parallel import data_parallel_speedup, gradient_exchange_s
from advisor.predict.transfer import hardware_key, transfer
from tests.advisor.predict.builders import (
    calibration,
    device,
    gemm,
    knowledge,
    measurement_set,
    offer,
    operator,
    platform,
    prediction_context,
    profile,
    published,
    small_cnn,
    workload,
)
from tests.helpers.bundled import bundled_knowledge

GPU = device("RTX Test", peak=20e12, bandwidth=600e9, memory=8 << 30, architecture="Ada")
NAMES = (AcceleratorName(accelerator="RTX-Test", memory_bytes=None, device="RTX Test", note=None),)


def context(work=None, *, machine=None, is_measured=True, **tables):
    facts = knowledge(**{"devices": (GPU,), "accelerators": NAMES, **tables})
    measured = measurement_set(*calibration()) if is_measured else None
    return prediction_context(measured, work=work, machine=machine, facts=facts)


def rent(**changes):
    return Option(id="rent", title="rent", kind=OptionKind.CLOUD, offer=offer(**changes))


def rent_gpu(**changes):
    values = {"accelerator": "RTX-Test", "n_accelerators": 1.0, "family": "g9", **changes}
    return rent(instance_type="g9.large", **values)


def buy(spec):
    return Option(id="buy", title="buy", kind=OptionKind.BUY, purchase=spec)


def estimate(option, where=None):
    found = transfer(option, context=where or context())
    assert not isinstance(found, MissingFact), found
    return found


def test_equal_hardware_has_one_key():
    assert hardware_key(rent(region="a")) == hardware_key(rent(region="b"))
    spot = dataclasses.replace(rent(), is_spot=True)
    assert hardware_key(spot) == hardware_key(rent())
    assert hardware_key(rent(vcpus=4.0)) != hardware_key(rent())
    assert hardware_key(rent_gpu()) != hardware_key(rent())
    gpu = rent_gpu()
    host = dataclasses.replace(gpu.offer, vendor="other", vcpus=96.0, memory_bytes=2**40)
    assert hardware_key(dataclasses.replace(gpu, offer=host)) == hardware_key(gpu)
    share = dataclasses.replace(gpu.offer, n_accelerators=0.5)
    assert hardware_key(dataclasses.replace(gpu, offer=share)) != hardware_key(gpu)
    assert hardware_key(buy(GPU)) == hardware_key(buy(dataclasses.replace(GPU, note="x")))
    nothing = Option(id="x", title="x", kind=OptionKind.STAY)
    assert hardware_key(nothing) == ("option", "x")


def test_gradients_over_the_bus():
    """S1-15: FCN-R on four GPUs, 8 GiB/s."""
    seconds = gradient_exchange_s(parameters=13_707_264, n_devices=4, byte_per_s=8 * 2**30)
    assert 0.025 <= seconds <= 0.026


def test_several_devices_gain_less_than_their_number_and_less_the_more_they_exchange():
    """S1-13: from bytes moved and compute time."""

    def gain(n, *, step_s=0.228, parameters=14_205_962, **more):
        return data_parallel_speedup(step_s=step_s, parameters=parameters, n_devices=n, **more)

    assert gain(1) == 1.0
    assert gain(2) == pytest.approx(0.228 / (0.114 + 14_205_962 * 8 / (8 * 2**30)))
    assert 1.0 < gain(2) < gain(4) < 4.0
    assert gain(4, bits_per_value=1) > gain(4)
    assert gain(4, parameters=1_000_000) > gain(4)
    assert gain(4, step_s=0.057) < gain(4)
    assert gain(4, fixed_s=0.2) < 1.2
    # A network of many parameters and little work becomes slower.
    assert gain(4, step_s=0.01) < 1.0


def test_training_on_several_gpus_is_told_and_inference_is_not():
    trained = estimate(rent_gpu(), context())
    assert any(text.startswith("On two such GPUs together") for text in trained.assumptions)
    work = small_cnn(phase=Phase.INFERENCE)
    asked = estimate(rent_gpu(), context(work=work))
    assert not any("two such GPUs" in text for text in asked.assumptions)
    integrated = buy(dataclasses.replace(GPU, kind=DeviceKind.IGPU))
    alone = estimate(integrated, context())
    assert not any("two such GPUs" in text for text in alone.assumptions)


@pytest.mark.parametrize(
    ("architecture", "like", "words"),
    [
        ("Volta", Precision.FLOAT32, "has no units for bfloat16: it computes in float32"),
        ("Ampere", Precision.FLOAT16, "bfloat16 has units of the same rate there"),
    ],
)
def test_bfloat16_takes_as_long_as_the_format_that_is_computed(architecture, like, words):
    """On the published rows: half precision is faster where there are units."""
    facts = bundled_knowledge()
    (spec,) = (
        spec
        for spec in facts.devices
        if spec.device in ("NVIDIA Tesla V100 SXM2 16 GB", "NVIDIA A100 SXM4 40 GB")
        and spec.architecture == architecture
    )

    def on_it(precision):
        work = dataclasses.replace(small_cnn(), precision=precision)
        return estimate(buy(spec), prediction_context(work=work, facts=facts))

    asked, known = on_it(Precision.BFLOAT16), on_it(like)
    assert asked.step_s.mid == pytest.approx(known.step_s.mid, rel=0.02)
    assert any(words in text for text in asked.assumptions)
    assert not any("units" in text for text in known.assumptions)


def test_the_same_processor_takes_the_same_time():
    here = context()
    twin = rent(vcpus=8.0)
    same = platform(ghz=4.0)
    found = estimate(twin, context(cpu_platforms=(same,)))
    assert found.step_s.mid == pytest.approx(here.baseline_step.step_s.mid, rel=0.15)
    assert found.basis is Basis.SCALED_FROM_MEASUREMENT
    assert found.evidence
    assert not found.is_warned


def test_more_cores_help_less_than_in_proportion():
    times = [estimate(rent(vcpus=n)).step_s.mid for n in (8.0, 16.0, 32.0)]
    assert times[0] > times[1]
    assert times[0] / times[2] < 4


@pytest.mark.parametrize("is_measured", [True, False])
def test_cores_that_wait_for_weights_gain_nothing_by_their_number(is_measured):
    parameters = 20_000 * 20_000
    layer = operator(gemm(1, 20_000, 20_000), parameters=parameters)
    large = workload(layer, phase=Phase.INFERENCE, batch=1, memory=4 << 30)
    where = context(large, machine=profile(cores=1, mhz=400.0), is_measured=is_measured)
    option = rent(vcpus=192.0)
    rate = platform_limits(
        where.cloud.platform_of(option.offer),
        vcpus=192.0,
        architecture=option.offer.architecture,
        knowledge=where.knowledge,
    ).bandwidth_byte_per_s
    assert estimate(option, where).step_s.mid >= 4 * parameters / rate


def test_by_a_data_sheet_many_cores_gain_no_more_than_sweeps_tell():
    def gain(where):
        few, many = (estimate(rent(vcpus=n), where).step_s.mid for n in (16.0, 192.0))
        return few / many

    assert gain(context(is_measured=False)) == pytest.approx(gain(context()), rel=0.1)


def test_far_extrapolation_is_less_sure():
    near, far = estimate(rent(vcpus=8.0)), estimate(rent(vcpus=192.0))
    assert far.step_s.high / far.step_s.low > near.step_s.high / near.step_s.low


def test_unmeasured_machine_makes_a_model():
    found = estimate(rent(), context(is_measured=False))
    assert found.basis is Basis.MODEL_ONLY
    assert found.step_s.high / found.step_s.low > 4


def test_unknown_platform_is_said():
    found = estimate(rent(family="odd"))
    assert any("not known" in text for text in found.assumptions)


@pytest.mark.parametrize(
    ("option", "words"),
    [
        (rent(vcpus=None), "vCPUs"),
        (rent_gpu(accelerator="Odd"), "accelerator Odd"),
        (rent(memory=1 << 20), "GiB"),
        (rent_gpu(accelerator_memory=1 << 20), "GiB"),
        (buy(device("NPU", kind=DeviceKind.NPU)), "cannot be predicted"),
        (buy(device("Odd CPU", kind=DeviceKind.CPU)), "Cores or clock"),
        (buy(device("Odd GPU", peak=None)), "peak rate"),
        (Option(id="x", title="x", kind=OptionKind.CLOUD), "not named"),
    ],
)
def test_what_cannot_be_told_is_missing(option, words):
    found = transfer(option, context=context())
    assert isinstance(found, MissingFact)
    assert words in found.reason


def test_a_job_is_refused_for_a_size_that_is_less_than_it_needs():
    given = context()
    work = dataclasses.replace(
        given.workload, memory_training_bytes=38 << 30, memory_inference_bytes=38 << 30
    )
    given = dataclasses.replace(given, workload=work)
    found = transfer(rent_gpu(accelerator_memory=40 << 30), context=given)
    assert isinstance(found, MissingFact)
    assert found.reason == "The job needs 38.0 GiB, the device may use 36.8 GiB."


def test_gpu_by_results_of_its_kind():
    rows = tuple(
        published(device="RTX Test", value=3 * 32 * 6e9 / 20e12, multiply_adds=10**9,
                  workload=f"net{i}")
        for i in range(3)
    )  # fmt: skip
    work = small_cnn(2048)
    where = context(work, published=rows)
    found = estimate(rent_gpu(), where)
    assert found.basis is Basis.SCALED_FROM_PUBLISHED
    # Three times the roofline at batch 32; at 2048 the rows say little: within their doubt.
    assert found.step_s.low <= 3 * where.totals.flop / 20e12 <= found.step_s.high
    assert "RTX Test" in found.evidence[0].statement


def test_gpu_without_any_result_is_a_model_with_a_warning():
    found = estimate(rent_gpu())
    assert (found.basis, found.is_warned) == (Basis.MODEL_ONLY, True)


def test_small_network_waits_for_its_launches():
    found = estimate(rent_gpu(), context(small_cnn(1)))
    assert found.step_s.mid > 0.5e-3
    assert any("starting its kernels" in text for text in found.assumptions)


def test_part_of_a_gpu_is_slower():
    work = small_cnn(2048)
    whole = estimate(rent_gpu(), context(work))
    half = estimate(rent_gpu(n_accelerators=0.5), context(work))
    assert half.step_s.mid > 1.5 * whole.step_s.mid
    several = estimate(rent_gpu(n_accelerators=8.0), context(work))
    assert several.step_s.mid == whole.step_s.mid


def test_published_result_of_the_network_on_the_device_comes_first():
    rows = (published(device="RTX Test", value=0.1), published(device="RTX Test", value=0.11))
    found = estimate(rent_gpu(), context(published=rows))
    assert found.step_s.mid == pytest.approx(0.1, rel=0.15)
    assert len(found.evidence) == 2
    assert not found.is_warned


def test_published_result_counts_for_the_format_that_computes_like_it():
    """A GPU without units computes bfloat16 in float32: its published float32 is the answer."""
    rows = (published(device="RTX Test", value=0.1),)
    work = dataclasses.replace(small_cnn(), precision=Precision.BFLOAT16)
    plain = estimate(rent_gpu(), context(published=rows))
    short = estimate(rent_gpu(), context(work, published=rows))
    assert short.step_s.mid == pytest.approx(plain.step_s.mid)
    assert short.evidence == plain.evidence


def test_old_published_result_is_less_sure():
    new = published(device="RTX Test", value=0.1, year=2024)
    old = published(device="RTX Test", value=0.1, year=2016)
    fresh = estimate(rent_gpu(), context(published=(new,)))
    stale = estimate(rent_gpu(), context(published=(old,)))
    assert stale.step_s.high > fresh.step_s.high
    assert any("2016" in text for text in stale.assumptions)


def test_published_result_on_the_instance_type_counts():
    row = published(device="Cloud c9.large Skylake", kind=DeviceKind.CPU, value=0.2)
    assert estimate(rent(), context(published=(row,))).step_s.mid == pytest.approx(0.2)


def test_other_batch_is_no_match():
    row = published(device="RTX Test", value=0.1, batch=4096)
    found = estimate(rent_gpu(), context(published=(row,)))
    assert not any("Your software is about as fast" in text for text in found.assumptions)
    assert found.step_s.mid < 0.1


def test_processor_for_sale():
    spec = device("Ryzen 9 Test", kind=DeviceKind.CPU, cores=16, ghz=4.5, per_cycle=32.0)
    assert estimate(buy(spec)).step_s.mid < context().baseline_step.step_s.mid


@settings(max_examples=40, deadline=None)
@given(
    peak=st.floats(1e11, 1e15), batch=st.sampled_from([1, 32, 512]),
    value=st.floats(1e-6, 10.0), vcpus=st.integers(1, 256),
)  # fmt: skip
def test_never_better_than_the_roofline(peak, batch, value, vcpus):
    spec = dataclasses.replace(GPU, peak_fp32_flop_per_s=peak)
    rows = (published(device="RTX Test", value=value, batch=batch),)
    where = context(small_cnn(batch), devices=(spec,), published=rows)
    gpu = estimate(rent_gpu(), where).step_s
    assert gpu.low >= where.totals.flop / peak * 0.999999
    assert gpu.low <= gpu.mid <= gpu.high
    cpu = estimate(rent(vcpus=float(vcpus)), where).step_s
    least = where.totals.flop / (max(0.5, vcpus / 2) * 3.5e9 * 32)
    assert cpu.low >= least * 0.999999


@pytest.mark.slow
def test_every_bundled_offer_has_a_time_or_a_reason():
    facts = bundled_knowledge()
    where = prediction_context(facts=facts)
    options = {
        hardware_key(option): option
        for row in facts.offers
        for option in [Option(id="o", title="o", kind=OptionKind.CLOUD, offer=row)]
    }
    found = [transfer(option, context=where) for option in options.values()]
    missing = [fact for fact in found if isinstance(fact, MissingFact)]
    assert len(missing) < 0.1 * len(found)
    for time in found:
        assert isinstance(time, MissingFact) or 0 < time.step_s.mid < 3600


# One network on two processors, of which the first is four times as fast.
TWO_PUBLISHED = tuple(
    published(device=name, kind=DeviceKind.CPU, value=value, workload="net",
              multiply_adds=10**8, study="both")
    for name, value in (("Ryzen 9 Test", 0.1), ("Ryzen 5 Test", 0.4))
)  # fmt: skip


def test_a_processor_is_between_its_limits_and_published_times_and_both_are_told():
    fast = device("Ryzen 9 Test", kind=DeviceKind.CPU, cores=8, ghz=4.0, per_cycle=32.0)
    other = device("Ryzen 5 Test", kind=DeviceKind.CPU, cores=8, ghz=4.0, per_cycle=32.0)
    plain = estimate(buy(fast), context(devices=(fast, other)))
    found = estimate(buy(fast), context(devices=(fast, other), published=TWO_PUBLISHED))
    slow = estimate(buy(other), context(devices=(fast, other), published=TWO_PUBLISHED))
    assert found.step_s.mid < slow.step_s.mid
    assert any("published" in one.statement for one in found.evidence)
    assert not any("published" in one.statement for one in plain.evidence)
    unmeasured = context(devices=(fast, other), published=TWO_PUBLISHED, is_measured=False)
    assert estimate(buy(fast), unmeasured).basis is Basis.MODEL_ONLY


def test_between_processors_that_are_alike_the_ratio_of_limits_weighs_most():
    twin = device("Ryzen 9 Test", kind=DeviceKind.CPU, cores=4, ghz=4.0, per_cycle=32.0)
    plain = estimate(buy(twin), context(devices=(twin,)))
    found = estimate(buy(twin), context(devices=(twin,), published=TWO_PUBLISHED))
    assert found.step_s.mid == pytest.approx(plain.step_s.mid, rel=0.1)
    # That published times disagree makes it less sure.
    assert found.step_s.high / found.step_s.low >= plain.step_s.high / plain.step_s.low


def test_an_offer_that_tells_a_base_clock_is_as_fast_as_others_of_its_kind():
    slow, fast = platform(ghz=2.0), dataclasses.replace(platform(ghz=4.0), vendor="other")
    alone = estimate(rent(), context(cpu_platforms=(slow,)))
    among = estimate(rent(), context(cpu_platforms=(slow, fast)))
    assert among.step_s.mid < 0.8 * alone.step_s.mid
