"""What follows from a processor's instructions: number formats it has, oneDNN on by default.

Leaves to others: reading the instructions (`probes.machine`), what is done with the answer.
"""

from collections.abc import Iterable
from enum import StrEnum

from advisor.model.machine import MachineProfile, OsFamily
from advisor.model.measurement import Setting
from advisor.model.quantity import Precision

# Instructions that multiply in a shorter number format, any of them (option avoid-bf16-no-hw).
_FORMATS = {
    Precision.BFLOAT16: frozenset({"avx512_bf16", "amx_bf16", "avx_ne_convert", "bf16", "svebf16"}),
    Precision.FLOAT16: frozenset({"avx512_fp16", "amx_fp16", "fphp", "asimdhp"}),
}
# What makes TensorFlow switch oneDNN on by itself.
_ONEDNN_FLAGS = frozenset(
    {"avx512_vnni", "avx512_bf16", "avx_vnni", "amx_tile", "amx_int8", "amx_bf16"}
)
# The one Arm processor for which it does so too.
_ONEDNN_ARM = "neoverse_v1"
_ONEDNN = "TF_ENABLE_ONEDNN_OPTS"
_X86 = frozenset({"x86_64", "amd64"})
_ARM = frozenset({"aarch64", "arm64"})
# Processors whose wheel is built with oneDNN, by system.
_BUILT_WITH_ONEDNN = {OsFamily.LINUX: _X86 | _ARM, OsFamily.WINDOWS: _X86}


class Library(StrEnum):
    """What computes TensorFlow's kernels on a processor."""

    ONEDNN = "onednn"
    EIGEN = "eigen"


def has_short_format(profile: MachineProfile, *, precision: Precision) -> bool:
    """Return whether the processor computes in a shorter number format by itself."""
    return bool(_FORMATS.get(precision, frozenset()) & set(profile.cpu.isa_features))


def is_imitated(precision: Precision, *, profile: MachineProfile) -> bool:
    """Return whether a processor is known to have no instructions for a short number format."""
    is_known = precision in _FORMATS and bool(profile.cpu.isa_features)
    return is_known and not has_short_format(profile, precision=precision)


def has_onednn_by_default(profile: MachineProfile) -> bool:
    """Return whether TensorFlow uses oneDNN unless it is told not to.

    On Windows every x86 processor has it since 2.15 (tensorflow pull request 61878). On Linux the
    wheel looks for instructions made for networks; seen with 2.21, which leaves oneDNN off on a
    Zen 3. A processor whose instructions are not known is taken for a newer one. On macOS never.
    Source: tensorflow/core/util/port.cc, DefaultOneDnnPolicy.
    """
    if not _is_built_with_onednn(profile):
        return False
    if profile.os.family is OsFamily.WINDOWS:
        return True
    if profile.os.architecture.lower() in _ARM:
        return profile.cpu.microarchitecture == _ONEDNN_ARM
    flags = profile.cpu.isa_features
    return not flags or bool(_ONEDNN_FLAGS & set(flags))


def _is_built_with_onednn(profile: MachineProfile) -> bool:
    architectures = _BUILT_WITH_ONEDNN.get(profile.os.family, frozenset())
    return profile.os.architecture.lower() in architectures


def other_onednn(profile: MachineProfile) -> Setting | None:
    """Return the setting that makes TensorFlow do without oneDNN, or with it where it is off.

    None where the wheel is built without oneDNN: macOS, Arm outside Linux.
    """
    if not _is_built_with_onednn(profile):
        return None
    return Setting(name=_ONEDNN, value="0" if has_onednn_by_default(profile) else "1")


def library_under(profile: MachineProfile, settings: Iterable[Setting]) -> Library:
    """Return what computes TensorFlow's kernels under these settings."""
    told = [setting.value for setting in settings if setting.name == _ONEDNN]
    is_on = told[-1] != "0" if told else has_onednn_by_default(profile)
    return Library.ONEDNN if is_on else Library.EIGEN
