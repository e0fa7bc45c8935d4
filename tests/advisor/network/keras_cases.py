"""Child of `test_keras_agreement`: builds models in Keras and prints what Keras says of them.

One JSON object a line: case, text of the model, parameters, trainable parameters, trainable
tensors, output shapes.
"""

import json
import sys

import keras
from keras import layers as L
from keras import ops

IMAGE = (12, 10, 6)
SEQUENCE = (7, 5)
VOLUME = (6, 6, 6, 3)

# case -> (input shape, layer)
SINGLE = {
    "dense": ((9,), lambda: L.Dense(4)),
    "dense_no_bias": ((9,), lambda: L.Dense(4, use_bias=False, activation="relu")),
    "dense_3d": ((7, 9), lambda: L.Dense(4, activation="softmax")),
    "einsum": (
        (7, 9),
        lambda: L.EinsumDense("abc,cde->abde", output_shape=(None, 2, 3), bias_axes="de"),
    ),
    "einsum_dots": ((4, 9), lambda: L.EinsumDense("...x,xy->...y", output_shape=5, bias_axes="y")),
    "einsum_dots_behind": (
        (4, 5, 7),
        lambda: L.EinsumDense("ab...,bcd->acd...", output_shape=(6, 3), bias_axes="d"),
    ),
    "einsum_scale": ((3, 4, 9), lambda: L.EinsumDense("abcd,d->abcd", output_shape=(3, 4, 9))),
    "embedding": ((7,), lambda: L.Embedding(11, 5)),
    "conv1d": (SEQUENCE, lambda: L.Conv1D(4, 3)),
    "conv1d_causal": (SEQUENCE, lambda: L.Conv1D(4, 3, padding="causal", dilation_rate=2)),
    "conv1d_causal_strided": (SEQUENCE, lambda: L.Conv1D(4, 3, padding="causal", strides=2)),
    "conv2d": (IMAGE, lambda: L.Conv2D(4, (3, 2), strides=2)),
    "conv2d_same": (IMAGE, lambda: L.Conv2D(4, 3, strides=3, padding="same")),
    "conv2d_dilated": (IMAGE, lambda: L.Conv2D(4, 3, dilation_rate=2)),
    "conv2d_groups": (IMAGE, lambda: L.Conv2D(4, 3, groups=2, use_bias=False)),
    "conv2d_first": ((6, 12, 10), lambda: L.Conv2D(4, 3, data_format="channels_first")),
    "conv3d": (VOLUME, lambda: L.Conv3D(4, 3, padding="same", activation="tanh")),
    "conv1d_transpose": (SEQUENCE, lambda: L.Conv1DTranspose(4, 3, strides=2)),
    "conv2d_transpose": (IMAGE, lambda: L.Conv2DTranspose(4, 3, strides=2, padding="same")),
    "conv2d_transpose_valid": (IMAGE, lambda: L.Conv2DTranspose(4, 5, strides=2)),
    "conv2d_transpose_narrow": (IMAGE, lambda: L.Conv2DTranspose(4, 2, strides=3)),
    "conv2d_transpose_padded": (
        IMAGE,
        lambda: L.Conv2DTranspose(4, 3, strides=2, padding="same", output_padding=1),
    ),
    "conv2d_transpose_padded_valid": (
        IMAGE,
        lambda: L.Conv2DTranspose(4, 3, strides=2, output_padding=0),
    ),
    "conv3d_transpose": (VOLUME, lambda: L.Conv3DTranspose(2, 3, use_bias=False)),
    "depthwise1d": (SEQUENCE, lambda: L.DepthwiseConv1D(3, depth_multiplier=2)),
    "depthwise2d": (IMAGE, lambda: L.DepthwiseConv2D(3, strides=2, padding="same")),
    "separable1d": (SEQUENCE, lambda: L.SeparableConv1D(4, 3)),
    "separable2d": (IMAGE, lambda: L.SeparableConv2D(4, 3, depth_multiplier=2, strides=2)),
    "lstm": (SEQUENCE, lambda: L.LSTM(4)),
    "lstm_sequences": (SEQUENCE, lambda: L.LSTM(4, return_sequences=True, use_bias=False)),
    "gru": (SEQUENCE, lambda: L.GRU(4)),
    "gru_old": (SEQUENCE, lambda: L.GRU(4, reset_after=False)),
    "simple_rnn": (SEQUENCE, lambda: L.SimpleRNN(4)),
    "rnn_cell": (SEQUENCE, lambda: L.RNN(L.LSTMCell(4), return_sequences=True)),
    "rnn_stack": (SEQUENCE, lambda: L.RNN([L.LSTMCell(4), L.GRUCell(3)])),
    "bidirectional": (SEQUENCE, lambda: L.Bidirectional(L.LSTM(4, return_sequences=True))),
    "bidirectional_sum": (SEQUENCE, lambda: L.Bidirectional(L.GRU(4), merge_mode="sum")),
    "bidirectional_conv": ((4, 6, 6, 2), lambda: L.Bidirectional(L.ConvLSTM2D(3, 3))),
    "time_distributed": ((4, *IMAGE), lambda: L.TimeDistributed(L.Conv2D(3, 3))),
    "conv_lstm1d": ((4, 6, 2), lambda: L.ConvLSTM1D(3, 3, return_sequences=True)),
    "conv_lstm2d": ((4, 6, 6, 2), lambda: L.ConvLSTM2D(3, 3, padding="same")),
    "batch_norm": (IMAGE, lambda: L.BatchNormalization()),
    "batch_norm_bare": (IMAGE, lambda: L.BatchNormalization(center=False, scale=False)),
    "batch_norm_axis": (IMAGE, lambda: L.BatchNormalization(axis=1)),
    "layer_norm": (IMAGE, lambda: L.LayerNormalization()),
    "layer_norm_axes": (IMAGE, lambda: L.LayerNormalization(axis=[1, 2, 3], center=False)),
    "group_norm": (IMAGE, lambda: L.GroupNormalization(groups=3)),
    "rms_norm": (IMAGE, lambda: L.RMSNormalization()),
    "unit_norm": (IMAGE, lambda: L.UnitNormalization()),
    "spectral_norm": (IMAGE, lambda: L.SpectralNormalization(L.Conv2D(4, 3))),
    "normalization": (IMAGE, lambda: L.Normalization()),
    "normalization_fixed": (IMAGE, lambda: L.Normalization(mean=0.5, variance=2.0)),
    "max_pool": (IMAGE, lambda: L.MaxPooling2D((3, 2), strides=2, padding="same")),
    "max_pool1d": (SEQUENCE, lambda: L.MaxPooling1D(2)),
    "average_pool3d": (VOLUME, lambda: L.AveragePooling3D(2)),
    "adaptive_pool": (IMAGE, lambda: L.AdaptiveAveragePooling2D(4)),
    "global_average": (IMAGE, lambda: L.GlobalAveragePooling2D()),
    "global_max_kept": (IMAGE, lambda: L.GlobalMaxPooling2D(keepdims=True)),
    "global_1d": (SEQUENCE, lambda: L.GlobalAveragePooling1D()),
    "activation": (IMAGE, lambda: L.Activation("gelu")),
    "relu": (IMAGE, lambda: L.ReLU(6.0)),
    "leaky_relu": (IMAGE, lambda: L.LeakyReLU()),
    "prelu": (IMAGE, lambda: L.PReLU()),
    "prelu_shared": (IMAGE, lambda: L.PReLU(shared_axes=[1, 2])),
    "softmax": (IMAGE, lambda: L.Softmax(axis=[1, 2])),
    "dropout": (IMAGE, lambda: L.Dropout(0.3)),
    "flatten": (IMAGE, lambda: L.Flatten()),
    "reshape": (IMAGE, lambda: L.Reshape((-1, 4))),
    "permute": (IMAGE, lambda: L.Permute((3, 1, 2))),
    "repeat": ((5,), lambda: L.RepeatVector(3)),
    "pad": (IMAGE, lambda: L.ZeroPadding2D(((1, 2), (0, 3)))),
    "pad1d": (SEQUENCE, lambda: L.ZeroPadding1D((2, 1))),
    "crop": (IMAGE, lambda: L.Cropping2D(2)),
    "upsample": (IMAGE, lambda: L.UpSampling2D((2, 3))),
    "resizing": (IMAGE, lambda: L.Resizing(5, 4)),
    "rescaling": (IMAGE, lambda: L.Rescaling(1 / 255)),
    "random_flip": (IMAGE, lambda: L.RandomFlip()),
    "random_crop": (IMAGE, lambda: L.RandomCrop(5, 5)),
    "spectrogram": (
        (800, 2),
        lambda: L.STFTSpectrogram(frame_length=60, frame_step=30, window=None),
    ),
    "spectrogram_image": (
        (800, 2),
        lambda: L.STFTSpectrogram(mode="stft", expand_dims=True, window=None),
    ),
    "spectrogram_real": (
        (3, 800),
        lambda: L.STFTSpectrogram(
            mode="real", data_format="channels_first", padding="same", window=None
        ),
    ),
    "mel": (
        (1600,),
        lambda: L.MelSpectrogram(fft_length=256, sequence_stride=100, num_mel_bins=20),
    ),
}


