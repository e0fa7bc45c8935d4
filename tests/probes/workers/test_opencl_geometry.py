"""Geometry of convolutions and pools."""

import opencl_geometry

from tests.helpers.opencl import conv


def test_one_dimension_is_a_row_of_two():
    found = opencl_geometry.geometry(conv(2, 6, (23,), 10, (5,), (2,)))
    assert found.source == (1, 23, 6)
    assert found.target == (1, 12, 10)
    assert found.taps == (1, 5)
    assert found.strides == (1, 2)


def test_multiply_adds_are_those_of_the_shape():
    shape = conv(2, 6, (7, 8), 9, (3, 3), groups=3)
    found = opencl_geometry.geometry(shape)
    assert opencl_geometry.multiply_adds(found) == 2 * 7 * 8 * 9 * 9 * 2


def test_the_array_of_a_gradient_goes_the_other_way():
    found = opencl_geometry.geometry(conv(2, 6, (8, 9), 10, (3, 5), (2, 3)))
    there = opencl_geometry.as_array(found).tolist()
    back = opencl_geometry.as_array(found, is_gradient=True).tolist()
    assert there == [2, 8, 9, 6, 4, 3, 10, 3, 5, 2, 3, 1, 1, 0, 1, 6, 10, 1, 1]
    assert back == [2, 4, 3, 10, 8, 9, 6, 3, 5, 2, 3, 1, 1, 0, 1, 10, 6, 2, 3]


def test_the_number_of_images_can_be_another():
    assert opencl_geometry.geometry(conv(9, 1, (3, 3), 1, (1, 1)), n=2).n == 2
