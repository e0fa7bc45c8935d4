"""Zeros around an axis."""

import pytest
import worker_padding


@pytest.mark.parametrize(
    ("size", "taps", "stride", "dilation", "output", "zeros"),
    [
        (9, 3, 1, 1, 9, (1, 1)),
        (9, 3, 1, 1, 7, (0, 0)),  # no padding
        (8, 3, 2, 1, 4, (0, 1)),  # one zero, and it goes behind
        (9, 5, 2, 1, 5, (2, 2)),
        (9, 3, 1, 2, 9, (2, 2)),
        (224, 7, 2, 1, 112, (2, 3)),
        (7, 1, 2, 1, 4, (0, 0)),
    ],
)
def test_padding_follows_from_the_sizes(size, taps, stride, dilation, output, zeros):
    assert worker_padding.padding_of(size, taps, stride, dilation, output) == zeros
