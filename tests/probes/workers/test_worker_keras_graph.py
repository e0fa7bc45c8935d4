"""A difference of two timed graphs is a figure, unless it is lost in the noise for good."""

import pytest
import worker_errors
import worker_keras_graph


class Steady:
    """A graph that always takes as long as it is told."""

    loops_per_call = 1

    def __init__(self, *seconds):
        self._seconds = list(seconds)

    def run(self, _loops):
        return self._seconds.pop(0) if len(self._seconds) > 1 else self._seconds[0]

    def close(self):
        pass


def test_a_difference_lost_in_the_noise_for_good_is_no_figure():
    prepared = worker_keras_graph.PreparedDifference(Steady(1.0), Steady(1.5), lambda: "checked")
    assert [prepared.run(1) for _ in range(3)] == [-0.5] * 3
    with pytest.raises(worker_errors.UnsupportedKernel, match="too little beside its forward"):
        prepared.run(1)


def test_a_difference_lost_now_and_then_goes_on():
    whole = Steady(*([1.0] * 3 + [2.0]) * 5)
    prepared = worker_keras_graph.PreparedDifference(whole, Steady(1.5), lambda: "checked")
    assert [prepared.run(1) > 0 for _ in range(20)] == ([False] * 3 + [True]) * 5
