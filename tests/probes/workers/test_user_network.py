"""Steps of a user's network, mostly for real (slow)."""

import csv
import dataclasses
import json
import os

import numpy as np
import pytest

from advisor.model.measurement import Outcome, Setting
from advisor.model.quantity import Phase, Precision
from advisor.model.trial import (
    CodeReference,
    DataKind,
    Jit,
    Pipeline,
    Runner,
    TrialData,
    TrialSetup,
    TrialSource,
)
from advisor.network.bundled import bundled_config_text
from probes.bench.trials.run import RunLimits, run_setup
from probes.bench.trials.visits import Visits

NOW = TrialSetup(id="now", title="now")
LIMITS = RunLimits(min_time_s=0.05, check_steps=4, budget_s=120.0)
# An interpreter that has Keras with JAX and PyTorch; such tests are left out without one.
OTHER_PYTHON = os.environ.get("DL_ADVISOR_TEST_PYTHON")
# One that has ONNX Runtime and the package `onnx`.
ORT_PYTHON = os.environ.get("DL_ADVISOR_TEST_ORT_PYTHON")
MODEL = """
import keras
def build_model():
    model = keras.Sequential([keras.Input((8, 8, 1)), keras.layers.Conv2D(4, 3),
                              keras.layers.Flatten(), keras.layers.Dense(3)])
    model.compile("adam", keras.losses.SparseCategoricalCrossentropy(from_logits=True))
    return model
def make_data():
    import numpy, tensorflow
    arrays = numpy.zeros((64, 8, 8, 1), "float32"), numpy.arange(64) % 3
    return tensorflow.data.Dataset.from_tensor_slices(arrays).batch(16)
def no_model():
    return 5
"""


@pytest.mark.parametrize(
    ("loss", "kind"),
    [
        ("sparse_categorical_crossentropy", "sparse"),
        ("categorical_crossentropy", "one_hot"),
        ("binary_crossentropy", "binary"),
        ("mse", "number"),
        (np.mean, "number"),
    ],
)
def test_targets_follow_from_the_loss(loss, kind):
    from user_network_model import kind_of_loss

    assert kind_of_loss(loss) == kind


def test_own_arrays_are_found_by_name_or_order(tmp_path):
    from user_network_data import own_arrays

    path = tmp_path / "d.npz"
    np.savez(path, y_train=np.ones(3), x_train=np.zeros((3, 2)))
    inputs, targets = own_arrays({"kind": "npz", "path": str(path)})
    assert inputs.shape == (3, 2)
    assert targets.shape == (3,)
    table = tmp_path / "d.csv"
    with table.open("w", newline="") as file:
        csv.writer(file).writerows([["a", "b", "label"], [1, 2, 0], [3, 4, 1]])
    inputs, targets = own_arrays({"kind": "csv", "path": str(table)})
    assert inputs.tolist() == [[1, 2], [3, 4]]
    assert targets.tolist() == [0, 1]


def bundled(name, **more):
    values = {"phase": Phase.TRAINING, "batch_size": 8, **more}
    return TrialSource(name=name, title=name, model_json=bundled_config_text(name), **values)


def run(source, setup=NOW, **limits):
    return run_setup(source, setup, limits=dataclasses.replace(LIMITS, **limits))


@pytest.fixture
def net(tmp_path):
    path = tmp_path / "net.py"
    path.write_text(MODEL)

    def make(function="build_model", **more):
        code = CodeReference(path=str(path), function=function)
        values = {"phase": Phase.TRAINING, "batch_size": 8, "code": code, **more}
        return TrialSource(name="net", title="net", **values)

    make.path = path
    return make


@pytest.mark.slow
@pytest.mark.parametrize("name", ["mnist-mlp", "lstm-text-generator", "imdb-bidirectional-lstm"])
def test_bundled_networks_train_with_the_loss_of_a_classifier(name):
    found = run(bundled(name, optimizer="momentum"))
    assert found.is_completed, found.message
    classes = {"mnist-mlp": 10, "imdb-bidirectional-lstm": 2}.get(name)
    if classes is not None:
        assert found.check_value == pytest.approx(np.log(classes), rel=0.5)
    assert found.first_step_s > found.step_s
    assert found.peak_memory_bytes > 100 << 20


