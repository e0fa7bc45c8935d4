"""Makes the small networks that the live accuracy is measured with: Keras configurations only.

Run `python -m tests.accuracy.networks_build` where Keras is installed; the files are committed.
A family is either fitted (a change of the model may look at it) or held out (it may not). The
networks of `networks_unseen` and `networks_later` are unseen: whatever their family, nothing was
fitted with them.
"""

import gzip
import json
from pathlib import Path

import keras
from keras import layers as kl

from tests.accuracy.networks_later import BUILDERS as LATER
from tests.accuracy.networks_parts import classes, conv
from tests.accuracy.networks_unseen import BUILDERS as UNSEEN

FOLDER = Path(__file__).with_name("networks")
SMALL_BYTES = 20 * 1024


def conv_colour():
    x = given = kl.Input((32, 32, 3))
    for filters in (32, 64):
        x = conv(conv(x, filters), filters)
        x = kl.Dropout(0.25)(kl.MaxPooling2D()(x))
    x = kl.Dense(256, activation="relu")(kl.Flatten()(x))
    return given, kl.Dense(10, activation="softmax")(kl.Dropout(0.5)(x))


def conv_grey():
    x = given = kl.Input((28, 28, 1))
    x = kl.MaxPooling2D()(kl.Conv2D(32, 5, activation="relu")(x))
    x = kl.MaxPooling2D()(kl.Conv2D(48, 3, activation="relu")(x))
    x = kl.Dense(128, activation="relu")(kl.Dropout(0.3)(kl.Flatten()(x)))
    return given, kl.Dense(10, activation="softmax")(x)


def conv_wide():
    x = given = kl.Input((64, 64, 3))
    for filters in (48, 96, 192):
        x = kl.MaxPooling2D()(conv(conv(x, filters), filters))
    x = kl.Dense(512, activation="relu")(kl.Flatten()(x))
    return given, kl.Dense(20, activation="softmax")(x)


def _residual(x, filters, *, strides=1):
    short = x
    if strides > 1 or x.shape[-1] != filters:
        short = conv(x, filters, 1, strides=strides, norm=True, relu=False)
    x = conv(x, filters, strides=strides, norm=True)
    x = conv(x, filters, norm=True, relu=False)
    return kl.Activation("relu")(kl.Add()([x, short]))


def residual_small():
    given = kl.Input((32, 32, 3))
    x = conv(given, 16, norm=True)
    for filters, strides in ((16, 1), (16, 1), (32, 2), (32, 1), (64, 2), (64, 1)):
        x = _residual(x, filters, strides=strides)
    return given, classes(x)


def residual_bottleneck():
    given = kl.Input((64, 64, 3))
    x = kl.MaxPooling2D(3, strides=2, padding="same")(conv(given, 48, 7, norm=True))
    for filters, strides in ((32, 1), (32, 1), (64, 2), (64, 1)):
        short = conv(x, 4 * filters, 1, strides=strides, norm=True, relu=False)
        y = conv(conv(x, filters, 1, norm=True), filters, strides=strides, norm=True)
        y = conv(y, 4 * filters, 1, norm=True, relu=False)
        x = kl.Activation("relu")(kl.Add()([y, short]))
    return given, classes(x)


def _dense(inputs, units, outputs, *, dropout=0.0):
    x = given = kl.Input((inputs,))
    for width in units:
        x = kl.Dense(width, activation="relu")(x)
        x = kl.Dropout(dropout)(x) if dropout else x
    return given, kl.Dense(outputs)(x)


def dense_digits():
    return _dense(784, (512, 384), 10, dropout=0.2)


def dense_large():
    return _dense(1536, (2048, 2048, 1024), 100)


def dense_tiny():
    return _dense(16, (48, 32), 1)


def lstm_one():
    given = kl.Input((40, 48))
    return given, kl.Dense(48, activation="softmax")(kl.LSTM(128)(given))


def lstm_stacked():
    given = kl.Input((30,))
    x = kl.Embedding(6000, 96)(given)
    x = kl.LSTM(160)(kl.LSTM(160, return_sequences=True)(x))
    return given, kl.Dense(6, activation="softmax")(x)


