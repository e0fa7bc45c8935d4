"""Convolutions: every way to compute them, at odd sizes, with their edges."""

import numpy as np
import opencl_conv
import opencl_conv_reference as reference
import opencl_geometry
import opencl_panels
import pytest
from worker_errors import UnsupportedKernel, WrongResult

from tests.helpers.opencl import ALL_DIRECTIONS, conv, request, shared_lanes, shared_runner

SHAPES = {
    "plain": conv(2, 5, (9, 7), 35, (3, 3)),
    "strided": conv(2, 17, (9, 10), 7, (3, 5), (2, 3)),
    "valid": conv(1, 3, (8, 11), 19, (3, 2), (2, 2), output=(3, 5)),
    "dilated": conv(2, 4, (9, 9), 6, (3, 3), dilation=(2, 2)),
    "pointwise": conv(3, 18, (5, 4), 33, (1, 1)),
    "pointwise strided": conv(2, 6, (7, 7), 9, (1, 1), (2, 2)),
    "one dimension": conv(2, 6, (23,), 10, (5,), (2,)),
    "first layer": conv(1, 3, (21, 20), 16, (7, 7), (2, 2)),
    "larger than the image": conv(1, 2, (2, 3), 4, (5, 5)),
}
GROUPED = {
    "depthwise": conv(2, 12, (7, 6), 12, (3, 3), groups=12),
    "depthwise strided": conv(2, 7, (9, 8), 7, (3, 3), (2, 2), groups=7),
    "groups": conv(2, 6, (7, 6), 9, (3, 3), groups=3),
    "depthwise with a multiplier": conv(1, 3, (7, 6), 6, (3, 3), groups=3),
}


# Narrow enough for every shape, so that its kernels are compiled once.
TILE = opencl_panels.Tile(1, 1, 4, 8, 4, 0)


def verify(device, shape, direction, tile=None):
    convolution = opencl_conv.Convolution(device, shape, "float32", direction)
    ways = convolution.ways()
    if tile is not None:
        ways = [(name, tile) for name in dict.fromkeys(name for name, _ in ways)]
    for way in ways:
        work = convolution.build(way)
        try:
            assert "in float64" in work.check(), way
            assert work.run(1) > 0.0
        finally:
            work.close()
        assert device.bytes_in_use == 0
    return ways


@pytest.mark.parametrize("direction", ALL_DIRECTIONS)
@pytest.mark.parametrize("name", SHAPES)
def test_directly_and_through_panels(name, direction):
    ways = verify(shared_runner()._device, SHAPES[name], direction, TILE)
    gaps = direction == "input_gradient" and max(SHAPES[name]["strides"]) > 1
    assert [way for way, _ in ways] == (["direct"] if gaps else ["direct", "panels"])


@pytest.mark.slow
@pytest.mark.parametrize("direction", ALL_DIRECTIONS)
@pytest.mark.parametrize("name", SHAPES)
def test_every_tile_of_a_processor(name, direction):
    verify(shared_runner()._device, SHAPES[name], direction)


def test_lanes():
    for direction in ALL_DIRECTIONS:
        tile = opencl_panels.Tile(4, 2, 2, 4, 2, 0)
        verify(shared_lanes(), SHAPES["strided"], direction, tile)


@pytest.mark.parametrize("direction", ["forward", "input_gradient"])
@pytest.mark.parametrize("name", GROUPED)
def test_groups(name, direction):
    verify(shared_runner()._device, GROUPED[name], direction, TILE)


@pytest.mark.parametrize("name", ["depthwise", "depthwise strided"])
def test_filters_of_depthwise_convolutions(name):
    verify(shared_runner()._device, GROUPED[name], "weight_gradient")


def test_filters_of_other_groups_are_unsupported():
    with pytest.raises(UnsupportedKernel, match="in groups"):
        shared_runner().prepare(request(GROUPED["groups"], "weight_gradient"))