@pytest.mark.slow
def test_the_check_value_repeats_and_follows_the_setup():
    source = bundled("mnist-mlp")
    first, again = run(source), run(source)
    assert first.check_value == again.check_value
    half = run(source, TrialSetup(id="b", title="", precision=Precision.BFLOAT16, intra_threads=1))
    assert half.is_completed, half.message
    # It draws other masks in another number format.
    assert half.check_value == pytest.approx(first.check_value, rel=0.25)
    assert half.check_value != first.check_value
    compiled = run(source, TrialSetup(id="x", title="", jit=Jit.ON))
    assert compiled.check_value == pytest.approx(first.check_value, rel=0.25)


@pytest.mark.slow
def test_inference_and_a_setting():
    setting = (Setting(name="TF_ENABLE_ONEDNN_OPTS", value="0"),)
    source = bundled("mnist-mlp", phase=Phase.INFERENCE)
    found, other = run(source), run(source, TrialSetup(id="o", title="", settings=setting))
    assert found.check_value == pytest.approx(other.check_value, rel=1e-3)
    assert not found.has_random_layers


@pytest.mark.slow
def test_the_users_code_is_run_with_its_own_data_and_pipeline(net):
    data = TrialData(kind=DataKind.FUNCTION, path=str(net.path), function="make_data")
    cached = TrialSetup(id="c", title="", pipeline=Pipeline.CACHE_PREFETCH)
    found = run(net(data=data), cached)
    assert found.is_completed, found.message
    assert found.batch_size == 16
    assert run(net()).batch_size == 8


@pytest.mark.slow
@pytest.mark.parametrize(
    ("function", "words"), [("no_model", "returns int"), ("missing", "no function 'missing'")]
)
def test_code_that_makes_no_model_is_told_so(net, function, words):
    found = run(net(function))
    assert found.outcome is Outcome.UNSUPPORTED
    assert words in found.message


@pytest.mark.slow
def test_own_arrays_and_images(net, tmp_path):
    import struct
    import zlib

    np.savez(tmp_path / "d.npz", x=np.zeros((40, 8, 8)), y=np.arange(40) % 3)
    for kind in range(3):
        folder = tmp_path / "images" / str(kind)
        folder.mkdir(parents=True)
        for at in range(8):
            rows = b"".join(b"\0" + bytes([at * 9 % 256] * 9) for _ in range(9))
            parts = [(b"IHDR", struct.pack(">IIBBBBB", 9, 9, 8, 0, 0, 0, 0)),
                     (b"IDAT", zlib.compress(rows)), (b"IEND", b"")]  # fmt: skip
            chunks = [struct.pack(">I", len(d)) + n + d + struct.pack(">I", zlib.crc32(n + d))
                      for n, d in parts]  # fmt: skip
            (folder / f"{at}.png").write_bytes(b"\x89PNG\r\n\x1a\n" + b"".join(chunks))
    for kind, name in ((DataKind.NPZ, "d.npz"), (DataKind.IMAGES, "images")):
        found = run(net(data=TrialData(kind=kind, path=str(tmp_path / name))))
        assert found.is_completed, found.message
        assert found.batch_size == 8
    wrong = tmp_path / "w.npz"
    np.savez(wrong, x=np.zeros((40, 5)), y=np.zeros(40))
    found = run(net(data=TrialData(kind=DataKind.NPZ, path=str(wrong))))
    assert found.outcome is Outcome.UNSUPPORTED
    assert "shape" in found.message


@pytest.mark.slow
@pytest.mark.skipif(OTHER_PYTHON is None, reason="DL_ADVISOR_TEST_PYTHON names no interpreter")
@pytest.mark.parametrize("backend", ["jax", "torch"])
def test_another_backend_computes_the_same(backend):
    source = bundled("cifar10-a10-cnn")
    now = run(source)
    other = run(source, TrialSetup(id="o", title="", backend=backend, python=OTHER_PYTHON))
    assert other.is_completed, other.message
    assert other.stack.backend == backend
    assert other.check_value == pytest.approx(now.check_value, rel=0.01)


