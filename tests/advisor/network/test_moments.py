"""Moments of a sequence are told apart as far as that is worth it."""

import pytest

from advisor.network.moments import moment_repeats


@pytest.mark.parametrize("n_layers", [1, 20, 300, 10_000])
@pytest.mark.parametrize("timesteps", [1, 2, 47, 48, 49, 101, 5000])
def test_the_parts_make_up_the_whole_and_are_few(timesteps, n_layers):
    repeats = moment_repeats(timesteps, n_layers=n_layers)
    assert sum(repeats) == timesteps
    assert min(repeats) > 0
    assert max(repeats) - min(repeats) <= 1
    assert len(repeats) <= 49
    assert (len(repeats) - 1) * n_layers <= 2000 or len(repeats) == 1


def test_a_short_sequence_is_told_moment_by_moment():
    assert moment_repeats(30) == (1,) * 30


@pytest.mark.parametrize("timesteps", [48, 49, 50, 96, 97, 500])
def test_a_longer_sequence_is_not_told_more_seldom(timesteps):
    assert len(moment_repeats(timesteps)) == 48
    assert moment_repeats(timesteps, is_moment=True) == (timesteps,)
