"""Every kind of Keras kernel in every direction, in one real child; each checks its own result."""

import itertools

import pytest

from advisor.model.measurement import Outcome
from probes.bench.commands import worker_command
from probes.bench.process import Deadlines, run_worker

pytestmark = pytest.mark.slow

THREE = ("forward", "input_gradient", "weight_gradient")
BOTH = ("forward", "backward")


def conv(
    spatial, output, *, strides=1, kernel=3, dilation=1, groups=1, transposed=False, called=False
):
    rank = len(spatial)
    return {
        "type": "ConvShape", "n": 2, "c": 8, "spatial": spatial, "k": 8 if groups > 1 else 6,
        "kernel": [kernel] * rank, "strides": [strides] * rank, "output": output,
        "dilation": [dilation] * rank, "groups": groups, "is_transposed": transposed,
        "as_groups": called,
    }  # fmt: skip


def recurrent(cell, *, both_ways=False, sequences=False, masked=False, split=False, drops=""):
    return {
        "type": "RecurrentShape", "cell": cell, "batch": 3, "timesteps": 5, "input": 4,
        "hidden": 6, "is_bidirectional": both_ways, "return_sequences": sequences,
        "is_masked": masked, "is_split": split,
        "drops_inputs": "inputs" in drops, "drops_states": "states" in drops,
    }  # fmt: skip


def pool(mode, spatial, kernel, strides, output):
    return {
        "type": "PoolShape", "mode": mode, "n": 2, "c": 3, "spatial": spatial,
        "kernel": kernel, "strides": strides, "output": output,
    }  # fmt: skip


def gemm(batch=1, a=False, b=False):
    return {
        "type": "GemmShape", "m": 8, "n": 12, "k": 10, "batch": batch,
        "transpose_a": a, "transpose_b": b,
    }  # fmt: skip


def norm(kind):
    return {"type": "NormShape", "kind": kind, "elements": 2 * 7 * 7 * 8, "channels": 8}


def elementwise(op, n_inputs=1):
    return {"type": "ElementwiseShape", "op": op, "elements": 2000, "n_inputs": n_inputs}


def optimizer(name):
    return {"type": "OptimizerShape", "optimizer": name, "parameters": 4000, "variables": 4}


UNARY = ("relu", "relu6", "leaky_relu", "elu", "selu", "gelu", "sigmoid", "hard_sigmoid",
         "tanh", "softplus", "silu", "swish", "hard_silu", "hard_swish", "mish",
         "dropout")  # fmt: skip
GOOD = [
    *((gemm(), d) for d in THREE),
    (gemm(batch=3), "forward"),
    (gemm(a=True, b=True), "forward"),
    *((conv([9, 9], [9, 9]), d) for d in THREE),
    *((conv([9, 9], [4, 4], strides=2), d) for d in THREE),
    *((conv([9, 9], [9, 9], dilation=2), d) for d in THREE),
    (conv([9, 9], [10, 10]), "forward"),
    *((conv([9, 9], [5, 5], strides=2, groups=8), d) for d in THREE),
    *((conv([9, 9], [5, 5], strides=2, groups=2, called=True), d) for d in THREE),
    *((conv([9, 9], [9, 9], groups=8, called=True), d) for d in THREE),
    *((conv([20], [18], groups=2, called=True), d) for d in THREE),
    *((conv([20], [18]), d) for d in THREE),
    *((conv([5, 5, 5], [5, 5, 5]), d) for d in THREE),
    *((conv([5, 5], [10, 10], strides=2, transposed=True), d) for d in THREE),
    *((recurrent(cell), d) for cell in ("lstm", "gru", "rnn") for d in BOTH),
    *((recurrent("lstm", both_ways=True, sequences=True), d) for d in BOTH),
    *((recurrent(cell, masked=True), d) for cell in ("gru", "rnn") for d in BOTH),
    *((recurrent("lstm", both_ways=True, masked=True, split=True), d) for d in BOTH),
    *((recurrent("gru", split=True), d) for d in BOTH),
    *((recurrent("lstm", split=True, both_ways=True, drops="inputs states"), d) for d in BOTH),
    *((recurrent("rnn", masked=True, drops="states"), d) for d in BOTH),
    (recurrent("lstm"), "forward_and_backward"),
    *((norm(kind), d) for kind in ("batch", "layer", "group") for d in BOTH),
    (norm("batch_inference"), "forward"),
    *((pool("max", [8, 8], [2, 2], [2, 2], [4, 4]), d) for d in BOTH),
    *((pool("average", [9, 9], [3, 3], [2, 2], [5, 5]), d) for d in BOTH[:1]),
    *((pool("average", [8, 8], [2, 2], [2, 2], [4, 4]), d) for d in BOTH),
    *((pool("max", [10], [5], [5], [2]), d) for d in BOTH),
    *((pool("max", [4, 4, 4], [2, 2, 2], [2, 2, 2], [2, 2, 2]), d) for d in BOTH),
    *((pool(mode, [7, 7], [7, 7], [7, 7], [1, 1]), d) for mode in ("max", "average") for d in BOTH),
    *((elementwise(op), d) for op in UNARY for d in BOTH),
    *((elementwise(op, 2), d) for op in ("add", "subtract", "multiply", "maximum") for d in BOTH),
    (elementwise("transpose"), "forward"),
    *(({"type": "SoftmaxShape", "rows": 8, "columns": 50}, d) for d in BOTH),
    *(
        ({"type": "EmbeddingShape", "indices": 40, "dim": 8, "vocabulary": 90}, d)
        for d in ("forward", "weight_gradient")
    ),
    *((optimizer(name), "update") for name in ("sgd", "momentum", "adam", "rmsprop")),
    *(
        ({"type": "OverheadShape", "kind": kind}, "forward")
        for kind in (
            "dispatch",
            "variable",
            "train_call",
            "predict_call",
            "fresh_mebibyte",
            "waking",
        )
    ),
]
SHORT = [
    (gemm(), "forward"),
    *((conv([9, 9], [9, 9]), d) for d in THREE),
    *((recurrent("lstm"), d) for d in BOTH),
    (norm("batch"), "forward"),
    (elementwise("relu"), "forward"),
]
REFUSED = [
    (conv([9, 9], [9, 9]), "backward", "float32", "direction"),
    (norm("instance"), "forward", "float32", "instance"),
    (elementwise("fold"), "forward", "float32", "fold"),
    (elementwise("transpose"), "backward", "float32", "no direction"),
    (recurrent("lstm"), "update", "float32", "direction"),
    (optimizer("lion"), "update", "float32", "lion"),
    (gemm(), "forward", "int8", "int8"),
    ({"type": "OverheadShape", "kind": "launch"}, "forward", "float32", "launch"),
    ({"type": "TransferShape", "to": "host", "size_bytes": 4}, "forward", "float32", "Transfer"),
    (pool("max", [9, 9], [3, 3], [2, 2], [6, 6]), "forward", "float32", "padding"),
]