def shared():
    feed = keras.Input(IMAGE)
    conv = L.Conv2D(6, 3, padding="same")
    return keras.Model(feed, conv(conv(feed)))


def nested():
    inner_feed = keras.Input(IMAGE)
    inner = keras.Model(inner_feed, L.Add()([inner_feed, L.Conv2D(6, 1)(inner_feed)]), name="inner")
    block = keras.Sequential([L.Conv2D(6, 3, padding="same"), L.ReLU()], name="block")
    feed = keras.Input(IMAGE)
    once = inner(block(feed))
    return keras.Model(feed, inner(L.Dropout(0.1)(once)))


def nested_sequential():
    return keras.Sequential(
        [keras.Input(IMAGE), keras.Sequential([L.Conv2D(4, 3), L.Flatten()]), L.Dense(3)]
    )


def distributed_model():
    frame = keras.Sequential([keras.Input(IMAGE), L.Conv2D(4, 3), L.GlobalAveragePooling2D()])
    return keras.Sequential([keras.Input((5, *IMAGE)), L.TimeDistributed(frame), L.LSTM(3)])


def frozen():
    model = keras.Sequential([keras.Input((9,)), L.Dense(5), L.BatchNormalization(), L.Dense(2)])
    model.layers[0].trainable = False
    model.layers[1].trainable = False
    return model


