"""Options with times and money; those that are slower, no different or unknown."""

import dataclasses

import pytest

from advisor.knowledge.cloud import cloud_index
from advisor.knowledge.store import Knowledge
from advisor.model.machine import DeviceKind, Memory
from advisor.model.offer import AcceleratorName
from advisor.model.option import OptionKind
from advisor.model.quantity import Basis, Interval
from advisor.model.recommendation import Preferences, ReasonCode
from advisor.predict.context import PredictionContext
from advisor.predict.predict import predict_baseline
from advisor.recommend.evaluate import Given, evaluate, predict_option, speedup_of
from advisor.recommend.staying import stay_option
from tests.advisor.recommend.builders import (
    CONVOLUTION,
    GEMM,
    GIB,
    TODAY,
    a_cloud_option,
    a_fact,
    a_gpu,
    a_gpu_offer,
    a_prediction,
    a_profile,
    a_spec,
    a_workload,
    an_offer,
    an_option,
    exactly,
)

CARD = a_spec()
STAY = stay_option(a_profile(), a_workload())
FACTS = Knowledge(
    devices=(CARD,),
    accelerators=(
        AcceleratorName(accelerator="T4", memory_bytes=None, device=CARD.device, note=None),
    ),
)


def a_given(*, knowledge=FACTS, profile=None):
    profile = profile or a_profile()
    workload = a_workload(operators=(CONVOLUTION, GEMM))
    context = PredictionContext(
        profile=profile,
        measurements=None,
        workload=workload,
        knowledge=knowledge,
    )
    return Given(
        context=context,
        baseline=predict_baseline(context),
        preferences=Preferences(),
        index=cloud_index(knowledge),
        today=TODAY,
    )


def a_setting(low, high, *, option_id="s"):
    fact = a_fact(id=option_id, effect_low=low, effect_high=high)
    return an_option(option_id, OptionKind.RUNTIME_SETTINGS, fact=fact, device_id="cpu")


def codes(entry):
    return [found.code for found in entry.reasons]


def test_a_faster_setting_is_a_candidate_with_its_own_id():
    result = evaluate([STAY, a_setting(1.5, 2.0)], given=a_given())
    assert [c.option.id for c in result.candidates] == ["stay", "s"]
    assert [c.prediction.option_id for c in result.candidates] == ["stay", "s"]
    assert result.candidates[1].usd == 0.0


def test_a_setting_without_a_difference_is_refused():
    result = evaluate([STAY, a_setting(0.97, 1.03)], given=a_given())
    (rejection,) = result.rejections
    assert codes(rejection) == [ReasonCode.NOT_APPLICABLE]
    assert rejection.option_id == "s"


def test_a_slower_setting_is_to_be_avoided():
    result = evaluate([STAY, a_setting(0.5, 0.7)], given=a_given())
    (avoided,) = result.avoid
    assert codes(avoided) == [ReasonCode.PUBLISHED_SLOWER]
    assert avoided.speedup.mid == pytest.approx(0.59, abs=0.01)
    assert [c.option.id for c in result.candidates] == ["stay"]


@pytest.mark.parametrize(
    ("basis", "code"),
    [
        (Basis.MEASURED, ReasonCode.MEASURED_SLOWER),
        (Basis.SCALED_FROM_MEASUREMENT, ReasonCode.MEASURED_SLOWER),
        (Basis.SCALED_FROM_PUBLISHED, ReasonCode.PUBLISHED_SLOWER),
        (Basis.MODEL_ONLY, ReasonCode.SLOWER_THAN_NOW),
    ],
)
def test_slower_says_how_it_is_known(monkeypatch, basis, code):
    given = a_given()
    slow = a_prediction(hours=1.0, basis=basis)
    total = given.baseline.total_s.scaled(2.0)
    slow = dataclasses.replace(slow, total_s=total)
    monkeypatch.setattr("advisor.recommend.evaluate.predict", lambda *_args: slow)
    result = evaluate([a_setting(1.0, 2.0)], given=given)
    (avoided,) = result.avoid
    assert codes(avoided) == [code]
    assert avoided.reasons[0].parameters[0].value == pytest.approx(2.0)


def test_a_setting_without_a_figure_becomes_a_hint():
    result = evaluate([a_setting(None, None)], given=a_given())
    (hint,) = result.hints
    assert codes(hint) == [ReasonCode.TIME_UNKNOWN]


def test_a_rented_machine_of_unknown_hardware_is_refused():
    result = evaluate([a_cloud_option(an_offer(vcpus=None))], given=a_given())
    (rejection,) = result.rejections
    assert codes(rejection) == [ReasonCode.TIME_UNKNOWN]


def test_rented_machines_slower_than_this_one_are_one_line():
    offers = [an_offer(instance_type=f"m.{n}", vcpus=0.01, region=f"r{n}") for n in range(3)]
    result = evaluate([a_cloud_option(offer) for offer in offers], given=a_given())
    (rejection,) = result.rejections
    assert rejection.option_id == "cloud:slower"
    assert codes(rejection) == [ReasonCode.SLOWER_THAN_NOW]
    assert rejection.reasons[0].parameters[0].value == 3.0


@pytest.mark.parametrize(("factor", "is_told"), [(900.0, True), (1100.0, False)])
def test_a_rented_machine_of_which_nothing_can_be_told_is_no_option(monkeypatch, factor, is_told):
    total_s = Interval(low=1.0, mid=2.0, high=factor)
    found = dataclasses.replace(a_prediction(hours=0.001), total_s=total_s)
    monkeypatch.setattr("advisor.recommend.evaluate.predict", lambda *_args: found)
    result = evaluate([a_cloud_option(an_offer())], given=a_given())
    assert len(result.candidates) == is_told
    told = [(each.option_id, *codes(each)) for each in result.rejections]
    assert told == ([] if is_told else [("cloud:untold", ReasonCode.TIME_UNKNOWN)])