@pytest.mark.slow
@pytest.mark.parametrize("direction", ALL_DIRECTIONS)
def test_every_way_of_lanes(direction):
    for shape in SHAPES.values():
        verify(shared_lanes(), shape, direction)


@pytest.mark.parametrize("direction", [*ALL_DIRECTIONS, "backward"])
def test_the_runner_takes_the_fastest_way(direction, monkeypatch):
    runner = shared_runner()
    monkeypatch.setattr(opencl_panels, "tiles_for", lambda _device, _columns: (TILE,))
    prepared = runner.prepare(request(SHAPES["one dimension"], direction))
    assert prepared.check()
    prepared.close()
    assert runner._device.bytes_in_use == 0


@pytest.mark.parametrize("direction", ALL_DIRECTIONS)
def test_a_transposed_convolution_is_the_gradient_of_another(direction):
    shape = conv(2, 6, (4, 5), 5, (3, 3), (2, 2), up=True)
    found = opencl_geometry.geometry(shape)
    assert (found.source, found.target) == ((8, 10, 5), (4, 5, 6))
    prepared = shared_runner().prepare(request(shape, direction))
    assert prepared.check()
    prepared.close()


def test_three_dimensions_are_unsupported():
    with pytest.raises(UnsupportedKernel, match="3 spatial dimensions"):
        shared_runner().prepare(request(conv(1, 2, (4, 4, 4), 2, (3, 3, 3))))


def test_groups_of_transposed_convolutions_are_unsupported():
    with pytest.raises(UnsupportedKernel, match="transposed"):
        shared_runner().prepare(request(conv(1, 2, (4, 4), 2, (3, 3), groups=2, up=True)))


@pytest.mark.parametrize("direction", ALL_DIRECTIONS)
def test_padding_at_the_wrong_side_is_noticed(direction):
    device = shared_runner()._device
    convolution = opencl_conv.Convolution(device, SHAPES["strided"], "float32", direction)
    found = convolution.geometry
    work = convolution.build(convolution.ways()[0])
    convolution.geometry = found._replace(pad=(found.pad[0] + 1, found.pad[1]))
    with pytest.raises(WrongResult):
        work.check()
    work.close()


def test_rows_are_split_so_that_parts_stay_in_the_caches():
    device = shared_runner()._device
    found = opencl_geometry.geometry(conv(16, 64, (56, 56), 64, (3, 3)))
    length, n_parts = opencl_conv._split_rows(device, found, 1000)
    assert n_parts > 20
    assert (n_parts - 1) * length < 16 * 56 <= n_parts * length


@pytest.mark.parametrize("name", [*SHAPES, "depthwise", "groups"])
def test_the_references_agree_with_each_other(name):
    """<conv(x), g> = <x, input gradient(g)> = <filters, filter gradient(x, g)>."""
    found = opencl_geometry.geometry({**SHAPES, **GROUPED}[name])
    random = np.random.default_rng(2)
    x = random.standard_normal((found.n, *found.source))
    g = random.standard_normal((found.n, *found.target))
    filters = random.standard_normal(
        (*found.taps, found.source[2] // found.groups, found.target[2])
    )
    outputs = np.ndindex(found.n, *found.target[:2])
    forward = sum(reference.forward(found, x, filters, p) @ g[p] for p in outputs)
    inputs = np.ndindex(found.n, *found.source[:2])
    to_input = sum(reference.input_gradient(found, g, filters, p) @ x[p] for p in inputs)
    taps = np.ndindex(*found.taps)
    to_filters = sum((reference.filter_gradient(found, x, g, t) * filters[t]).sum() for t in taps)
    assert to_input == pytest.approx(forward)
    assert to_filters == pytest.approx(forward)


def test_places_hold_the_corners():
    places = reference.places(3, 4, 5)
    assert {(0, 0, 0), (2, 3, 4), (0, 3, 0), (2, 0, 4)} <= set(places)
    assert all(i < 3 and y < 4 and x < 5 for i, y, x in places)
