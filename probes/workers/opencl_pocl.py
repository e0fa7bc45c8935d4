"""What only PoCL needs: a linker, a name for a CPU unknown to it.

PoCL comes with our packages as the OpenCL device of machines without a driver.
Leaves to others: everything that holds for all drivers (`opencl_device`).
"""

import ctypes
import hashlib
import os
import pathlib
import platform
import shlex
import shutil
import struct
import sys
import tempfile

import opencl_cache

PLATFORM_NAME = "Portable Computing Language"
# The generic name stands for a processor that the bundled compiler is too old to know.
_UNKNOWN_CPU = b"generic"
_UNKNOWN_CPU_MESSAGE = "unknown target CPU"
# The part of PoCL's device record that is searched for the name of the processor.
_RECORD_BYTES = 2048
# Fields that are tried: more would not be what was looked for.
_MAX_FIELDS = 4
_AVX512 = {"avx512f", "avx512bw", "avx512cd", "avx512dq", "avx512vl"}
# LLVM's names of processors with these features and of those without that it takes newer ones for
# (https://github.com/llvm/llvm-project, release 14, llvm/lib/Support/X86TargetParser.cpp).
_CPUS_WITH_AVX512 = {
    b"skylake-avx512", b"cascadelake", b"cooperlake", b"cannonlake", b"icelake-client",
    b"icelake-server", b"tigerlake", b"rocketlake", b"sapphirerapids", b"znver4",
}  # fmt: skip
_CPUS_WITHOUT_AVX512 = {
    b"haswell", b"broadwell", b"skylake", b"alderlake", b"znver1", b"znver2", b"znver3",
}  # fmt: skip
_LONGEST_NAME = 14
# The kernel library that PoCL picks by CPU features was compiled for these; another name would
# keep its functions from being inlined.
_CPUS = (
    (_AVX512, b"skylake-avx512"),
    ({"avx2", "fma", "bmi1", "bmi2", "f16c", "movbe"}, b"haswell"),
    (set(), b"x86-64"),
)

# Names handed to PoCL, which keeps the address only.
_kept = []


def _linker_command():
    """Return the command that links in place of `ld`: see `opencl_linker`."""
    if getattr(sys, "frozen", False):
        return [sys.executable, "--worker", "opencl_linker"]
    script = pathlib.Path(__file__).resolve().parent / "opencl_linker.py"
    # Isolated and without site packages: it starts once for each kernel.
    return [sys.executable, "-I", "-S", str(script)]


def provide_linker():
    """Let PoCL find an `ld` on a machine that has none: without one it ends the whole process.

    WORKAROUND for PoCL 3.0 (http://portablecl.org), which links every kernel by that program and
    has no setting for another. It is put beside the compiled kernels, at the end of PATH.
    """
    path = os.environ.get("PATH", "")
    if not _is_bundled_here() or shutil.which("ld", path=path) is not None:
        return
    opencl_cache.use_folder()
    # By a shell: the kernel takes neither spaces nor long paths in a first line.
    command = " ".join(shlex.quote(part) for part in _linker_command())
    text = os.fsencode('#!/bin/sh\nexec {} "$@"\n'.format(command))
    # The folder may outlive us: the same script lies there once, however often it is written.
    name = "linker-" + hashlib.sha256(text).hexdigest()[:8]
    folder = pathlib.Path(os.environ["POCL_CACHE_DIR"]) / name
    folder.mkdir(parents=True, exist_ok=True)
    descriptor, part = tempfile.mkstemp(dir=str(folder))
    with os.fdopen(descriptor, "wb") as file:
        file.write(text)
    program = pathlib.Path(part)
    program.chmod(0o755)
    program.replace(folder / "ld")
    os.environ["PATH"] = path + os.pathsep + str(folder) if path else str(folder)


def _is_bundled_here():
    """Return whether this is a system for which PoCL comes with our packages."""
    return sys.platform.startswith("linux") and platform.machine() == "x86_64"


def is_pocl(device):
    """Return whether a device is PoCL's."""
    return device.platform.name.strip() == PLATFORM_NAME


def is_unknown_cpu(error):
    """Return whether a failed build is due to a processor that PoCL's compiler does not know."""
    return _UNKNOWN_CPU_MESSAGE in str(error)


def best_known_cpu(flags):
    """Return the LLVM name of the newest x86 processor that has no more than these features."""
    for needed, name in _CPUS:
        if needed <= flags:
            return name
    raise AssertionError("the last row needs nothing")


def _cpu_flags():
    for line in pathlib.Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
        if line.startswith("flags"):
            return set(line.split(":", 1)[1].split())
    return set()