def test_equal_hardware_is_predicted_once(monkeypatch):
    given = a_given()
    calls = []

    def counted(option, *_args):
        calls.append(option.id)
        return a_prediction(option.id, hours=0.001)

    monkeypatch.setattr("advisor.recommend.evaluate.predict", counted)
    options = [
        a_cloud_option(an_offer(region=f"r{n}"), is_spot=is_spot)
        for n in range(10)
        for is_spot in (False, True)
    ]
    result = evaluate(options, given=given)
    assert len(calls) == 1
    assert len({c.prediction.option_id for c in result.candidates}) == 20


def test_spot_candidates_carry_their_lost_work():
    given = a_given()
    steady, spot = evaluate(
        [a_cloud_option(a_gpu_offer(), is_spot=is_spot) for is_spot in (False, True)],
        given=given,
    ).candidates
    assert steady.redone_s.mid == 0.0
    assert spot.redone_s.mid > 0.0


def test_a_gpu_of_this_machine_is_predicted_as_one_that_could_be_bought():
    gpu = a_gpu(kind=DeviceKind.DGPU, name=CARD.device, vendor="NVIDIA", pci_vendor_id="10de")
    given = a_given(profile=a_profile(graphics=(gpu,)))
    option = an_option("device:gpu0", OptionKind.LOCAL_DEVICE, device_id="gpu0")
    bought = an_option("buy", OptionKind.BUY, purchase=CARD)
    assert (
        predict_option(option, given=given).total_s == predict_option(bought, given=given).total_s
    )


def test_a_gpu_that_no_table_knows_becomes_a_hint():
    option = an_option("device:gpu0", OptionKind.LOCAL_DEVICE, device_id="gpu0")
    result = evaluate([option], given=a_given(knowledge=Knowledge()))
    assert [hint.option.id for hint in result.hints] == ["device:gpu0"]
    gone = an_option("device:gpu7", OptionKind.LOCAL_DEVICE, device_id="gpu7")
    assert evaluate([gone], given=a_given()).hints


# --- the ratio ----------------------------------------------------------------------------------


def predictions(*, now=2.0, then=2.0):
    """Baseline and option with intervals of these factors; the option takes half the time."""
    base = a_prediction(hours=2.0)
    half = a_prediction(hours=1.0)
    return (
        dataclasses.replace(
            base, total_s=Interval(low=7200.0 / now, mid=7200.0, high=7200.0 * now)
        ),
        dataclasses.replace(
            half, total_s=Interval(low=3600.0 / then, mid=3600.0, high=3600.0 * then)
        ),
    )


def test_staying_is_exactly_one():
    base, _half = predictions()
    assert speedup_of(STAY, base, baseline=base) == exactly(1.0)


def test_a_common_error_cancels_in_the_ratio():
    base, half = predictions(now=2.0, then=2.0)
    ratio = speedup_of(a_setting(2.0, 2.0), half, baseline=base)
    assert (ratio.low, ratio.mid, ratio.high) == (2.0, 2.0, 2.0)


def test_an_error_of_its_own_remains():
    base, half = predictions(now=2.0, then=4.0)
    ratio = speedup_of(a_setting(2.0, 2.0), half, baseline=base)
    assert ratio.low < ratio.mid < ratio.high


def test_a_gpu_elsewhere_has_both_errors():
    base, half = predictions(now=2.0, then=2.0)
    ratio = speedup_of(a_cloud_option(a_gpu_offer()), half, baseline=base)
    factor = 2.0 ** (2**0.5)
    assert ratio.high / ratio.mid == pytest.approx(factor)


def test_memory_of_the_profile_is_not_needed():
    memory = Memory(total_bytes=None, available_bytes=None, limit_bytes=GIB)
    assert evaluate([STAY], given=a_given(profile=a_profile(memory=memory))).candidates


def test_a_card_that_is_no_faster_than_the_one_that_is_there_is_not_to_be_bought(monkeypatch):
    given = a_given()
    speedups = {"device:gpu0": 9.0, "buy:same": 9.0, "buy:slower": 3.0, "buy:faster": 20.0}

    def predict(option, _context, baseline):
        total = baseline.total_s.scaled(1.0 / speedups.get(option.id, 1.0))
        return dataclasses.replace(baseline, option_id=option.id, total_s=total)

    monkeypatch.setattr("advisor.recommend.evaluate.predict", predict)
    own = an_option("device:gpu0", OptionKind.LOCAL_DEVICE, device_id="gpu0")
    cards = [
        an_option(name, OptionKind.BUY, purchase=a_spec(device=name))
        for name in ("buy:same", "buy:slower", "buy:faster")
    ]
    result = evaluate([STAY, own, *cards], given=given)
    found = [entry.option.id for entry in result.candidates]
    assert found == ["stay", "device:gpu0", "buy:faster"]
    (rejection,) = result.rejections
    assert (rejection.option_id, codes(rejection)) == ("buy:slower", [ReasonCode.SLOWER_THAN_NOW])
    assert rejection.reasons[0].parameters[0].value == 2.0
    without = evaluate([STAY, *cards], given=given)
    assert len(without.candidates) == 4
    assert without.rejections == []
