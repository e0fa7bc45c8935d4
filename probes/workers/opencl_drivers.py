"""Which OpenCL drivers the loader takes in: those of the system and the one beside our packages.

The loader takes in every driver that a description file (`.icd`) names, in the process that asks
for the platforms: one that crashes there takes the others with it. Leaves to others: when to do
without a driver (`probes.machine.opencl_drivers`).
"""

import contextlib
import importlib.util
import os
import pathlib
import shutil
import sys
import tempfile

_SYSTEM_FOLDER = "/etc/OpenCL/vendors"
# Both loaders' names for another folder, or file, than the system's.
_FOLDER_VARIABLES = ("OCL_ICD_VENDORS", "OPENCL_VENDOR_PATH")
# Libraries that a loader takes in besides those of description files.
_LIBRARIES_VARIABLE = "OCL_ICD_FILENAMES"
# pyopencl tells its own loader by this where it lies: drivers are looked for in `.libs` there.
_HOME_VARIABLE = "PYOPENCL_HOME"


def _files_below(place):
    place = pathlib.Path(place)
    if place.is_file():
        return [place]
    with contextlib.suppress(OSError):
        return sorted(place.glob("*.icd"))
    return []


def _bundled_files():
    spec = importlib.util.find_spec("pyopencl")
    if spec is None or not spec.origin:
        return []
    return _files_below(pathlib.Path(spec.origin).parent / ".libs")


def list_files():
    """Return the description files of the drivers that the loader finds on Linux.

    Nothing is loaded. Elsewhere drivers are found in other ways: no file.
    """
    if not sys.platform.startswith("linux"):
        return []
    chosen = [os.environ[name] for name in _FOLDER_VARIABLES if os.environ.get(name)]
    place = chosen[0] if chosen else _SYSTEM_FOLDER
    # Our loader looks beside itself, too, unless it is given one file.
    beside = [] if pathlib.Path(place).is_file() else _bundled_files()
    return [str(file) for file in (*_files_below(place), *beside) if _is_text(str(file))]


def _is_text(name):
    """Return whether a name can be told to the parent."""
    try:
        name.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def load(driver=None):
    """Import pyopencl and return it. To be called before anything else imports it.

    Args:
        driver: description file, as `list_files` gives it, of the only driver that the loader
            takes in. None: whatever it finds.

    Raises:
        ImportError, OSError, RuntimeError: it cannot be imported.
    """
    if driver is None:
        import pyopencl

        return pyopencl
    folder = pathlib.Path(tempfile.mkdtemp(prefix="driver-", dir=str(pathlib.Path.cwd())))
    is_bundled = driver in map(str, _bundled_files())
    if not is_bundled:
        try:
            shutil.copyfile(driver, str(folder / "only.icd"))
        except OSError as error:
            reason = error.strerror or type(error).__name__
            raise OSError(f"its description {driver} cannot be read: {reason}") from None
    for name in (*_FOLDER_VARIABLES, _LIBRARIES_VARIABLE):
        os.environ.pop(name, None)
    os.environ[_FOLDER_VARIABLES[0]] = str(folder)
    import pyopencl

    # The loader looks at the first question, not when it is loaded.
    if not is_bundled:
        os.environ[_HOME_VARIABLE] = str(folder)
    return pyopencl


def run(_request, _channel):
    """Entry of the worker "opencl_drivers": list the description files, load nothing."""
    return {"files": list_files()}
