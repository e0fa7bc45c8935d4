"""What the networks of the live accuracy are put together from.

Leaves to others: the networks (`networks_build`, `networks_unseen`, `networks_later`).
"""

from keras import layers as kl


def conv(x, filters, kernel=3, *, strides=1, norm=False, relu=True):
    """Convolve, perhaps normalise, perhaps activate."""
    x = kl.Conv2D(filters, kernel, strides=strides, padding="same", use_bias=not norm)(x)
    x = kl.BatchNormalization()(x) if norm else x
    return kl.Activation("relu")(x) if relu else x


def classes(x, count=10):
    """Classify the means of all channels."""
    return kl.Dense(count, activation="softmax")(kl.GlobalAveragePooling2D()(x))
