"""Machines with figures of known height, and the verdict on them."""

import dataclasses
from pathlib import Path

from advisor.model.kernel import (
    Direction,
    GemmShape,
    StreamShape,
)
from advisor.model.machine import CPU_DEVICE_ID, DeviceKind, Memory, OpenclDevice, Power
from advisor.model.measurement import (
    BenchmarkRequest,
    Measurement,
    MeasurementSet,
    Runner,
    SoftwareStack,
)
from advisor.model.quantity import Precision
from advisor.normal.judge import judge_efficiency
from advisor.predict.work import bytes_moved, flop
from probes.machine.collect import collect_profile
from probes.machine.recording import RecordedReader
from tests.helpers.bundled import bundled_knowledge

MACHINES = Path(__file__).parents[2] / "data" / "machines"
KNOWLEDGE = bundled_knowledge()
GPU = "opencl:0:0"
GEMM = GemmShape(m=1024, n=1024, k=1024)
COPY = StreamShape(op="copy", elements=1 << 25)
READ = StreamShape(op="read", elements=1 << 25)
TRIAD = StreamShape(op="triad", elements=1 << 25)


def machine(name, *, opencl=(), **changes):
    reader = RecordedReader(MACHINES / name)
    profile = collect_profile(reader, today="2026-11-21", list_opencl=lambda: opencl)
    return dataclasses.replace(profile, **changes)


def desktop(brand, uarch, *, cores, threads=None, base=None, boost=None, **changes):
    """Return a desktop with nothing unusual about it."""
    profile = machine("a10-7850k")
    cpu = dataclasses.replace(
        profile.cpu, brand=brand, microarchitecture=uarch, n_physical_cores=cores,
        n_logical_cpus=threads or cores, usable_cpus=threads or cores, base_mhz=base,
        max_mhz=boost, isa_features=("avx", "avx2", "fma"),
    )  # fmt: skip
    memory = Memory(total_bytes=16 << 30, available_bytes=None, limit_bytes=None)
    power = Power(on_battery=None, governor="performance")
    changes = {"memory": memory, "power": power, "graphics": (), **changes}
    return dataclasses.replace(profile, cpu=cpu, **changes)


def device(name, **changes):
    values = {
        "id": GPU,
        "kind": DeviceKind.IGPU,
        "name": name,
        "vendor": "Advanced Micro Devices, Inc.",
        "platform": "AMD Accelerated Parallel Processing",
        "platform_version": "OpenCL 2.0 AMD-APP",
        "device_version": "OpenCL 1.2 AMD-APP",
        "driver_version": "1800.8",
        "compute_units": 8,
        "max_mhz": 720.0,
        "global_mem_bytes": 1 << 30,
        "max_alloc_bytes": 1 << 28,
        "local_mem_bytes": 1 << 15,
        "max_work_group_size": 256,
        "has_unified_memory": True,
        "has_fp16": False,
        "has_fp64": True,
        "is_bundled_driver": False,
    }
    return OpenclDevice(**{**values, **changes})


def timed(shape, rate, *, device_id=CPU_DEVICE_ID, runner=Runner.KERAS, **changes):
    """Return a measurement of `rate` flop/s or B/s; of `rate` seconds for a fixed cost."""
    forward = Direction.FORWARD
    work = flop(shape, direction=forward)
    if isinstance(shape, StreamShape):
        work = bytes_moved(shape, direction=forward, precision=Precision.FLOAT32)
    seconds = work / rate if work else rate
    stack = changes.pop("stack", SoftwareStack(
        framework=runner.value, framework_version=None, backend=None, backend_version=None
    ))  # fmt: skip
    request = BenchmarkRequest(**{
        "id": f"{runner}/{shape}", "role": "headline", "runner": runner, "device_id": device_id,
        "shape": shape, "direction": forward, "precision": Precision.FLOAT32, **changes,
    })  # fmt: skip
    return Measurement(
        request=request, stack=stack, warmups_s=(), values_s=(seconds,) * 3, loops=1, check="-"
    )


def opencl(shape, rate, **changes):
    return timed(shape, rate, device_id=GPU, runner=Runner.OPENCL, **changes)


def results(*measured, warnings=()):
    return MeasurementSet(
        measured_on="2026-11-21", duration_s=1.0, results=measured, warnings=warnings
    )


def judge(profile, *measured, warnings=()):
    return judge_efficiency(profile, results(*measured, warnings=warnings), KNOWLEDGE)


def one(profile, *measured, warnings=()):
    (row,) = judge(profile, *measured, warnings=warnings)
    return row


def details(row):
    return {detail.name: detail.value for detail in row.cause.details}


def ryzen(**changes):
    return desktop("AMD Ryzen 7 3700X 8-Core Processor", "zen2", cores=8, threads=16, **changes)
