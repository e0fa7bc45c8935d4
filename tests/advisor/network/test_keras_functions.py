"""Functions of TensorFlow in files of Keras 2 (TF 2.4 to 2.15) count as what they are.

The arguments stand as `model.to_json()` of these versions writes them.
"""

import time

import pytest

from advisor.errors import NetworkFileError
from advisor.model.kernel import ConvShape, ElementwiseShape, GemmShape, NormShape, SoftmaxShape
from tests.advisor.network.networks_data import built, functional, layer

ALL = {"start": None, "stop": None, "step": None}


def part(start=None, stop=None, step=None):
    return {"start": start, "stop": stop, "step": step}


def zeros(*sizes):
    value = 0.0
    for size in reversed(sizes):
        value = [value] * size
    return value


def made(feeds, *calls, ends=None):
    """The network of functions: each is (name, function, node as it stands in the file)."""
    config = functional(feeds, {}, [])
    for name, function, node in calls:
        kind = "SlicingOpLambda" if function.endswith("getitem") else "TFOpLambda"
        entry = layer(kind, name=name, function=function)
        if function in ("Dense", "LSTM"):
            entry = layer(function, name=name, units=3)
        config["config"]["layers"].append({**entry, "name": name, "inbound_nodes": [node]})
    last = ends or [[calls[-1][0], 0, 0]]
    config["config"]["output_layers"] = last
    return config


def of(function, sizes, /, **arguments):
    """The network of one function of one tensor, and of another that takes time."""
    end = ("end", "nn.relu", ["f", 0, 0, {}])
    return built(made({"x": sizes}, ("f", function, ["x", 0, 0, arguments]), end))


@pytest.mark.parametrize(
    ("function", "shape", "arguments", "output"),
    [
        ("reshape", (6, 4), {"shape": [-1, 24]}, (24,)),
        ("compat.v1.transpose", (6, 5, 4), {"perm": [0, 3, 1, 2], "name": "transpose"}, (4, 6, 5)),
        ("linalg.matrix_transpose", (6, 5), {}, (5, 6)),
        ("compat.v1.squeeze", (1, 5), {"axis": [1], "name": None}, (5,)),
        ("expand_dims", (5,), {"axis": 1}, (1, 5)),
        ("tile", (1, 8), {"multiples": [1, 5, 1]}, (5, 8)),
        ("repeat", (4, 8), {"repeats": 2, "axis": 1}, (8, 8)),
        ("compat.v1.pad", (5, 5, 3), {"paddings": [[0, 0], [1, 1], [2, 0], [0, 0]]}, (7, 7, 3)),
        ("image.resize", (8, 8, 3), {"size": [16, 12]}, (16, 12, 3)),
        ("nn.depth_to_space", (8, 8, 12), {"block_size": 2}, (16, 16, 3)),
        ("nn.space_to_depth", (12, 8, 8), {"block_size": 2, "data_format": "NCHW"}, (48, 4, 4)),
        ("one_hot", (7,), {"depth": 20}, (7, 20)),
        ("math.reduce_mean", (6, 5), {"axis": 1, "keepdims": True}, (1, 5)),
        ("math.argmax", (6, 5), {"axis": 1}, (5,)),
        ("math.top_k", (9,), {"k": 4}, (4,)),
        ("compat.v1.gather", (9, 5), {"indices": [0, 3], "axis": 1, "batch_dims": 0}, (2, 5)),
        ("__operators__.getitem", (9, 5), {"slice_spec": [ALL, 0]}, (5,)),
        ("__operators__.getitem", (9, 5), {"slice_spec": [ALL, part(6), part(step=2)]}, (3, 3)),
        ("__operators__.getitem", (9, 5), {"slice_spec": [{"class_name": "__ellipsis__"}, -1]},
         (9,)),
        ("__operators__.getitem", (9, 5), {"slice_spec": [ALL, None]}, (1, 9, 5)),
        ("slice", (8, 4), {"begin": [0, 2, 0], "size": [-1, 3, 2]}, (3, 2)),
        ("nn.max_pool2d", (8, 8, 3), {"ksize": 2, "strides": [1, 2, 2, 1], "padding": "VALID"},
         (4, 4, 3)),
        ("compat.v1.nn.pool", (8, 8, 3),
         {"window_shape": [2, 2], "pooling_type": "AVG", "strides": [2, 2], "padding": "SAME"},
         (4, 4, 3)),
        ("image.extract_patches", (32, 32, 3),
         {"sizes": [1, 8, 8, 1], "strides": [1, 8, 8, 1], "rates": [1, 1, 1, 1],
          "padding": "VALID"}, (4, 4, 192)),
        ("signal.stft", (400,), {"frame_length": 50, "frame_step": 25}, (15, 33)),
        ("image.rgb_to_grayscale", (8, 8, 3), {}, (8, 8, 1)),
        ("math.add", (1, 8), {"y": zeros(5, 8), "name": None}, (5, 8)),
    ],
)  # fmt: skip
def test_what_a_function_makes_follows_from_its_arguments(function, shape, arguments, output):
    network = of(function, shape, **arguments)
    assert network.outputs[0].shape == output
    assert (network.notes, network.parameters) == ((), 0)


