"""Keras configurations of versions 2 and 3 become the operators that Keras would run."""

import copy

import pytest

from advisor.model.kernel import (
    Cell,
    ConvShape,
    Direction,
    ElementwiseShape,
    GemmShape,
    NormShape,
    PoolShape,
    RecurrentShape,
    SoftmaxShape,
    UnknownShape,
)
from advisor.model.quantity import Phase
from advisor.predict.work import kernel_calls
from tests.advisor.network.networks_data import built, functional, layer, sequential


def shapes(config, **how):
    return [operator.shape for operator in built(config, **how).operators]


IMAGE = (12, 10, 6)


def test_a_fused_activation_is_an_operator_of_its_own():
    found = shapes(sequential((9,), layer("Dense", units=4, activation="relu")))
    assert found == [GemmShape(m=2, n=4, k=9), ElementwiseShape(op="relu", elements=8)]


def test_a_softmax_is_no_elementwise_operator():
    found = shapes(sequential((7, 9), layer("Dense", units=4, activation="softmax")))
    assert found == [GemmShape(m=14, n=4, k=9), SoftmaxShape(rows=14, columns=4)]


def test_an_activation_given_as_an_object_keeps_its_name():
    relu = {"module": "keras.layers", "class_name": "LeakyReLU", "config": {}}
    found = shapes(sequential((9,), layer("Dense", units=4, activation=relu)))
    assert [s.op for s in found[1:]] == ["leaky_relu"]


OWN = {"class_name": "function", "config": "my_function", "registered_name": "function"}


@pytest.mark.parametrize(("named", "name"), [(OWN, "my_function"), ("reluu", "reluu")])
def test_a_function_that_keras_does_not_have_is_unknown_and_says_so(named, name):
    network = built(
        sequential((9,), layer("Dense", units=4), layer("Activation", activation=named))
    )
    last = network.operators[-1].shape
    assert isinstance(last, UnknownShape)
    assert last.layer_type == name
    (note,) = network.notes
    assert f"the function {name} is not known" in note


@pytest.mark.parametrize(
    "name", ["relu", "swish", "hard_silu", "softmax", "log_softmax", "tanh_shrink", "linear", None]
)
def test_functions_of_keras_need_no_word(name):
    assert built(sequential((9,), layer("Dense", units=4, activation=name))).notes == ()


def test_convolutions_are_told_channels_last():
    first = layer("Conv2D", filters=8, kernel_size=[3, 3], data_format="channels_first")
    (found,) = shapes(sequential((6, 12, 10), first))
    assert found == ConvShape(
        n=2, c=6, spatial=(12, 10), k=8, kernel=(3, 3), strides=(1, 1), output=(10, 8),
        dilation=(1, 1),
    )  # fmt: skip


def test_a_convolution_in_as_many_groups_as_channels_is_not_called_depthwise():
    own = layer("Conv2D", filters=6, kernel_size=3, groups=6)
    (grouped,) = shapes(sequential(IMAGE, own))
    assert (grouped.is_grouped, grouped.is_depthwise, grouped.groups) == (True, False, 6)
    (depthwise, *_) = shapes(sequential(IMAGE, layer("DepthwiseConv2D", kernel_size=3)))
    assert (depthwise.is_grouped, depthwise.is_depthwise) == (False, True)
    (plain, *_) = shapes(sequential(IMAGE, layer("Conv2D", filters=6, kernel_size=3)))
    assert (plain.is_grouped, plain.is_depthwise) == (False, False)


def test_a_separable_convolution_is_two_operators():
    network = built(sequential(IMAGE, layer("SeparableConv2D", filters=8, kernel_size=3)))
    depthwise, pointwise = network.operators
    assert (depthwise.shape.groups, depthwise.shape.k, depthwise.parameters) == (6, 6, 54)
    assert (pointwise.shape.kernel, pointwise.parameters) == ((1, 1), 56)
    assert pointwise.inputs == (0,)


def test_a_transposed_convolution_counts_by_its_input():
    network = built(
        sequential(IMAGE, layer("Conv2DTranspose", filters=4, kernel_size=3, strides=2)), batch=1
    )
    assert network.operators[0].shape.is_transposed
    assert network.multiply_adds_per_sample == 12 * 10 * 6 * 4 * 9


