"""The network's own layers in a report, as they were timed."""

import dataclasses

from advisor.i18n import translator_for
from advisor.model.kernel import Direction, GemmShape
from advisor.model.measurement import (
    BenchmarkRequest,
    Measurement,
    MeasurementSet,
    Runner,
    Setting,
    SoftwareStack,
)
from advisor.model.quantity import Phase, Precision
from advisor.model.report import Table
from advisor.predict.work import step_calls
from advisor.report.own_kernels import own_kernel_blocks
from probes.bench.suite import pool
from tests.advisor.predict.builders import conv, operator, small_cnn

TR = translator_for("en")
STACK = SoftwareStack(framework="keras", framework_version="3", backend=None, backend_version=None)
WORK = small_cnn(phase=Phase.INFERENCE)


def timed(shape, seconds, *, role="replay", **request):
    asked = BenchmarkRequest(
        id=f"{shape}", role=role, runner=Runner.KERAS, device_id="cpu", shape=shape,
        **{"direction": Direction.FORWARD, "precision": Precision.FLOAT32, **request},
    )  # fmt: skip
    return Measurement(
        request=asked, stack=STACK, warmups_s=(), values_s=(seconds,) * 3, loops=1, check=""
    )


def tables(*measured, work=WORK):
    results = MeasurementSet(measured_on="2026-11-28", duration_s=1.0, results=measured)
    return [b for b in own_kernel_blocks(results, work, TR) if isinstance(b, Table)]


SHAPES = [o.shape for o in WORK.operators]


def test_what_a_step_spends_most_on_comes_first_with_how_often_it_runs():
    twice = dataclasses.replace(WORK, operators=(*WORK.operators, WORK.operators[2]))
    (table,) = tables(timed(SHAPES[0], 3e-3), timed(SHAPES[2], 2e-3), work=twice)
    assert [row[1:4] for row in table.rows] == [("2", "2 ms", "4 ms"), ("1", "3 ms", "3 ms")]
    assert "2 kernels" in table.caption
    assert "each by itself: 7 ms together" in table.caption


def test_what_is_not_of_this_network_or_run_otherwise_is_not_shown():
    own = SHAPES[0]
    assert tables() == []
    assert tables(timed(conv(1, 1, 4, 1), 1.0)) == []
    assert tables(timed(own, 1.0, role="calibration")) == []
    assert tables(timed(own, 1.0, threads=1)) == []
    assert tables(timed(own, 1.0, settings=(Setting(name="A", value="1"),))) == []
    assert tables(timed(own, 1.0, precision=Precision.BFLOAT16)) == []
    assert tables(timed(own, 1.0, direction=Direction.WEIGHT_GRADIENT)) == []
    assert list(own_kernel_blocks(None, WORK, TR)) == []


def test_kernels_of_one_kind_are_told_apart_by_their_sizes():
    heads = GemmShape(m=8, n=8, k=8, batch=6)
    pools = [pool("max", 4, 8, side, 2, 2) for side in (8, 16)]
    alike = dataclasses.replace(WORK, operators=tuple(map(operator, (heads, *pools))))
    (table,) = tables(*(timed(shape, 1e-3) for shape in (heads, *pools)), work=alike)
    names = {row[0] for row in table.rows}
    assert len(names) == 3
    assert "GEMM 8×8×8, batch 6" in names


def test_ten_are_shown_and_all_are_counted():
    many = dataclasses.replace(
        WORK, operators=tuple(operator(conv(1, n, 8, 8)) for n in range(1, 13))
    )
    calls = [call.shape for call in step_calls(many)][:12]
    (table,) = tables(*(timed(shape, 1e-3) for shape in calls), work=many)
    assert len(table.rows) == 10
    assert "12 kernels" in table.caption


def test_the_table_says_why_its_sum_is_not_that_of_the_step():
    results = MeasurementSet(
        measured_on="2026-11-28", duration_s=1.0, results=(timed(SHAPES[0], 1e-3),)
    )
    _table, note = own_kernel_blocks(results, WORK, TR)
    assert note.text.startswith("In a step a kernel takes another time than by itself")
