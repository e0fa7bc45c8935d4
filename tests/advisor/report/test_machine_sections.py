"""What the report says about measurements."""

import dataclasses
import re

from advisor.i18n import translator_for
from advisor.model.device_names import POCL_PLATFORM
from advisor.model.kernel import ConvShape, Direction, GemmShape, PeakShape
from advisor.model.machine import DeviceKind
from advisor.model.measurement import (
    BenchmarkRequest,
    FailedMeasurement,
    Measurement,
    MeasurementSet,
    Outcome,
    Runner,
    Setting,
    SoftwareStack,
    StabilityWarning,
)
from advisor.model.quantity import Precision
from advisor.model.report import Paragraph, Table
from advisor.report.build import build_profile_report
from advisor.report.machine_sections import measurement_section
from advisor.report.names import MEASURED_IN_SHORT
from advisor.report.text import render_text
from tests.advisor.recommend.builders import a_profile, an_opencl

TR = translator_for("en")


def measured(role, *settings):
    request = BenchmarkRequest(
        id=f"{role}/{settings}",
        role=role,
        runner=Runner.KERAS,
        device_id="cpu",
        shape=GemmShape(m=8, n=8, k=8),
        direction=Direction.FORWARD,
        precision=Precision.FLOAT32,
        settings=tuple(Setting(name=name, value=value) for name, value in settings),
    )
    stack = SoftwareStack(
        framework="keras", framework_version="3", backend="torch", backend_version=None
    )
    return Measurement(
        request=request, stack=stack, warmups_s=(), values_s=(1e-3,), loops=1, check=""
    )


def test_headlines_and_other_backends_are_shown_other_settings_not():
    results = MeasurementSet(
        measured_on="2026-11-21",
        duration_s=1.0,
        results=(
            measured("headline"),
            measured("setting", ("KERAS_BACKEND", "torch")),
            measured("setting", ("TF_ENABLE_ONEDNN_OPTS", "0")),
            measured("calibration"),
        ),
    )
    tables = [b for b in measurement_section(results, TR).blocks if isinstance(b, Table)]
    assert len(tables[0].rows) == 2


def failure(size, message, runner=Runner.KERAS):
    request = BenchmarkRequest(
        id=f"{runner}/{size}",
        role="headline",
        runner=runner,
        device_id="cpu",
        shape=GemmShape(m=size, n=size, k=size),
        direction=Direction.FORWARD,
        precision=Precision.FLOAT32,
    )
    return FailedMeasurement(request=request, outcome=Outcome.CRASHED, message=message)


def failures(*results):
    results_ = MeasurementSet(measured_on="2026-11-21", duration_s=1.0, results=results)
    tables = [b for b in measurement_section(results_, TR).blocks if isinstance(b, Table)]
    return tables[-1].rows


def test_what_failed_for_one_reason_is_one_row():
    rows = failures(failure(1, "SIGILL"), failure(2, "SIGILL"), failure(3, "other"))
    assert rows == (
        ("2 kernels of keras", "CPU", "crashed: SIGILL"),
        ("GEMM 3×3×3", "CPU", "crashed: other"),
    )


def test_the_same_reason_of_two_frameworks_is_two_rows():
    rows = failures(failure(1, "SIGILL"), failure(2, "SIGILL", Runner.NUMPY))
    assert [row[0] for row in rows] == ["GEMM 1×1×1", "GEMM 2×2×2"]


CONV = ConvShape(
    n=1, c=1, spatial=(4, 4), k=1, kernel=(3, 3), strides=(1, 1), output=(4, 4), dilation=(1, 1)
)


def remarks(*shapes, role="headline", runner=Runner.OPENCL, lang="en"):
    """Return what is said besides the tables when a device was asked for these shapes."""
    asked = measured("headline")
    results = tuple(
        dataclasses.replace(
            asked,
            request=dataclasses.replace(
                asked.request, id=str(n), role=role, runner=runner, shape=shape
            ),
        )
        for n, shape in enumerate(shapes)
    )
    found = MeasurementSet(measured_on="2026-11-21", duration_s=1.0, results=results)
    blocks = measurement_section(found, translator_for(lang)).blocks
    return [block.text for block in blocks if isinstance(block, Paragraph)]


def test_a_processor_measured_in_short_is_remarked_upon_once():
    gemm = GemmShape(m=8, n=8, k=8)
    assert remarks(PeakShape(), gemm).count(MEASURED_IN_SHORT) == 1
    assert remarks(PeakShape(), gemm, lang="zh_CN")[-1].startswith("快速测量对")
    assert MEASURED_IN_SHORT not in remarks(PeakShape(), gemm, CONV)
    assert MEASURED_IN_SHORT not in remarks(PeakShape(), gemm, runner=Runner.CLOCK)


def test_layers_that_had_no_time_were_asked_for_all_the_same():
    request = dataclasses.replace(
        measured("headline").request, runner=Runner.OPENCL, shape=PeakShape()
    )
    peak = dataclasses.replace(measured("headline"), request=request)
    layer = FailedMeasurement(
        request=dataclasses.replace(request, id="layer", shape=CONV),
        outcome=Outcome.SKIPPED,
        message="the time set aside was used up",
    )
    found = MeasurementSet(measured_on="2026-11-21", duration_s=1.0, results=(peak, layer))
    blocks = measurement_section(found, TR).blocks
    assert MEASURED_IN_SHORT not in {b.text for b in blocks if isinstance(b, Paragraph)}


def test_without_a_figure_there_is_no_empty_table():
    empty = MeasurementSet(measured_on="2026-11-21", duration_s=0.0, results=())
    assert not [b for b in measurement_section(empty, TR).blocks if isinstance(b, Table)]


def test_a_disturbed_run_says_so_in_a_sentence():
    busy = MeasurementSet(
        measured_on="2026-11-21", duration_s=0.0, results=(), warnings=(StabilityWarning.BUSY,)
    )
    (note,) = measurement_section(busy, TR).blocks
    assert note.text == "The machine was busy: close other programs and measure again."


def test_it_says_which_of_its_values_a_figure_is():
    results = MeasurementSet(
        measured_on="2026-11-21", duration_s=0.0, results=(measured("headline"),)
    )
    told = [b.text for b in measurement_section(results, TR).blocks if isinstance(b, Paragraph)]
    assert told[0].startswith("A figure is the lower quartile of its values; of memory traffic")


def test_values_that_the_user_gave_are_named_as_such():
    told = render_text(build_profile_report(a_profile(overrides=("cpu.base_mhz",)), TR))
    assert re.search(r"Changed by you +cpu\.base_mhz", told)
    assert "Changed by you" not in render_text(build_profile_report(a_profile(), TR))


def test_an_opencl_device_that_is_the_processor_goes_by_its_name_and_tells_its_drivers():
    pocl = an_opencl(kind=DeviceKind.CPU, name="pthread-haswell-AMD", platform=POCL_PLATFORM)
    profile = a_profile(opencl=(pocl,))
    told = " ".join(render_text(build_profile_report(profile, TR)).split())
    assert f"OpenCL {profile.cpu.brand} (OpenCL, PoCL): CPU, " in told
    assert "; its driver calls it pthread-haswell-AMD" in told
    assert "calls it" not in render_text(build_profile_report(a_profile(opencl=(an_opencl(),)), TR))
