"""What the report says about runs of minutes."""

import pytest

from advisor.i18n import translator_for
from advisor.model.kernel import Direction, GemmShape
from advisor.model.measurement import (
    BenchmarkRequest,
    Measurement,
    MeasurementSet,
    Runner,
    SoftwareStack,
    StabilityWarning,
)
from advisor.model.quantity import Precision
from advisor.model.report import BarChart, Paragraph
from advisor.report.build import build_measurement_report
from advisor.report.sustained_section import sustained_blocks
from advisor.report.text import render_text

TR = translator_for("en")
FAST, SLOW = [0.05], [0.10]


def results(values_s, *, warnings=()):
    request = BenchmarkRequest(
        id="a",
        role="sustained",
        runner=Runner.KERAS,
        device_id="cpu",
        shape=GemmShape(m=1000, n=1000, k=1000),
        direction=Direction.FORWARD,
        precision=Precision.FLOAT32,
    )
    stack = SoftwareStack(
        framework="keras", framework_version="3", backend=None, backend_version=None
    )
    measured = Measurement(
        request=request, stack=stack, warmups_s=(), values_s=tuple(values_s), loops=10, check=""
    )
    return MeasurementSet(
        measured_on="2026-11-21", duration_s=1.0, results=(measured,), warnings=warnings
    )


@pytest.mark.parametrize(
    ("values", "warnings", "words"),
    [
        (FAST * 600, (), "keeps up its rate"),
        (FAST * 200 + SLOW * 300, (), "rate is 50 % below"),
        (FAST * 200 + SLOW * 300, (), "take 100 % longer"),
        (FAST * 200 + SLOW * 300, (StabilityWarning.BUSY,), "other programs used the machine"),
        ([0.05, 0.08] * 200, (), "scatter too much"),
        (FAST * 5, (), "too short"),
    ],
)
def test_each_verdict_has_its_sentence(values, warnings, words):
    blocks = list(sustained_blocks(results(values, warnings=warnings), TR))
    text = " ".join(block.text for block in blocks if isinstance(block, Paragraph))
    assert words in text
    assert "{" not in text


def test_both_rates_and_their_times_are_told():
    (lead, *_) = sustained_blocks(results(FAST * 200 + SLOW * 300), TR)
    assert "40 GFLOP/s in the first 10 s, 20 GFLOP/s in the last 1 min" in lead.text


def test_the_curve_is_in_minutes_and_marks_what_is_low():
    blocks = sustained_blocks(results(FAST * 200 + SLOW * 300), TR)
    (chart,) = [block for block in blocks if isinstance(block, BarChart)]
    assert chart.title.endswith("in minutes")
    assert [bar.emphasis for bar in chart.bars] == ["none"] * 3 + ["avoid"] * 9
    assert chart.bars[-1].label.endswith("–6.7")
    short = [b for b in sustained_blocks(results(FAST * 60), TR) if isinstance(b, BarChart)]
    assert short[0].title.endswith("in seconds")


def test_the_text_of_such_a_run_has_no_empty_table():
    text = render_text(build_measurement_report(results(FAST * 600), TR))
    assert "keeps up its rate" in text
    assert "Median" not in text