@pytest.mark.parametrize(
    ("function", "shape", "arguments", "kernel"),
    [
        ("linalg.matmul", (12, 10), {"b": zeros(6, 10), "transpose_b": True},
         GemmShape(m=24, n=6, k=10)),
        ("tensordot", (6, 5), {"b": zeros(5, 7), "axes": [[2], [0]]}, GemmShape(m=12, n=7, k=5)),
        ("compat.v1.nn.conv2d", (9, 9, 3),
         {"filter": zeros(3, 3, 3, 8), "strides": [1, 2, 2, 1], "padding": "SAME"},
         ConvShape(n=2, c=3, spatial=(9, 9), k=8, kernel=(3, 3), strides=(2, 2), output=(5, 5),
                   dilation=(1, 1))),
        ("nn.softmax", (6, 5), {"axis": -1}, SoftmaxShape(rows=12, columns=5)),
        ("math.l2_normalize", (6, 5), {"axis": -1},
         NormShape(kind="layer", elements=60, channels=5)),
        ("nn.relu6", (6,), {}, ElementwiseShape(op="relu6", elements=12)),
        ("nn.dropout", (6,), {"rate": 0.3}, ElementwiseShape(op="dropout", elements=12)),
        ("math.truediv", (6,), {"y": 0.5}, ElementwiseShape(op="truediv", elements=12)),
    ],
)  # fmt: skip
def test_what_a_function_costs(function, shape, arguments, kernel):
    network = of(function, shape, **arguments)
    assert [operator.shape for operator in network.operators[:-1]] == [kernel]
    assert (network.notes, network.parameters) == ((), 0)


def test_lists_of_tensors_and_constants_in_front():
    feeds = {"a": (5, 8), "b": (3, 8)}
    joined = made(feeds, ("f", "concat", [["a", 0, 0, {"axis": 1}], ["b", 0, 0, {"axis": 1}]]))
    assert built(joined).outputs[0].shape == (8, 8)
    second = {"y": ["a", 0, 0], "name": None}
    turned = made({"a": (8,)}, ("f", "math.subtract", ["_CONSTANT_VALUE", -1, 1.0, second]))
    assert built(turned).outputs[0].shape == (8,)
    table = ["_CONSTANT_VALUE", -1, zeros(20, 6), {"indices": ["a", 0, 0], "axis": 0}]
    rows = made({"a": (5,)}, ("f", "compat.v1.gather", table))
    assert built(rows).outputs[0].shape == (5, 6)


def test_parts_of_a_split_are_tensors_of_their_own():
    config = made(
        {"x": (12, 12)},
        ("s", "split", ["x", 0, 0, {"num_or_size_splits": [4, -1], "axis": 2}]),
        ends=[["s", 0, 0], ["s", 0, 1]],
    )
    assert [tensor.shape for tensor in built(config).outputs] == [(12, 4), (12, 8)]


def test_sizes_that_a_model_asks_of_a_tensor_are_numbers():
    config = made(
        {"x": (16, 48)},
        ("s", "compat.v1.shape", ["x", 0, 0, {"name": None, "out_type": "int32"}]),
        ("b", "__operators__.getitem", ["s", 0, 0, {"slice_spec": 0}]),
        ("t", "__operators__.getitem", ["s", 0, 0, {"slice_spec": 1}]),
        ("n", "math.floordiv", ["t", 0, 0, {"y": 2}]),
        ("h", "reshape", ["x", 0, 0, {"shape": [["b", 0, 0], ["n", 0, 0], 2, 48]}]),
        ("w", "reshape", ["x", 0, 0, {"shape": [-1, ["n", 0, 0], 48]}]),
        ("d", "Dense", [["w", 0, 0, {}]]),
        ends=[["h", 0, 0], ["d", 0, 0]],
    )
    network = built(config)
    assert [tensor.shape for tensor in network.outputs] == [(8, 2, 48), (8, 3)]
    assert network.multiply_adds_per_sample == 16 * 48 * 3  # windows: twice as many samples
    assert [operator.layer for operator in network.operators] == ["d"]
    assert network.notes == ()


