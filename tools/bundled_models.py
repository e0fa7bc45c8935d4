"""The networks of the founding studies as Keras models, layer by layer.

Used by `tools/build_networks.py` only; needs Keras.
Leaves to others: writing them into the dataset, the facts about them.
"""

from collections.abc import Callable
from typing import Any

import keras
from keras import applications, layers

# Distinct characters of nietzsche.txt in lower case (600893 characters in all).
CHARACTERS = 57
# Words and bi-grams of the IMDb reviews; see the note of the network.
FASTTEXT_VOCABULARY = 1_200_000


def _sequential(name: str, shape: tuple[int, ...], *parts: Any) -> Any:
    return keras.Sequential([keras.Input(shape), *parts], name=name)


def fcn_s() -> Any:
    """Three hidden layers of 2048 between 26752 inputs and classes."""
    hidden = [layers.Dense(2048, activation="sigmoid") for _ in range(3)]
    return _sequential("fcn_s", (26752,), *hidden, layers.Dense(26752, activation="softmax"))


def alexnet_s() -> Any:
    """AlexNet without normalisation, dropout and groups, as run in Torch, CNTK and Caffe."""
    return _sequential(
        "alexnet_s",
        (224, 224, 3),
        layers.ZeroPadding2D(2),
        layers.Conv2D(96, 11, strides=4, activation="relu"),
        layers.MaxPooling2D(3, 2),
        layers.Conv2D(256, 5, padding="same", activation="relu"),
        layers.MaxPooling2D(3, 2),
        layers.Conv2D(384, 3, padding="same", activation="relu"),
        layers.Conv2D(384, 3, padding="same", activation="relu"),
        layers.Conv2D(256, 3, padding="same", activation="relu"),
        layers.MaxPooling2D(3, 2),
        layers.Flatten(),
        layers.Dense(4096, activation="relu"),
        layers.Dense(4096, activation="relu"),
        layers.Dense(1000, activation="softmax"),
    )


def fcn_r() -> Any:
    """The fully connected network for MNIST."""
    return _sequential(
        "fcn_r",
        (784,),
        layers.Dense(2048, activation="sigmoid"),
        layers.Dense(4096, activation="sigmoid"),
        layers.Dense(1024, activation="sigmoid"),
        layers.Dense(10, activation="softmax"),
    )


def alexnet_r() -> Any:
    """The small AlexNet for CIFAR-10 (cuda-convnet, without response normalisation)."""
    return _sequential(
        "alexnet_r",
        (32, 32, 3),
        layers.Conv2D(32, 5, padding="same"),
        layers.MaxPooling2D(3, 2),
        layers.Activation("relu"),
        layers.Conv2D(32, 5, padding="same", activation="relu"),
        layers.MaxPooling2D(3, 2),
        layers.Conv2D(64, 5, padding="same", activation="relu"),
        layers.AveragePooling2D(3, 2),
        layers.Flatten(),
        layers.Dense(10, activation="softmax"),
    )