def test_recurrent_layers_keep_time_and_direction():
    inner = layer("LSTM", units=4, return_sequences=True)
    found = shapes(sequential((7, 5), layer("Bidirectional", layer=inner)))
    assert found == [
        RecurrentShape(
            cell=Cell.LSTM, batch=2, timesteps=7, input=5, hidden=4, is_bidirectional=True,
            return_sequences=True,
        )
    ]  # fmt: skip


def test_the_second_call_of_a_layer_trains_it_and_what_lies_below():
    dense = layer("Dense", units=8)
    config = functional(
        {"a": (8,), "b": (8,)}, {"low": (dense, ["a"]), "top": (dense, ["low"])}, ["top"]
    )
    low, top = config["config"]["layers"][2:]
    low["inbound_nodes"].append([["b", 0, 0, {}]])
    top["inbound_nodes"].append([["low", 1, 0, {}]])
    config["config"]["output_layers"].append(["top", 1, 0])
    network = built(config)
    made = [
        tuple(call.direction for call in kernel_calls(each, phase=Phase.TRAINING, batch_size=2))
        for each in network.operators
    ]
    of_low = (Direction.FORWARD, Direction.WEIGHT_GRADIENT)
    of_top = (Direction.FORWARD, Direction.INPUT_GRADIENT, Direction.WEIGHT_GRADIENT)
    assert sorted(made) == sorted([of_low, of_low, of_top, of_top])
    assert network.parameters == 2 * 72
    assert network.variables == 4


def test_normalisation_has_weights_that_no_gradient_updates():
    network = built(sequential(IMAGE, layer("BatchNormalization")))
    (operator,) = network.operators
    assert operator.shape == NormShape(kind="batch", elements=2 * 720, channels=6)
    assert (operator.parameters, operator.variables) == (24, 2)
    assert (network.parameters, network.trainable_parameters) == (24, 12)


def test_pooling_of_everything():
    (found,) = shapes(sequential(IMAGE, layer("GlobalAveragePooling2D")))
    assert found == PoolShape(
        mode="average", n=2, c=6, spatial=(12, 10), kernel=(12, 10), strides=(12, 10),
        output=(1, 1),
    )  # fmt: skip


def test_renaming_dimensions_costs_nothing_and_keeps_the_source():
    network = built(
        sequential(IMAGE, layer("ReLU"), layer("Flatten"), layer("Dense", units=3)), batch=1
    )
    assert [op.layer_type for op in network.operators] == ["ReLU", "Dense"]
    assert network.operators[1].inputs == (0,)
    assert [row.class_name for row in network.layers] == ["ReLU", "Flatten", "Dense"]


def test_moving_data_is_a_copy():
    found = shapes(sequential(IMAGE, layer("ZeroPadding2D", padding=[[1, 1], [0, 2]])), batch=1)
    assert found == [ElementwiseShape(op="copy", elements=14 * 12 * 6)]


def test_another_order_of_dimensions_is_a_transpose_but_where_nothing_moves():
    def of_permute(size, *dims):
        turned = layer("Permute", dims=list(dims))
        return shapes(sequential(size, turned, layer("ReLU")), batch=2)[:-1]

    assert of_permute((7, 9), 2, 1) == [ElementwiseShape(op="transpose", elements=126)]
    assert of_permute((7, 9), 1, 2) == of_permute((7, 1), 2, 1) == []


def test_dropout_works_in_training_only():
    config = sequential((9,), layer("Dense", units=4), layer("Dropout", rate=0.5))
    assert len(built(config).operators) == 2
    assert len(built(config, is_training=False).operators) == 1
    config["config"]["layers"][-1]["config"]["rate"] = 0
    assert len(built(config).operators) == 1


def test_the_first_layers_need_no_gradient_of_their_input():
    network = built(
        functional(
            {"feed": (9,)},
            {
                "scaled": (layer("Rescaling", scale=2.0), ["feed"]),
                "a": (layer("Dense", units=4), ["scaled"]),
                "b": (layer("Dense", units=4), ["scaled"]),
                "sum": (layer("Add"), ["a", "b"]),
            },
            ["sum"],
        )
    )
    needs = {op.layer: op.needs_input_gradient for op in network.operators}
    assert needs == {"scaled": False, "a": False, "b": False, "sum": True}
    assert network.operators[-1].inputs == (1, 2)


def test_frozen_layers_have_parameters_but_no_variables():
    frozen = layer("Dense", units=4, trainable=False)
    network = built(sequential((9,), frozen, layer("Dense", units=2)))
    first, second = network.operators
    assert (first.parameters, first.variables) == (40, 0)
    assert not second.needs_input_gradient
    assert (network.parameters, network.trainable_parameters, network.variables) == (50, 10, 2)


