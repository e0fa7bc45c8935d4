"""What is installed already to compute on a GPU of this machine: its driver, and a framework.

Only what the profile shows counts. A distribution counts where its name and version tell that it
reaches the GPU by itself: what needs libraries besides, which nobody looked for, does not.
Leaves to others: the work that is left (`advisor.recommend.effort`), what to type
(`advisor.recommend.devices`).
"""

import re
from collections.abc import Callable
from dataclasses import dataclass

from advisor.model.machine import (
    Environment,
    GraphicsDevice,
    InstalledFramework,
    MachineProfile,
    OpenclDevice,
    OsFamily,
)
from advisor.model.measurement import MeasurementSet
from advisor.model.published import GpuFamily
from advisor.model.quantity import Phase
from advisor.model.recommendation import Step
from advisor.recommend.circumstances import is_x86, vendor_word
from advisor.recommend.devices import opencl_of, support_of
from advisor.recommend.requirements import version_key

# OpenCL of others than the maker of the GPU: it says nothing of the driver that frameworks take.
_OF_OTHERS = re.compile(
    r"rusticl|clover|Portable Computing Language|Mesa|OpenCLOn12", re.IGNORECASE
)
_METAL = "metal"
# Metal computes for PyTorch since macOS 14, as its makers say.
_METAL_SINCE = (14,)
# Distributions of Linux and conda give the name "torch" to builds for the processor, too.
_OF_PIP = frozenset({"venv", "pyenv"})
# Before them the wheels had no code for some GPUs that are supported today.
_ROCM_SINCE, _CUDA_SINCE = 7, 128
_TORCH_FOR_METAL = (2,)
# From the wheels for CUDA 13 on, older cards have no code.
_CUDA_ENDS = {"nvidia-maxwell": 130, "nvidia-pascal-volta": 130}
_LAST_TF_FOR_METAL, _TF_FOR_DIRECTML = (2, 18), (2, 10)
_OPENVINO = frozenset({"openvino", "onnxruntime-openvino"})
_TENSORFLOW = frozenset({"tensorflow", "tensorflow-cpu", "tensorflow-intel", "tensorflow-macos"})
# What runs an ONNX file as it is, and what the network of one is trained in.
_FOR_ONNX = {
    Phase.INFERENCE: frozenset({*_OPENVINO, "onnxruntime-directml"}),
    Phase.TRAINING: frozenset({"torch"}),
}
_IS_INSTALLED = "Installed already"


@dataclass(frozen=True, slots=True, kw_only=True)
class Readiness:
    """What of the way to a GPU is there already.

    Attributes:
        has_driver: its maker's driver is seen to work.
        framework: that reaches it, None when none is known to.
        environment: in which the framework is.
    """

    has_driver: bool = False
    framework: InstalledFramework | None = None
    environment: Environment | None = None


NOTHING_READY = Readiness()


@dataclass(frozen=True, slots=True, kw_only=True)
class _Wanted:
    """A GPU that a framework is looked for."""

    profile: MachineProfile
    family: GpuFamily
    phase: Phase

    @property
    def route(self) -> str:
        """The official way to it; "" where there is none."""
        return self._official(self.phase)

    @property
    def training_route(self) -> str:
        """The official way to train on it; "" where there is none."""
        return self._official(Phase.TRAINING)

    def _official(self, phase: Phase) -> str:
        support = support_of(self.family, system=self.profile.os.family, phase=phase)
        return (support.route or "") if support.level == "official" else ""


def readiness_of(
    gpu: GraphicsDevice,
    *,
    family: GpuFamily | None,
    profile: MachineProfile,
    phase: Phase,
    measurements: MeasurementSet | None = None,
    is_onnx: bool = False,
) -> Readiness:
    """Return what is installed already for a job on a GPU.

    Args:
        gpu: of the machine.
        family: of the GPU; None: not recognised, then no framework is known to reach it.
        profile: the machine.
        phase: of the job.
        measurements: made here; a driver that gave none of what was asked of it does not work.
        is_onnx: whether the network is an ONNX file, which not every framework runs.
    """
    has_driver = _has_driver(gpu, profile=profile, measurements=measurements)
    if family is None:
        return Readiness(has_driver=has_driver)
    wanted = _Wanted(profile=profile, family=family, phase=phase)
    for environment in profile.environments:
        for framework in environment.frameworks:
            name = framework.name.lower()
            if is_onnx and name not in _FOR_ONNX[phase]:
                continue
            reaches = _REACHES.get(name)
            if reaches is not None and reaches(framework, environment, wanted):
                return Readiness(
                    has_driver=has_driver, framework=framework, environment=environment
                )
    return Readiness(has_driver=has_driver)


