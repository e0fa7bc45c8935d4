"""Layers that turn a signal into spectra: `STFTSpectrogram` and `MelSpectrogram`.

The first is a convolution with fixed waves, one for real and one for imaginary parts; the second
transforms frame by frame, counted by value, once for each halving of a fast transform.
Leaves to others: convolutions (`rules_convolution`), ONNX (`onnx_rules_spectrum`).
"""

import math

from advisor.model.kernel import ConvShape, GemmShape
from advisor.network.call import Call, Result, Shape, Step
from advisor.network.windows import Window, read_image, window_output

_MODES = ("log", "magnitude", "psd", "real", "imag", "angle", "stft")
# Passes over the spectrum after the convolutions of a mode: squares and sum, root, logarithm.
_PASSES = {"log": 3, "magnitude": 2, "psd": 2, "angle": 1, "stft": 1, "real": 0, "imag": 0}


def halvings(length: int) -> int:
    """Return how often a fast transform halves so many values: its work for each of them."""
    return max(1, math.ceil(math.log2(max(2, length))))


def stft_spectrogram(call: Call) -> Result:
    """Rule of `STFTSpectrogram`."""
    fields = call.fields
    image = read_image(call, 1)
    mode = fields.choice("mode", default="log", allowed=_MODES)
    frame = fields.integer("frame_length", default=256)
    length = fields.optional_integer("fft_length") or 2 ** math.ceil(math.log2(frame))
    window = Window(
        kernel=(frame,),
        strides=(fields.optional_integer("frame_step") or max(1, frame // 2),),
        dilation=(1,),
        padding=fields.choice("padding", default="valid", allowed=("valid", "same")),
    )
    (frames,) = window_output(call, window, spatial=image.spatial)
    bins = length // 2 + 1
    shape = ConvShape(
        n=call.batch * image.channels, c=1, spatial=image.spatial, k=bins, kernel=window.kernel,
        strides=window.strides, output=(frames,), dilation=window.dilation,
    )  # fmt: skip
    elements = call.batch * image.channels * frames * bins
    wave = Step(shape=shape, elements=elements, weights=(frame * bins,), reads=(-1,))
    waves = (wave,) if mode in ("real", "imag") else (wave, wave)
    spectrum = (frames, bins * image.channels)
    passes = [call.elementwise("sqrt", spectrum, n_inputs=2)] * _PASSES[mode]
    output = _arranged(
        frames, bins * (2 if mode == "stft" else 1), image.channels,
        is_channels_first=image.is_channels_first,
        is_image=fields.flag("expand_dims", default=False),
    )  # fmt: skip
    return Result(outputs=(output,), steps=(*waves, *passes))


def _arranged(
    frames: int, bins: int, channels: int, *, is_channels_first: bool, is_image: bool
) -> Shape:
    if is_image:
        return (channels, frames, bins) if is_channels_first else (frames, bins, channels)
    return (channels * bins, frames) if is_channels_first else (frames, channels * bins)


def mel_spectrogram(call: Call) -> Result:
    """Rule of `MelSpectrogram`: a transform, a product with the scale's bands, a logarithm."""
    fields = call.fields
    *others, samples = call.input
    length = fields.integer("fft_length", default=2048)
    stride = fields.integer("sequence_stride", default=512)
    bands = fields.integer("num_mel_bins", default=128)
    frames = samples // stride + 1  # the signal is padded at both ends
    bins = length // 2 + 1
    spectrum = (*others, frames, bins)
    output = (*others, bands, frames)
    rows = call.batch * math.prod(others) * frames
    banded = Step(shape=GemmShape(m=rows, n=bands, k=bins), elements=call.total(output))
    return Result(
        outputs=(output,),
        steps=(
            call.passes("fft", spectrum, count=halvings(length)),
            call.elementwise("sqrt", spectrum, n_inputs=2),
            banded,
            call.elementwise("log", output),
        ),
    )


RULES = {"STFTSpectrogram": stft_spectrogram, "MelSpectrogram": mel_spectrogram}