def _lighter(x, filters, strides):
    x = kl.DepthwiseConv2D(3, strides=strides, padding="same", use_bias=False)(x)
    x = kl.Activation("relu6")(kl.BatchNormalization()(x))
    x = kl.Conv2D(filters, 1, use_bias=False)(x)
    return kl.Activation("relu6")(kl.BatchNormalization()(x))


def depthwise_light():
    given = kl.Input((96, 96, 3))
    x = conv(given, 24, strides=2, norm=True)
    for filters, strides in ((48, 1), (96, 2), (96, 1), (192, 2), (192, 1), (384, 2)):
        x = _lighter(x, filters, strides)
    return given, classes(x, 50)


def autoencoder_dense():
    return _dense(784, (256, 64, 256), 784)


def autoencoder_image():
    x = given = kl.Input((48, 48, 3))
    for filters in (24, 48, 96):
        x = conv(x, filters, strides=2)
    for filters in (96, 48, 24):
        x = kl.Conv2DTranspose(filters, 3, strides=2, padding="same", activation="relu")(x)
    return given, kl.Conv2D(3, 3, padding="same", activation="sigmoid")(x)


def _branches(x, width):
    one = conv(x, width, 1)
    three = conv(conv(x, width, 1), width)
    five = conv(conv(conv(x, width // 2, 1), width), width)
    pooled = conv(kl.AveragePooling2D(3, strides=1, padding="same")(x), width // 2, 1)
    return kl.Concatenate()([one, three, five, pooled])


def branches():
    given = kl.Input((48, 48, 3))
    x = kl.MaxPooling2D()(conv(given, 32))
    x = _branches(_branches(x, 32), 32)
    x = _branches(_branches(kl.MaxPooling2D()(x), 64), 64)
    return given, classes(x)


def densely_connected():
    given = kl.Input((32, 32, 3))
    x = conv(given, 24)
    for stage in range(3):
        for _ in range(4):
            y = kl.Activation("relu")(kl.BatchNormalization()(x))
            x = kl.Concatenate()([x, kl.Conv2D(16, 3, padding="same")(y)])
        if stage < 2:
            x = kl.AveragePooling2D(2)(conv(x, x.shape[-1] // 2, 1))
    return given, classes(x)


def gru_two():
    given = kl.Input((36, 40))
    x = kl.GRU(72)(kl.GRU(112, return_sequences=True)(given))
    return given, kl.Dense(8)(x)


def both_ways():
    given = kl.Input((48,))
    x = kl.Embedding(8000, 80)(given)
    x = kl.Bidirectional(kl.LSTM(72))(x)
    return given, kl.Dense(1, activation="sigmoid")(kl.Dropout(0.3)(x))


def _encoder(x, heads, width):
    size = x.shape[-1]
    y = kl.MultiHeadAttention(heads, size // heads)(x, x)
    x = kl.LayerNormalization()(kl.Add()([x, kl.Dropout(0.1)(y)]))
    y = kl.Dense(size)(kl.Dense(width, activation="gelu")(x))
    return kl.LayerNormalization()(kl.Add()([x, kl.Dropout(0.1)(y)]))


def attention_signal():
    given = kl.Input((96, 32))
    x = kl.Dense(128)(given)
    for _ in range(3):
        x = _encoder(x, 4, 384)
    return given, kl.Dense(12)(kl.GlobalAveragePooling1D()(x))


def attention_text():
    given = kl.Input((64,))
    x = kl.Embedding(5000, 96)(given)
    for _ in range(2):
        x = _encoder(x, 3, 192)
    return given, kl.Dense(5, activation="softmax")(kl.GlobalAveragePooling1D()(x))


def text_conv():
    given = kl.Input((200,))
    x = kl.Embedding(10000, 56)(given)
    x = kl.Conv1D(160, 4, activation="relu")(kl.Dropout(0.2)(x))
    x = kl.Dense(96, activation="relu")(kl.GlobalMaxPooling1D()(x))
    return given, kl.Dense(4, activation="softmax")(x)


def signal_conv():
    x = given = kl.Input((512, 8))
    for filters in (32, 64, 96, 128):
        x = kl.Conv1D(filters, 7, strides=2, padding="same")(x)
        x = kl.Activation("relu")(kl.BatchNormalization()(x))
    return given, kl.Dense(6)(kl.GlobalAveragePooling1D()(x))


def u_shape():
    x = given = kl.Input((64, 64, 1))
    kept = []
    for filters in (16, 32, 64):
        x = conv(conv(x, filters), filters)
        kept.append(x)
        x = kl.MaxPooling2D()(x)
    x = conv(x, 128)
    for filters in (64, 32, 16):
        x = kl.Conv2DTranspose(filters, 2, strides=2, padding="same")(x)
        x = conv(conv(kl.Concatenate()([x, kept.pop()]), filters), filters)
    return given, kl.Conv2D(1, 1, activation="sigmoid")(x)


def separable():
    given = kl.Input((64, 64, 3))
    x = conv(given, 32, strides=2, norm=True)
    for filters in (64, 128, 192):
        short = conv(x, filters, 1, strides=2, norm=True, relu=False)
        for _ in range(2):
            x = kl.SeparableConv2D(filters, 3, padding="same", use_bias=False)(x)
            x = kl.Activation("relu")(kl.BatchNormalization()(x))
        x = kl.Add()([kl.MaxPooling2D(3, strides=2, padding="same")(x), short])
    return given, classes(x)


def _excited(x, share=8):
    channels = x.shape[-1]
    y = kl.GlobalAveragePooling2D(keepdims=True)(x)
    y = kl.Conv2D(channels // share, 1, activation="relu")(y)
    return kl.Multiply()([x, kl.Conv2D(channels, 1, activation="sigmoid")(y)])


def squeeze_excite():
    given = kl.Input((40, 40, 3))
    x = conv(given, 32, norm=True)
    for filters, strides in ((32, 1), (64, 2), (64, 1), (128, 2)):
        y = _excited(conv(conv(x, filters, strides=strides, norm=True), filters, norm=True))
        x = kl.Activation("relu")(
            kl.Add()([y, conv(x, filters, 1, strides=strides, norm=True, relu=False)])
        )
    return given, classes(x)


def inverted():
    given = kl.Input((64, 64, 3))
    x = conv(given, 16, strides=2, norm=True)
    for filters, strides in ((24, 2), (24, 1), (40, 2), (40, 1), (64, 1)):
        y = kl.Conv2D(4 * x.shape[-1], 1, use_bias=False)(x)
        y = kl.Activation("silu")(kl.BatchNormalization()(y))
        y = kl.DepthwiseConv2D(5, strides=strides, padding="same", use_bias=False)(y)
        y = _excited(kl.Activation("silu")(kl.BatchNormalization()(y)), 4)
        y = kl.BatchNormalization()(kl.Conv2D(filters, 1, use_bias=False)(y))
        x = kl.Add()([x, y]) if x.shape == y.shape else y
    return given, classes(x)


BUILDERS = (
    conv_colour, conv_grey, conv_wide, residual_small, residual_bottleneck, dense_digits,
    dense_large, dense_tiny, lstm_one, lstm_stacked, depthwise_light, autoencoder_dense,
    autoencoder_image, branches, densely_connected, gru_two, both_ways, attention_signal,
    attention_text, text_conv, signal_conv, u_shape, separable, squeeze_excite, inverted,
)  # fmt: skip


def main() -> int:
    """Write every network."""
    FOLDER.mkdir(exist_ok=True)
    for build in (*BUILDERS, *UNSEEN, *LATER):
        keras.utils.clear_session()
        made = build()
        model = keras.Model(*made, name=build.__name__) if isinstance(made, tuple) else made
        text = json.dumps(json.loads(model.to_json()), separators=(",", ":")) + "\n"
        path = FOLDER / (build.__name__.replace("_", "-") + ".json")
        data = text.encode()
        if len(data) > SMALL_BYTES:
            path, data = path.with_suffix(".json.gz"), gzip.compress(data, mtime=0)
        path.write_bytes(data)
        print(f"{path.name}: {model.count_params()} parameters, {len(data)} bytes")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
