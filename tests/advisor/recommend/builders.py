"""Small values for the tests of the recommendation: a machine, a job, offers, predictions."""

import dataclasses

from advisor.model.kernel import ConvShape, GemmShape
from advisor.model.machine import (
    Cpu,
    DeviceKind,
    Environment,
    GraphicsDevice,
    InstalledFramework,
    Load,
    MachineProfile,
    Memory,
    OpenclDevice,
    OperatingSystem,
    OsFamily,
    Power,
)
from advisor.model.offer import Offer
from advisor.model.option import Advice, Option, OptionFact, OptionKind
from advisor.model.prediction import Cost, CostPart, Prediction
from advisor.model.published import DeviceSpec
from advisor.model.quantity import Basis, Interval, Phase, Precision
from advisor.model.workload import Operator, Workload

GIB = 1024**3
TODAY = "2026-11-21"


def exactly(value):
    return Interval(low=value, mid=value, high=value)


def about(value, *, factor=1.5):
    return Interval(low=value / factor, mid=value, high=value * factor)


def an_os(**changes):
    values = {
        "family": OsFamily.LINUX,
        "name": "Debian GNU/Linux",
        "version": "12",
        "kernel": "6.1.0",
        "architecture": "x86_64",
        "hypervisor": "",
        "container": "",
    }
    return OperatingSystem(**{**values, **changes})


def a_cpu(**changes):
    values = {
        "vendor": "AMD",
        "brand": "AMD A10-7850K APU with Radeon(TM) R7 Graphics",
        "microarchitecture": "steamroller",
        "isa_features": ("sse4_2", "avx", "fma", "fma4"),
        "n_packages": 1,
        "n_physical_cores": 4,
        "n_logical_cpus": 4,
        "usable_cpus": 4,
        "quota_cpus": None,
        "base_mhz": 3700.0,
        "max_mhz": 4000.0,
        "caches": (),
        "n_numa_nodes": 1,
    }
    return Cpu(**{**values, **changes})


def a_gpu(**changes):
    values = {
        "id": "gpu0",
        "kind": DeviceKind.IGPU,
        "vendor": "AMD",
        "name": "Kaveri [Radeon R7 Graphics]",
        "pci_vendor_id": "1002",
        "pci_device_id": "130f",
        "kernel_driver": "radeon",
        "carve_out_bytes": 1 * GIB,
        "shared_limit_bytes": None,
        "compute_units": 8,
        "max_mhz": 720.0,
    }
    return GraphicsDevice(**{**values, **changes})


def an_opencl(**changes):
    values = {
        "id": "opencl0",
        "kind": DeviceKind.IGPU,
        "name": "AMD Radeon R7 Graphics (radeonsi, kaveri)",
        "vendor": "AMD",
        "platform": "rusticl",
        "platform_version": "OpenCL 3.0",
        "device_version": "OpenCL 3.0",
        "driver_version": "24.2",
        "compute_units": 8,
        "max_mhz": 720.0,
        "global_mem_bytes": 4 * GIB,
        "max_alloc_bytes": 1 * GIB,
        "local_mem_bytes": 32768,
        "max_work_group_size": 256,
        "has_unified_memory": True,
        "has_fp16": False,
        "has_fp64": True,
        "is_bundled_driver": False,
    }
    return OpenclDevice(**{**values, **changes})


def an_environment(*frameworks):
    return Environment(
        python="/usr/bin/python3",
        version="3.11.2",
        kind="venv",
        frameworks=tuple(
            InstalledFramework(name=name, version=version) for name, version in frameworks
        ),
    )


def a_profile(**changes):
    values = {
        "collected_on": TODAY,
        "os": an_os(),
        "cpu": a_cpu(),
        "memory": Memory(total_bytes=16 * GIB, available_bytes=12 * GIB, limit_bytes=None),
        "graphics": (a_gpu(),),
        "opencl": (),
        "npus": (),
        "environments": (an_environment(("keras", "3.15.1"), ("tensorflow-cpu", "2.21.0")),),
        "power": Power(on_battery=False, governor="performance"),
        "load": Load(load_average_1m=0.1, busy_fraction=0.02, steal_fraction=0.0),
        "missing": (),
    }
    return MachineProfile(**{**values, **changes})


def a_workload(**changes):
    values = {
        "network": "cifar10_cnn",
        "title": "CIFAR-10 deep CNN",
        "phase": Phase.TRAINING,
        "batch_size": 32,
        "precision": Precision.FLOAT32,
        "samples": 50_000,
        "epochs": 20,
        "optimizer": "rmsprop",
        "operators": (),
        "parameters": 1_250_858,
        "trainable_parameters": 1_250_858,
        "variables": 12,
        "multiply_adds_per_sample": 20_000_000,
        "input_elements_per_sample": 3072,
        "memory_training_bytes": 200 * 1024**2,
        "memory_inference_bytes": 50 * 1024**2,
    }
    return Workload(**{**values, **changes})


