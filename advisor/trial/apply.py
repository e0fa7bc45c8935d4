"""How to use a setup in one's own work, as text to copy, and how to undo it.

Nothing is written anywhere: the user copies what is wanted.
Leaves to others: showing it (`ui`, `advisor.report`).
"""

import shlex
from enum import StrEnum

from advisor.i18n import N_
from advisor.model.machine import OsFamily
from advisor.model.measurement import Setting
from advisor.model.quantity import Precision
from advisor.model.recommendation import Step
from advisor.model.trial import Jit, Pipeline, Runner, TrialSetup
from advisor.recommend.instructions import kind_of

# Library settings that a number of threads stands for, besides what TensorFlow is told.
_THREADS = ("OMP_NUM_THREADS", "TF_NUM_INTRAOP_THREADS")


class Form(StrEnum):
    """In which form the text is wanted."""

    SHELL = "shell"
    BATCH = "batch"
    POWERSHELL = "powershell"
    ENV = "env"
    REQUIREMENTS = "requirements"
    PATCH = "patch"


_PACKAGES = {
    "jax": "jax",
    "torch": "torch",
    "openvino": "openvino",
    "tensorflow": "tensorflow",
}
_RUNNER_PACKAGES = {Runner.TORCH: "torch", Runner.ONNXRUNTIME: "onnxruntime"}


def environment_of(setup: TrialSetup) -> tuple[Setting, ...]:
    """Return the variables that a setup comes down to, outside of code."""
    found = list(setup.settings)
    if setup.intra_threads is not None:
        found += [Setting(name=name, value=str(setup.intra_threads)) for name in _THREADS]
    if setup.inter_threads is not None:
        found.append(Setting(name="TF_NUM_INTEROP_THREADS", value=str(setup.inter_threads)))
    if setup.backend != "tensorflow":
        found.append(Setting(name="KERAS_BACKEND", value=setup.backend))
    return tuple(found)


def how_to_apply(setup: TrialSetup, *, system: OsFamily) -> tuple[Step, ...]:
    """Return what to copy for a setup on a system, then how to undo it."""
    forms = [Form.POWERSHELL if system is OsFamily.WINDOWS else Form.SHELL, Form.PATCH]
    if _package(setup):
        forms.append(Form.REQUIREMENTS)
    steps = []
    for form in forms:
        for text, caption in ((snippet(setup, form), _CAPTIONS[form]), (undo(setup, form), _UNDO)):
            if text:
                kind = "python" if form is Form.PATCH else "shell"
                steps.append(Step(kind=kind, caption=caption, content=text))
    return tuple(steps)


_CAPTIONS = {
    Form.SHELL: N_("In the shell, before the program is started"),
    Form.POWERSHELL: N_("In PowerShell, before the program is started"),
    Form.BATCH: N_("In the command prompt, before the program is started"),
    Form.ENV: N_("In a file of variables"),
    Form.REQUIREMENTS: N_("In the list of packages"),
    Form.PATCH: N_("In the program, before the model is made"),
}
_UNDO = N_("To undo it")


def snippet(setup: TrialSetup, form: Form) -> str:
    """Return the text of one form; "" when the setup needs nothing in it."""
    if form is Form.PATCH:
        return "\n".join(_code(setup))
    if form is Form.REQUIREMENTS:
        return _package(setup)
    lines = [_assignment(setting, form) for setting in environment_of(setup)]
    if setup.cpus and form is Form.SHELL:
        lines.append(f"taskset -c {','.join(map(str, setup.cpus))} python TRAIN.py")
    return "\n".join(lines)


def undo(setup: TrialSetup, form: Form) -> str:
    """Return the text that takes a snippet back; "" when there is nothing to take back."""
    if form is Form.PATCH:
        lines = _code(setup)
        return N_("# Remove these lines again.") if lines else ""
    if form is Form.REQUIREMENTS:
        return f"pip uninstall {_package(setup)}" if _package(setup) else ""
    names = [setting.name for setting in environment_of(setup)]
    patterns = {
        Form.SHELL: "unset {name}",
        Form.BATCH: "set {name}=",
        Form.POWERSHELL: "Remove-Item Env:{name}",
        Form.ENV: "# {name} removed",
    }
    return "\n".join(patterns[form].format(name=name) for name in names)


def _assignment(setting: Setting, form: Form) -> str:
    name, value = setting.name, setting.value
    if form is Form.BATCH:
        return f'set "{name}={value}"'
    if form is Form.POWERSHELL:
        return f'$env:{name} = "{value}"'
    if form is Form.ENV:
        return f"{name}={value}"
    return f"export {name}={shlex.quote(value)}"


def _package(setup: TrialSetup) -> str:
    """Return the package that a setup needs besides what is there, "" when it needs none."""
    if setup.runner is not Runner.KERAS:
        return _RUNNER_PACKAGES[setup.runner]
    return _PACKAGES[setup.backend] if setup.backend != "tensorflow" else ""


def _code_without_keras(setup: TrialSetup) -> list[str]:
    if setup.runner is Runner.TORCH:
        return _recipe(setup) or ["model = model.to(memory_format=torch.channels_last)"]
    lines = ['model.export("model.onnx", format="onnx")']
    name = "model.onnx"
    if setup.precision is Precision.INT8:
        name = "int8.onnx"
        lines.append(f'onnxruntime.quantization.quantize_static("model.onnx", "{name}", READER)')
    return [*lines, f'session = onnxruntime.InferenceSession("{name}")']


def _recipe(setup: TrialSetup) -> list[str]:
    """Return the lines of the options table; what is no code is a remark."""
    return [line if kind_of(line) == "python" else f"# {line}" for line in setup.recipe]


def _code(setup: TrialSetup) -> list[str]:
    if setup.runner is not Runner.KERAS:
        return _code_without_keras(setup)
    lines = _recipe(setup)
    if setup.intra_threads is not None and setup.backend == "tensorflow":
        lines.append(f"tf.config.threading.set_intra_op_parallelism_threads({setup.intra_threads})")
    if setup.inter_threads is not None and setup.backend == "tensorflow":
        lines.append(f"tf.config.threading.set_inter_op_parallelism_threads({setup.inter_threads})")
    if setup.jit is Jit.ON:
        lines.append("model.compile(..., jit_compile=True)")
    if setup.batch_size is not None:
        lines.append(f"model.fit(..., batch_size={setup.batch_size})")
    if setup.pipeline in (Pipeline.CACHE, Pipeline.CACHE_PREFETCH):
        lines.append("dataset = dataset.cache()")
    if setup.pipeline in (Pipeline.PREFETCH, Pipeline.CACHE_PREFETCH):
        lines.append("dataset = dataset.prefetch(tf.data.AUTOTUNE)")
    return lines
