"""Every kernel says what it measures, its figure or its reason, and where it ran."""

import dataclasses
import typing

from advisor.model.device_names import device_name
from advisor.model.kernel import KernelShape, UnknownShape
from advisor.model.machine import DeviceKind
from advisor.model.measurement import Outcome
from advisor.report.names import MEASURED_IN_SHORT
from tests.advisor.recommend.builders import a_profile, an_opencl
from tests.ui.advice_values import a_failure, a_measurement, an_advice, results
from ui.models.measure_rows import RESULT_HEADS, ResultRows, meaning_of, result_rows


def test_every_row_has_a_cell_for_each_head(tr):
    rows = result_rows(an_advice().measurements.results, None, tr)
    assert len(rows) == 12
    assert {len(row) for row in rows} == {len(RESULT_HEADS)}


def test_every_kind_of_kernel_has_its_meaning():
    for kind in typing.get_args(KernelShape):
        text = meaning_of(object.__new__(kind))
        assert text or kind is UnknownShape


def test_a_measurement_shows_rate_and_spread(tr):
    kernel, device, result, spread, state = result_rows((a_measurement(),), None, tr)[0]
    assert kernel.text == "GEMM 1024×1024×1024"
    assert device.text == "CPU · Keras"
    assert result.text == "216 GFLOP/s"
    assert "of 3 values" in result.explanation
    assert result.explanation.startswith("Lower quartile ")
    assert spread.text.startswith("± 1")
    alone = dataclasses.replace(a_measurement(), values_s=(0.01,))
    # One value tells no spread, least of all one of nothing.
    assert result_rows((alone,), None, tr)[0][3].text == "–"
    assert state.text == "done"
    assert "product of two matrices" in kernel.explanation


def test_a_failure_shows_the_verdict_and_its_reason(tr):
    *_before, result, spread, state = result_rows((a_failure(),), None, tr)[0]
    assert state.text.startswith("took too long: nothing was heard")
    assert (result.text, spread.text) == ("–", "–")
    assert result.value < 0


def test_what_was_never_begun_is_one_row(tr):
    skipped = [
        dataclasses.replace(a_failure(n), outcome=outcome, message=outcome.value)
        for n, outcome in enumerate((Outcome.SKIPPED, Outcome.SKIPPED, Outcome.CANCELLED))
    ]
    rows = result_rows((skipped[0], a_measurement(), a_failure(), *skipped[1:]), None, tr)
    assert [row[0].text for row in rows] == [
        "GEMM 1024×1024×1024",
        "GEMM 1024×1024×1024",
        "3 more were left out",
    ]
    assert "memory triad" in rows[-1][0].explanation
    assert rows[-1][0].explanation.endswith("skipped\ncancelled")


def test_devices_have_names():
    profile = a_profile(opencl=(an_opencl(),))
    assert device_name("opencl0", profile) == "AMD Radeon R7 Graphics (radeonsi, kaveri)"
    assert device_name("opencl9", profile) == "opencl9"
    assert device_name("opencl0", None) == "opencl0"
    assert device_name("cpu", None) == "CPU"
    twins = a_profile(opencl=(an_opencl(), dataclasses.replace(an_opencl(), id="opencl1")))
    assert device_name("opencl1", twins).endswith("kaveri) (opencl1)")


def test_rows_of_results_that_grow_are_those_of_all_at_once(tr):
    maker, profile = ResultRows(), an_advice().profile
    many = results(20)
    for count in (3, 9, 20, 4):
        some = many[:count]
        assert maker.rows(some, profile, tr) == result_rows(some, profile, tr)
    before, after = maker.rows(many[:4], profile, tr), maker.rows(many[:9], profile, tr)
    assert all(old is new for old, new in zip(before, after, strict=False))
    assert maker.rows(many, None, tr) == result_rows(many, None, tr)


def test_the_processor_seen_through_opencl_says_that_it_is_measured_in_short(tr):
    result = a_measurement()
    request = dataclasses.replace(result.request, device_id="opencl0")
    on_device = dataclasses.replace(result, request=request)
    for kind, hint in ((DeviceKind.CPU, MEASURED_IN_SHORT), (DeviceKind.IGPU, "")):
        profile = a_profile(opencl=(dataclasses.replace(an_opencl(), kind=kind),))
        rows = result_rows((on_device, result), profile, tr)
        assert [row[1].explanation for row in rows] == [hint, ""]
