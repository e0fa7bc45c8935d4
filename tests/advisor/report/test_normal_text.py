"""Every verdict, cause and missing bound has a sentence; the table tells them."""

import re
from pathlib import Path

import pytest

from advisor.i18n import translator_for
from advisor.model.efficiency import (
    Cause,
    CauseCode,
    Detail,
    Efficiency,
    PeakBasis,
    UnknownPeak,
    Verdict,
)
from advisor.model.kernel import Direction, GemmShape, OverheadShape
from advisor.model.measurement import BenchmarkRequest, Runner
from advisor.model.quantity import Precision
from advisor.model.report import Table
from advisor.report.normal_text import (
    BASES,
    CAUSES,
    UNKNOWN_PEAKS,
    VERDICTS,
    cause_text,
    normal_blocks,
)

TR = translator_for("en")
SOURCE = Path(__file__).parents[3] / "advisor" / "normal" / "causes.py"


def efficiency(**changes):
    request = BenchmarkRequest(
        id="x", role="headline", runner=Runner.KERAS, device_id="cpu",
        shape=GemmShape(m=512, n=512, k=512), direction=Direction.FORWARD,
        precision=Precision.FLOAT32,
    )  # fmt: skip
    values = {
        "device_id": "cpu",
        "request": request,
        "value": 100e9,
        "unit": "flop/s",
        "peak": 400e9,
        "basis": PeakBasis.CORES_CLOCK_ISA,
        "unknown": None,
        "ratio": 0.25,
        "normal_low": 0.5,
        "normal_high": 1.25,
        "verdict": Verdict.LOW,
        "cause": None,
    }
    return Efficiency(**{**values, **changes})


def rows_of(*rows):
    return next(block for block in normal_blocks(rows, TR) if isinstance(block, Table)).rows


def test_every_code_has_words():
    assert set(VERDICTS) == set(Verdict)
    assert set(UNKNOWN_PEAKS) == set(UnknownPeak)
    assert set(BASES) == set(PeakBasis)
    assert set(CAUSES) == set(CauseCode)


@pytest.mark.parametrize("code", list(CauseCode))
def test_the_parameters_that_a_cause_is_given_fill_a_sentence(code):
    """Calls of `cause(CauseCode.X, name=...)` in the source, against the placeholders."""
    calls = re.findall(rf"CauseCode\.{code.name}\b([^)]*)\)", SOURCE.read_text(encoding="utf-8"))
    for call in calls:
        names = re.findall(r"(\w+)=", call)
        given = Cause(code=code, details=tuple(Detail(name=n, value=1.0) for n in names))
        text = cause_text(given, TR)
        assert text != code.value, f"no sentence of {code} does with {names}"
        assert "{" not in text


def test_numbers_carry_their_units():
    given = Cause(
        code=CauseCode.VIRTUAL_CLOCK,
        details=(Detail(name="name", value="kvm"), Detail(name="clock_mhz", value=2596.1)),
    )
    assert "(kvm) tells the base clock (2596 MHz)" in cause_text(given, TR)
    half = Cause(
        code=CauseCode.SINGLE_CHANNEL, details=(Detail(name="share_percent", value=40.04),)
    )
    assert cause_text(half, TR).startswith("40 % of the bandwidth")


def test_the_table_shows_share_verdict_and_cause():
    busy = efficiency(cause=Cause(code=CauseCode.BUSY))
    assert rows_of(busy) == (
        (
            "CPU", "GEMM 512×512×512 (keras)", "100 GFLOP/s", "400 GFLOP/s", "25 %", "low",
            "Other programs computed meanwhile: close them and measure again",
        ),
    )  # fmt: skip


def test_it_says_from_which_share_on_a_verdict_is_normal():
    """Of products through OpenCL less is normal: 25 % is low there or not, by the row's own."""
    product = efficiency(normal_low=0.2, verdict=Verdict.NORMAL, device_id="opencl:0:0")
    unknown = efficiency(ratio=None, normal_low=0.7)
    notes = [b.text for b in normal_blocks((efficiency(), efficiency(), product, unknown), TR)[1:]]
    assert notes[1:] == [
        "A share from 50 % on is normal.",
        "From 20 % on it is normal for: opencl:0:0: GEMM 512×512×512 (keras).",
    ]


def test_without_a_bound_the_reason_stands_instead():
    row = efficiency(
        peak=None, basis=None, ratio=None, verdict=Verdict.UNKNOWN, unknown=UnknownPeak.CLOCK
    )
    (cells,) = rows_of(row)
    assert cells[3:] == ("–", "–", "no bound known", "the clock is not known")
    assert len(normal_blocks((row,), TR)) == 1


def test_a_cost_below_the_usual_is_no_share_above_one():
    shape = OverheadShape(kind="launch")
    request = efficiency().request
    request = BenchmarkRequest(
        id="y", role="headline", runner=Runner.OPENCL, device_id="opencl:0:0", shape=shape,
        direction=request.direction, precision=request.precision,
    )  # fmt: skip
    row = efficiency(
        request=request, unit="s", value=2e-6, peak=35e-6, ratio=17.5, verdict=Verdict.NORMAL,
        basis=PeakBasis.USUAL_COST,
    )  # fmt: skip
    (cells,) = rows_of(row)
    assert cells[1:5] == ("kernel launch", "2 µs", "35 µs", "100 %")


def test_nothing_to_judge_is_nothing_to_show():
    assert normal_blocks((), TR) == ()