def _thinner_shortcut(tensor: Any, *, filters: int) -> Any:
    """Halve the sides and pad the channels with zeros (type A): no weights."""
    side, channels = tensor.shape[1] // 2, tensor.shape[3]
    small = layers.AveragePooling2D(1, 2)(tensor)
    flat = layers.Reshape((side * side, channels, 1))(small)
    missing = filters - channels
    padded = layers.ZeroPadding2D(((0, 0), (missing // 2, missing - missing // 2)))(flat)
    return layers.Reshape((side, side, filters))(padded)


def resnet_56() -> Any:
    """Residual network of 3 x 9 blocks for CIFAR-10; no activation after the sum."""
    feed = keras.Input((32, 32, 3))

    def convolve(tensor: Any, filters: int, strides: int = 1) -> Any:
        conv = layers.Conv2D(filters, 3, strides=strides, padding="same", use_bias=False)
        return layers.BatchNormalization()(conv(tensor))

    tensor = layers.Activation("relu")(convolve(feed, 16))
    for stage, filters in enumerate((16, 32, 64)):
        for block in range(9):
            is_first = stage > 0 and block == 0
            shortcut = _thinner_shortcut(tensor, filters=filters) if is_first else tensor
            inner = layers.Activation("relu")(convolve(tensor, filters, 2 if is_first else 1))
            tensor = layers.Add()([convolve(inner, filters), shortcut])
    pooled = layers.GlobalAveragePooling2D()(tensor)
    return keras.Model(feed, layers.Dense(10, activation="softmax")(pooled), name="resnet_56")


def lstm_ptb() -> Any:
    """Two LSTM layers over 32 words of a vocabulary of 10000, a word at each step."""
    return _sequential(
        "lstm_ptb",
        (32,),
        layers.Embedding(10000, 256),
        layers.LSTM(256, return_sequences=True),
        layers.LSTM(256, return_sequences=True),
        layers.Dense(10000, activation="softmax"),
    )


def mnist_mlp() -> Any:
    """The Keras example of 2017."""
    return _sequential(
        "mnist_mlp",
        (784,),
        layers.Dense(512, activation="relu"),
        layers.Dropout(0.2),
        layers.Dense(512, activation="relu"),
        layers.Dropout(0.2),
        layers.Dense(10, activation="softmax"),
    )


def mnist_cnn() -> Any:
    """The Keras example of 2017."""
    return _sequential(
        "mnist_cnn",
        (28, 28, 1),
        layers.Conv2D(32, 3, activation="relu"),
        layers.Conv2D(64, 3, activation="relu"),
        layers.MaxPooling2D(2),
        layers.Dropout(0.25),
        layers.Flatten(),
        layers.Dense(128, activation="relu"),
        layers.Dropout(0.5),
        layers.Dense(10, activation="softmax"),
    )


def cifar10_deep_cnn() -> Any:
    """The Keras example of 2017."""
    return _sequential(
        "cifar10_deep_cnn",
        (32, 32, 3),
        layers.Conv2D(32, 3, padding="same", activation="relu"),
        layers.Conv2D(32, 3, activation="relu"),
        layers.MaxPooling2D(2),
        layers.Dropout(0.25),
        layers.Conv2D(64, 3, padding="same", activation="relu"),
        layers.Conv2D(64, 3, activation="relu"),
        layers.MaxPooling2D(2),
        layers.Dropout(0.25),
        layers.Flatten(),
        layers.Dense(512, activation="relu"),
        layers.Dropout(0.5),
        layers.Dense(10, activation="softmax"),
    )


def imdb_fasttext() -> Any:
    """Words and bi-grams, averaged."""
    return _sequential(
        "imdb_fasttext",
        (400,),
        layers.Embedding(FASTTEXT_VOCABULARY, 50),
        layers.GlobalAveragePooling1D(),
        layers.Dense(1, activation="sigmoid"),
    )


def imdb_bidirectional_lstm() -> Any:
    """The Keras example of 2017."""
    return _sequential(
        "imdb_bidirectional_lstm",
        (100,),
        layers.Embedding(20000, 128),
        layers.Bidirectional(layers.LSTM(64)),
        layers.Dropout(0.5),
        layers.Dense(1, activation="sigmoid"),
    )


def lstm_text_generator() -> Any:
    """One-hot characters into one LSTM."""
    return _sequential(
        "lstm_text_generator",
        (40, CHARACTERS),
        layers.LSTM(128),
        layers.Dense(CHARACTERS, activation="softmax"),
    )


def text_generator() -> Any:
    """Character embedding, LSTM, two dense layers and an auxiliary output."""
    feed = keras.Input((40,))
    tensor = layers.LSTM(128)(layers.Embedding(CHARACTERS, 300)(feed))
    auxiliary = layers.Dense(CHARACTERS, activation="softmax", name="auxiliary")(tensor)
    for units in (512, 256):
        tensor = layers.Dense(units, use_bias=False)(tensor)
        tensor = layers.Activation("relu")(layers.BatchNormalization()(tensor))
    main = layers.Dense(CHARACTERS, activation="softmax", name="main")(tensor)
    return keras.Model(feed, [main, auxiliary], name="text_generator")


def prylipko_cnn() -> Any:
    """The network of the Raspberry Pi comparison at an assumed input of 64 x 64 grey."""
    return _sequential(
        "prylipko_cnn",
        (64, 64, 1),
        layers.Conv2D(16, 7, activation="relu"),
        layers.MaxPooling2D(2),
        layers.Conv2D(48, 6, activation="relu"),
        layers.MaxPooling2D(3),
        layers.Conv2D(96, 5, activation="relu"),
        layers.Flatten(),
        layers.Dense(128, activation="relu"),
        layers.Dense(848, activation="softmax"),
    )


def cifar10_a10_cnn() -> Any:
    """The TensorFlow CIFAR-10 tutorial network (24 x 24 crops), without response normalisation."""
    return _sequential(
        "cifar10_a10_cnn",
        (24, 24, 3),
        layers.Conv2D(64, 5, padding="same", activation="relu"),
        layers.MaxPooling2D(3, 2, padding="same"),
        layers.Conv2D(64, 5, padding="same", activation="relu"),
        layers.MaxPooling2D(3, 2, padding="same"),
        layers.Flatten(),
        layers.Dense(384, activation="relu"),
        layers.Dense(192, activation="relu"),
        layers.Dense(10, activation="softmax"),
    )


def _application(class_name: str, side: int) -> Callable[[], Any]:
    def build() -> Any:
        return getattr(applications, class_name)(weights=None, input_shape=(side, side, 3))

    return build


_APPLICATIONS = {
    "resnet-50": ("ResNet50", 224),
    "inceptionv3": ("InceptionV3", 299),
    "xception": ("Xception", 299),
    "vgg16": ("VGG16", 224),
    "vgg19": ("VGG19", 224),
    "resnet101": ("ResNet101", 224),
    "resnet152": ("ResNet152", 224),
    "resnet50v2": ("ResNet50V2", 224),
    "inceptionresnetv2": ("InceptionResNetV2", 299),
    "mobilenet": ("MobileNet", 224),
    "mobilenetv2": ("MobileNetV2", 224),
    "mobilenetv3small": ("MobileNetV3Small", 224),
    "mobilenetv3large": ("MobileNetV3Large", 224),
    "densenet121": ("DenseNet121", 224),
    "densenet169": ("DenseNet169", 224),
    "densenet201": ("DenseNet201", 224),
    "nasnetmobile": ("NASNetMobile", 224),
    "efficientnetb0": ("EfficientNetB0", 224),
    "efficientnetb1": ("EfficientNetB1", 240),
    "efficientnetb2": ("EfficientNetB2", 260),
    "efficientnetb3": ("EfficientNetB3", 300),
    "efficientnetb4": ("EfficientNetB4", 380),
    "efficientnetv2b0": ("EfficientNetV2B0", 224),
    "convnexttiny": ("ConvNeXtTiny", 224),
}

MODELS: dict[str, Callable[[], Any]] = {
    "fcn-s": fcn_s,
    "alexnet-s": alexnet_s,
    "fcn-r": fcn_r,
    "alexnet-r": alexnet_r,
    "resnet-56": resnet_56,
    "lstm-ptb": lstm_ptb,
    "mnist-mlp": mnist_mlp,
    "mnist-cnn": mnist_cnn,
    "cifar10-deep-cnn": cifar10_deep_cnn,
    "imdb-fasttext": imdb_fasttext,
    "imdb-bidirectional-lstm": imdb_bidirectional_lstm,
    "lstm-text-generator": lstm_text_generator,
    "text-generator": text_generator,
    "prylipko-cnn": prylipko_cnn,
    "cifar10-a10-cnn": cifar10_a10_cnn,
    **{name: _application(*arguments) for name, arguments in _APPLICATIONS.items()},
}
