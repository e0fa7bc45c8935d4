"""What a comparison says: the place, the bars, the reason for an empty one."""

import dataclasses

import pytest

from advisor.i18n import translator_for
from advisor.model.comparison import (
    ComparedResult,
    Comparison,
    ComparisonGroup,
    NoResult,
    OwnBasis,
    SlowerDriver,
    Subject,
)
from advisor.model.kernel import GemmShape
from advisor.model.machine import DeviceKind
from advisor.model.quantity import Interval, Phase, Source
from advisor.model.report import BarChart, Paragraph, Table
from advisor.report.compare_sections import (
    SHOWN_EACH_SIDE,
    build_comparison_report,
    group_section,
    subject_name,
)
from advisor.report.text import render_text

TR = translator_for("en")


def a_result(number, **changes):
    values = {
        "device": f"Device {number}", "kind": DeviceKind.DGPU, "year": 2018,
        "value": number * 1e11, "unit": "flop/s", "ratio": number / 5.0, "software": "CUDA 10",
        "workload": "gemm m1024", "batch_size": None, "is_certain": True,
        "source": Source(title="a-study", reference="there"), "note": None, **changes,
    }  # fmt: skip
    return ComparedResult(**values)


def a_group(*results, **changes):
    values = {
        "subject": Subject.KERNEL, "device_id": "cpu", "device": "Some CPU",
        "kind": DeviceKind.CPU, "unit": "flop/s", "own": Interval(low=4e11, mid=5e11, high=6e11),
        "own_basis": OwnBasis.MEASURED, "own_software": "keras 3", "results": results,
        "shape": GemmShape(m=1024, n=1024, k=1024), "slower": "Device 4", "faster": "Device 6",
        **changes,
    }  # fmt: skip
    return ComparisonGroup(**values)


def blocks_of(group, kind):
    return [block for block in group_section(group, TR).blocks if isinstance(block, kind)]


def lead(group):
    return blocks_of(group, Paragraph)[0].text


def test_the_same_hardware_under_another_driver_is_told_in_a_line():
    slower = SlowerDriver(
        device_id="b", device="GPU (B)", own=Interval(low=1e11, mid=3e11, high=4e11)
    )
    told = blocks_of(a_group(a_result(4), slower_drivers=(slower,)), Paragraph)[1]
    assert told.text == "With another driver: GPU (B): 300 GFLOP/s."


def test_the_place_is_said_first():
    group = a_group(a_result(4), a_result(6))
    assert lead(group) == (
        "500 GFLOP/s (measured), keras 3: between Device 4 and Device 6."
    )  # fmt: skip
    below = dataclasses.replace(group, slower=None)
    assert "below all 2 devices, next is Device 6" in lead(below)
    above = dataclasses.replace(group, faster=None)
    assert "above all 2 devices, next is Device 4" in lead(above)


def test_software_goes_by_the_name_that_people_say():
    group = a_group(a_result(4), own_software="opencl 3.0, Portable Computing Language 3.1")
    assert lead(group).startswith("500 GFLOP/s (measured), opencl 3.0, PoCL 3.1: ")


def test_a_data_sheet_is_called_so():
    group = a_group(a_result(4), own_basis=OwnBasis.DATA_SHEET, own_software=None, shape=None,
                    subject=Subject.DATA_SHEET_RATE)  # fmt: skip
    assert "(data sheet, not measured)" in lead(group)
    assert subject_name(group, TR) == "arithmetic peak by data sheet"


def test_bars_are_on_a_log_scale_with_this_machine_in_its_place():
    (chart,) = blocks_of(a_group(a_result(4), a_result(6)), BarChart)
    assert chart.is_log
    assert [bar.emphasis for bar in chart.bars] == ["none", "now", "none"]
    assert [bar.mid for bar in chart.bars] == [4e11, 5e11, 6e11]
    assert chart.bars[1].label == "this machine: Some CPU"
    assert (chart.bars[1].low, chart.bars[1].high) == (4e11, 6e11)
    assert chart.bars[2].text == "600 GFLOP/s, 1.2×"


