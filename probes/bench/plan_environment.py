"""Which kernels are timed with the frameworks of another interpreter: the headlines of each.

Each framework is given what it is used for: training frameworks the gradients as well, inference
run times the forward direction only.
Leaves to others: finding the environment and its devices (`probes.bench.other_python`), the plan
for our own stack (`probes.bench.plan`).
"""

import dataclasses
import functools
from collections.abc import Iterable
from dataclasses import dataclass

from advisor.errors import InputError
from advisor.model.instructions import has_short_format
from advisor.model.machine import CPU_DEVICE_ID, Environment, MachineProfile
from advisor.model.measurement import BenchmarkRequest, Runner, Setting
from advisor.model.quantity import Phase, Precision
from probes.bench import suite
from probes.bench.plan import (
    HEADLINE,
    SETTING,
    Budget,
    PlanBuilder,
)
from probes.bench.plan_sizes import gemm_sizes
from probes.bench.suite import Row

KERAS_BACKEND = "KERAS_BACKEND"
# The first Keras that runs on something else than TensorFlow.
_FIRST_PORTABLE_KERAS = 3

_TENSORFLOW = frozenset(
    {
        "tensorflow", "tensorflow-cpu", "tensorflow-cpu-aws", "tensorflow-gpu",
        "tensorflow-intel", "tensorflow-macos", "tensorflow-rocm", "tf-nightly", "tf-nightly-cpu",
    }
)  # fmt: skip
_ONNXRUNTIME = frozenset(
    {
        "onnxruntime", "onnxruntime-directml", "onnxruntime-gpu", "onnxruntime-openvino",
        "onnxruntime-rocm",
    }
)  # fmt: skip
_INFERENCE_ONLY = frozenset({Runner.ONNXRUNTIME, Runner.OPENVINO})
_SHORT_FORMATS = frozenset({Runner.TORCH, Runner.JAX, Runner.OPENVINO})


@dataclass(frozen=True, slots=True, kw_only=True)
class Stack:
    """A runner and the settings that choose what computes below it."""

    runner: Runner
    settings: tuple[Setting, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class FrameworkDevice:
    """A device that a framework sees besides the CPU: `id` such as "torch:xpu:0", and its name."""

    id: str
    name: str

    @property
    def framework(self) -> str:
        """The framework that sees it."""
        return self.id.partition(":")[0]


def stacks_of(environment: Environment) -> tuple[Stack, ...]:
    """Return what can be timed with the frameworks of an environment, Keras first."""
    versions = {framework.name: framework.version for framework in environment.frameworks}
    names = frozenset(versions)
    found = []
    if names & _TENSORFLOW:
        found.append(Stack(runner=Runner.KERAS))
    major = versions.get("keras", "0").partition(".")[0]
    is_portable = major.isdigit() and int(major) >= _FIRST_PORTABLE_KERAS
    for backend, runner in (("torch", Runner.TORCH), ("jax", Runner.JAX)):
        if backend in names:
            found.append(Stack(runner=runner))
            if is_portable:
                setting = Setting(name=KERAS_BACKEND, value=backend)
                found.append(Stack(runner=Runner.KERAS, settings=(setting,)))
    if names & _ONNXRUNTIME:
        found.append(Stack(runner=Runner.ONNXRUNTIME))
    if "openvino" in names:
        found.append(Stack(runner=Runner.OPENVINO))
    return tuple(sorted(found, key=lambda stack: stack.runner is not Runner.KERAS))


def _rows(profile: MachineProfile, *, phase: Phase, runner: Runner) -> list[Row]:
    sizes = gemm_sizes(profile, suite.HEADLINE_GEMM_SIZES)
    rows = [Row(shape=suite.gemm(size)) for size in sizes]
    is_inference = phase is Phase.INFERENCE or runner in _INFERENCE_ONLY
    three, both = (suite.FORWARD,) * 2 if is_inference else (suite.THREE, suite.BOTH)
    rows.append(Row(shape=suite.HEADLINE_CONV, directions=three))
    rows.append(Row(shape=suite.HEADLINE_LSTM, directions=both))
    return rows


def _device_ids(
    devices: Iterable[FrameworkDevice], *, stack: Stack, chosen: frozenset[str] | None
) -> list[str]:
    own = [] if stack.settings else [d.id for d in devices if d.framework == stack.runner.value]
    there = [CPU_DEVICE_ID, *own]
    return [name for name in there if chosen is None or name in chosen]


def plan_environment(
    environment: Environment,
    profile: MachineProfile,
    *,
    budget: Budget = Budget.QUICK,
    phase: Phase = Phase.TRAINING,
    devices: Iterable[FrameworkDevice] = (),
    device_ids: Iterable[str] | None = None,
) -> tuple[BenchmarkRequest, ...]:
    """Return what is to be timed with the frameworks of an environment.

    Keras on another backend than TensorFlow is a setting: it is not how networks run here.

    Args:
        environment: the interpreter and its frameworks.
        profile: the machine.
        budget: decides how often each kernel is timed; the kernels are few in any case.
        phase: in inference no gradients are timed.
        devices: what the frameworks see besides the CPU.
        device_ids: `CPU_DEVICE_ID` and ids of `devices`; None for all of them.

    Raises:
        InputError: when there is no framework that can be timed, or a device is not there.
    """
    stacks, seen = stacks_of(environment), tuple(devices)
    if not stacks:
        raise InputError(
            f"{environment.python}: no framework that can be measured is installed there "
            "(Keras, PyTorch, JAX, ONNX Runtime or OpenVINO)"
        )
    chosen = None if device_ids is None else frozenset(device_ids)
    if unknown := sorted((chosen or frozenset()) - {CPU_DEVICE_ID, *(d.id for d in seen)}):
        there = ", ".join([CPU_DEVICE_ID, *(d.id for d in seen)])
        raise InputError(f"no device is called {unknown[0]!r}; there is: {there}")
    plan_ = PlanBuilder(budget=budget)
    has_bfloat16 = has_short_format(profile, precision=Precision.BFLOAT16)
    for stack in stacks:
        role = SETTING if stack.settings else HEADLINE
        for device_id in _device_ids(seen, stack=stack, chosen=chosen):
            rows = _rows(profile, phase=phase, runner=stack.runner)
            add = functools.partial(
                plan_.add_rows,
                phase=phase,
                runner=stack.runner,
                device_id=device_id,
                settings=stack.settings,
            )
            add(rows, role=role)
            if stack.runner is Runner.ONNXRUNTIME and device_id == CPU_DEVICE_ID:
                # The only one of them whose products of bytes are exact and easily asked for.
                add(rows[:-2], role=role, precision=Precision.INT8)
            if has_bfloat16 and stack.runner in _SHORT_FORMATS:
                add(rows[-3:], role=role, precision=Precision.BFLOAT16)
    return tuple(_as_careful(request, budget=budget) for request in plan_.requests())


def _as_careful(request: BenchmarkRequest, *, budget: Budget) -> BenchmarkRequest:
    """Return a request that is timed as carefully as a headline: there are few of them."""
    min_value_s, n_values = (0.06, 5) if budget is Budget.QUICK else (0.1, 10)
    return dataclasses.replace(request, min_value_s=min_value_s, n_values=n_values)
