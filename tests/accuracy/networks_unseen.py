"""Networks that nothing was fitted with: published ones on small images, and small ones of users.

Written by `python -m tests.accuracy.networks_build`, measured by `live --unseen`.
"""

from keras import applications
from keras import layers as kl

from tests.accuracy.networks_parts import classes, conv


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


def unseen_points():
    x = given = kl.Input((512, 3))
    for filters in (64, 128, 256):
        x = kl.ReLU()(kl.BatchNormalization()(kl.Conv1D(filters, 1)(x)))
    x = kl.Dense(128, activation="relu")(kl.GlobalMaxPooling1D()(x))
    return given, kl.Dense(10, activation="softmax")(kl.Dropout(0.3)(x))


def unseen_fire():
    given = kl.Input((80, 80, 3))
    x = kl.MaxPooling2D(3, strides=2)(conv(given, 48, strides=2))
    for narrow, wide in ((16, 64), (24, 96), (32, 128)):
        x = conv(x, narrow, 1)
        x = kl.Concatenate()([conv(x, wide, 1), conv(x, wide)])
    return given, classes(conv(x, 10, 1))


def unseen_text_line():
    x = given = kl.Input((32, 128, 1))
    for filters in (24, 48, 96):
        x = kl.MaxPooling2D((2, 2) if filters < 96 else (2, 1))(conv(x, filters, norm=True))
    x = kl.Reshape((32, 4 * 96))(kl.Permute((2, 1, 3))(x))
    x = kl.Bidirectional(kl.LSTM(96, return_sequences=True))(x)
    return given, kl.TimeDistributed(kl.Dense(60, activation="softmax"))(x)


def unseen_wave():
    given = kl.Input((800, 1))
    x = kl.Conv1D(32, 1)(given)
    for rate in (1, 2, 4, 8, 16):
        gate = [
            kl.Conv1D(32, 2, padding="causal", dilation_rate=rate, activation=name)(x)
            for name in ("tanh", "sigmoid")
        ]
        x = kl.Add()([x, kl.Conv1D(32, 1)(kl.Multiply()(gate))])
    return given, kl.Conv1D(64, 1, activation="softmax")(kl.ReLU()(x))


def unseen_table():
    given = kl.Input((80,))
    x = kl.Dense(192)(given)
    for _ in range(4):
        y = kl.Dense(384, activation="relu")(kl.BatchNormalization()(x))
        x = kl.Add()([x, kl.Dense(192)(kl.Dropout(0.1)(y))])
    return given, kl.Dense(3, activation="softmax")(kl.BatchNormalization()(x))


def unseen_clicks():
    fields = [kl.Input((1,)) for _ in range(8)]
    facts = kl.Input((13,))
    dense = [kl.Flatten()(kl.Embedding(4000, 24)(field)) for field in fields]
    dense.append(kl.Dense(24, activation="relu")(kl.Dense(96, activation="relu")(facts)))
    pairs = [kl.Dot(1)([one, dense[-1]]) for one in dense[:-1]]
    x = kl.Concatenate()([*dense, *pairs])
    for units in (256, 128):
        x = kl.Dense(units, activation="relu")(x)
    return [*fields, facts], kl.Dense(1, activation="sigmoid")(x)


def unseen_next_word():
    given = kl.Input((48,))
    x = kl.Embedding(6000, 144)(given)
    for _ in range(2):
        y = kl.LayerNormalization()(x)
        x = kl.Add()([x, kl.MultiHeadAttention(6, 24)(y, y, use_causal_mask=True)])
        y = kl.Dense(576, activation="gelu")(kl.LayerNormalization()(x))
        x = kl.Add()([x, kl.Dense(144)(y)])
    return given, kl.Dense(6000, activation="softmax")(kl.LayerNormalization()(x))


def unseen_strided():
    x = given = kl.Input((96, 96, 3))
    for filters in (32, 64, 128, 192):
        x = kl.LeakyReLU(0.2)(kl.Conv2D(filters, 5, strides=2, padding="same")(x))
    return given, kl.Dense(1, activation="sigmoid")(kl.Flatten()(x))


def unseen_groups():
    given = kl.Input((64, 64, 3))
    x = conv(given, 32, strides=2, norm=True)
    for filters, strides in ((48, 2), (96, 2), (96, 1)):
        short = conv(x, filters, 1, strides=strides, norm=True, relu=False)
        y = kl.ReLU()(kl.BatchNormalization()(kl.Conv2D(filters, 1, use_bias=False)(x)))
        y = kl.Conv2D(filters, 3, strides=strides, padding="same", groups=filters // 12)(y)
        y = kl.BatchNormalization()(kl.Conv2D(filters, 1)(kl.ReLU()(kl.BatchNormalization()(y))))
        x = kl.ReLU()(kl.Add()([short, y]))
    return given, classes(x, 20)


def unseen_translation():
    words, begun = kl.Input((30,)), kl.Input((30,))
    _all, h, c = kl.LSTM(128, return_state=True)(kl.Embedding(5000, 96)(words))
    x = kl.LSTM(128, return_sequences=True)(kl.Embedding(5000, 96)(begun), initial_state=[h, c])
    return [words, begun], kl.Dense(2000, activation="softmax")(x)


def unseen_film():
    x = given = kl.Input((8, 32, 32, 2))
    x = kl.ConvLSTM2D(12, 3, padding="same", return_sequences=True)(x)
    x = kl.ConvLSTM2D(12, 3, padding="same")(kl.BatchNormalization()(x))
    return given, kl.Conv2D(1, 3, padding="same", activation="sigmoid")(x)


def unseen_twins():
    left, right = kl.Input((72, 72, 1)), kl.Input((72, 72, 1))
    layers = [kl.Conv2D(f, k, activation="relu") for f, k in ((32, 7), (64, 5), (96, 3))]
    dense = kl.Dense(256, activation="sigmoid")
    ends = []
    for x in (left, right):
        for layer in layers:
            x = kl.MaxPooling2D()(layer(x))
        ends.append(dense(kl.Flatten()(x)))
    return [left, right], kl.Dense(1, activation="sigmoid")(kl.Subtract()(ends))


BUILDERS = (
    unseen_nasnet, unseen_densenet, unseen_efficientnet, unseen_inception, unseen_xception,
    unseen_mobilenet, unseen_vgg, unseen_residual, unseen_convnext, unseen_gru,
    unseen_separable_signal, unseen_volume, unseen_generator, unseen_upsampling, unseen_dilated,
    unseen_mixer, unseen_vision_attention, unseen_ratings, unseen_points, unseen_fire,
    unseen_text_line, unseen_wave, unseen_table, unseen_clicks, unseen_next_word, unseen_strided,
    unseen_groups, unseen_translation, unseen_film, unseen_twins,
)  # fmt: skip
