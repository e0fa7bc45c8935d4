"""Text to copy for a setup, and text that takes it back."""

import os
import subprocess

import pytest

from advisor.model.machine import OsFamily
from advisor.model.measurement import Setting
from advisor.model.quantity import Precision
from advisor.model.trial import Jit, Pipeline, Runner, TrialSetup
from advisor.trial.apply import Form, how_to_apply, snippet, undo

NOISY = TrialSetup(
    id="x",
    title="x",
    settings=(Setting(name="A_B", value="it's; $HOME `x`"),),
    intra_threads=2,
    inter_threads=1,
)


@pytest.mark.skipif(os.name != "posix", reason="needs a shell")
def test_the_shell_sets_exactly_the_value_and_unsets_it_again():
    script = f'{snippet(NOISY, Form.SHELL)}\necho "$A_B|$OMP_NUM_THREADS"\n'
    script += f'{undo(NOISY, Form.SHELL)}\necho "${{A_B-gone}}|${{OMP_NUM_THREADS-gone}}"'
    result = subprocess.run(["sh", "-c", script], capture_output=True, text=True, check=True)
    assert result.stdout.splitlines() == ["it's; $HOME `x`|2", "gone|gone"]


def test_each_form_has_its_own_spelling():
    setup = TrialSetup(id="x", title="x", settings=(Setting(name="N", value="1"),))
    assert snippet(setup, Form.BATCH) == 'set "N=1"'
    assert undo(setup, Form.BATCH) == "set N="
    assert snippet(setup, Form.POWERSHELL) == '$env:N = "1"'
    assert snippet(setup, Form.ENV) == "N=1"
    assert snippet(setup, Form.PATCH) == ""
    assert undo(setup, Form.PATCH) == ""


def test_code_and_packages():
    setup = TrialSetup(
        id="x",
        title="x",
        precision=Precision.BFLOAT16,
        recipe=('keras.x.set_y("mixed_bfloat16")', "keep the last layer float32"),
        jit=Jit.ON,
        batch_size=64,
        pipeline=Pipeline.CACHE_PREFETCH,
    )
    code = snippet(setup, Form.PATCH)
    for words in ("mixed_bfloat16", "jit_compile=True", "batch_size=64", ".cache()", ".prefetch("):
        assert words in code
    assert code.splitlines()[:2] == [
        'keras.x.set_y("mixed_bfloat16")', "# keep the last layer float32"
    ]  # fmt: skip
    jax = TrialSetup(id="x", title="x", backend="jax")
    assert snippet(jax, Form.REQUIREMENTS) == "jax"
    assert undo(jax, Form.REQUIREMENTS) == "pip uninstall jax"
    assert "KERAS_BACKEND=jax" in snippet(jax, Form.ENV)


@pytest.mark.parametrize("system", list(OsFamily))
def test_steps_come_with_how_to_undo_them(system):
    steps = how_to_apply(NOISY, system=system)
    assert [step.caption for step in steps][1::2] == ["To undo it"] * (len(steps) // 2)
    assert how_to_apply(TrialSetup(id="now", title=""), system=system) == ()


def test_pinning_names_the_processors():
    assert "taskset -c 0,2 " in snippet(TrialSetup(id="p", title="", cpus=(0, 2)), Form.SHELL)


def test_a_framework_without_keras_needs_its_package_and_its_own_lines():
    bfloat16 = TrialSetup(
        id="t", title="", runner=Runner.TORCH, precision=Precision.BFLOAT16,
        recipe=('with torch.autocast("cpu"):', "model.to(x)"),
    )  # fmt: skip
    assert snippet(bfloat16, Form.REQUIREMENTS) == "torch"
    assert undo(bfloat16, Form.REQUIREMENTS) == "pip uninstall torch"
    assert snippet(bfloat16, Form.PATCH).splitlines() == list(bfloat16.recipe)
    whole = TrialSetup(id="o", title="", runner=Runner.ONNXRUNTIME, precision=Precision.INT8)
    lines = snippet(whole, Form.PATCH).splitlines()
    assert lines[0].startswith("model.export(")
    assert "quantize_static" in lines[1]
    assert 'InferenceSession("int8.onnx")' in lines[2]
    plain = snippet(TrialSetup(id="o", title="", runner=Runner.ONNXRUNTIME), Form.PATCH)
    assert 'InferenceSession("model.onnx")' in plain
    kinds = [step.kind for step in how_to_apply(whole, system=OsFamily.LINUX)]
    assert kinds == ["python", "python", "shell", "shell"]