def test_a_frozen_model_freezes_what_is_in_it():
    inner = sequential((9,), layer("Dense", units=4))
    inner["config"]["trainable"] = False
    network = built(sequential((9,), inner, layer("Dense", units=2)))
    assert network.trainable_parameters == 10


@pytest.mark.parametrize(
    ("is_training", "trainable", "kind"),
    [(True, True, "batch"), (True, False, "batch_inference"), (False, True, "batch_inference")],
)
def test_a_frozen_normalisation_takes_its_stored_statistics(is_training, trainable, kind):
    inner = sequential((4, 4, 9), layer("BatchNormalization"))
    inner["config"]["trainable"] = trainable
    network = built(sequential((4, 4, 9), inner), is_training=is_training)
    assert network.operators[0].shape.kind == kind
    assert network.trainable_parameters == (18 if trainable else 0)


def test_a_call_that_asks_for_inference_trains_all_the_same():
    # Keras 3 gives layers the state of the whole model, and files say False by default.
    config = functional({"feed": (4, 4, 9)}, {"n": (layer("BatchNormalization"), ["feed"])}, ["n"])
    config["config"]["layers"][1]["inbound_nodes"] = [[["feed", 0, 0, {"training": False}]]]
    assert built(config).operators[0].shape.kind == "batch"


def test_sums_of_each_query_and_key_are_made_value_by_value():
    config = functional(
        {"query": (6, 8), "value": (5, 8)},
        {"mixed": (layer("AdditiveAttention"), ["query", "value"])},
        ["mixed"],
    )
    network = built(config, batch=3)
    every = 3 * 6 * 5 * 8
    assert [op.shape for op in network.operators[:4]] == [
        ElementwiseShape(op="add", elements=every, n_inputs=2),
        ElementwiseShape(op="tanh", elements=every),
        ElementwiseShape(op="multiply", elements=every),
        ElementwiseShape(op="sum", elements=every),
    ]
    scores = network.operators[3]
    assert (scores.output_elements, scores.parameters) == (3 * 6 * 5, 8)
    assert [op.inputs for op in network.operators[4:]] == [(3,), (4,)]
    assert network.outputs[0].shape == (6, 8)


def test_a_shared_layer_has_its_weights_once():
    config = functional({"feed": (9,)}, {"d": (layer("Dense", units=9), ["feed"])}, ["d"])
    config["config"]["layers"][1]["inbound_nodes"].append([["d", 0, 0, {}]])
    config["config"]["output_layers"] = [["d", 1, 0]]
    network = built(config)
    assert [op.parameters for op in network.operators] == [90, 0]
    assert [row.is_repeated for row in network.layers] == [False, True]
    assert network.multiply_adds_per_sample == 2 * 81


def test_an_unknown_layer_is_noted_and_passed_through():
    config = sequential((9,), layer("Custom>Magic", name="odd"), layer("Dense", units=2))
    network = built(config)
    assert network.operators[0].shape == UnknownShape(layer_type="Magic", elements=18)
    assert network.outputs[0].shape == (2,)
    (note,) = network.notes
    assert "layer 'odd' (Magic)" in note


def test_code_in_a_lambda_is_not_touched():
    bomb = {"class_name": "__lambda__", "config": {"code": "4wEAAAAAAAAAAAAAAAAAAAAA"}}
    network = built(sequential((9,), layer("Lambda", function=bomb)))
    assert isinstance(network.operators[0].shape, UnknownShape)


def test_free_sizes_are_assumed_and_said():
    image = built(sequential((None, None, 3), layer("Conv2D", filters=2, kernel_size=1)))
    assert image.inputs == ((224, 224, 3),)
    assert "taken as 224 x 224 x 3" in image.notes[0]
    text = built(sequential((None,), layer("Embedding", input_dim=9, output_dim=4)))
    assert text.inputs == ((128,),)


def test_layers_without_an_output_are_left_out():
    config = functional(
        {"feed": (9,)},
        {
            "used": (layer("Dense", units=4), ["feed"]),
            "unused": (layer("Dense", units=400), ["feed"]),
        },
        ["used"],
    )
    assert built(config).parameters == 40


def test_the_order_in_the_file_does_not_matter():
    config = functional(
        {"feed": (9,)},
        {"a": (layer("Dense", units=4), ["feed"]), "b": (layer("Dense", units=2), ["a"])},
        ["b"],
    )
    turned = copy.deepcopy(config)
    turned["config"]["layers"].reverse()
    assert built(turned).operators == built(config).operators


