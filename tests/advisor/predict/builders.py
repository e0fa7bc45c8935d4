"""Small machines, networks and measurements for the tests of the predictions."""

from advisor.knowledge.store import Knowledge
from advisor.model.kernel import (
    ConvShape,
    Direction,
    ElementwiseShape,
    GemmShape,
    KernelShape,
    OptimizerShape,
    OverheadShape,
    StreamShape,
)
from advisor.model.machine import (
    CPU_DEVICE_ID,
    Cpu,
    DeviceKind,
    Load,
    MachineProfile,
    Memory,
    OpenclDevice,
    OperatingSystem,
    OsFamily,
    Power,
)
from advisor.model.measurement import (
    BenchmarkRequest,
    FailedMeasurement,
    Measurement,
    MeasurementSet,
    Outcome,
    Runner,
    Setting,
    SoftwareStack,
)
from advisor.model.offer import CpuPlatform, Offer
from advisor.model.published import (
    Comparability,
    CpuIsaRow,
    DeviceSpec,
    NetworkFacts,
    PublishedResult,
    ResultPhase,
)
from advisor.model.quantity import Phase, Precision
from advisor.model.workload import Operator, Workload
from advisor.predict.context import PredictionContext
from advisor.predict.work import bytes_moved, flop, kernel_calls
from tests.helpers.bundled import index_of

STACK = SoftwareStack(
    framework="keras", framework_version="3.15", backend="tensorflow", backend_version="2.21"
)


def profile(
    *,
    brand: str = "AMD Ryzen 7 Test",
    microarchitecture: str | None = "zen3",
    isa: tuple[str, ...] = ("avx", "avx2", "fma"),
    cores: int = 4,
    mhz: float | None = 4000.0,
    quota: float | None = None,
    memory: Memory | None = None,
    opencl: tuple[OpenclDevice, ...] = (),
) -> MachineProfile:
    return MachineProfile(
        collected_on="2026-11-21",
        os=OperatingSystem(
            family=OsFamily.LINUX, name="Debian", version="12", kernel=None,
            architecture="x86_64", hypervisor="", container="",
        ),
        cpu=Cpu(
            vendor="AMD", brand=brand, microarchitecture=microarchitecture, isa_features=isa,
            n_packages=1, n_physical_cores=cores, n_logical_cpus=cores, usable_cpus=None,
            quota_cpus=quota, base_mhz=mhz, max_mhz=None, caches=(), n_numa_nodes=1,
        ),
        memory=memory or Memory(total_bytes=16 << 30, available_bytes=None, limit_bytes=None),
        graphics=(), opencl=opencl, npus=(), environments=(),
        power=Power(on_battery=False, governor="performance"),
        load=Load(load_average_1m=0.0, busy_fraction=0.0, steal_fraction=0.0),
        missing=(),
    )  # fmt: skip


def opencl_device(*, memory: int = 4 << 30) -> OpenclDevice:
    return OpenclDevice(
        id="opencl0", kind=DeviceKind.IGPU, name="Test iGPU", vendor="AMD", platform="Test",
        platform_version="3.0", device_version="3.0", driver_version="1", compute_units=8,
        max_mhz=720.0, global_mem_bytes=memory, max_alloc_bytes=memory // 4, local_mem_bytes=32768,
        max_work_group_size=256, has_unified_memory=True, has_fp16=False, has_fp64=False,
        is_bundled_driver=False,
    )  # fmt: skip


def measure(
    shape: KernelShape,
    seconds: float | tuple[float, ...],
    *,
    direction: Direction = Direction.FORWARD,
    precision: Precision = Precision.FLOAT32,
    runner: Runner = Runner.KERAS,
    device_id: str = CPU_DEVICE_ID,
    role: str = "calibration",
    settings: tuple[Setting, ...] = (),
    threads: int | None = None,
) -> Measurement:
    values = seconds if isinstance(seconds, tuple) else (seconds,) * 5
    request = BenchmarkRequest(
        id=f"{runner.value}/{type(shape).__name__}/{direction.value}/{precision.value}",
        role=role, runner=runner, device_id=device_id, shape=shape, direction=direction,
        precision=precision, threads=threads, settings=settings,
    )  # fmt: skip
    return Measurement(
        request=request, stack=STACK, warmups_s=(1.0,), values_s=values, loops=1, check="compared"
    )


def failed(shape: KernelShape) -> FailedMeasurement:
    request = measure(shape, 1.0).request
    return FailedMeasurement(request=request, outcome=Outcome.CRASHED, message="gone")


def measurement_set(*measurements: Measurement | FailedMeasurement) -> MeasurementSet:
    return MeasurementSet(measured_on="2026-11-21", duration_s=30.0, results=measurements)


def conv(n: int, c: int, side: int, k: int, *, kernel: int = 3, groups: int = 1) -> ConvShape:
    return ConvShape(
        n=n, c=c, spatial=(side, side), k=k, kernel=(kernel, kernel), strides=(1, 1),
        output=(side, side), dilation=(1, 1), groups=groups,
    )  # fmt: skip