@pytest.mark.slow
@pytest.mark.parametrize("phase", list(Phase))
@pytest.mark.parametrize("way", ["tensorflow", "xla", "jax", "keras-torch", "torch"])
def test_steps_of_several_visits_are_those_of_one_run(way, phase):
    if way in ("jax", "keras-torch", "torch") and OTHER_PYTHON is None:
        pytest.skip("DL_ADVISOR_TEST_PYTHON names no interpreter")
    ways = {
        "tensorflow": {},
        "xla": {"jit": Jit.ON},
        "jax": {"backend": "jax", "python": OTHER_PYTHON},
        "keras-torch": {"backend": "torch", "python": OTHER_PYTHON},
        "torch": {"runner": Runner.TORCH, "python": OTHER_PYTHON},
    }
    source = bundled("cifar10-a10-cnn", phase=phase)
    setup = TrialSetup(id="v", title="", **ways[way])
    limits = dataclasses.replace(LIMITS, min_time_s=0.01, check_steps=8)
    with Visits(baseline_id="v") as visits:
        runs = [visits.run(source, setup, started_s=0.0, limits=limits) for _ in range(3)]
    assert [(run.outcome, run.process) for run in runs] == [(Outcome.COMPLETED, 1)] * 3, runs
    whole = run_setup(source, setup, limits=dataclasses.replace(limits, min_time_s=1.0))
    if phase is Phase.TRAINING:
        assert runs[-1].checks[-1].steps == whole.checks[-1].steps == 8
    assert runs[-1].check_value == pytest.approx(whole.check_value, rel=1e-4)
    assert runs[1].duration_s < runs[0].duration_s


@pytest.mark.slow
def test_a_backend_that_is_not_installed_is_told():
    found = run(bundled("mnist-mlp"), TrialSetup(id="o", title="", backend="jax"))
    assert found.outcome is Outcome.UNSUPPORTED
    assert "jax" in found.message


@pytest.mark.slow
def test_a_configuration_that_is_no_network_is_refused():
    source = dataclasses.replace(bundled("mnist-mlp"), model_json=json.dumps({"a": 1}))
    found = run(source)
    assert not found.is_completed
    assert found.message


@pytest.mark.slow
@pytest.mark.skipif(OTHER_PYTHON is None, reason="DL_ADVISOR_TEST_PYTHON names no interpreter")
@pytest.mark.parametrize("name", ["alexnet-s", "lstm-ptb"])
@pytest.mark.parametrize("phase", list(Phase))
def test_pytorch_without_keras_computes_the_same(name, phase):
    source = bundled(name, phase=phase, batch_size=4)
    direct = TrialSetup(id="t", title="", runner=Runner.TORCH, python=OTHER_PYTHON)
    now, other = run(source), run(source, direct)
    assert other.is_completed, other.message
    assert other.stack.framework == "torch"
    assert other.check_value == pytest.approx(now.check_value, rel=1e-3)


@pytest.mark.slow
@pytest.mark.skipif(OTHER_PYTHON is None, reason="DL_ADVISOR_TEST_PYTHON names no interpreter")
@pytest.mark.parametrize("optimizer", ["momentum", "adam", "rmsprop", "adadelta"])
def test_optimizers_of_pytorch_step_as_those_of_keras(optimizer):
    source = bundled("cifar10-a10-cnn", optimizer=optimizer)
    direct = TrialSetup(id="t", title="", runner=Runner.TORCH, python=OTHER_PYTHON)
    now, other = run(source), run(source, direct)
    assert other.is_completed, other.message
    assert not now.has_random_layers
    assert other.checks[-1].steps == now.checks[-1].steps
    assert other.check_value == pytest.approx(now.check_value, rel=1e-3)


@pytest.mark.slow
@pytest.mark.skipif(ORT_PYTHON is None, reason="DL_ADVISOR_TEST_ORT_PYTHON names no interpreter")
@pytest.mark.parametrize("precision", [Precision.FLOAT32, Precision.INT8])
@pytest.mark.parametrize("name", ["alexnet-s", "lstm-ptb"])
def test_onnx_runtime_computes_the_same(name, precision):
    source = bundled(name, phase=Phase.INFERENCE, batch_size=4)
    direct = TrialSetup(id="o", title="", runner=Runner.ONNXRUNTIME, precision=precision,
                        python=ORT_PYTHON)  # fmt: skip
    now, other = run(source), run(source, direct)
    assert other.is_completed, other.message
    assert other.stack.framework == "onnxruntime"
    tolerance = 1e-4 if precision is Precision.FLOAT32 else 0.2
    assert other.check_value == pytest.approx(now.check_value, rel=tolerance)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("runner", "words"), [(Runner.TORCH, "torch"), (Runner.ONNXRUNTIME, "does not train")]
)
def test_what_cannot_run_without_keras_says_why(net, runner, words):
    direct = TrialSetup(id="t", title="", runner=runner)
    found = run(bundled("mnist-mlp"), direct)
    assert found.outcome is Outcome.UNSUPPORTED
    assert words in found.message
    if runner is Runner.TORCH:
        assert "own code" in run(net(), direct).message
        data = TrialData(kind=DataKind.CSV, path="/d.csv")
        assert "own data" in run(bundled("mnist-mlp", data=data), direct).message