@pytest.mark.parametrize("own", [1e11, 20e11, 45e11])
def test_only_the_nearest_are_drawn_and_the_room_is_used(own):
    results = [a_result(number) for number in range(1, 41)]
    group = a_group(*results, own=Interval(low=own, mid=own, high=own))
    (chart,) = blocks_of(group, BarChart)
    assert len(chart.bars) == 2 * SHOWN_EACH_SIDE + 1
    values = [bar.mid for bar in chart.bars]
    assert values == sorted(values)
    (table,) = blocks_of(group, Table)
    assert len(table.rows) == 2 * SHOWN_EACH_SIDE


def test_the_table_names_software_work_study_and_what_was_not_verified():
    group = a_group(a_result(4), a_result(6, is_certain=False, batch_size=8, note="careful"))
    (table,) = blocks_of(group, Table)
    assert table.rows[0][3:] == ("CUDA 10", "gemm m1024", "a-study")
    assert table.rows[1][4] == "gemm m1024, batch 8 (unverified)"
    assert blocks_of(group, Paragraph)[-1].text == "Device 6: careful"


@pytest.mark.parametrize("reason", [r for r in NoResult if r is not NoResult.OWN_FIGURE_UNKNOWN])
def test_every_reason_has_its_words(reason):
    group = a_group(no_result=reason, found=("128", "256"), slower=None, faster=None)
    text = blocks_of(group, Paragraph)[1].text
    assert text.startswith("No comparable result: ")
    assert "{" not in text
    assert not blocks_of(group, BarChart)


def test_other_batches_are_named_and_many_are_cut():
    group = a_group(no_result=NoResult.OTHER_BATCHES, found=("8", "128"), slower=None, faster=None)
    assert "only other batch sizes were published (8, 128)" in blocks_of(group, Paragraph)[1].text
    many = dataclasses.replace(group, found=tuple(map(str, range(30))))
    assert "and 18 more" in blocks_of(many, Paragraph)[1].text


def test_a_device_without_a_figure_still_shows_the_others():
    group = a_group(a_result(4), own=None, no_result=NoResult.OWN_FIGURE_UNKNOWN, slower=None,
                    faster=None)  # fmt: skip
    assert lead(group) == "Some CPU: no figure."
    assert "measure it" in blocks_of(group, Paragraph)[1].text
    (chart,) = blocks_of(group, BarChart)
    assert [bar.emphasis for bar in chart.bars] == ["none"]


def test_networks_are_in_samples_per_second():
    group = a_group(
        a_result(4, unit="1/s", value=400.0), subject=Subject.NETWORK, unit="1/s", shape=None,
        own=Interval(low=50.0, mid=100.0, high=200.0), own_basis=OwnBasis.PREDICTED,
        workload="ResNet-50", phase=Phase.TRAINING, batch_size=16, slower=None,
    )  # fmt: skip
    assert subject_name(group, TR) == "ResNet-50, training, batch 16, float32"
    assert lead(group).startswith("100 samples/s (predicted)")


@pytest.mark.parametrize(
    ("batches", "ending"),
    [
        ((16, 16), ""),
        ((64, 64), "; published at batch 64"),
        ((8, 16, 128), "; published at batch 8 to 128"),
    ],
)
def test_a_chart_tells_the_batch_of_its_rows(batches, ending):
    rows = (a_result(i, unit="1/s", batch_size=batch) for i, batch in enumerate(batches, 1))
    group = a_group(
        *rows, subject=Subject.NETWORK, unit="1/s", shape=None, workload="ResNet-50",
        phase=Phase.TRAINING, batch_size=16,
    )  # fmt: skip
    (chart,) = blocks_of(group, BarChart)
    assert chart.title == f"ResNet-50, training, batch 16, float32{ending}"


def test_the_report_says_whether_anything_was_measured():
    values = {
        "machine": "Some CPU",
        "collected_on": "2026-11-20",
        "groups": (a_group(a_result(4)),),
    }
    measured = build_comparison_report(Comparison(measured_on="2026-11-21", **values), TR)
    assert measured.subtitle == "Measured on 2026-11-21."
    empty = build_comparison_report(Comparison(measured_on=None, **values), TR)
    assert "nothing was measured" in empty.subtitle
    text = render_text(measured)
    assert "Some CPU among published results" in text
    assert "Only like is put beside like" in text
    assert all(len(line) <= 100 for line in text.splitlines())
