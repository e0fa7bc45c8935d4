"""One OpenCL device with its queue: programs, buffers within its limits, what it is called.

Leaves to others: running and timing (`opencl_work`), what is computed (`opencl_*` of each kernel).
"""

import contextlib
import pathlib
import re
import warnings

import numpy as np
import opencl_cache
import opencl_choices
import opencl_fastest
import opencl_pocl
import worker_errors

_KERNELS = pathlib.Path(__file__).resolve().parent / "kernels"
_INCLUDED = re.compile(r'^#include "(\w+\.cl)"$', re.MULTILINE)
# Part of the device's memory that one kernel may take: others use it too.
_MEMORY_SHARE = 0.6
# What is handed over together should not keep a device longer: displays freeze, drivers reset it.
MAX_SUBMISSION_S = 0.1
# Kernels count elements in 32 bits.
_MAX_ELEMENTS = (1 << 31) - 1
_SELF_TEST = "__kernel void self_test(__global float *a) { a[0] = 1.0f; }"


def dtype_of(precision):
    """Return the NumPy type of a precision that OpenCL has."""
    return {"float32": np.float32, "float16": np.float16}[precision]


def find_device(cl, device_id, device_name=None, platform_name=None, is_driver_alone=False):
    """Return the device with an id "opencl:<platform>:<device>".

    Args:
        cl: the module pyopencl.
        device_id: indices as in the list of devices.
        device_name: what the device must be called, None for anything.
        platform_name: what its platform must be called, None for anything. Two platforms may have
            a device of the same name.
        is_driver_alone: whether its driver alone is loaded: the platform is found by its name, its
            place in the list is another.

    Raises:
        UnsupportedKernel: when there is no such device, or it is another one.
    """
    try:
        _, platform_index, device_index = device_id.split(":")
        platforms = cl.get_platforms()
        if is_driver_alone:
            platforms = [p for p in platforms if p.name.strip() == (platform_name or "").strip()]
            platform_index = 0
        device = platforms[int(platform_index)].get_devices()[int(device_index)]
    except (cl.Error, IndexError) as error:
        raise worker_errors.UnsupportedKernel(
            "there is no OpenCL device {} ({})".format(device_id, error)
        ) from error
    for what, found, wanted in (
        ("device", device.name, device_name),
        ("platform of", device.platform.name, platform_name),
    ):
        if wanted is not None and found.strip() != wanted.strip():
            raise worker_errors.UnsupportedKernel(
                "the OpenCL {} {} is now {!r}, not {!r}".format(
                    what, device_id, found.strip(), wanted.strip()
                )
            )
    return device


def _text_of(name):
    """Return a file of `kernels` with what it includes: drivers know no folder of ours."""
    text = (_KERNELS / name).read_text(encoding="utf-8")
    return _INCLUDED.sub(lambda found: _text_of(found.group(1)), text)


