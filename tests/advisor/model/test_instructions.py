"""What follows from the instructions of a processor."""

import dataclasses

import pytest

from advisor.model.instructions import (
    Library,
    has_onednn_by_default,
    has_short_format,
    library_under,
    other_onednn,
)
from advisor.model.machine import OsFamily
from advisor.model.measurement import Setting
from advisor.model.quantity import Precision
from tests.helpers.trial_machines import profile


def test_a_format_needs_instructions_of_its_own():
    flags = ("avx512_bf16", "amx_fp16")
    assert has_short_format(profile(flags=flags), precision=Precision.BFLOAT16)
    assert has_short_format(profile(flags=flags), precision=Precision.FLOAT16)
    assert not has_short_format(profile(flags=("avx2",)), precision=Precision.BFLOAT16)
    assert not has_short_format(profile(flags=flags), precision=Precision.FLOAT32)


@pytest.mark.parametrize(
    ("flags", "is_on"),
    [
        (("avx2", "fma"), False),
        (("avx2", "avx_vnni"), True),
        (("avx512f", "avx512_vnni"), True),
        (("amx_bf16",), True),
        ((), True),
    ],
)
def test_onednn_is_on_by_itself_where_there_are_instructions_for_networks(flags, is_on):
    machine = profile(flags=flags)
    assert has_onednn_by_default(machine) is is_on
    other = other_onednn(machine)
    assert other is not None
    assert other.value == ("0" if is_on else "1")


@pytest.mark.parametrize(
    ("family", "architecture", "microarchitecture", "is_on", "other"),
    [
        (OsFamily.WINDOWS, "AMD64", "zen3", True, "0"),
        (OsFamily.WINDOWS, "ARM64", None, False, None),
        (OsFamily.MACOS, "x86_64", "skylake", False, None),
        (OsFamily.LINUX, "aarch64", "neoverse_v1", True, "0"),
        (OsFamily.LINUX, "aarch64", "neoverse_n1", False, "1"),
    ],
)
def test_onednn_goes_by_the_system_too(family, architecture, microarchitecture, is_on, other):
    machine = profile(flags=("avx2",))
    machine = dataclasses.replace(
        machine,
        os=dataclasses.replace(machine.os, family=family, architecture=architecture),
        cpu=dataclasses.replace(machine.cpu, microarchitecture=microarchitecture),
    )
    assert has_onednn_by_default(machine) is is_on
    setting = other_onednn(machine)
    assert (setting and setting.value) == other


def test_a_setting_decides_the_library_before_the_processor():
    def under(value, flags):
        settings = [Setting(name="TF_ENABLE_ONEDNN_OPTS", value=value)] if value else []
        return library_under(profile(flags=flags), settings)

    new, old = ("avx512_vnni",), ("avx2",)
    assert [under(None, new), under("0", new)] == [Library.ONEDNN, Library.EIGEN]
    assert [under(None, old), under("1", old)] == [Library.EIGEN, Library.ONEDNN]
