"""What a timed pool asks of the graph, without a framework."""

import types

import worker_keras_windows


class FakeTape:
    def __enter__(self):
        return self

    def __exit__(self, *_error):
        return False

    def watch(self, images):
        assert images == "images"

    def gradient(self, result, images, output_gradients):
        return (result, images, output_gradients)


def test_the_gradient_of_a_pool_is_timed_with_the_pool():
    # An average's gradient needs no result: left unasked for, the graph would drop the pool, whose
    # own time is taken off.
    tf = types.SimpleNamespace(GradientTape=FakeTape)
    both = worker_keras_windows._with_gradient(tf, lambda images: f"pooled {images}")
    assert both("images", "given") == [("pooled images", "images", "given"), "pooled images"]