def kernel(index, shape, direction, precision):
    return {
        "id": f"{index}/{shape['type']}/{direction}/{precision}", "shape": shape,
        "direction": direction, "precision": precision, "min_value_s": 5e-4, "n_values": 2,
    }  # fmt: skip


def is_shown(entry):
    """Whether it is a kernel whose figure may be shown: then it is timed on several layers."""
    directions = ("forward", "forward_and_backward")
    return entry["shape"] == recurrent("lstm") and entry["direction"] in directions


@pytest.fixture(scope="module")
def answers():
    """What one child says to all kernels, by id; and its verdict."""
    asked = [(shape, direction, "float32") for shape, direction in GOOD]
    asked += [(shape, direction, "bfloat16") for shape, direction in SHORT]
    asked += [(shape, direction, precision) for shape, direction, precision, _ in REFUSED]
    kernels = [kernel(index, *entry) for index, entry in enumerate(asked)]
    kernels += [{**k, "id": f"looked at/{k['id']}", "looks": 2} for k in kernels if is_shown(k)]
    events = []
    verdict = run_worker(
        worker_command("main"),
        {"runner": "keras", "options": {"threads": 1}, "kernels": kernels},
        deadlines=Deadlines(start_s=60, stage_s=120, silence_s=60),
        on_event=events.append,
    )
    said = {e["id"]: e for e in events if e["type"] in ("value", "kernel_failed")}
    return verdict, [said.get(entry["id"]) for entry in kernels]


def test_several_layers_take_the_time_of_one_each(answers):
    values = {event["id"]: event["values_s"] for event in answers[1] if event["type"] == "value"}
    shown = {name: own for name, own in values.items() if name.startswith("looked at/")}
    assert len(shown) == 3
    for name, own in shown.items():
        alone = values[name.removeprefix("looked at/")]
        assert min(alone) / 3 < min(own) < 3 * min(alone), name


def test_the_worker_answers_every_kernel_and_names_its_stack(answers):
    verdict, said = answers
    assert verdict.outcome is Outcome.COMPLETED, verdict.stderr_tail
    assert None not in said
    assert verdict.result["stack"]["backend"] == "tensorflow"


def test_every_kernel_that_keras_has_is_right_and_takes_time(answers):
    said = answers[1][: len(GOOD) + len(SHORT)]
    # On a machine that others use, what a tiny kernel takes may drown in their noise.
    noise = ("ClockError", "to be told apart")
    # Without oneDNN, which TensorFlow leaves off on older processors.
    lacking = "do not yet support dilation"
    failed = [e for e in said if e["type"] == "kernel_failed"]
    wrong = [e for e in failed if not any(word in e["message"] for word in (*noise, lacking))]
    assert wrong == []
    values = [event for event in said if event["type"] == "value"]
    assert len(values) > 0.8 * len(said)
    assert all(value["check"] for value in values)
    assert all(seconds > 0 for value in values for seconds in value["values_s"])


def test_what_keras_does_not_have_is_refused_with_the_reason(answers):
    said = answers[1][len(GOOD) + len(SHORT) :][: len(REFUSED)]
    for (*_, words), event in itertools.zip_longest(REFUSED, said):
        assert event["type"] == "kernel_failed"
        assert event["outcome"] == "unsupported", event
        assert words in event["message"]
