"""The measured clock and rate stand in for those of the data sheet."""

import pytest

from advisor.model.kernel import CLOCK_CYCLES, PEAK_FLOP, ClockShape, PeakShape
from advisor.model.measurement import Runner
from advisor.model.quantity import Precision
from advisor.predict.hardware import CpuLimits
from advisor.predict.own_limits import own_limits
from tests.advisor.predict.builders import gemm, measure, measurement_set

SHEET = CpuLimits(
    name="CPU", cores=2.0, units=2, ghz=2.6,
    flop_per_cycle=((Precision.FLOAT32, 64.0), (Precision.BFLOAT16, 128.0)),
    bandwidth_byte_per_s=20e9, is_guessed=False,
)  # fmt: skip


def timed(shape, seconds):
    return measure(shape, seconds, runner=Runner.CLOCK, role="headline")


def clock(ghz):
    return timed(ClockShape(load="vector"), CLOCK_CYCLES / (ghz * 1e9))


def peak(gflops):
    return timed(PeakShape(), PEAK_FLOP / (gflops * 1e9))


def test_without_figures_the_data_sheet_stands():
    assert own_limits(SHEET, None) == SHEET
    assert own_limits(SHEET, measurement_set()) == SHEET


def test_a_guest_runs_faster_than_it_is_told():
    found = own_limits(SHEET, measurement_set(clock(3.7), peak(470.0)))
    assert found.ghz == pytest.approx(3.7)
    assert found.peak_flop_per_s(Precision.FLOAT32) == pytest.approx(470e9)
    # Other formats keep their ratio.
    assert found.peak_flop_per_s(Precision.BFLOAT16) == pytest.approx(940e9)


def test_cores_that_are_not_alike_do_less_together():
    found = own_limits(SHEET, measurement_set(clock(2.6), peak(200.0)))
    assert found.ghz == pytest.approx(2.6)
    assert found.peak_flop_per_s(Precision.FLOAT32) == pytest.approx(200e9)


def test_what_cannot_be_is_bounded_and_bandwidth_is_taken_where_it_is_given():
    found = own_limits(SHEET, measurement_set(clock(40.0), peak(9e6)), bandwidth_byte_per_s=5e10)
    assert found.ghz == pytest.approx(4.0 * SHEET.ghz)
    sheet = SHEET.peak_flop_per_s(Precision.FLOAT32)
    assert found.peak_flop_per_s(Precision.FLOAT32) == pytest.approx(4.0 * sheet)
    assert found.bandwidth_byte_per_s == 5e10


def test_a_product_that_is_faster_than_the_peak_tells_that_others_took_the_cores():
    product = measure(gemm(1024, 1024, 1024), 2 * 1024**3 / 400e9)
    disturbed = own_limits(SHEET, measurement_set(peak(235.0), product))
    assert disturbed.peak_flop_per_s(Precision.FLOAT32) == pytest.approx(400e9)
    # Alone it tells of its library as well.
    assert own_limits(SHEET, measurement_set(product)) == SHEET
