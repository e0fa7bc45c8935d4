"""Every code has a sentence; the sentence that says most is taken; numbers carry their unit."""

import dataclasses
import itertools
import string

import pytest

from advisor.i18n import translator_for
from advisor.model.device_names import POCL_PLATFORM
from advisor.model.machine import DeviceKind
from advisor.model.recommendation import Caveat, Parameter, Reason, ReasonCode
from advisor.report.reason_sentences import CAVEATS, REASONS
from advisor.report.reasons import caveat_text, caveat_texts, reason_text
from tests.advisor.recommend.builders import a_profile, an_opencl
from tests.ui.advice_values import an_advice

TR = translator_for("en")


def placeholders(message):
    return {name for _, name, _, _ in string.Formatter().parse(message) if name}


@pytest.mark.parametrize("code", list(ReasonCode))
def test_every_code_has_a_sentence_without_parameters_unless_it_is_its_parameter(code):
    messages = REASONS[code]
    assert not placeholders(messages[-1])
    text = reason_text(Reason(code=code), TR)
    assert text == messages[-1]
    assert not text.endswith(".")


@pytest.mark.parametrize("messages", [*REASONS.values(), *CAVEATS.values()], ids=lambda m: m[0])
def test_more_telling_sentences_come_first(messages):
    """An earlier sentence that needs no more than a later one would hide it for ever."""
    needs = [placeholders(message) for message in messages]
    for earlier, later in itertools.pairwise(needs):
        assert not earlier < later


def _reason(code, **values):
    parameters = tuple(Parameter(name=name, value=value) for name, value in values.items())
    return reason_text(Reason(code=code, parameters=parameters), TR)


def test_numbers_are_written_by_the_unit_in_their_name():
    text = _reason(ReasonCode.FASTER_THAN_NOW, factor_x=1.84, low_x=1.5, high_x=2.0)
    assert text == "1.8× the speed of now (between 1.5× and 2×)"
    text = _reason(ReasonCode.OVER_BUDGET, usd=12.5, limit_usd=0.5)
    assert text == "Costs 12.50 USD, your limit is 0.50 USD"
    text = _reason(ReasonCode.OVER_DEADLINE, hours=30.5, limit_hours=8.0)
    assert text == "Takes 1 d 6 h with setting up, your deadline is 8 h"
    text = _reason(ReasonCode.MEMORY_TOO_SMALL, needed_bytes=2.0**31, available_bytes=2.0**30)
    assert text == "Needs 2 GiB, there are 1 GiB"


def test_missing_parameters_take_a_shorter_sentence():
    assert _reason(ReasonCode.FASTER_THAN_NOW, factor_x=2.0) == "2× the speed of now"
    assert _reason(ReasonCode.FASTER_THAN_NOW, other=1.0) == "Faster than now"


def test_caveats_of_unknown_code_show_themselves():
    caveat = Caveat(code="something_new", parameters=(Parameter(name="days", value=3.0),))
    assert caveat_text(caveat, TR) == "something new: days 3"
    assert caveat_text(Caveat(code="plain"), TR) == "plain"


def test_a_caveat_names_a_device_as_people_do():
    pocl = an_opencl(kind=DeviceKind.CPU, name="pthread-haswell-AMD", platform=POCL_PLATFORM)
    caveat = Caveat(
        code="opencl_device_is_cpu", parameters=(Parameter(name="device", value=pocl.name),)
    )
    profile = a_profile(opencl=(pocl,))
    advice = dataclasses.replace(an_advice(), profile=profile, caveats=(caveat,))
    (text,) = caveat_texts(advice, TR)
    assert text.startswith(f"The OpenCL device {profile.cpu.brand} (OpenCL, PoCL) is the processor")