def gemm(m: int, n: int, k: int) -> GemmShape:
    return GemmShape(m=m, n=n, k=k)


GRADIENTS = (Direction.FORWARD, Direction.INPUT_GRADIENT, Direction.WEIGHT_GRADIENT)

# A made-up device: 300 GFLOP/s, 20 GB/s, 5 us a call.
RATE = 300e9
BANDWIDTH = 20e9
DISPATCH_S = 5e-6


def _time(shape: KernelShape, direction: Direction, precision: Precision) -> float:
    work = flop(shape, direction=direction) / RATE
    moved = bytes_moved(shape, direction=direction, precision=precision) / BANDWIDTH
    return 1.5 * max(work, moved) + DISPATCH_S


def calibration(
    *, factor: float = 1.0, precision: Precision = Precision.FLOAT32
) -> tuple[Measurement, ...]:
    """Return a calibration of the made-up device, all times multiplied by a factor."""
    found = []
    for size in (64, 256, 1024):
        found += [
            measure(
                gemm(size, size, size), factor * _time(gemm(size, size, size), d, precision),
                direction=d, precision=precision,
            )
            for d in GRADIENTS
        ]  # fmt: skip
    for n, c, side, k in ((8, 16, 16, 32), (32, 64, 32, 64), (32, 3, 32, 32)):
        shape = conv(n, c, side, k)
        found += [
            measure(shape, factor * _time(shape, d, precision), direction=d, precision=precision)
            for d in GRADIENTS
        ]
    for elements in (4096, 262_144, 2_097_152):
        shape = ElementwiseShape(op="relu", elements=elements)
        found += [
            measure(shape, factor * _time(shape, d, precision), direction=d, precision=precision)
            for d in (Direction.FORWARD, Direction.BACKWARD)
        ]
    update = OptimizerShape(optimizer="sgd", parameters=1_000_000, variables=10)
    small = OptimizerShape(optimizer="sgd", parameters=1_000, variables=10)
    found += [
        measure(update, factor * 700e-6, direction=Direction.UPDATE),
        measure(small, factor * 30e-6, direction=Direction.UPDATE),
        measure(StreamShape(op="triad", elements=1 << 24), factor * 12 * (1 << 24) / BANDWIDTH,
                runner=Runner.STREAM),
    ]  # fmt: skip
    for kind, seconds in (("train_call", 500e-6), ("predict_call", 200e-6), ("dispatch", 5e-6)):
        found.append(measure(OverheadShape(kind=kind), factor * seconds))
    return tuple(found)


def operator(
    shape: KernelShape,
    *,
    inputs: tuple[int, ...] = (),
    parameters: int = 0,
    needs_input_gradient: bool = True,
) -> Operator:
    return Operator(
        layer="layer", layer_type=type(shape).__name__, shape=shape, inputs=inputs,
        parameters=parameters, variables=2 if parameters else 0, output_elements=1,
        needs_input_gradient=needs_input_gradient,
    )  # fmt: skip


def workload(
    *operators: Operator,
    network: str = "test-net",
    phase: Phase = Phase.TRAINING,
    batch: int = 32,
    samples: int = 320,
    epochs: int = 3,
    optimizer: str = "sgd",
    precision: Precision = Precision.FLOAT32,
    memory: int = 1 << 28,
) -> Workload:
    parameters = sum(op.parameters for op in operators)
    return Workload(
        network=network, title=network, phase=phase, batch_size=batch, precision=precision,
        samples=samples, epochs=epochs, optimizer=optimizer, operators=operators,
        parameters=parameters, trainable_parameters=parameters,
        variables=sum(op.variables for op in operators), multiply_adds_per_sample=1,
        input_elements_per_sample=1, memory_training_bytes=memory, memory_inference_bytes=memory,
    )  # fmt: skip


def small_cnn(batch: int = 32, *, network: str = "test-net", **job: object) -> Workload:
    """Return two convolutions with activations and a dense layer."""
    return workload(
        operator(conv(batch, 3, 32, 32), parameters=896, needs_input_gradient=False),
        operator(ElementwiseShape(op="relu", elements=batch * 32 * 32 * 32), inputs=(0,)),
        operator(conv(batch, 32, 32, 64), inputs=(1,), parameters=18_496),
        operator(ElementwiseShape(op="relu", elements=batch * 32 * 32 * 64), inputs=(2,)),
        operator(gemm(batch, 10, 65_536), inputs=(3,), parameters=655_370),
        network=network,
        batch=batch,
        **job,
    )


def isa_row(
    name: str, *, flop_per_cycle: float | None, names: tuple[str, ...] = (), years: str = "2020"
) -> CpuIsaRow:
    return CpuIsaRow(
        microarchitecture=name, vendor="AMD", years=years, examples="-", simd="AVX2+FMA",
        archspec_names=names, fp32_flop_per_cycle_per_core=flop_per_cycle,
        bf16_flop_per_cycle_per_core=None, int8_op_per_cycle_per_core=None, gcc_march=None,
        tensorflow_wheel_runs="yes", bf16_advice="avoid", int8_advice="-", note=None, source="-",
    )  # fmt: skip