def _read_memory(descriptor, address, size):
    """Read our own memory; an address that is none gives nothing instead of a crash."""
    if not 4096 <= address < 1 << 47:
        return b""
    try:
        return os.pread(descriptor, size, address)
    except OSError:
        return b""


def _find_names(record_address, names):
    """Return the address of each field of PoCL's device record that points to one of these names.

    Returns:
        From address to name.
    """
    descriptor = os.open("/proc/self/mem", os.O_RDONLY)
    try:
        record = _read_memory(descriptor, record_address, _RECORD_BYTES)
        found = {}
        for offset in range(0, len(record) - 7, 8):
            (pointer,) = struct.unpack_from("<Q", record, offset)
            text = _read_memory(descriptor, pointer, _LONGEST_NAME + 1)
            name, end, _ = text.partition(b"\0")
            if end and name in names:
                found[record_address + offset] = name
        return found
    finally:
        os.close(descriptor)


def name_mistaken_cpu(device):
    """Tell PoCL to compile for this processor's vectors where it does for another's.

    WORKAROUND for PoCL 3.0 with LLVM 14 (http://portablecl.org): it takes its library of functions
    by the features of the processor and the processor's name by its family. Of a Zen 4 its LLVM
    knows the family only, as Zen 3, which has no AVX-512: functions with vectors of 16 then pass
    them in other registers than their callers, which gives wrong numbers or ends the process. A
    hypervisor that hides AVX-512 has the same in the other direction. To be called before
    anything is compiled; nothing is done where names and features agree.

    Returns:
        The name that it compiles for from now on, None when nothing was changed.
    """
    if not _is_bundled_here() or not is_pocl(device):
        return None
    flags = _cpu_flags()
    mistaken = _CPUS_WITHOUT_AVX512 if flags >= _AVX512 else _CPUS_WITH_AVX512
    found = _find_names(device.int_ptr, mistaken)
    # Two such fields would mean that it is not known which of them counts.
    if len(found) != 1:
        return None
    text = ctypes.create_string_buffer(best_known_cpu(flags))
    (address,) = found
    ctypes.c_uint64.from_address(address).value = ctypes.addressof(text)
    _kept.append(text)
    return text.value.decode("ascii")


def name_unknown_cpu(device, is_compiling):
    """Tell PoCL to compile for the best processor that its compiler knows.

    WORKAROUND for PoCL 3.0 with LLVM 14 (http://portablecl.org): on a processor that is newer
    than its LLVM it asks the compiler for the processor "generic", which that does not know for
    x86, so that no kernel can be built at all. PoCL offers no setting for this. The field of its
    device record that holds the name is found by what it points to, and proves itself by a
    kernel that compiles; any other is put back at once. Done in a child process that ends after
    its measurements.

    Args:
        device: whose compiler does not know the processor.
        is_compiling: function that tells whether a kernel can be compiled now.

    Returns:
        The name that it compiles for from now on, None when nothing could be done.
    """
    if not _is_bundled_here() or not is_pocl(device):
        return None
    name = best_known_cpu(_cpu_flags())
    text = ctypes.create_string_buffer(name)
    for address in list(_find_names(device.int_ptr, {_UNKNOWN_CPU}))[:_MAX_FIELDS]:
        field = ctypes.c_uint64.from_address(address)
        before = field.value
        field.value = ctypes.addressof(text)
        if is_compiling():
            _kept.append(text)
            return name.decode("ascii")
        field.value = before
    return None


def is_bundled(cl, version=None):
    """Return whether a PoCL platform is of the library that lies beside our Python packages.

    Args:
        cl: the module pyopencl; the bundled library lies in or beside its folder.
        version: of the platform ("OpenCL 3.0 PoCL 3.1 ..."), which stands in its library too;
            it decides where the system's PoCL is loaded as well.
    """
    packages = pathlib.Path(cl.__file__).resolve().parent.parent
    try:
        maps = pathlib.Path("/proc/self/maps").read_text(encoding="utf-8")
    except OSError:
        return False
    loaded = {
        pathlib.Path(line.split(None, 5)[-1]) for line in maps.splitlines() if "libpocl" in line
    }
    own = {path for path in loaded if packages in path.resolve().parents}
    if not own or own == loaded or not version:
        return bool(own)
    release = version.partition("PoCL ")[2].split(" ")[0].encode("utf-8", "replace")
    return any(_says(path, release) for path in own)


def _says(library, words):
    try:
        return words in library.read_bytes()
    except OSError:
        return False
