"""Networks that nothing was fitted with, of kinds that the earlier unseen ones leave out.

Written by `python -m tests.accuracy.networks_build`, measured by `live --unseen`.
"""

import keras
from keras import applications
from keras import layers as kl

from tests.accuracy.networks_parts import classes, conv


def unseen_transfer():
    base = applications.MobileNetV2(
        weights=None, input_shape=(128, 128, 3), include_top=False, pooling="avg"
    )
    base.trainable = False
    given = kl.Input((128, 128, 3))
    x = base(kl.Rescaling(1 / 127.5, offset=-1)(given), training=False)
    return given, kl.Dense(5, activation="softmax")(kl.Dropout(0.2)(x))


def unseen_ensemble():
    given = kl.Input((48, 48, 3))
    ends = []
    for filters in (16, 24, 32):
        member = conv(given, filters, norm=True)
        member = conv(kl.MaxPooling2D()(member), 2 * filters, norm=True)
        member = classes(conv(kl.MaxPooling2D()(member), 4 * filters))
        ends.append(keras.Model(given, member, name=f"member_{filters}"))
    again = kl.Input((48, 48, 3))
    return again, kl.Average()([member(again) for member in ends])


def unseen_policy():
    given, facts = kl.Input((84, 84, 4)), kl.Input((10,))
    x = given
    for filters, kernel, strides in ((32, 8, 4), (64, 4, 2), (64, 3, 1)):
        x = kl.Conv2D(filters, kernel, strides=strides, activation="relu")(x)
    x = kl.Concatenate()([kl.Dense(512, activation="relu")(kl.Flatten()(x)), facts])
    return [given, facts], [kl.Dense(6, activation="softmax")(x), kl.Dense(1)(x)]


def unseen_masked():
    given = kl.Input((40,))
    x = kl.Embedding(4000, 64, mask_zero=True)(given)
    x = kl.LSTM(64, return_sequences=True, dropout=0.2)(x)
    x = kl.LSTM(48, recurrent_dropout=0.2)(x)
    return given, kl.Dense(2, activation="softmax")(x)


def unseen_plain_recurrent():
    given = kl.Input((64, 9))
    x = kl.SimpleRNN(96, return_sequences=True)(given)
    x = kl.SimpleRNN(96)(kl.LayerNormalization()(x))
    return given, kl.Dense(6)(x)


def unseen_coordinates():
    x = given = kl.Input((3,))
    for _ in range(6):
        x = kl.Dense(256, activation="tanh")(x)
    return given, kl.Dense(1)(x)


def unseen_painter():
    given = kl.Input((96, 96, 3))
    x = kl.ReLU()(kl.GroupNormalization(-1)(kl.Conv2D(16, 9, padding="same")(given)))
    for filters in (32, 64):
        x = kl.ZeroPadding2D(1)(x)
        x = kl.ReLU()(kl.GroupNormalization(-1)(kl.Conv2D(filters, 3, strides=2)(x)))
    for _ in range(3):
        y = kl.ReLU()(kl.GroupNormalization(-1)(kl.Conv2D(64, 3, padding="same")(x)))
        x = kl.Add()([x, kl.GroupNormalization(-1)(kl.Conv2D(64, 3, padding="same")(y))])
    for filters in (32, 16):
        x = kl.UpSampling2D()(x)
        x = kl.ReLU()(kl.GroupNormalization(-1)(kl.Conv2D(filters, 3, padding="same")(x)))
    return given, kl.Conv2D(3, 9, padding="same", activation="tanh")(x)


def unseen_detector():
    given = kl.Input((128, 128, 3))
    x, ends = given, []
    for filters in (12, 24, 48, 96, 128):
        x = kl.Conv2D(filters, 3, padding="same", use_bias=False)(x)
        x = kl.LeakyReLU(0.1)(kl.BatchNormalization()(x))
        x = kl.MaxPooling2D()(x)
        ends.append(x)
    up = kl.UpSampling2D(interpolation="bilinear")(conv(ends[-1], 64, 1))
    joined = conv(kl.Concatenate()([up, ends[-2]]), 64)
    out = [kl.Conv2D(3 * 15, 1)(end) for end in (joined, ends[-1])]
    return given, [kl.Reshape((-1, 15))(end) for end in out]