def frozen_inner():
    base = keras.Sequential([keras.Input(IMAGE), L.Conv2D(4, 3), L.Flatten()], name="base")
    base.trainable = False
    feed = keras.Input(IMAGE)
    return keras.Model(feed, L.Dense(2)(base(feed)))


def many_ends():
    first, second = keras.Input((9,), name="first"), keras.Input((9,), name="second")
    joined = L.Concatenate()([first, second])
    return keras.Model([first, second], [L.Dense(2)(joined), L.Subtract()([first, second])])


def named_ends():
    feeds = {"a": keras.Input((4,), name="a"), "b": keras.Input((4,), name="b")}
    return keras.Model(
        feeds, {"sum": L.Add()([feeds["a"], feeds["b"]]), "dot": L.Dot(1)(list(feeds.values()))}
    )


def named_inside():
    """Ends of a model in another one; neither stands in the order of its names."""
    wide, small = keras.Input((8,), name="wide"), keras.Input((3,), name="small")
    ends = {"z": L.Dense(4)(wide), "y": L.Dense(5)(small)}
    inner = keras.Model({"wide": wide, "small": small}, ends)
    feeds = {"wide": keras.Input((8,)), "small": keras.Input((3,))}
    made = inner(feeds)
    return keras.Model(feeds, {"b": L.Dense(2)(made["y"]), "a": L.Dense(6)(made["z"])})