def test_a_class_token_for_each_sample():
    config = made(
        {"x": (8, 4)},
        ("s", "shape", ["x", 0, 0, {}]),
        ("b", "__operators__.getitem", ["s", 0, 0, {"slice_spec": 0}]),
        ("c", "tile", ["_CONSTANT_VALUE", -1, zeros(1, 1, 4), {"multiples": [["b", 0, 0], 1, 1]}]),
        ("j", "concat", [["c", 0, 0, {"axis": 1}], ["x", 0, 0, {"axis": 1}]]),
    )
    assert built(config).outputs[0].shape == (9, 4)


def test_attention_by_hand_counts_its_products():
    turn = {"perm": [0, 2, 1, 3], "name": "transpose", "conjugate": False}
    config = made(
        {"x": (16, 48)},
        ("r", "reshape", ["x", 0, 0, {"shape": [-1, 16, 4, 12]}]),
        ("q", "compat.v1.transpose", ["r", 0, 0, turn]),
        ("s", "linalg.matmul", ["q", 0, 0, {"b": ["q", 0, 0], "transpose_b": True}]),
        ("p", "nn.softmax", ["s", 0, 0, {"axis": -1}]),
        ("o", "linalg.matmul", ["p", 0, 0, {"b": ["q", 0, 0]}]),
    )
    network = built(config)
    assert network.outputs[0].shape == (4, 16, 12)
    assert network.multiply_adds_per_sample == 2 * 4 * 16 * 16 * 12


def test_a_function_hands_on_no_mask():
    config = made(
        {"x": (9,)},
        ("f", "math.add", ["e", 0, 0, {"y": zeros(9, 8)}]),
        ("r", "LSTM", [["f", 0, 0, {}]]),
    )
    tokens = layer("Embedding", name="e", input_dim=50, output_dim=8, mask_zero=True)
    entry = {**tokens, "name": "e", "inbound_nodes": [[["x", 0, 0, {}]]]}
    config["config"]["layers"].insert(1, entry)
    masked = made({"x": (9,)}, ("r", "LSTM", [["e", 0, 0, {}]]))
    masked["config"]["layers"].insert(1, entry)
    (plain, masked) = (built(each).operators[-1].shape for each in (config, masked))
    assert (plain.is_masked, masked.is_masked) == (False, True)


def test_a_product_without_its_tensors_is_refused_in_one_sentence():
    config = made(
        {"x": (12, 10)},
        ("tf.einsum", "einsum", ["_CONSTANT_VALUE", -1, "btd,bsd->bts", {}]),
        ("d", "Dense", [["tf.einsum", 0, 0, {}]]),
    )
    with pytest.raises(NetworkFileError, match=r"tf\.einsum.*does not say what it is applied to"):
        built(config)


def test_a_refusal_behind_a_result_of_unknown_shape_says_so():
    config = made(
        {"x": (8, 8, 4)},
        ("g", "gather_nd", ["x", 0, 0, {"indices": [[0, 1]]}]),
        ("c", "compat.v1.nn.conv2d", ["g", 0, 0, {"filter": zeros(3, 3, 6, 5), "padding": "SAME"}]),
    )
    with pytest.raises(NetworkFileError, match=r"; what layer 'g' \(TFOpLambda\) makes before it"):
        built(config)


def test_a_large_constant_takes_no_time():
    value = [zeros(1000) for _ in range(1000)]
    began = time.process_time()
    assert of("math.add", (1000, 1000), y=value).outputs[0].shape == (1000, 1000)
    assert time.process_time() - began < 0.5


def test_hostile_arguments_are_unknown_or_refused():
    deep = []
    for _ in range(50):
        deep = [deep]
    for arguments in ({"shape": "x"}, {"shape": [-1, -1]}, {"shape": {}}, {}):
        assert len(of("reshape", (8,), **arguments).notes) == 1
    for axes in (2**40, -1, 3):
        assert len(of("tensordot", (6, 5), b=zeros(5, 7), axes=axes).notes) == 1
    sizes = ("s", "rank", ["x", 0, 0, {}])
    end = ("end", "math.add", ["x", 0, 0, {"y": ["r", 0, 0]}])
    for many in ({"limit": 10**30}, {"delta": 0}, {"limit": "x"}):
        counted = made({"x": (8,)}, sizes, ("r", "range", ["s", 0, 0, many]), end)
        assert built(counted).outputs[0].shape == (8,)
    whole = ("m", "math.reduce_mean", ["x", 0, 0, {"axis": 1}])
    built(made({"x": (8,)}, whole, ("k", "math.top_k", ["m", 0, 0, {"k": 2}])))
    with pytest.raises(NetworkFileError, match="nested too deeply"):
        of("reshape", (8,), shape=deep)