def test_keras_2_sequential_files_are_read():
    config = {
        "class_name": "Sequential",
        "keras_version": "2.1.6",
        "config": [
            layer("Dense", name="d", units=4, batch_input_shape=[None, 9], activation="relu"),
            layer("Dense", name="e", units=2),
        ],
    }
    assert built(config).parameters == 50
    config["config"][0] = layer("CuDNNLSTM", name="l", units=4, batch_input_shape=[None, 7, 9])
    assert built(config).parameters == (9 + 4) * 16 + 32 + 10


def test_keras_2_functional_models_in_each_other_are_read():
    inner = functional({"in": (9,)}, {"d": (layer("Dense", units=9), ["in"])}, ["d"])
    outer = functional({"feed": (9,)}, {"m": (inner, ["feed"])}, ["m"])
    outer["class_name"] = inner["class_name"] = "Model"
    outer["config"]["layers"][1]["class_name"] = "Model"
    outer["config"]["layers"][1]["inbound_nodes"].append([["m", 1, 0, {}]])
    outer["config"]["output_layers"] = [["m", 2, 0]]
    network = built(outer)
    assert network.multiply_adds_per_sample == 162
    assert network.parameters == 90


def test_keras_2_keyword_tensors_are_found():
    attend = layer("MultiHeadAttention", num_heads=2, key_dim=3)
    config = functional({"q": (7, 6), "v": (5, 6)}, {"a": (attend, ["q"])}, ["a"])
    config["config"]["layers"][-1]["inbound_nodes"] = [[["q", 0, 0, {"value": ["v", 0, 0]}]]]
    network = built(config)
    assert network.parameters == 4 * (6 * 6 + 6)
    assert network.operators[3].shape == GemmShape(m=7, n=5, k=3, batch=4, transpose_b=True)


def test_attention_reads_query_key_and_value():
    attend = layer("MultiHeadAttention", num_heads=2, key_dim=3)
    calls = {
        "q": (layer("Dense", units=6), ["feed"]),
        "v": (layer("Dense", units=6), ["feed"]),
        "k": (layer("Dense", units=6), ["feed"]),
        "a": (attend, ["q", "v", "k"]),
    }
    network = built(functional({"feed": (7, 6)}, calls, ["a"]))
    names = [op.layer for op in network.operators]
    query, value, key = (names.index(name) for name in "qvk")
    attention = [(op.inputs, type(op.shape)) for op in network.operators if op.layer == "a"]
    assert attention == [
        ((query,), GemmShape),
        ((key,), GemmShape),
        ((value,), GemmShape),
        ((3, 4), GemmShape),
        ((6,), SoftmaxShape),
        ((7, 5), GemmShape),
        ((8,), GemmShape),
    ]
    assert network.operators[6].shape == GemmShape(m=7, n=7, k=3, batch=4, transpose_b=True)


def test_tensorflow_functions_of_keras_2_are_named():
    add = layer("TFOpLambda", function="__operators__.add")
    odd = layer("TFOpLambda", function="signal.fft")
    config = functional({"feed": (9,)}, {"plus": (add, ["feed"]), "fft": (odd, ["plus"])}, ["fft"])
    network = built(config)
    assert network.operators[0].shape == ElementwiseShape(op="add", elements=18)
    assert isinstance(network.operators[1].shape, UnknownShape)


def test_with_lora_the_kernel_is_fixed_and_two_narrow_matrices_are_trained():
    network = built(sequential((9,), layer("Dense", units=4, lora_rank=2)))
    assert [op.shape for op in network.operators] == [
        GemmShape(m=9, n=4, k=2), GemmShape(m=2, n=4, k=9),
    ]  # fmt: skip
    assert (network.parameters, network.trainable_parameters) == (36 + 26 + 4, 26 + 4)
    tokens = built(sequential((7,), layer("Embedding", input_dim=50, output_dim=6, lora_rank=2)))
    assert (tokens.parameters, tokens.trainable_parameters) == (300 + 112, 112)


def test_a_quantised_kernel_is_not_trained():
    policy = {"class_name": "QuantizedDTypePolicy", "config": {"mode": "int8"}}
    network = built(sequential((9,), layer("Dense", units=4, dtype=policy)))
    assert (network.parameters, network.trainable_parameters) == (40 + 4, 4)