def merges():
    feed = keras.Input((6, 4))
    wide, row = L.Dense(4)(feed), L.GlobalAveragePooling1D(keepdims=True)(feed)
    total = L.Average()([L.Maximum()([feed, wide]), L.Multiply()([wide, row])])
    return keras.Model(feed, L.Dot(axes=(2, 2))([total, feed]))


def states():
    feed = keras.Input(SEQUENCE)
    out, h, c = L.LSTM(4, return_sequences=True, return_state=True)(feed)
    again = L.LSTM(4)(out, initial_state=[h, c])
    return keras.Model(feed, again)


def bidirectional_states():
    feed = keras.Input(SEQUENCE)
    out, *rest = L.Bidirectional(L.LSTM(4, return_state=True))(feed)
    return keras.Model(feed, L.Concatenate()([out, *rest]))


def attention():
    query, value = keras.Input((7, 12)), keras.Input((5, 8))
    joined = L.MultiHeadAttention(3, 4, value_dim=5)(query, value)
    return keras.Model([query, value], joined)


def self_attention():
    feed = keras.Input((7, 12))
    made, scores = L.MultiHeadAttention(2, 6, use_bias=False, output_shape=9)(
        feed, feed, return_attention_scores=True
    )
    return keras.Model(feed, [made, scores])


def image_attention():
    feed = keras.Input((4, 5, 12))
    return keras.Model(feed, L.MultiHeadAttention(2, 6, attention_axes=(2,))(feed, feed))


def grouped_attention():
    feed = keras.Input((7, 12))
    return keras.Model(feed, L.GroupQueryAttention(6, 4, 2)(feed, feed))


def dot_attention():
    query, value = keras.Input((7, 8)), keras.Input((5, 8))
    plain = L.Attention(use_scale=True)([query, value])
    summed = L.AdditiveAttention()([query, value])
    concat = L.Attention(score_mode="concat")([query, value])
    return keras.Model([query, value], [plain, summed, concat])


def operations():
    feed = keras.Input(IMAGE)
    x = feed * 2.0 + 1.0
    x = ops.relu(ops.transpose(x, (0, 2, 1, 3)))
    x = ops.reshape(x, (-1, 10, 72))
    x = x[:, :4] + ops.mean(x, axis=1, keepdims=True)
    x = ops.matmul(x, ops.swapaxes(x, 1, 2))
    x = ops.concatenate([x, ops.softmax(x)], axis=1)
    return keras.Model(feed, L.Dense(3)(ops.expand_dims(ops.sum(x, axis=-1), 1)))


def windows():
    """Windows of an image are taken for samples; the last operation has no recorded shape."""
    feed = keras.Input((16, 16, 12))
    x = ops.transpose(ops.reshape(feed, (-1, 4, 4, 4, 4, 12)), (0, 1, 3, 2, 4, 5))
    qkv = ops.reshape(L.Dense(36)(ops.reshape(x, (-1, 16, 12))), (-1, 16, 3, 3, 4))
    query, key, value = (ops.transpose(qkv, (2, 0, 3, 1, 4))[i] for i in range(3))
    x = ops.matmul(ops.softmax(ops.matmul(query, ops.swapaxes(key, -1, -2))), value)
    x = ops.reshape(ops.transpose(x, (0, 2, 1, 3)), (-1, 4, 4, 4, 4, 12))
    return keras.Model(feed, ops.reshape(ops.transpose(x, (0, 1, 3, 2, 4, 5)), (-1, 16, 16, 12)))


