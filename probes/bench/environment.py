"""The environment of a child: a short allow-list of ours, plus what is asked for.

A framework reads dozens of variables at import; one left over from the user's shell would
silently change what is measured.
Leaves to others: which settings are worth trying (`probes.bench.plan`).
"""

import sys
from collections.abc import Mapping, Sequence

from advisor.model.measurement import Setting

_ALLOWED = frozenset({
    # Any system: programs, the user's folders, language, certificates.
    "PATH", "HOME", "USER", "LOGNAME", "LANG", "LANGUAGE", "TZ", "TMPDIR",
    "XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME", "XDG_RUNTIME_DIR",
    # Where the loader and the OpenCL loader find libraries and drivers.
    "LD_LIBRARY_PATH", "DYLD_LIBRARY_PATH", "DYLD_FALLBACK_LIBRARY_PATH",
    "OCL_ICD_VENDORS", "OCL_ICD_FILENAMES", "OPENCL_VENDOR_PATH",
    "RUSTICL_ENABLE", "RUSTICL_FEATURES", "HSA_OVERRIDE_GFX_VERSION", "ROCM_PATH",
    "CONDA_PREFIX", "VIRTUAL_ENV",
    # Windows does not start a Python without these.
    "SYSTEMROOT", "SYSTEMDRIVE", "WINDIR", "COMSPEC", "PATHEXT", "TEMP", "TMP",
    "USERPROFILE", "APPDATA", "LOCALAPPDATA", "PROGRAMDATA", "PROGRAMFILES",
    "PROGRAMFILES(X86)", "NUMBER_OF_PROCESSORS", "PROCESSOR_ARCHITECTURE",
})  # fmt: skip
_ALLOWED_PREFIXES = ("LC_",)


def child_environment(
    inherited: Mapping[str, str], *, settings: Sequence[Setting] = ()
) -> dict[str, str]:
    """Return the environment of a child: allowed variables, then the settings over them."""
    kept = {
        name: value
        for name, value in inherited.items()
        if name.upper() in _ALLOWED or name.upper().startswith(_ALLOWED_PREFIXES)
    }
    kept.update({setting.name: setting.value for setting in settings})
    return kept


def temporary_place(folder: str) -> dict[str, str]:
    """Return the variables that let libraries put temporary files into a folder that is removed.

    A worker ends without tidying up, or is killed: what TensorFlow generates would stay behind.
    """
    if sys.platform == "darwin":
        return {}  # a socket has a path of 103 bytes at most, and folders there are long already
    return dict.fromkeys(("TMPDIR", "TEMP", "TMP"), folder)


def restored_library_path(inherited: Mapping[str, str]) -> tuple[Setting, ...]:
    """Return the settings that give another interpreter the library path of before our start.

    A frozen app puts its own libraries first and keeps the former value under `..._ORIG`.
    An empty value stands for none.
    """
    names = ("DYLD_LIBRARY_PATH",) if sys.platform == "darwin" else ("LD_LIBRARY_PATH",)
    return tuple(
        Setting(name=name, value=inherited.get(f"{name}_ORIG", ""))
        for name in names
        if name in inherited or f"{name}_ORIG" in inherited
    )
