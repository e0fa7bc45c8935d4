"""Random shapes: as drawn, as recorded, and what is bundled follows from the recordings."""

import math
import statistics
from pathlib import Path

import numpy as np
import pytest

from advisor.model.instructions import Library
from advisor.model.kernel import ConvShape, Direction, GemmShape, OperatorKind
from advisor.model.quantity import Precision
from advisor.predict.shape_factor import bundled_curves, covariance
from advisor.predict.work import bytes_moved, flop, operator_kind
from tests.accuracy.live_file import Recording
from tests.accuracy.shapes import settings_for
from tests.accuracy.shapes_drawn import DRAWS, random_shapes
from tests.accuracy.shapes_fit import Timed, fit_curves, summary, timed_shapes
from tests.helpers.trial_machines import profile

FOLDER = Path(__file__).with_name("timed_shapes")


@pytest.fixture(scope="module", params=Library)
def timed(request):
    files = sorted(FOLDER.glob(f"zen4-{request.param}*.json.gz"))
    # Convolutions in groups are compiled by XLA, whatever the library is.
    files.append(FOLDER / "zen4-groups.json.gz")
    assert len(files) == len(DRAWS)
    return request.param, timed_shapes(Recording(file) for file in files)


@pytest.mark.parametrize("draw", DRAWS)
def test_shapes_are_the_same_each_time_and_small_enough(draw):
    shapes = random_shapes(draw)
    assert shapes == random_shapes(draw)
    assert len(dict(shapes)) == len(shapes)
    for shape, directions in shapes:
        for direction in directions:
            assert flop(shape, direction=direction) <= 2.5e9
            moved = bytes_moved(shape, direction=direction, precision=Precision.FLOAT32)
            assert moved <= 200e6


def test_all_classes_are_drawn_and_deep_layers_besides():
    kinds = {operator_kind(shape) for shape, _ in random_shapes("all")}
    assert {OperatorKind.GEMM, OperatorKind.DEPTHWISE, OperatorKind.SOFTMAX} <= kinds
    convs = [shape for shape, _ in random_shapes("deep") if isinstance(shape, ConvShape)]
    deep = [s for s in convs if min(s.c, s.k) >= 256 and math.prod(s.spatial) <= 64]
    assert len(deep) >= 20
    assert sum(s.n == 1 for s in deep) >= 2


def test_layers_at_small_batches_are_drawn_besides():
    shapes = [shape for shape, _ in random_shapes("small")]
    wide = [s for s in shapes if isinstance(s, GemmShape) and s.n * s.k >= 4 << 20]
    assert len(wide) >= 10
    assert max(shape.m for shape in wide) <= 96
    alone = [s for s in shapes if isinstance(s, ConvShape) and s.n == 1]
    assert sum(math.prod(s.spatial) == 1 for s in alone) >= 12
    assert sum(s.kernel == s.strides != (1, 1) for s in shapes if isinstance(s, ConvShape)) >= 20


def test_groups_of_one_channel_and_of_several_are_drawn():
    groups = [shape for shape, _ in random_shapes("groups")]
    assert {operator_kind(shape) for shape in groups} == {OperatorKind.GROUPED}
    ones = sum(shape.has_groups_of_one_channel for shape in groups)
    assert 40 <= ones <= len(groups) - 40


def test_a_library_is_set_where_the_processor_takes_the_other():
    assert settings_for(Library.ONEDNN, profile()) == ()
    off = settings_for(Library.EIGEN, profile())
    assert [(s.name, s.value) for s in off] == [("TF_ENABLE_ONEDNN_OPTS", "0")]
    on = settings_for(Library.ONEDNN, profile(flags=("avx2",)))
    assert [s.value for s in on] == ["1"]


def test_what_is_bundled_are_the_weights_of_the_recording(timed):
    library, shapes = timed
    for (kind, direction), curve in bundled_curves(library).items():
        own = [t for t in shapes if (operator_kind(t.shape), t.direction) == (kind, direction)]
        assert len(own) == len(curve.points)
        logs = np.array([one.log_factor for one in own])
        # The weights times the covariance are the times, but for the noise of each.
        told = covariance(
            curve.points, curve.points, lengths=curve.lengths, variance=curve.variance
        ) @ curve.weights + np.median(logs)
        errors = np.abs(told - logs)
        assert np.median(errors) < 0.3, (kind, direction)
        assert np.corrcoef(told, logs)[0, 1] > 0.75, (kind, direction)


@pytest.mark.slow
def test_what_is_bundled_is_what_the_fit_finds(timed):
    library, shapes = timed
    fitted = fit_curves(shapes)
    known = bundled_curves(library)
    assert fitted.keys() == known.keys()
    for key, found in fitted.items():
        assert found.curve.lengths == pytest.approx(known[key].lengths, rel=0.02)
    # Each told by the others: a class of its median alone would be two to four times as far off.
    for kind in (OperatorKind.GEMM, OperatorKind.CONVOLUTION):
        errors = [abs(float(e)) for e in fitted[kind, Direction.FORWARD].left_out]
        assert statistics.median(errors) < 0.2
    assert "gemm forward: 241" in summary(fitted, library)


def test_a_fit_tells_a_slope_from_noise():
    def one(n, log):
        return Timed(shape=GemmShape(m=64, n=n, k=64), direction=Direction.FORWARD, log_factor=log)

    sizes = [8 * 2**at for at in range(8)]
    sloped = fit_curves(one(n, 0.3 * math.log(n)) for n in sizes)
    found = sloped[OperatorKind.GEMM, Direction.FORWARD]
    assert np.abs(found.left_out[1:-1]).max() < 0.2
    flat = fit_curves(one(n, 0.05 * (-1) ** at) for at, n in enumerate(sizes))
    curve = flat[OperatorKind.GEMM, Direction.FORWARD].curve
    told = [curve.log_factor(tuple(point)) for point in curve.points]
    assert np.abs(told).max() < 0.03