def given_filters():
    feed = keras.Input((16, 16, 3))
    x = ops.max_pool(ops.conv(feed, ops.zeros((3, 3, 3, 8)), 2, "same"), 2)
    x = ops.depthwise_conv(x, ops.zeros((3, 3, 8, 1)), 1, "same")
    x = ops.separable_conv(x, ops.zeros((3, 3, 8, 1)), ops.zeros((1, 1, 8, 4)), 1, "same")
    x = ops.conv_transpose(x, ops.zeros((2, 2, 6, 4)), 2, "valid")
    x = ops.batch_normalization(ops.average_pool(x, 2), ops.zeros(6), ops.ones(6), -1)
    return keras.Model(feed, ops.image.resize(ops.layer_normalization(x), (6, 5)))


def given_matrices():
    feed = keras.Input((16, 4))
    left = ops.matmul(ops.zeros((8, 16)), feed)
    chain = ops.einsum("btd,de,ef->btf", feed, ops.zeros((4, 7)), ops.zeros((7, 3)))
    return keras.Model(feed, [left, chain, ops.tensordot(feed, ops.zeros((16, 4, 9)), 2)])


def joined_batches():
    one, two = keras.Input((9,)), keras.Input((9,))
    both = L.Dense(5)(ops.concatenate([one, two], axis=0))
    return keras.Model([one, two], L.Dense(3)(ops.split(both, 2, axis=0)[0]))


def categories():
    words, number = keras.Input((1,), dtype="string"), keras.Input((1,), dtype="int64")
    x = L.StringLookup(vocabulary=["x", "y"], output_mode="one_hot")(words)
    y = L.Discretization(bin_boundaries=[0.0, 1.0], output_mode="one_hot")(number)
    z = L.CategoryEncoding(6, output_mode="one_hot")(number)
    return keras.Model([words, number], L.Dense(1)(L.Concatenate()([x, y, z])))


def transformer():
    feed = keras.Input((16,))
    x = L.Embedding(50, 12)(feed)
    for _ in range(2):
        x = L.LayerNormalization()(x + L.MultiHeadAttention(2, 6)(x, x))
        x = L.LayerNormalization()(x + L.Dense(12)(L.Dense(24, activation="gelu")(x)))
    return keras.Model(feed, L.Dense(3, activation="softmax")(L.GlobalAveragePooling1D()(x)))


def reversible(tie_weights=True):
    feed = keras.Input((16,))
    table = L.ReversibleEmbedding(50, 12, tie_weights=tie_weights)
    return keras.Model(feed, table(L.Dense(12)(table(feed)), reverse=True))


def reversible_untied():
    return reversible(tie_weights=False)


WHOLE = (
    shared, nested, nested_sequential, distributed_model, frozen, frozen_inner, many_ends,
    named_ends, named_inside, merges, states, bidirectional_states, attention, self_attention,
    image_attention, grouped_attention, dot_attention, operations, transformer, reversible,
    reversible_untied, windows, given_filters, given_matrices, joined_batches, categories,
)  # fmt: skip


def main() -> None:
    cases = {
        **{
            n: lambda s=s, b=b: keras.Sequential([keras.Input(s), b(), L.ReLU()])
            for n, (s, b) in SINGLE.items()
        },
        **{build.__name__: build for build in WHOLE},
    }
    for name, build in cases.items():
        model = build()
        outputs = model.outputs
        line = {
            "case": name,
            "model": model.to_json(),
            "parameters": model.count_params(),
            "trainable": sum(
                int(w.value.shape.num_elements() or 0) for w in model.trainable_weights
            ),
            "variables": len(model.trainable_weights),
            "outputs": [list(tensor.shape[1:]) for tensor in outputs],
        }
        sys.stdout.write(json.dumps(line, default=int) + "\n")


if __name__ == "__main__":
    main()
