"""Products: every way to compute them, at sizes that fit no tile."""

import opencl_gemm
import opencl_panels
import pytest
from worker_errors import UnsupportedKernel, WrongResult

from tests.helpers.opencl import gemm, request, shared_lanes, shared_runner

KINDS = [(False, False), (True, False), (False, True), (True, True)]
LOCAL_TILES = [opencl_panels.Tile(4, 4, 4, 4, 4, 4), opencl_panels.Tile(8, 4, 2, 2, 1, 8)]


def verify(work, device):
    try:
        assert "rows of the product" in work.check()
        assert work.run(1) > 0.0
    finally:
        work.close()
    assert device.bytes_in_use == 0


@pytest.fixture
def device():
    return shared_runner()._device


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("size", [(33, 35, 17, 2), (1, 40, 9, 1), (13, 3, 1, 1)])
def test_products_by_tiles_of_the_processor(device, kind, size):
    tile = opencl_panels.Tile(1, 1, 4, 8, 4, 0)
    verify(opencl_gemm.Product(device, "float32", *size, *kind).packed(tile), device)


@pytest.mark.parametrize("tile", LOCAL_TILES)
@pytest.mark.parametrize("kind", KINDS[:2])
def test_products_by_tiles_in_local_memory(tile, kind):
    device = shared_lanes()
    verify(opencl_gemm.Product(device, "float32", 37, 29, 21, 2, *kind).packed(tile), device)


def test_products_by_tiles_of_lanes_without_local_memory():
    device, tile = shared_lanes(), opencl_panels.Tile(4, 2, 2, 4, 2, 0)
    verify(opencl_gemm.Product(device, "float32", 37, 29, 21, 2, False, False).packed(tile), device)


@pytest.mark.slow
@pytest.mark.parametrize("tile", opencl_panels._GPU_TILES)
def test_products_by_every_tile_of_lanes(tile):
    device = shared_lanes()
    for kind in KINDS:
        product = opencl_gemm.Product(device, "float32", 133, 67, 45, 2, *kind)
        verify(product.packed(tile), device)


@pytest.mark.slow
@pytest.mark.parametrize(
    "tile", [tile for tiles in opencl_panels._CPU_TILES.values() for tile in tiles]
)
def test_products_by_every_tile_of_a_processor(device, tile):
    product = opencl_gemm.Product(device, "float32", 67, 71, 45, 2, False, True)
    verify(product.packed(tile), device)


@pytest.mark.parametrize("kind", KINDS[:3])
@pytest.mark.parametrize("way", [(1, 2), (4, 1)])
def test_products_of_operands_as_they_lie(device, kind, way):
    for size in ((5, 39, 21, 2), (1, 3, 7, 1)):
        verify(opencl_gemm.Product(device, "float32", *size, *kind).direct(*way), device)


def test_operands_against_the_grain_have_tiles_only(device):
    product = opencl_gemm.Product(device, "float32", 2, 39, 21, 1, True, True)
    with pytest.raises(UnsupportedKernel, match="against the grain"):
        product.direct(1, 1)
    assert device.bytes_in_use == 0
    for way in opencl_gemm._ways(device, product):
        verify(way(product), device)


def test_a_deep_product_is_split_and_added_up(device, monkeypatch):
    monkeypatch.setattr(opencl_panels, "MIN_SPLIT_DEPTH", 10)
    monkeypatch.setattr(opencl_panels, "_CACHED_DEPTH", 10)
    tile = opencl_panels.tiles_for(device, 40)[0]
    assert opencl_panels.splits_for(device, tile, 5, 40, 107) == (10, 11)
    product = opencl_gemm.Product(device, "float32", 5, 40, 107, 2, False, False)
    verify(product.packed(tile), device)
    verify(product.direct(1, 1), device)


def test_splits_fill_lanes_but_stay_long_enough():
    device, tile = shared_lanes(), opencl_panels.Tile(8, 8, 8, 8, 4, 16)
    splits, chunk = opencl_panels.splits_for(device, tile, 64, 64, 100_000)
    assert splits > 1
    assert chunk % 16 == 0
    assert (splits - 1) * chunk < 100_000 <= splits * chunk
    assert opencl_panels.splits_for(device, tile, 4096, 4096, 4096) == (1, 4096)
    assert opencl_panels.splits_for(device, tile, 64, 64, 100) == (1, 100)


def test_tiles_are_no_wider_than_the_result(device):
    assert all(tile.nr <= 4 for tile in opencl_panels.tiles_for(device, 3))
    assert opencl_panels.tiles_for(shared_lanes(), 3) == opencl_panels._GPU_TILES


@pytest.mark.parametrize("direction", ["forward", "input_gradient", "weight_gradient", "backward"])
def test_each_direction_of_a_dense_layer(direction):
    runner = shared_runner()
    prepared = runner.prepare(request(gemm(70, 39, 21), direction))
    verify(prepared, runner._device)


@pytest.mark.parametrize(
    ("direction", "size"),
    [("forward", (6, 5, 7)), ("input_gradient", (6, 7, 5)), ("weight_gradient", (7, 5, 6))],
)
def test_gradients_are_products_of_other_sizes(device, direction, size):
    product = opencl_gemm._product_of(device, gemm(6, 5, 7), "float32", direction)
    assert (product.m, product.n, product.k) == size


@pytest.mark.parametrize("m", [1, 3, 8])
def test_few_rows_have_more_ways(device, m):
    product = opencl_gemm.Product(device, "float32", m, 50, 60, 1, False, False)
    for way in opencl_gemm._ways(device, product):
        verify(way(product), device)


def test_a_trial_is_of_the_same_kind_and_small(device):
    product = opencl_gemm.Product(device, "float32", 5000, 300, 4000, 7, False, True)
    m, n, k, batch = opencl_gemm._trial_size(product, 1e6)
    assert m * n * k * batch <= 1e6
    assert (m <= 5000, n <= 300, k <= 4000, batch) == (True, True, True, 1)


def test_a_wrong_product_is_noticed(device):
    work = opencl_gemm.Product(device, "float32", 33, 35, 17, 1, False, False).packed(
        opencl_panels.tiles_for(device, 35)[0]
    )
    work.settle()
    work._launches[-1].set_argument(5, 16)  # the depth
    with pytest.raises(WrongResult, match="rows of the product"):
        work.check()
    work.close()


def test_a_sequence_that_cannot_be_completed_closes_what_it_had():
    closed = []

    class Part:
        def close(self):
            closed.append(self)

    def fail():
        raise RuntimeError("no")

    with pytest.raises(RuntimeError):
        opencl_gemm.Sequence([Part, Part, fail])
    assert len(closed) == 2
