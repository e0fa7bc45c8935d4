"""What a shape costs: bounded, nothing where nothing is known, the same after packing."""

import math
import zlib

import numpy as np
import pytest

from advisor.model.instructions import Library
from advisor.model.kernel import Direction, GemmShape, OperatorKind, PoolShape, StreamShape
from advisor.predict.kernel_features import numbers
from advisor.predict.shape_factor import (
    Curve,
    bundled_curves,
    covariance,
    log_factor,
    pack,
    unpack,
)
from probes.bench import suite
from tests.advisor.predict.builders import conv, gemm

FORWARD = Direction.FORWARD
KEY = (OperatorKind.GEMM, FORWARD)


def curve(*logs, lengths=(1.0, 2.0)):
    points = np.array([[3.0 * at, 1.0] for at in range(len(logs))])
    known = covariance(points, points, lengths=np.array(lengths), variance=1.0)
    weights = np.linalg.solve(known, np.array(logs))
    return Curve(
        lengths=np.array(lengths), variance=1.0, points=points, weights=weights,
        least=min(logs), most=max(logs),
    )  # fmt: skip


def test_a_timed_shape_is_told_as_it_was_timed_and_nothing_far_away():
    found = curve(-0.5, 0.2, 0.9)
    assert found.log_factor((3.0, 1.0)) == pytest.approx(0.2)
    assert found.log_factor((300.0, 1.0)) == pytest.approx(0.0, abs=1e-9)


def test_no_shape_goes_beyond_what_was_seen():
    # Two neighbours that rise steeply would make what follows them higher still.
    found = curve(0.1, 0.5, 0.6, lengths=(8.0, 2.0))
    asked = [found.log_factor((at, 1.0)) for at in np.linspace(-30.0, 30.0, 200)]
    assert min(asked) >= 0.1
    assert max(asked) == pytest.approx(0.6)


def test_covariance_falls_with_the_distance():
    points = np.array([[0.0], [1.0], [5.0]])
    found = covariance(points, points, lengths=np.array([1.0]), variance=2.0)
    assert np.diag(found) == pytest.approx(2.0)
    assert found[0, 1] > found[0, 2] > 0.0
    assert np.allclose(found, found.T)


def test_curves_are_the_same_after_packing():
    found = unpack(pack({KEY: curve(-0.5, 0.2, 0.9)}))
    assert list(found) == [KEY]
    assert found[KEY].log_factor((3.0, 1.0)) == pytest.approx(0.2, abs=1e-5)
    assert (found[KEY].least, found[KEY].most) == pytest.approx((-0.5, 0.9))


@pytest.mark.parametrize("content", [b"", b"no", zlib.compress(b'{"version":9,"curves":[]}\n')])
def test_another_file_is_refused(content):
    with pytest.raises(ValueError, match="shape factors"):
        unpack(content)


@pytest.mark.parametrize("library", Library)
def test_what_is_bundled_knows_the_classes_of_the_table(library):
    known = bundled_curves(library)
    for rows in (suite.CONVOLUTIONS, suite.DEPTHWISES, suite.DENSES, suite.RECURRENTS, suite.POOLS):
        for row in rows:
            for direction in row.directions:
                factor = math.exp(log_factor(row.shape, direction, library))
                assert 0.02 < factor < 60.0
                assert factor != 1.0
    assert all(found.least < 0.0 < found.most for found in known.values())


def test_nothing_is_told_without_a_library_or_of_another_class():
    assert log_factor(gemm(64, 64, 64), FORWARD, None) == 0.0
    assert log_factor(StreamShape(op="triad", elements=1 << 20), FORWARD, Library.ONEDNN) == 0.0


def test_pools_that_overlap_cost_more_than_others():
    def factor(window, stride):
        shape = suite.pool("max", 16, 128, 28, window, stride)
        assert isinstance(shape, PoolShape)
        return log_factor(shape, Direction.BACKWARD, Library.ONEDNN)

    assert math.isfinite(factor(3, 1))
    assert factor(3, 1) != factor(2, 2)
    assert factor(3, 1) > factor(2, 2)


def test_the_gradient_of_large_depthwise_windows_is_slow():
    # Libraries have another program for 3x3: decision 0014.
    def factor(window):
        shape = suite.conv(8, 96, 14, 96, window, groups=96)
        return log_factor(shape, Direction.WEIGHT_GRADIENT, Library.ONEDNN)

    assert factor(5) > factor(3) + math.log(2.0)


def test_the_libraries_differ():
    shape = conv(8, 64, 28, 64)
    both = {log_factor(shape, FORWARD, library) for library in Library}
    assert len(both) == 2


def test_numbers_of_a_shape_are_asked_for_in_its_direction():
    product = GemmShape(m=8, n=8, k=8)
    assert len(numbers(product, direction=FORWARD)) == len(
        numbers(product, direction=Direction.WEIGHT_GRADIENT)
    )