def ready_steps(ready: Readiness) -> tuple[Step, ...]:
    """Return a step that says what need not be installed; none where nothing is ready."""
    if ready.framework is None or ready.environment is None:
        return ()
    version = f"{ready.framework.name} {ready.framework.version}"
    text = f"{version} of {ready.environment.python}: start your program with it."
    return (Step(kind="text", caption=_IS_INSTALLED, content=text),)


def _has_driver(
    gpu: GraphicsDevice, *, profile: MachineProfile, measurements: MeasurementSet | None
) -> bool:
    if profile.os.family is OsFamily.MACOS:
        # A part of the system.
        return gpu.kernel_driver == _METAL
    offered = opencl_of(gpu, profile=profile)
    return offered is not None and _is_of_maker(offered) and _computes(offered, measurements)


def _is_of_maker(device: OpenclDevice) -> bool:
    return _OF_OTHERS.search(f"{device.platform} {device.platform_version}") is None


def _computes(device: OpenclDevice, measurements: MeasurementSet | None) -> bool:
    """Whether a device did something of what was asked of it; nothing was asked: it may."""
    if measurements is None:
        return True
    asked = [row for row in measurements.results if row.request.device_id == device.id]
    return not asked or any(row.request.device_id == device.id for row in measurements.measured)


def _reached_by_torch(
    framework: InstalledFramework, environment: Environment, wanted: _Wanted
) -> bool:
    version, _, build = framework.version.lower().partition("+")
    system = wanted.profile.os.family
    vendor = vendor_word(wanted.family.vendor)
    if system is OsFamily.MACOS:
        is_new = version_key(version) >= _TORCH_FOR_METAL
        return "MPS" in wanted.route and is_new and _has_metal(wanted.profile)
    if vendor == "amd":
        since = re.match(r"rocm(\d+)", build)
        return bool(wanted.route) and since is not None and int(since[1]) >= _ROCM_SINCE
    if vendor == "intel":
        return build.startswith("xpu") and "XPU" in wanted.training_route
    if vendor != "nvidia" or wanted.profile.os.architecture.lower() == "aarch64":
        return False
    cuda = re.match(r"cu(\d+)", build)
    if cuda is not None:
        last = _CUDA_ENDS.get(wanted.family.id)
        number = int(cuda[1])
        return number < last if last is not None else bool(wanted.route) and number >= _CUDA_SINCE
    # That of PyPI: for CUDA on Linux, where one version after the other had a newer CUDA.
    is_plain = not build and system is OsFamily.LINUX and is_x86(wanted.profile)
    is_new = version_key(version) >= (2, 8)
    return is_plain and is_new and bool(wanted.route) and environment.kind in _OF_PIP


def _has_metal(profile: MachineProfile) -> bool:
    version = profile.os.version
    return version is not None and version_key(version) >= _METAL_SINCE and not is_x86(profile)


def _reached_by_mlx(
    _framework: InstalledFramework, _environment: Environment, wanted: _Wanted
) -> bool:
    return "MLX" in wanted.route and _has_metal(wanted.profile)


def _reached_by_metal_plugin(
    _framework: InstalledFramework, environment: Environment, wanted: _Wanted
) -> bool:
    """A plugin for TensorFlow, which is to be there beside it, and none that is too new."""
    beside = _versions_beside(environment)
    fits = any(version[:2] <= _LAST_TF_FOR_METAL for version in beside)
    return "MPS" in wanted.route and _has_metal(wanted.profile) and fits


def _reached_by_directml_plugin(
    _framework: InstalledFramework, environment: Environment, wanted: _Wanted
) -> bool:
    beside = _versions_beside(environment)
    fits = any(version[:2] == _TF_FOR_DIRECTML for version in beside)
    return wanted.profile.os.family is OsFamily.WINDOWS and bool(wanted.route) and fits


def _versions_beside(environment: Environment) -> list[tuple[int, ...]]:
    return [
        version_key(each.version) for each in environment.frameworks if each.name in _TENSORFLOW
    ]


def _reached_by_openvino(
    _framework: InstalledFramework, _environment: Environment, wanted: _Wanted
) -> bool:
    return wanted.phase is Phase.INFERENCE and "OpenVINO" in wanted.route


def _reached_by_directml(
    _framework: InstalledFramework, _environment: Environment, wanted: _Wanted
) -> bool:
    is_windows = wanted.profile.os.family is OsFamily.WINDOWS
    return is_windows and wanted.phase is Phase.INFERENCE and bool(wanted.route)


_REACHES: dict[str, Callable[[InstalledFramework, Environment, _Wanted], bool]] = {
    "torch": _reached_by_torch,
    "mlx": _reached_by_mlx,
    "tensorflow-metal": _reached_by_metal_plugin,
    "tensorflow-directml-plugin": _reached_by_directml_plugin,
    "onnxruntime-directml": _reached_by_directml,
    **dict.fromkeys(_OPENVINO, _reached_by_openvino),
}
