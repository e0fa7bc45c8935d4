"""Moments of a sequence are told apart as far as that is worth it."""

import pytest

from advisor.network.moments import moment_sizes


@pytest.mark.parametrize("n_layers", [1, 20, 300, 10_000])
@pytest.mark.parametrize("timesteps", [1, 2, 47, 48, 49, 101, 5000])
def test_the_parts_make_up_the_whole_and_are_few(timesteps, n_layers):
    sizes = moment_sizes(timesteps, n_layers=n_layers)
    assert sum(sizes) == timesteps
    assert min(sizes) > 0
    assert len(set(sizes)) <= 2
    assert len(sizes) <= 49
    assert (len(sizes) - 1) * n_layers <= 2000 or len(sizes) == 1


def test_a_short_sequence_is_told_moment_by_moment():
    assert moment_sizes(30) == (1,) * 30
