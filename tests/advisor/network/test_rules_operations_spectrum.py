"""Transforms count once for each halving; what they keep is only their result."""

import pytest

from advisor.model.kernel import ElementwiseShape, UnknownShape
from tests.advisor.network.networks_data import built, layer, operation, sequential


# Results of Keras 3.15.
@pytest.mark.parametrize(
    ("op", "shape", "config", "made", "count"),
    [
        ("FFT", (8, 16), {}, (8, 16), 4),
        ("FFT2", (8, 16), {}, (8, 16), 7),
        ("IFFT2", (8, 16), {}, (8, 16), 7),
        ("RFFT", (8, 16), {"fft_length": None}, (8, 9), 4),
        ("RFFT", (8, 16), {"fft_length": 32}, (8, 17), 5),
        ("IRFFT", (8, 9), {"fft_length": None}, (8, 16), 4),
        ("STFT", (16,), {"sequence_length": 8, "sequence_stride": 4, "fft_length": 8}, (5, 5), 3),
    ],
)
def test_a_transform_counts_once_for_each_halving(op, shape, config, made, count):
    network = operation(op, shape, **config)
    (step,) = network.operators
    size = step.output_elements
    assert step.shape == ElementwiseShape(op="fft", elements=count * size)
    assert network.outputs[0].shape == made
    assert network.notes == ()


def test_a_signal_is_put_together_from_its_frames():
    network = operation("ISTFT", (5, 5), made=[[None, 16]], fft_length=8)
    assert [one.shape.op for one in network.operators] == ["fft", "add"]
    assert network.outputs[0].shape == (16,)


@pytest.mark.parametrize(("op", "shape"), [("FFT2", (8,)), ("ISTFT", (5, 5))])
def test_a_transform_of_unknown_size_is_noted(op, shape):
    network = operation(op, shape, fft_length=8)
    assert isinstance(network.operators[0].shape, UnknownShape)


def test_a_spectrogram_keeps_its_spectrum_once():
    body = layer(
        "MelSpectrogram", fft_length=256, sequence_stride=128, num_mel_bins=32, sampling_rate=8000
    )
    network = built(sequential((4000,), body))
    transform = network.operators[0]
    assert transform.output_elements == 2 * 32 * 129
    assert transform.shape == ElementwiseShape(op="fft", elements=8 * 2 * 32 * 129)