class OpenclDevice:
    """A device, ready to compile and run. Programs are compiled once for each set of macros.

    Args:
        cl: the module pyopencl.
        device: as pyopencl gives it.
        known_choices: what was chosen in an earlier run (`opencl_choices.Choices`).
        folder: where compiled programs are kept, None for nowhere.
    """

    def __init__(self, cl, device, known_choices=None, folder=None):
        self.cl = cl
        self.device = device
        if opencl_pocl.is_pocl(device):
            opencl_pocl.provide_linker()
            opencl_pocl.name_mistaken_cpu(device)
        self.context = cl.Context([device])
        self.queue = cl.CommandQueue(self.context)
        self.is_cpu = bool(device.type & cl.device_type.CPU)
        self.units = max(1, device.max_compute_units)
        self.max_group = max(1, device.max_work_group_size)
        self.max_items = tuple(device.max_work_item_sizes)
        self.local_bytes = int(device.local_mem_size)
        self.global_bytes = int(device.global_mem_size)
        self.max_alloc_bytes = int(device.max_mem_alloc_size)
        self.cache_bytes = int(device.global_mem_cache_size)
        extensions = device.extensions.split()
        self.has_half = "cl_khr_fp16" in extensions
        self.bytes_in_use = 0
        self.choices = opencl_choices.Choices(known_choices)
        self.patience = opencl_fastest.Patience()
        self._pending_s = 0.0
        self._programs = {}
        # PoCL keeps what it compiles by itself, for each size of groups.
        self._binaries = opencl_cache.Binaries(
            None if opencl_pocl.is_pocl(device) else folder,
            (device.platform.name, device.platform.version, device.name, device.driver_version),
        )
        self._check_compiler()

    @property
    def vector_width(self):
        """Values of float32 in the device's own vectors, 1 for scalar devices."""
        return max(1, self.device.native_vector_width_float)

    def note_submission(self, seconds):
        """Count what was submitted; hand it over when together it takes long enough."""
        self._pending_s += seconds
        if self._pending_s >= MAX_SUBMISSION_S:
            self.queue.flush()
            self._pending_s = 0.0

    def _check_compiler(self):
        error = self._compiler_error()
        if error is None:
            return
        if opencl_pocl.is_unknown_cpu(error) and opencl_pocl.name_unknown_cpu(
            self.device, lambda: self._compiler_error() is None
        ):
            return
        raise worker_errors.UnsupportedKernel(
            "the OpenCL compiler of {} does not work: {}".format(
                self.device.name.strip(), _last_line(error)
            )
        ) from error

    def _compiler_error(self):
        try:
            self._compile(_SELF_TEST, "")
        except self.cl.Error as error:
            return error
        return None

    def _compile(self, source, options):
        with warnings.catch_warnings():
            # What the compiler had to say about kernels that it compiled.
            warnings.simplefilter("ignore")
            return self.cl.Program(self.context, source).build(options, cache_dir=False)

    def _program(self, source):
        """Return a program, as it was compiled in an earlier run where that is kept."""
        options, binary = "-cl-mad-enable", self._binaries.find(source)
        if binary is not None:
            try:
                kept = self.cl.Program(self.context, [self.device], [binary])
                return kept.build(options)
            except self.cl.Error:
                pass  # compiled once more, and kept instead
        program = self._compile(source, options)
        with contextlib.suppress(self.cl.Error):
            self._binaries.keep(source, program.get_info(self.cl.program_info.BINARIES)[0])
        return program

    def kernel(self, file, name, **macros):
        """Return a kernel object of its own.

        Args:
            file: name of the file in `kernels`, without ending.
            name: of the kernel.
            macros: for the compiler; None leaves one undefined.
        """
        # In the text, not as options: drivers differ in what they accept in those.
        definitions = "".join(
            "#define {} {}\n".format(macro, value)
            for macro, value in sorted(macros.items())
            if value is not None
        )
        key = (file, definitions)
        if key not in self._programs:
            self._programs[key] = self._program(definitions + _text_of(file + ".cl"))
        return self.cl.Kernel(self._programs[key], name)

    def numbers(self, precision):
        """Return the macros that say which numbers a kernel has in memory and in sums.

        Raises:
            UnsupportedKernel: when the device does not compute in the precision.
        """
        if precision == "float32":
            return {"REAL": "float", "ACC": "float", "MAD(a,b,c)": "((a)*(b)+(c))"}
        if precision != "float16":
            raise worker_errors.UnsupportedKernel("OpenCL has no arithmetic in " + precision)
        if not self.has_half:
            raise worker_errors.UnsupportedKernel(
                "the device has no arithmetic in float16 (cl_khr_fp16)"
            )
        return {"REAL": "half", "ACC": "float", "USE_HALF": 1, "MAD(a,b,c)": "((a)*(b)+(c))"}

    def largest_buffer(self):
        """Return how many bytes the next buffer may have."""
        total = int(self.global_bytes * _MEMORY_SHARE)
        return max(0, min(self.max_alloc_bytes, total - self.bytes_in_use))

    def require(self, count, precision):
        """Check that a buffer can have so many values.

        Raises:
            UnsupportedKernel: when it cannot.
        """
        size_bytes = count * np.dtype(dtype_of(precision)).itemsize
        if count > _MAX_ELEMENTS or size_bytes > self.largest_buffer():
            raise worker_errors.UnsupportedKernel(
                "it needs a buffer of {:.0f} MB, the device allows {:.0f} MB now".format(
                    size_bytes / 1e6, min(self.largest_buffer(), 4 * _MAX_ELEMENTS) / 1e6
                )
            )


