"""Small values for the tests of comparisons: one device, a few published rows."""

from advisor.knowledge.store import Knowledge
from advisor.model.kernel import Direction
from advisor.model.machine import CPU_DEVICE_ID, DeviceKind
from advisor.model.measurement import BenchmarkRequest, Measurement, Runner, SoftwareStack
from advisor.model.published import Comparability, PublishedResult, ResultPhase
from advisor.model.quantity import Precision

STACK = SoftwareStack(
    framework="keras", framework_version="3.15.1", backend="tensorflow", backend_version="2.21.0"
)


def a_row(number=1, **changes):
    values = {
        "id": f"row-{number}",
        "study": "a-study",
        "year": 2018,
        "phase": ResultPhase.KERNEL,
        "workload": "gemm m1024 n1024 k1024 NN",
        "batch_size": None,
        "precision": Precision.FLOAT32,
        "framework": "CUDA",
        "framework_version": "10",
        "backend": "cuBLAS",
        "build": None,
        "device": f"Device {number}",
        "device_kind": DeviceKind.DGPU,
        "threads": None,
        "n_devices": 1,
        "metric": "rate",
        "value": 1e12 * number,
        "unit": "flop/s",
        "parameters": None,
        "multiply_adds_per_sample": None,
        "comparability": Comparability.COMPARABLE,
        "source": "somewhere",
        "note": None,
    }
    return PublishedResult(**{**values, **changes})


def facts(*rows, **tables):
    return Knowledge(published=tuple(rows), **tables)


def timed(shape, seconds=(0.01, 0.01, 0.02), *, device_id=CPU_DEVICE_ID, **changes):
    values = {
        "id": "kernel",
        "role": "headline",
        "runner": Runner.KERAS,
        "device_id": device_id,
        "shape": shape,
        "direction": Direction.FORWARD,
        "precision": Precision.FLOAT32,
        **changes,
    }
    return Measurement(
        request=BenchmarkRequest(**values), stack=STACK, warmups_s=(1.0,), values_s=seconds,
        loops=1, check="compared",
    )  # fmt: skip
