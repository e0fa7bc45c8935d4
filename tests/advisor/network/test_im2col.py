"""Windows that gradients of convolutions lay out, against a process without oneDNN."""

import pytest

from advisor.model.kernel import Direction
from advisor.model.quantity import Precision
from advisor.network.im2col import laid_out_elements
from advisor.network.keras_config import network_from_config
from advisor.network.memory import laid_out_bytes, training_bytes
from tests.advisor.network.networks_data import layer, sequential
from tests.advisor.predict.builders import conv

MIB = 2.0**20


def stack(shape, *filters, kernel=3, pooled=False):
    rank = len(shape) - 1
    body = []
    for units in filters:
        body.append(layer(f"Conv{rank}D", filters=units, kernel_size=kernel, padding="same"))
        body += [layer(f"MaxPooling{rank}D")] if pooled else []
    return sequential(shape, *body, layer(f"GlobalAveragePooling{rank}D"), layer("Dense", units=5))


# Peak memory in the first steps less that before, in MiB (Keras 3.15, TensorFlow 2.21, Adam, a
# Zen 3 whose last cache tells more than 200 MiB): without the windows a tenth to a half.
@pytest.mark.parametrize(
    ("config", "batch", "measured"),
    [
        (stack((32, 32, 32, 1), 16, 16), 4, 496),
        (stack((64, 64, 64, 1), 16, 16), 1, 954),
        (stack((224, 224, 3), 64, 64), 2, 380),
        (stack((128, 128, 3), 32, 32, 32, kernel=5), 8, 252),
    ],
)
def test_a_step_without_onednn_needs_its_windows(config, batch, measured):
    network = network_from_config(config, name="n", batch_size=batch)
    kept = training_bytes(network, precision=Precision.FLOAT32, optimizer="adam") / MIB
    laid_out = laid_out_bytes(network, precision=Precision.FLOAT32) / MIB
    assert kept < 0.55 * measured
    assert 0.5 * measured < kept + laid_out < 1.2 * measured


def test_small_images_are_laid_out_several_at_once_and_never_more_than_there_are():
    eight = laid_out_elements(conv(8, 16, 32, 16), direction=Direction.WEIGHT_GRADIENT)
    of_one = 32 * 32 * 9 * 16
    assert eight == 8 * of_one
    many = laid_out_elements(conv(512, 16, 32, 16), direction=Direction.WEIGHT_GRADIENT)
    assert 48 * of_one == many < 30 * MIB / 4


def test_windows_that_are_many_times_the_images_are_not_laid_out():
    volumes = network_from_config(stack((16, 16, 16, 1), 32, 32, kernel=5), name="n", batch_size=4)
    # 41 MiB were measured, and one image's windows are 62.
    assert laid_out_bytes(volumes, precision=Precision.FLOAT32) < 20 * MIB


def test_depthwise_convolutions_lay_nothing_out():
    shape = conv(8, 32, 56, 32, groups=32)
    assert laid_out_elements(shape, direction=Direction.WEIGHT_GRADIENT) == 0