def _last_line(error):
    """Return what a compiler complained about, without what pyopencl puts around it."""
    lines = [line.strip() for line in str(error).splitlines() if "error:" in line]
    return lines[0] if lines else str(error).splitlines()[0]


class Workspace:
    """The buffers of one kernel, given back together."""

    def __init__(self, device):
        self._device = device
        self._buffers = []
        self._bytes = 0

    def _allocate(self, size_bytes, host=None):
        device, flags = self._device, self._device.cl.mem_flags
        if size_bytes > device.largest_buffer():
            raise worker_errors.UnsupportedKernel(
                "it needs a buffer of {:.0f} MB, the device allows {:.0f} MB now".format(
                    size_bytes / 1e6, device.largest_buffer() / 1e6
                )
            )
        if host is None:
            buffer = device.cl.Buffer(device.context, flags.READ_WRITE, size_bytes)
        else:
            buffer = device.cl.Buffer(
                device.context, flags.READ_WRITE | flags.COPY_HOST_PTR, hostbuf=host
            )
        self._buffers.append(buffer)
        self._bytes += size_bytes
        device.bytes_in_use += size_bytes
        return buffer

    def _filled(self, count, value):
        if count > _MAX_ELEMENTS:
            raise worker_errors.UnsupportedKernel("it needs {} values at once".format(count))
        size = max(1, count) * value.itemsize
        buffer = self._allocate(size)
        self._device.cl.enqueue_fill_buffer(self._device.queue, buffer, value, 0, size)
        return buffer

    def empty(self, count, dtype):
        """Return a buffer for `count` results: not numbers (the least integer) until written.

        Memory that is used again may hold the right result of an earlier kernel.
        """
        is_whole = np.issubdtype(dtype, np.integer)
        return self._filled(count, np.full(1, np.iinfo(dtype).min if is_whole else np.nan, dtype))

    def zeros(self, count, dtype):
        """Return a buffer of `count` zeros."""
        return self._filled(count, np.zeros(1, dtype))

    def upload(self, host):
        """Return a buffer with a copy of a host array."""
        host = np.ascontiguousarray(host)
        if host.size > _MAX_ELEMENTS:
            raise worker_errors.UnsupportedKernel("it needs {} values at once".format(host.size))
        return self._allocate(host.nbytes, host)

    def random(self, seed, count, dtype):
        """Return a buffer of `random_values`, filled on the device."""
        if count > _MAX_ELEMENTS:
            raise worker_errors.UnsupportedKernel("it needs {} values at once".format(count))
        buffer = self._allocate(max(1, count) * np.dtype(dtype).itemsize)
        block = _random_block(seed, count, dtype)
        cl, queue = self._device.cl, self._device.queue
        cl.enqueue_copy(queue, buffer, block)
        done, total = block.nbytes, count * block.itemsize
        while done < total:
            # A copy must not overlap itself; whole blocks keep the sequence in step.
            size = min(done, total - done)
            cl.enqueue_copy(queue, buffer, buffer, byte_count=size, src_offset=0, dst_offset=done)
            done += size
        return buffer

    def read(self, buffer, first, count, dtype):
        """Return `count` values from index `first` of a buffer."""
        host = np.empty(count, dtype)
        offset = first * host.itemsize
        self._device.cl.enqueue_copy(self._device.queue, host, buffer, src_offset=offset)
        return host

    def release(self):
        """Give the buffers back."""
        for buffer in self._buffers:
            buffer.release()
        self._device.bytes_in_use -= self._bytes
        self._buffers = []
        self._bytes = 0


# Length of the sequence that large arrays repeat: a prime, so that no row equals another.
_RANDOM_LENGTH = 1000003


def _random_block(seed, count, dtype):
    generator = np.random.default_rng(seed)
    values = generator.random(min(count, _RANDOM_LENGTH), dtype=np.float32)
    return (values * np.float32(2.0) - np.float32(1.0)).astype(dtype)


def random_values(seed, count, dtype):
    """Return `count` reproducible pseudo-random values from -1 to 1; long arrays repeat."""
    return np.resize(_random_block(seed, count, dtype), count)


def random_slice(seed, count, dtype, first, n):
    """Return `n` values of `random_values` from index `first`, without the others."""
    block = _random_block(seed, count, dtype)
    return block[np.arange(first, first + n) % block.size]
