"""How large kernels may be on a machine: by memory, caches and a careful guess at its speed.

Leaves to others: which kernels these are (`probes.bench.plan`).
"""

from collections.abc import Iterable

from advisor.model.kernel import GemmShape
from advisor.model.machine import MachineProfile

# Memory sweeps: at least so many times all caches, and no more of the free memory than this.
_CACHE_MULTIPLE = 4
_MEMORY_SHARE = 0.1
_LEAST_STREAM_ELEMENTS = 1 << 22
_MOST_STREAM_ELEMENTS = 1 << 28
_FLOAT_BYTES = 4
_STREAM_ARRAYS = 3
# Longest that one product of the headlines may take by a careful guess at the processor.
_LONGEST_GEMM_S = 0.4
# Longest that a product of a thorough run may take by the same guess, and its share of the memory.
_LONGEST_THOROUGH_S = 10.0
_PRODUCT_MEMORY_SHARE = 0.1


def stream_elements(profile: MachineProfile) -> int:
    """Return the length of the arrays for memory sweeps: out of all caches, within the memory."""
    wanted = _CACHE_MULTIPLE * last_level_bytes(profile) // _FLOAT_BYTES
    available = profile.memory.available_bytes or profile.memory.total_bytes
    if available is not None:
        affordable = int(available * _MEMORY_SHARE) // (_STREAM_ARRAYS * _FLOAT_BYTES)
        wanted = min(wanted, affordable)
    bounded = max(_LEAST_STREAM_ELEMENTS, min(wanted, _MOST_STREAM_ELEMENTS))
    # Free memory differs from run to run; the sweep is to be the same one.
    return 1 << (bounded.bit_length() - 1)


def last_level_bytes(profile: MachineProfile) -> int:
    """Return the size of all last-level caches together; 32 MiB when they are not known."""
    last = profile.cpu.last_cache
    if last is None:
        return 32 << 20
    shared_by = last.shared_by or profile.cpu.n_logical_cpus
    return last.size_bytes * max(1, profile.cpu.n_logical_cpus // shared_by)


def _careful_flop_per_s(profile: MachineProfile) -> float:
    """Return what the processor surely reaches; only the size of the products depends on it."""
    flags = set(profile.cpu.isa_features)
    per_cycle = 16.0 if "avx512f" in flags else 8.0 if "avx2" in flags else 2.0
    cores = profile.cpu.n_physical_cores or profile.cpu.n_logical_cpus
    usable = min(cores, profile.cpu.usable_cpus or cores, profile.cpu.quota_cpus or cores)
    ghz = (profile.cpu.max_mhz or profile.cpu.base_mhz or 2000.0) / 1000.0
    return usable * ghz * 1e9 * per_cycle


def gemm_sizes(profile: MachineProfile, sizes: Iterable[int]) -> tuple[int, ...]:
    """Return those sizes of square products that the processor surely computes soon."""
    rate = _careful_flop_per_s(profile)
    return tuple(size for size in sizes if size <= 512 or 2.0 * size**3 / rate <= _LONGEST_GEMM_S)


def is_affordable(shape: GemmShape, *, profile: MachineProfile) -> bool:
    """Return whether a product of a thorough run fits into memory and ends soon."""
    elements = shape.m * shape.k + shape.k * shape.n + shape.m * shape.n
    available = profile.memory.available_bytes or profile.memory.total_bytes
    if available is None or elements * _FLOAT_BYTES > available * _PRODUCT_MEMORY_SHARE:
        return False
    seconds = 2.0 * shape.m * shape.n * shape.k / _careful_flop_per_s(profile)
    return seconds <= _LONGEST_THOROUGH_S
