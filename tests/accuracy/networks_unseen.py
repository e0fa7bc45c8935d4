"""Networks that nothing was fitted with: published ones on small images, and small ones of users.

Written by `python -m tests.accuracy.networks_build`, measured by `live --unseen`.
"""

from keras import applications
from keras import layers as kl

from tests.accuracy.networks_build import conv


def _published(builder, side, **options):
    """Return a published network without its weights."""
    return builder(weights=None, input_shape=(side, side, 3), **options)


def unseen_nasnet():
    return _published(applications.NASNetMobile, 224)


def unseen_densenet():
    return _published(applications.DenseNet121, 96)


def unseen_efficientnet():
    return _published(applications.EfficientNetV2B0, 128)


def unseen_inception():
    return _published(applications.InceptionV3, 139)


def unseen_xception():
    return _published(applications.Xception, 128)


def unseen_mobilenet():
    return _published(applications.MobileNetV3Small, 224)


def unseen_vgg():
    return _published(applications.VGG16, 64, classes=20)


def unseen_residual():
    return _published(applications.ResNet50V2, 96)


def unseen_convnext():
    return _published(applications.ConvNeXtTiny, 64, classes=20)


def unseen_gru():
    given = kl.Input((60,))
    x = kl.Embedding(8000, 96)(given)
    x = kl.Bidirectional(kl.GRU(80, return_sequences=True))(x)
    x = kl.Bidirectional(kl.GRU(48))(x)
    return given, kl.Dense(5, activation="softmax")(x)


def unseen_separable_signal():
    x = given = kl.Input((256, 12))
    for filters in (48, 64, 96):
        x = kl.SeparableConv1D(filters, 7, padding="same")(x)
        x = kl.AveragePooling1D(2)(kl.ReLU()(kl.BatchNormalization()(x)))
    return given, kl.Dense(6, activation="softmax")(kl.GlobalAveragePooling1D()(x))


def unseen_volume():
    x = given = kl.Input((16, 32, 32, 1))
    for filters in (16, 32):
        x = kl.MaxPooling3D(2)(kl.Conv3D(filters, 3, padding="same", activation="relu")(x))
    return given, kl.Dense(4, activation="softmax")(kl.Flatten()(x))


def unseen_generator():
    given = kl.Input((100,))
    x = kl.Reshape((7, 7, 128))(kl.Dense(7 * 7 * 128)(given))
    for filters in (64, 32):
        x = kl.Conv2DTranspose(filters, 4, strides=2, padding="same")(x)
        x = kl.LeakyReLU()(kl.BatchNormalization()(x))
    return given, kl.Conv2D(1, 5, padding="same", activation="tanh")(x)


def unseen_upsampling():
    given = kl.Input((64, 64, 3))
    large = conv(given, 24)
    middle = conv(kl.MaxPooling2D()(large), 48)
    small = conv(kl.MaxPooling2D()(middle), 96)
    x = conv(kl.Concatenate()([kl.UpSampling2D()(small), middle]), 48)
    x = kl.Concatenate()([kl.UpSampling2D()(x), large])
    return given, kl.Conv2D(2, 1, activation="softmax")(x)


def unseen_dilated():
    x = given = kl.Input((300, 16))
    x = kl.Conv1D(48, 1)(x)
    for rate in (1, 2, 4, 8):
        y = kl.Conv1D(48, 3, padding="causal", dilation_rate=rate, activation="tanh")(x)
        x = kl.Add()([x, kl.Conv1D(48, 1)(y)])
    return given, kl.Dense(1)(kl.GlobalAveragePooling1D()(x))


def unseen_mixer():
    given = kl.Input((48, 48, 3))
    x = kl.Reshape((64, 96))(kl.Conv2D(96, 6, strides=6)(given))
    for _ in range(3):
        y = kl.Permute((2, 1))(kl.LayerNormalization()(x))
        y = kl.Dense(64)(kl.Dense(128, activation="gelu")(y))
        x = kl.Add()([x, kl.Permute((2, 1))(y)])
        y = kl.Dense(384, activation="gelu")(kl.LayerNormalization()(x))
        x = kl.Add()([x, kl.Dense(96)(y)])
    return given, kl.Dense(10)(kl.GlobalAveragePooling1D()(x))


def unseen_vision_attention():
    given = kl.Input((64, 64, 3))
    x = kl.Reshape((64, 128))(kl.Conv2D(128, 8, strides=8)(given))
    for _ in range(3):
        y = kl.LayerNormalization()(x)
        x = kl.Add()([x, kl.MultiHeadAttention(8, 16)(y, y)])
        y = kl.Dense(512, activation="gelu")(kl.LayerNormalization()(x))
        x = kl.Add()([x, kl.Dense(128)(y)])
    return given, kl.Dense(10)(kl.GlobalAveragePooling1D()(x))


def unseen_ratings():
    person, thing, facts = kl.Input((1,)), kl.Input((1,)), kl.Input((24,))
    x = [kl.Flatten()(kl.Embedding(rows, 32)(i)) for rows, i in ((20000, person), (5000, thing))]
    x = kl.Concatenate()([*x, kl.Dense(32, activation="relu")(facts)])
    for units in (128, 64):
        x = kl.Dropout(0.2)(kl.Dense(units, activation="relu")(x))
    return [person, thing, facts], kl.Dense(1)(x)


BUILDERS = (
    unseen_nasnet, unseen_densenet, unseen_efficientnet, unseen_inception, unseen_xception,
    unseen_mobilenet, unseen_vgg, unseen_residual, unseen_convnext, unseen_gru,
    unseen_separable_signal, unseen_volume, unseen_generator, unseen_upsampling, unseen_dilated,
    unseen_mixer, unseen_vision_attention, unseen_ratings,
)  # fmt: skip
