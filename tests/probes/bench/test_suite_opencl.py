"""The table of OpenCL kernels."""

from advisor.model.kernel import ConvShape, GemmShape, RecurrentShape
from probes.bench import suite_opencl


def test_no_row_stands_twice():
    rows = (*suite_opencl.ROWS, *suite_opencl.TRANSFERS, *suite_opencl.WIDTHS, suite_opencl.LOCAL)
    shapes = [row.shape for row in rows]
    assert len(set(shapes)) == len(shapes)
    assert suite_opencl.PEAK in rows


def test_each_class_of_layers_is_in_the_first_tier():
    first = {type(row.shape) for row in suite_opencl.ROWS if row.tier == 1}
    assert {GemmShape, ConvShape, RecurrentShape} <= first