def unseen_speech():
    given = kl.Input((120, 40))
    x = kl.Dense(96)(given)
    for _ in range(2):
        y = kl.Dense(192, activation="swish")(kl.LayerNormalization()(x))
        x = kl.Add()([x, kl.Dropout(0.1)(kl.Dense(96)(y))])
        y = kl.LayerNormalization()(x)
        x = kl.Add()([x, kl.MultiHeadAttention(4, 24, dropout=0.1)(y, y)])
        y = kl.LayerNormalization()(x)
        gate = kl.Conv1D(96, 1, activation="sigmoid")(y)
        y = kl.DepthwiseConv1D(15, padding="same")(kl.Multiply()([kl.Conv1D(96, 1)(y), gate]))
        y = kl.Activation("swish")(kl.BatchNormalization()(y))
        x = kl.Add()([x, kl.Conv1D(96, 1)(y)])
    return given, kl.Dense(40, activation="softmax")(x)


def unseen_gated_text():
    given = kl.Input((64,))
    x = kl.Embedding(5000, 128)(given)
    for _ in range(2):
        y = kl.RMSNormalization()(x)
        y = kl.GroupQueryAttention(head_dim=32, num_query_heads=4, num_key_value_heads=2)(y, y)
        x = kl.Add()([x, y])
        y = kl.RMSNormalization()(x)
        y = kl.Multiply()([kl.Dense(344, activation="silu")(y), kl.Dense(344)(y)])
        x = kl.Add()([x, kl.Dense(128)(y)])
    return given, kl.Dense(4, activation="softmax")(kl.GlobalAveragePooling1D()(x))


def unseen_pooled():
    given = kl.Input((64, 64, 3))
    x = kl.Conv2D(48, 7, strides=4, padding="same")(given)
    for _ in range(3):
        y = kl.AveragePooling2D(3, strides=1, padding="same")(kl.GroupNormalization(1)(x))
        x = kl.Add()([x, y])
        y = kl.Conv2D(192, 1, activation="gelu")(kl.GroupNormalization(1)(x))
        x = kl.Add()([x, kl.Conv2D(48, 1)(y)])
    return given, classes(x)


def unseen_organ():
    given = kl.Input((24, 24, 24, 1))
    first = kl.Conv3D(8, 3, padding="same", activation="relu")(given)
    x = kl.Conv3D(16, 3, padding="same", activation="relu")(kl.MaxPooling3D()(first))
    x = kl.Conv3DTranspose(8, 2, strides=2, padding="same")(x)
    x = kl.Conv3D(8, 3, padding="same", activation="relu")(kl.Concatenate()([first, x]))
    return given, kl.Conv3D(2, 1, activation="softmax")(x)


def unseen_aligned():
    words, begun = kl.Input((30,)), kl.Input((25,))
    source = kl.Bidirectional(kl.GRU(64, return_sequences=True))(kl.Embedding(3000, 64)(words))
    target = kl.GRU(128, return_sequences=True)(kl.Embedding(3000, 64)(begun))
    context = kl.AdditiveAttention()([target, source])
    x = kl.Dense(128, activation="tanh")(kl.Concatenate()([target, context]))
    return [words, begun], kl.Dense(3000, activation="softmax")(x)


def unseen_beginner():
    given = kl.Input((100, 100, 3))
    x = kl.RandomFlip("horizontal")(kl.Rescaling(1 / 255)(given))
    for filters in (16, 32, 64):
        x = kl.MaxPooling2D()(kl.Conv2D(filters, 3, padding="same", activation="relu")(x))
    x = kl.Dense(128, activation="relu")(kl.Flatten()(kl.Dropout(0.2)(x)))
    return given, kl.Dense(5)(x)


BUILDERS = (
    unseen_transfer, unseen_ensemble, unseen_policy, unseen_masked, unseen_plain_recurrent,
    unseen_coordinates, unseen_painter, unseen_detector, unseen_speech, unseen_gated_text,
    unseen_pooled, unseen_organ, unseen_aligned, unseen_beginner,
)  # fmt: skip
