"""Where compiled kernels are kept between runs, ours and those of the drivers.

The parent names a folder for a device with its driver; below it there is one for each set of
processor features, so that nothing is loaded that was compiled for another processor.
Leaves to others: how large the folder may become, and what to do when a driver dies of what lies
in it (the parent).
"""

import contextlib
import hashlib
import os
import pathlib
import platform
import tempfile

_DIGEST_BYTES = 32
# What PoCL writes for one of our programs is as large.
_TRIAL_BYTES = 1024 * 1024
# Variables that keep drivers out of the user's home: PoCL, CUDA, everything that follows XDG
# (Mesa, Intel's and AMD's compilers).
_VARIABLES = {"POCL_CACHE_DIR": "pocl", "CUDA_CACHE_PATH": "cuda", "XDG_CACHE_HOME": "other"}


def processor_text():
    """Return what tells one processor with its features from another."""
    wanted = ("model name", "flags", "Features", "CPU part")
    try:
        lines = pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return "{} {}".format(platform.machine(), platform.processor())
    found = {line for line in lines.splitlines() if line.startswith(wanted)}
    return "\n".join([platform.machine(), *sorted(found)])


def use_folder(folder=None):
    """Tell the drivers where to keep what they compile. To be called before they are loaded.

    Args:
        folder: what the parent set aside, None for one in the working directory, which does not
            outlive the worker.

    Returns:
        The folder for our own compiled kernels; None when they are not to be kept, or whoever
        started us has chosen a folder for PoCL.
    """
    if "POCL_CACHE_DIR" in os.environ:
        return None
    place = None
    if folder is not None:
        digest = hashlib.sha256(processor_text().encode("utf-8")).hexdigest()[:16]
        place = pathlib.Path(folder) / digest
        if not _has_room(place):
            place = None
    used = place or pathlib.Path(tempfile.mkdtemp(prefix="opencl-", dir=str(pathlib.Path.cwd())))
    for variable, name in _VARIABLES.items():
        with contextlib.suppress(OSError):
            (used / name).mkdir(exist_ok=True)
        os.environ[variable] = str(used / name)
    return place


def _has_room(place):
    """Make a folder and return whether drivers can write into it: PoCL compiles nothing without."""
    try:
        place.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=str(place)) as trial:
            trial.write(bytes(_TRIAL_BYTES))
            trial.flush()
    except OSError:
        return False
    return True


class Binaries:
    """Compiled programs in a folder.

    Args:
        folder: None keeps nothing.
        identity: words that say for which device and driver they are.
    """

    def __init__(self, folder, identity):
        self._folder = None if folder is None else pathlib.Path(folder)
        self._identity = identity

    def _file(self, source):
        text = "\0".join([*self._identity, source])
        name = hashlib.sha256(text.encode("utf-8")).hexdigest()[:32]
        return self._folder / (name + ".bin")

    def find(self, source):
        """Return the binary of a source, None when there is none or it is damaged."""
        if self._folder is None:
            return None
        try:
            content = self._file(source).read_bytes()
        except OSError:
            return None
        binary = content[_DIGEST_BYTES:]
        is_whole = binary and hashlib.sha256(binary).digest() == content[:_DIGEST_BYTES]
        return binary if is_whole else None

    def keep(self, source, binary):
        """Keep a binary; a disk that is full or read-only only costs the time next time."""
        if self._folder is None or not binary:
            return
        try:
            descriptor, name = tempfile.mkstemp(dir=str(self._folder), suffix=".part")
            with os.fdopen(descriptor, "wb") as file:
                file.write(hashlib.sha256(binary).digest() + binary)
            pathlib.Path(name).replace(self._file(source))
        except OSError:
            return
