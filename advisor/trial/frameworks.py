"""Other frameworks and backends that could run the network here.

Leaves to others: settings of the one in use, the order (`advisor.trial.plan`).
"""

import dataclasses
from collections.abc import Iterable

from advisor.i18n import N_
from advisor.model.instructions import has_short_format
from advisor.model.machine import Environment, MachineProfile
from advisor.model.quantity import Phase, Precision
from advisor.model.trial import Runner, TrialSetup, TrialSource

TENSORFLOW = "tensorflow"
_BACKENDS = ("jax", "torch", "openvino")


def _frameworks(environment: Environment) -> frozenset[str]:
    return frozenset(framework.name for framework in environment.frameworks)


def list_frameworks(
    profile: MachineProfile,
    source: TrialSource,
    *,
    environment: Environment | None = None,
    gpu_backends: Iterable[str] = (),
) -> list[TrialSetup]:
    """Return what else could run the network: other backends, frameworks without Keras, the GPU.

    Args:
        profile: the machine.
        source: the network and the job.
        environment: another Python whose frameworks are tried too.
        gpu_backends: backends of Keras that drive a GPU here, with their interpreter.
    """
    found: list[TrialSetup] = []
    direct: list[TrialSetup] = []
    own = next((e for e in profile.environments if e.kind == "ours"), None)
    places: list[tuple[Environment, str | None]] = []
    if own is not None:
        places.append((own, None))
    if environment is not None:
        places.append((environment, environment.python))
    for place, python in places:
        names = _frameworks(place)
        # What the named Python has too is tried there, not twice.
        is_twice = python is None and environment is not None
        there = _frameworks(environment) if is_twice and environment else frozenset()
        direct += _without_keras(profile, source, names - there, python)
        if "keras" not in names:
            continue
        if "keras" in there:
            names -= there
        if python is not None and any(name.startswith(TENSORFLOW) for name in names):
            found.append(_backend(TENSORFLOW, python))
        for backend in _BACKENDS:
            usable = backend != "openvino" or source.phase is Phase.INFERENCE
            if backend in names and usable and source.data is None:
                found.append(_backend(backend, python))
    # Keras on PyTorch is never faster than PyTorch without it.
    last = [setup for setup in found if setup.backend == "torch"]
    found = [*(setup for setup in found if setup not in last), *direct, *last]
    for backend in gpu_backends:
        python = environment.python if environment is not None else None
        title = N_("The GPU through the backend {backend}")
        found.append(
            TrialSetup(
                id=f"gpu-{backend}", title=title, backend=backend, python=python, device="gpu"
            )
        )
    return found


def _without_keras(
    profile: MachineProfile, source: TrialSource, names: frozenset[str], python: str | None
) -> list[TrialSetup]:
    """Return the frameworks that run the network from its configuration, without Keras."""
    if source.model_json is None or source.data is not None:
        return []
    is_float32 = source.precision is Precision.FLOAT32
    found = []
    if "torch" in names:
        found.append(
            TrialSetup(id="pytorch", title=N_("PyTorch without Keras"), runner=Runner.TORCH)
        )
        if is_float32 and has_short_format(profile, precision=Precision.BFLOAT16):
            found.append(
                TrialSetup(
                    id="pytorch-bfloat16",
                    title=N_("PyTorch without Keras in bfloat16"),
                    option_id="bf16-cpu-torch",
                    runner=Runner.TORCH,
                    precision=Precision.BFLOAT16,
                )
            )
    if "onnxruntime" in names and source.phase is Phase.INFERENCE and is_float32:
        found += [
            TrialSetup(
                id="onnxruntime",
                title=N_("ONNX Runtime"),
                option_id="ort-cpu",
                runner=Runner.ONNXRUNTIME,
            ),
            TrialSetup(
                id="onnxruntime-int8",
                title=N_("ONNX Runtime in int8"),
                option_id="ort-int8",
                runner=Runner.ONNXRUNTIME,
                precision=Precision.INT8,
            ),
        ]
    return [dataclasses.replace(setup, python=python) for setup in found]


def _backend(backend: str, python: str | None) -> TrialSetup:
    titles = {
        TENSORFLOW: N_("TensorFlow of the other Python"),
        "jax": N_("Keras on JAX"),
        "torch": N_("Keras on PyTorch"),
        "openvino": N_("Keras on OpenVINO"),
    }
    suffix = "-cpu" if backend in ("jax", "torch") else ""
    return TrialSetup(
        id=f"backend-{backend}",
        title=titles[backend],
        option_id=None if backend == TENSORFLOW else f"keras-backend-{backend}{suffix}",
        backend=backend,
        python=python,
    )
