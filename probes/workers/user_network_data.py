"""Data for the steps of a user's network: made up, or the user's own.

Made-up inputs carry a signal of their class, so that training has something to learn and a
setting that computes something else shows in the loss.
Leaves to others: the model (`user_network_model`).
"""

import worker_errors

SEED = 20_260_101
# Made-up batches that are gone through again and again: enough to be no single one, few enough
# for the memory.
_MOST_BATCHES = 16
_MOST_BYTES = 64 << 20
_SIGNAL = 0.5
_MOST_TOKENS = 10
# The user's own data: batches of one pass; a cache is complete after it.
OWN_BATCHES = 32


def shape_of(tensor, batch_size):
    """Return the shape of a tensor for a batch.

    Raises:
        worker_errors.UnsupportedKernel: when a dimension is open.
    """
    sizes = tuple(tensor.shape)[1:]
    if any(size is None for size in sizes):
        raise worker_errors.UnsupportedKernel(
            "the network leaves a dimension of {} open: fix it, or give data".format(tensor.name)
        )
    return (batch_size, *sizes)


def draw_weight(random, shape):
    """Return a weight of more than one axis as Glorot draws it, evenly about zero."""
    import numpy as np

    fan = np.prod(shape[:-2]) * (shape[-2] + shape[-1])
    limit = float(np.sqrt(6.0 / fan))
    drawn = random.random(shape, dtype=np.float32)
    return (drawn - np.float32(0.5)) * np.float32(2.0 * limit)


def n_batches(model, batch_size):
    """Return how many made-up batches are held."""
    import numpy as np

    tensors = [*model.inputs, *model.outputs]
    size = sum(int(np.prod(shape_of(tensor, batch_size))) * 4 for tensor in tensors)
    return max(2, min(_MOST_BATCHES, _MOST_BYTES // max(1, size)))


def make_targets(kinds, model, count, random):
    """Return made-up targets for each output: classes, bits or numbers.

    Args:
        kinds: for each output "sparse", "one_hot", "binary" or "number".
        model: the network.
        count: samples.
        random: NumPy generator.
    """
    import numpy as np

    targets = []
    for at, tensor in enumerate(model.outputs):
        kind = kinds[at]
        shape = shape_of(tensor, count)
        if kind in ("sparse", "one_hot"):
            classes = random.integers(0, shape[-1], shape[:-1])
            if kind == "one_hot":
                classes = np.eye(shape[-1], dtype="float32")[classes]
            targets.append(classes.astype("float32" if kind == "one_hot" else "int32"))
        elif kind == "binary":
            targets.append(random.integers(0, 2, shape).astype("float32"))
        else:
            targets.append(random.standard_normal(shape, dtype=np.float32))
    return targets


def made_up(network, kinds, request):
    """Return made-up inputs and targets, and how many batches they are.

    Args:
        network: has inputs, outputs and the size of its vocabulary.
        kinds: what each target is.
        request: its "batch_size".
    """
    import numpy as np

    random = np.random.default_rng(SEED)
    batches = n_batches(network, request["batch_size"])
    count = batches * request["batch_size"]
    targets = make_targets(kinds, network, count, random)
    return make_inputs(network, targets, count, random), targets, batches


def make_inputs(model, targets, count, random):
    """Return made-up inputs: whole numbers where they are looked up, else noise and a signal."""
    import numpy as np

    vocabulary = model.vocabulary
    first = np.asarray(targets[0]).reshape(count, -1)[:, 0] if targets else np.zeros(count)
    inputs = []
    for tensor in model.inputs:
        shape = shape_of(tensor, count)
        is_integer = "int" in str(tensor.dtype)
        if vocabulary is not None or is_integer:
            values = random.integers(0, vocabulary or _MOST_TOKENS, shape)
            inputs.append(values.astype("int32" if is_integer else "float32"))
            continue
        values = random.standard_normal(shape, dtype=np.float32)
        pattern = random.standard_normal((1, *shape[1:]), dtype=np.float32)
        weight = np.tanh(first.astype("float32")).reshape((count,) + (1,) * (len(shape) - 1))
        inputs.append(values + _SIGNAL * pattern * weight)
    return inputs


def own_arrays(data):
    """Return inputs and targets from a file of arrays or of comma-separated numbers.

    Raises:
        worker_errors.UnsupportedKernel: when it does not hold both.
    """
    import numpy as np

    if data["kind"] == "csv":
        table = np.genfromtxt(data["path"], delimiter=",", skip_header=0, dtype="float32")
        if table.ndim != 2 or table.shape[1] < 2:
            raise worker_errors.UnsupportedKernel("the table needs inputs and a last column")
        # A line of names reads as not-a-number.
        table = table[~np.isnan(table).any(axis=1)]
        return table[:, :-1], table[:, -1]
    with np.load(data["path"], allow_pickle=False) as file:
        for first, last in (("x_train", "y_train"), ("x", "y"), ("X", "Y"), ("X", "y")):
            if first in file and last in file:
                return file[first], file[last]
        names = list(file)
        if len(names) < 2:
            raise worker_errors.UnsupportedKernel("the file needs two arrays: x and y")
        return file[names[0]], file[names[1]]


def _fitted(inputs, targets, model, kinds):
    """Bring the user's arrays into the form that the network takes."""
    import numpy as np

    wanted = shape_of(model.inputs[0], len(inputs))
    if int(np.prod(inputs.shape)) != int(np.prod(wanted)):
        raise worker_errors.UnsupportedKernel(
            "the data have inputs of shape {}, the network wants {}".format(
                tuple(inputs.shape[1:]), wanted[1:]
            )
        )
    targets = np.squeeze(targets) if targets.ndim > 1 else targets
    if kinds[0] == "sparse":
        return inputs.reshape(wanted), targets.astype("int32")
    if kinds[0] == "one_hot" and targets.ndim == 1:
        targets = np.eye(model.outputs[0].shape[-1], dtype="float32")[targets.astype("int64")]
    return inputs.reshape(wanted), targets.reshape(len(inputs), *model.outputs[0].shape[1:])


def own_dataset(keras, model, kinds, request, load):
    """Return a tf.data of the user's own data with the pipeline of the request, repeated.

    Args:
        keras: the library.
        model: the network, for the shapes.
        kinds: what each target is.
        request: its "data", "pipeline", "batch_size".
        load: returns the function of a Python file.
    """
    import tensorflow as tf

    data = request["data"]
    if data["kind"] == "function":
        dataset = load(data["path"], data["function"])()
    elif data["kind"] == "images":
        size = shape_of(model.inputs[0], 1)
        dataset = keras.utils.image_dataset_from_directory(
            data["path"],
            image_size=size[1:3],
            color_mode="grayscale" if size[3] == 1 else "rgb",
            label_mode={"sparse": "int", "one_hot": "categorical"}.get(kinds[0], "int"),
            batch_size=request["batch_size"],
            seed=SEED,
            verbose=False,
        )
    else:
        inputs, targets = _fitted(*own_arrays(data), model, kinds)
        dataset = tf.data.Dataset.from_tensor_slices((inputs, targets))
        dataset = dataset.batch(request["batch_size"], drop_remainder=True)
    if not isinstance(dataset, tf.data.Dataset):
        raise worker_errors.UnsupportedKernel("the function of the data returns no tf.data.Dataset")
    dataset = dataset.take(OWN_BATCHES)
    if "cache" in request["pipeline"]:
        dataset = dataset.cache()
    dataset = dataset.repeat()
    if "prefetch" in request["pipeline"]:
        dataset = dataset.prefetch(tf.data.AUTOTUNE)
    return dataset
