"""The table of OpenCL kernels."""

from advisor.model.kernel import Cell, ConvShape, GemmShape, RecurrentShape
from probes.bench import suite_opencl


def test_no_row_stands_twice():
    rows = (*suite_opencl.ROWS, *suite_opencl.TRANSFERS, *suite_opencl.WIDTHS, suite_opencl.LOCAL)
    shapes = [row.shape for row in rows]
    assert len(set(shapes)) == len(shapes)
    assert suite_opencl.PEAK in rows


def test_each_class_of_layers_is_in_the_first_tier():
    first = {type(row.shape) for row in suite_opencl.ROWS if row.tier == 1}
    assert {GemmShape, ConvShape, RecurrentShape} <= first


def test_a_thorough_run_has_both_gated_cells_in_the_same_size():
    cells = [row.shape for row in suite_opencl.ROWS if isinstance(row.shape, RecurrentShape)]
    small = {(s.cell, s.batch, s.timesteps, s.hidden) for s in cells if s.hidden == 256}
    assert small == {(Cell.LSTM, 32, 10, 256), (Cell.GRU, 32, 10, 256)}
    gated = [row for row in suite_opencl.ROWS if getattr(row.shape, "cell", None) is Cell.GRU]
    assert all(row.is_thorough for row in gated)
