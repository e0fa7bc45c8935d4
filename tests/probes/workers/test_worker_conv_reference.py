"""The reference of the convolutions, against a direct convolution and against each other."""

import itertools

import numpy as np
import pytest
import worker_conv_reference as reference

CASES = [
    # spatial, kernel, strides, dilation, pad before, output, depthwise
    ((6, 5), (3, 3), (1, 1), (1, 1), (1, 1), (6, 5), False),
    ((7, 6), (3, 2), (2, 2), (1, 1), (0, 0), (3, 3), False),
    ((9, 8), (3, 3), (1, 2), (2, 1), (2, 1), (9, 4), False),
    ((6, 6), (3, 3), (2, 2), (1, 1), (0, 0), (3, 3), True),
    ((8,), (3,), (2,), (1,), (1,), (4,), False),
    ((4, 5, 3), (2, 3, 1), (1, 1, 1), (1, 1, 1), (0, 1, 0), (3, 5, 3), False),
]
GROUPS = 2


def everywhere(shape):
    return itertools.product(*(range(size) for size in shape))


def make(case, c=4, k=6, groups=1):
    spatial, kernel, strides, dilation, pads, output, is_depthwise = case
    random = np.random.default_rng(0)
    images = random.standard_normal((2, *spatial, c))
    k = 2 * c if is_depthwise else k
    filters = random.standard_normal((*kernel, c // groups, 2 if is_depthwise else k))
    gradient = random.standard_normal((2, *output, k))
    geometry = reference.Geometry(strides, dilation, pads, is_depthwise, groups)
    return geometry, images, filters, gradient


def direct(case, geometry, images, filters, result_shape):
    """Convolve by walking over every tap of every output."""
    result = np.zeros(result_shape)
    _, kernel, strides, dilation, pads, output, is_depthwise = case
    for at in everywhere(output):
        for tap in everywhere(kernel):
            place = tuple(
                at[i] * strides[i] + tap[i] * dilation[i] - pads[i] for i in range(len(at))
            )
            if not all(0 <= p < size for p, size in zip(place, images.shape[1:-1], strict=True)):
                continue
            seen = images[(slice(None), *place)]
            if is_depthwise:
                made = (seen[:, :, None] * filters[tap][None]).reshape(len(images), -1)
            else:
                parts = np.split(seen, geometry.groups, axis=-1)
                taps = np.split(filters[tap], geometry.groups, axis=-1)
                made = np.hstack([part @ tap_of for part, tap_of in zip(parts, taps, strict=True)])
            result[(slice(None), *at)] += made
    return result


def with_groups():
    """Each case, and those that are not depthwise in groups as well."""
    return [(case, 1) for case in CASES] + [(case, GROUPS) for case in CASES if not case[-1]]


@pytest.mark.parametrize(("case", "groups"), with_groups())
def test_forward_values_are_those_of_a_direct_convolution(case, groups):
    geometry, images, filters, gradient = make(case, groups=groups)
    expected = direct(case, geometry, images, filters, gradient.shape)
    for at in everywhere(gradient.shape):
        found = reference.forward_value(geometry, images, filters, at)
        assert found == pytest.approx(expected[at])


@pytest.mark.parametrize(("case", "groups"), with_groups())
def test_both_gradients_are_adjoint_to_forward(case, groups):
    geometry, images, filters, gradient = make(case, groups=groups)
    made = direct(case, geometry, images, filters, gradient.shape)
    product = float(np.sum(made * gradient))
    to_input = sum(
        reference.input_gradient_value(geometry, gradient, filters, at) * images[at]
        for at in everywhere(images.shape)
    )
    to_filters = sum(
        reference.weight_gradient_value(geometry, images, gradient, at) * filters[at]
        for at in everywhere(filters.shape)
    )
    assert to_input == pytest.approx(product)
    assert to_filters == pytest.approx(product)


def test_a_tap_that_never_meets_the_input_has_no_gradient():
    geometry = reference.Geometry((1, 1), (1, 1), (2, 2), False)
    images, gradient = np.ones((1, 1, 1, 1)), np.ones((1, 1, 1, 1))
    assert reference.weight_gradient_value(geometry, images, gradient, (0, 0, 0, 0)) == 0.0


def test_positions_hold_the_corners_and_stay_inside():
    positions = reference.sample_positions((3, 5, 2), 20)
    assert positions[:2] == [(0, 0, 0), (2, 4, 1)]
    assert len(positions) == 20
    assert all(0 <= p < s for at in positions for p, s in zip(at, (3, 5, 2), strict=True))
    assert positions == reference.sample_positions((3, 5, 2), 20)
