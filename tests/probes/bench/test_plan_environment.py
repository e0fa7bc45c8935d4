"""What is timed with the frameworks of another interpreter."""

import pytest

from advisor.errors import InputError
from advisor.model.kernel import Direction
from advisor.model.machine import Environment, InstalledFramework
from advisor.model.measurement import Runner, Setting
from advisor.model.quantity import Phase, Precision
from probes.bench.plan import Budget
from probes.bench.plan_environment import FrameworkDevice, plan_environment, stacks_of

XPU = FrameworkDevice(id="torch:xpu:0", name="Arc A770")


def environment(*names):
    pairs = [name.partition("==")[::2] for name in names]
    return Environment(
        python="/env/bin/python",
        version="3.12",
        kind="venv",
        frameworks=tuple(InstalledFramework(name=n, version=v or "3.0") for n, v in pairs),
    )


def stacks(*names):
    return [
        (stack.runner, *(setting.value for setting in stack.settings))
        for stack in stacks_of(environment(*names))
    ]


@pytest.mark.parametrize(
    ("names", "expected"),
    [
        (("tensorflow", "keras"), [(Runner.KERAS,)]),
        (("tf-nightly-cpu",), [(Runner.KERAS,)]),
        (("torch",), [(Runner.TORCH,)]),
        (("keras==3.5.0", "torch"), [(Runner.KERAS, "torch"), (Runner.TORCH,)]),
        (("keras==2.15.0", "torch"), [(Runner.TORCH,)]),
        (("keras==nightly", "jax"), [(Runner.JAX,)]),
        (("onnxruntime-gpu", "openvino"), [(Runner.ONNXRUNTIME,), (Runner.OPENVINO,)]),
        (("mxnet", "tinygrad", "keras"), []),
    ],
)
def test_what_an_environment_can_run(names, expected):
    assert stacks(*names) == expected


def test_every_framework_is_timed_on_the_headlines(profile):
    requests = plan_environment(environment("torch", "onnxruntime"), profile)
    assert len({request.id for request in requests}) == len(requests)
    torch = [r for r in requests if r.runner is Runner.TORCH]
    kinds = {(type(r.shape).__name__, r.direction) for r in torch}
    assert {("GemmShape", Direction.FORWARD), ("ConvShape", Direction.WEIGHT_GRADIENT),
            ("RecurrentShape", Direction.BACKWARD)} <= kinds  # fmt: skip
    inference = [r for r in requests if r.runner is Runner.ONNXRUNTIME]
    assert {r.direction for r in inference} == {Direction.FORWARD}
    assert {r.role for r in requests} == {"headline"}


def test_products_of_bytes_are_timed_on_the_processor_where_a_framework_has_them(profile):
    requests = plan_environment(environment("torch", "onnxruntime"), profile)
    found = [r for r in requests if r.precision is Precision.INT8]
    assert {r.runner for r in found} == {Runner.ONNXRUNTIME}
    assert {type(r.shape).__name__ for r in found} == {"GemmShape"}
    assert len(found) >= 2


def test_in_inference_nothing_has_gradients(profile):
    requests = plan_environment(environment("torch"), profile, phase=Phase.INFERENCE)
    assert {r.direction for r in requests} == {Direction.FORWARD}


def test_keras_on_another_backend_is_a_setting(profile):
    requests = plan_environment(environment("tensorflow", "keras", "torch"), profile)
    by_settings = {r.settings: r for r in requests if r.runner is Runner.KERAS}
    on_torch = (Setting(name="KERAS_BACKEND", value="torch"),)
    assert set(by_settings) == {(), on_torch}
    assert by_settings[()].role == "headline"
    assert by_settings[on_torch].role == "setting"


def test_each_is_timed_as_carefully_as_a_headline(profile):
    requests = plan_environment(environment("keras==3.1", "jax"), profile)
    assert {(r.min_value_s, r.n_values) for r in requests} == {(0.06, 5)}
    thorough = plan_environment(environment("jax"), profile, budget=Budget.THOROUGH)
    assert {(r.min_value_s, r.n_values) for r in thorough} == {(0.1, 10)}


def test_a_short_format_is_timed_where_the_processor_has_it(profile, with_cpu):
    assert all(
        r.precision is Precision.FLOAT32 for r in plan_environment(environment("torch"), profile)
    )
    amx = with_cpu(isa_features=("avx512f", "amx_bf16"))
    requests = plan_environment(environment("torch", "onnxruntime"), amx)
    short = [r for r in requests if r.precision is Precision.BFLOAT16]
    assert {(r.runner, r.role) for r in short} == {(Runner.TORCH, "headline")}
    assert len(short) == 6


def test_devices_belong_to_their_framework_and_can_be_chosen(profile):
    both = environment("torch", "jax", "keras==3.1")
    requests = plan_environment(both, profile, devices=[XPU])
    on_xpu = [r for r in requests if r.device_id == XPU.id]
    assert {(r.runner, r.settings) for r in on_xpu} == {(Runner.TORCH, ())}
    chosen = plan_environment(both, profile, devices=[XPU], device_ids=[XPU.id])
    assert {r.device_id for r in chosen} == {XPU.id}
    with pytest.raises(InputError, match="'torch:xpu:1'; there is: cpu, torch:xpu:0"):
        plan_environment(both, profile, devices=[XPU], device_ids=["torch:xpu:1"])


def test_an_environment_without_a_framework_that_we_know_is_refused(profile):
    with pytest.raises(InputError, match="/env/bin/python: no framework that can be measured"):
        plan_environment(environment("mxnet"), profile)