def a_fact(**changes):
    values = {
        "id": "fact",
        "title": "A setting",
        "kind": OptionKind.RUNTIME_SETTINGS,
        "phases": ("training", "inference"),
        "systems": (),
        "isa_any": (),
        "gpu_vendor": None,
        "gpu_architectures": (),
        "min_versions": None,
        "excluded_when": (),
        "how": "export A=1",
        "environment": (),
        "effect_low": 1.2,
        "effect_high": 1.6,
        "effect_basis": "one machine",
        "effect_source": "here",
        "evidence_class": "measured-here",
        "risks": None,
        "is_reversible": True,
        "needs_root": False,
        "advice": Advice.RECOMMEND,
        "source": "https://example.org/a",
        "verified_version": None,
        "verified_on": "2026-11-21",
        "confidence": "high",
    }
    return OptionFact(**{**values, **changes})


def an_offer(**changes):
    values = {
        "vendor": "aws",
        "instance_type": "c7i.4xlarge",
        "region": "us-east-1",
        "family": "c7i",
        "architecture": "x86_64",
        "vcpus": 16.0,
        "memory_bytes": 32 * GIB,
        "accelerator": None,
        "n_accelerators": None,
        "accelerator_memory_bytes": None,
        "usd_per_hour": 0.714,
        "spot_usd_per_hour": 0.25,
        "observed_on": "2026-07-20",
        "spot_observed_on": "2026-07-01",
        "source": "karpenter-aws",
        "spot_source": "advisor",
    }
    return Offer(**{**values, **changes})


def a_gpu_offer(**changes):
    values = {
        "instance_type": "g4dn.xlarge",
        "family": "g4dn",
        "vcpus": 4.0,
        "memory_bytes": 16 * GIB,
        "accelerator": "T4",
        "n_accelerators": 1.0,
        "accelerator_memory_bytes": 16 * GIB,
        "usd_per_hour": 0.526,
        "spot_usd_per_hour": 0.21,
    }
    return an_offer(**{**values, **changes})


def a_spec(**changes):
    values = {
        "device": "NVIDIA GeForce RTX 3060 12 GB",
        "kind": DeviceKind.DGPU,
        "vendor": "NVIDIA",
        "architecture": "Ampere",
        "year": 2021,
        "cores": 28,
        "threads": None,
        "base_ghz": 1.32,
        "boost_ghz": 1.78,
        "fp32_flop_per_cycle_per_core": 256.0,
        "peak_fp32_flop_per_s": 12.74e12,
        "peak_fp16_flop_per_s": 51e12,
        "peak_bf16_flop_per_s": None,
        "peak_int8_op_per_s": None,
        "memory_bandwidth_byte_per_s": 360e9,
        "memory_bytes": 12 * GIB,
        "shares_system_memory": False,
        "tdp_w": 170.0,
        "launch_price_usd": 329.0,
        "aliases": (),
        "source": "a table",
        "note": None,
    }
    return DeviceSpec(**{**values, **changes})


def an_option(option_id="stay", kind=OptionKind.STAY, **changes):
    values = {"id": option_id, "title": option_id, "kind": kind}
    return Option(**{**values, **changes})


def a_cloud_option(offer=None, *, is_spot=False):
    offer = offer or an_offer()
    form = "spot" if is_spot else "on-demand"
    return an_option(
        f"cloud:{offer.vendor}:{offer.instance_type}:{offer.region}:{form}",
        OptionKind.CLOUD,
        offer=offer,
        is_spot=is_spot,
    )


def a_prediction(option_id="stay", *, hours=1.0, epochs=20, steps=1563, **changes):
    total = about(hours * 3600.0)
    values = {
        "option_id": option_id,
        "step_s": total.scaled(1.0 / (epochs * steps)),
        "epoch_s": total.scaled(1.0 / epochs),
        "total_s": total,
        "basis": Basis.SCALED_FROM_MEASUREMENT,
        "evidence": (),
        "assumptions": (),
    }
    return Prediction(**{**values, **changes})


def a_cost(usd):
    if usd is None:
        return Cost(total_usd=None, parts=(), missing=("price of the device",))
    part = CostPart(code="compute", usd=exactly(usd), explanation="")
    return Cost(total_usd=exactly(usd), parts=(part,), missing=())


def replace(value, **changes):
    return dataclasses.replace(value, **changes)


def an_operator(shape):
    return Operator(
        layer="l", layer_type="L", shape=shape, inputs=(), parameters=1, variables=1,
        output_elements=1,
    )  # fmt: skip


CONVOLUTION = an_operator(
    ConvShape(
        n=1,
        c=3,
        spatial=(8, 8),
        k=4,
        kernel=(3, 3),
        strides=(1, 1),
        output=(8, 8),
        dilation=(1, 1),
    )
)
GEMM = an_operator(GemmShape(m=2, n=2, k=2))