def device(
    name: str,
    *,
    kind: DeviceKind = DeviceKind.DGPU,
    vendor: str = "NVIDIA",
    architecture: str | None = "Pascal",
    year: int | None = 2016,
    peak: float | None = 10e12,
    bandwidth: float | None = 500e9,
    memory: int | None = 8 << 30,
    cores: int | None = None,
    ghz: float | None = None,
    per_cycle: float | None = None,
) -> DeviceSpec:
    return DeviceSpec(
        device=name, kind=kind, vendor=vendor, architecture=architecture, year=year, cores=cores,
        threads=cores, base_ghz=ghz, boost_ghz=None, fp32_flop_per_cycle_per_core=per_cycle,
        peak_fp32_flop_per_s=peak, peak_fp16_flop_per_s=None, peak_bf16_flop_per_s=None,
        peak_int8_op_per_s=None, memory_bandwidth_byte_per_s=bandwidth, memory_bytes=memory,
        shares_system_memory=None, tdp_w=None, launch_price_usd=None, aliases=(), source="-",
        note=None,
    )  # fmt: skip


def published(
    *,
    workload: str = "test-net",
    device: str,
    value: float,
    metric: str = "step_time",
    unit: str = "s",
    kind: DeviceKind = DeviceKind.DGPU,
    phase: ResultPhase = ResultPhase.TRAINING,
    batch: int | None = 32,
    year: int | None = 2023,
    threads: int | None = None,
    multiply_adds: int | None = None,
    framework: str | None = "TensorFlow",
    build: str | None = None,
    backend: str | None = None,
    study: str = "study",
    n_devices: int | None = 1,
    comparability: Comparability = Comparability.COMPARABLE,
) -> PublishedResult:
    return PublishedResult(
        id=f"{study}-{device}-{workload}-{value}", study=study, year=year, phase=phase,
        workload=workload, batch_size=batch, precision=Precision.FLOAT32, framework=framework,
        framework_version=None, backend=backend, build=build, device=device, device_kind=kind,
        threads=threads, n_devices=n_devices, metric=metric, value=value, unit=unit,
        parameters=None, multiply_adds_per_sample=multiply_adds, comparability=comparability,
        source="a paper", note=None,
    )  # fmt: skip


def facts(name: str = "test-net", **changes: object) -> NetworkFacts:
    values: dict[str, object] = {
        "name": name, "title": name, "aliases": (), "family": "convolutional", "dataset": None,
        "samples": None, "classes": 10, "batch_size": 32, "epochs": 1, "optimizer": "sgd",
        "parameters": 1, "multiply_adds_per_sample": None, "source": "-", "note": None,
    }  # fmt: skip
    return NetworkFacts(**{**values, **changes})


def offer(
    instance_type: str = "c9.large",
    *,
    family: str | None = "c9",
    vcpus: float | None = 8.0,
    accelerator: str | None = None,
    accelerator_memory: int | None = None,
    n_accelerators: float | None = None,
    architecture: str | None = "x86_64",
    memory: int | None = 64 << 30,
    region: str = "somewhere",
) -> Offer:
    return Offer(
        vendor="cloud", instance_type=instance_type, region=region, family=family,
        architecture=architecture, vcpus=vcpus, memory_bytes=memory, accelerator=accelerator,
        n_accelerators=n_accelerators, accelerator_memory_bytes=accelerator_memory,
        usd_per_hour=1.0, spot_usd_per_hour=None, observed_on="2026-01-01", spot_observed_on=None,
        source="-", spot_source=None,
    )  # fmt: skip


def platform(*, family: str = "c9", ghz: float | None = 3.5, per_core: int = 2) -> CpuPlatform:
    return CpuPlatform(
        vendor="cloud", family=family, architecture="x86_64", cpu_models="EPYC Test",
        microarchitecture="zen3", vcpus_per_core=per_core, reported_ghz=ghz,
        isa_features=("avx", "avx2", "fma"), source="-", observed_on="2026-01-01", note=None,
    )  # fmt: skip


def knowledge(**tables: object) -> Knowledge:
    values: dict[str, object] = {
        "cpu_isa": (isa_row("Zen 3", flop_per_cycle=32.0, names=("zen3",)),),
        "cpu_platforms": (platform(),),
    }
    return Knowledge(**{**values, **tables})


def prediction_context(
    measurements: MeasurementSet | None = None,
    *,
    work: Workload | None = None,
    machine: MachineProfile | None = None,
    facts: Knowledge | None = None,
) -> PredictionContext:
    """Return what predictions rest on: the usual machine, network and facts, unless given."""
    machine, facts = machine or profile(), facts or knowledge()
    return PredictionContext(
        profile=machine,
        measurements=measurements,
        workload=work or small_cnn(),
        knowledge=facts,
        index=index_of(facts),
    )


def distinct_calls(work: Workload) -> int:
    """Return how many kernels the operators of a workload compute in a step."""
    phase, batch = work.phase, work.batch_size
    return sum(len(kernel_calls(op, phase=phase, batch_size=batch)) for op in work.operators)
