"""Conditions of the options table: the small language of `OptionFact.excluded_when`.

An option is excluded when any one of its conditions is true. A condition is a flag, a name with
a value, or a comparison of a number of the machine or of the workload:

    flag                  container
    name:value            os:windows
    name:value|value      isa_lacks:avx512_bf16|amx_bf16     (see below for what "|" means)
    number<limit          n_physical_cores<4                 (operators < and >=)

Flags
    container             the machine is a container
    virtual_machine       the machine is a virtual machine
    no_cpu_limit          this process may use all logical CPUs (no quota, full affinity)
    no_gpu                no GPU on the bus
    no_igpu               no integrated GPU
    no_tensorflow         TensorFlow has no ready-made build for the machine
    onednn_by_default     TensorFlow takes oneDNN's kernels by itself (for the reader: so already)
    onednn_off_by_default TensorFlow has them and leaves them off on this processor
    onnx_file             the network is an ONNX file, which neither Keras nor TensorFlow reads
    short_format          the job is computed in a format shorter than float32 as it is
    has_served_card       a graphics card that is officially supported for the job is in the
                          machine, and the advice is about this machine: nobody said how much
                          they compute
    memory_fits           the workload fits the memory of the device that runs it now
    depends_on_code       whether it is so already, or whether the work runs under the framework
                          that the factor was measured against, stands in the user's code, which
                          nobody reads: the option is a hint and its factor is not ranked

Names; with several values the condition is true ...
    isa_has:a|b           ... when the CPU has any of these flags (Linux spelling)
    isa_lacks:a|b         ... when the CPU has none of them
    os:a|b                ... when the OS family is one of them: linux, windows, macos
    arch:a|b              ... when the processor architecture is one of them: x86_64, arm64, arm32
    cpu_vendor:a|b        ... when the CPU is from one of them: amd, intel, arm, apple, qualcomm
    gpu_vendor:a|b        ... when a GPU is from one of them: amd, intel, nvidia, apple, qualcomm,
                              broadcom, arm
    gpu_lacks:a|b         ... when no GPU is from any of them
    gpus_served:a|b       ... when GPUs from them are recognised and all of these are officially
                              supported for the job
    npu_lacks:a|b         ... when no NPU is from any of them: amd, intel, apple, qualcomm
    phase:a               ... when the job is this: training, inference
    precision:a|b         ... when the job is computed in one of them: float32, bfloat16, float16,
                              int8
    runs_on:a|b           ... when the work runs there now: cpu, igpu, dgpu
    network_has:a|b       ... when the network has an operator of any of these kinds
                              (`advisor.model.kernel.OperatorKind`), or convolutions in groups
                              of one channel and one result each: groups_of_one_channel,
                              or TimeDistributed around a dense layer: layer_over_time
    network_lacks:a|b     ... when the network has no operator of any of them
    framework_not_installed:a|b  ... when no environment has any of these distributions
    already_default:a|b   ... when the OS family is one of these (or the value is "any"): the
                              software does this by itself there, the effect was measured against
                              switching it off

Numbers
    n_physical_cores, n_numa_nodes, n_gpus, memory_gib, memory_channels     of the machine
    batch_size, epochs, parameters, input_elements                          of the workload
                              (input_elements: values of one sample)
    fresh_mebibytes           of the results of a step, those of more than 32 MiB each: their
                              memory is not kept (`advisor.predict.fresh`)

A fact that the profile lacks makes a condition unknown, not true: the option stays and the
missing fact is told. Leaves to others: deciding a condition (`advisor.recommend.requirements`).
"""

import re
from dataclasses import dataclass

from advisor.errors import FormatError
from advisor.model.kernel import OperatorKind
from advisor.model.quantity import Precision

_OS_FAMILIES = frozenset({"linux", "windows", "macos"})
_GPU_VENDORS = frozenset({"amd", "intel", "nvidia", "apple", "qualcomm", "broadcom", "arm"})
# A convolution that is written in groups though it is a depthwise one.
GROUPS_OF_ONE_CHANNEL = "groups_of_one_channel"
# A layer that Keras applies to one moment of a sequence after the other, and need not.
LAYER_OVER_TIME = "layer_over_time"
_OPERATOR_KINDS = frozenset(kind.value for kind in OperatorKind) | {
    GROUPS_OF_ONE_CHANNEL,
    LAYER_OVER_TIME,
}

FLAGS = frozenset(
    {
        "container",
        "virtual_machine",
        "no_cpu_limit",
        "no_gpu",
        "no_igpu",
        "no_tensorflow",
        "onednn_by_default",
        "onednn_off_by_default",
        "onnx_file",
        "short_format",
        "has_served_card",
        "memory_fits",
        "depends_on_code",
    }
)

# Name -> the values it may take; None: any word.
NAMES: dict[str, frozenset[str] | None] = {
    "isa_has": None,
    "isa_lacks": None,
    "os": _OS_FAMILIES,
    "arch": frozenset({"x86_64", "arm64", "arm32"}),
    "cpu_vendor": frozenset({"amd", "intel", "arm", "apple", "qualcomm"}),
    "gpu_vendor": _GPU_VENDORS,
    "gpu_lacks": _GPU_VENDORS,
    "gpus_served": _GPU_VENDORS,
    "npu_lacks": frozenset({"amd", "intel", "apple", "qualcomm"}),
    "phase": frozenset({"training", "inference"}),
    "precision": frozenset(precision.value for precision in Precision),
    "runs_on": frozenset({"cpu", "igpu", "dgpu"}),
    "network_has": _OPERATOR_KINDS,
    "network_lacks": _OPERATOR_KINDS,
    "framework_not_installed": None,
    "already_default": _OS_FAMILIES | {"any"},
}

NUMBERS = frozenset(
    {
        "n_physical_cores",
        "n_numa_nodes",
        "n_gpus",
        "memory_gib",
        "memory_channels",
        "batch_size",
        "epochs",
        "parameters",
        "input_elements",
        "fresh_mebibytes",
    }
)

_WORD = re.compile(r"[A-Za-z0-9][A-Za-z0-9_.-]*\Z")
_COMPARISON = re.compile(r"([a-z_]+)(<|>=)(\d+(?:\.\d+)?)\Z")


@dataclass(frozen=True, slots=True, kw_only=True)
class Condition:
    """A parsed condition.

    Attributes:
        name: a member of `FLAGS`, `NAMES` or `NUMBERS`.
        operator: "" for a flag, ":" for a name, "<" or ">=" for a number.
        values: words after ":", empty otherwise.
        limit: number after "<" or ">=", None otherwise.
    """

    name: str
    operator: str
    values: tuple[str, ...] = ()
    limit: float | None = None


def parse_condition(text: str) -> Condition:
    """Return the condition that a text stands for.

    Raises:
        FormatError: when it is no condition of this language.
    """
    if text in FLAGS:
        return Condition(name=text, operator="")
    comparison = _COMPARISON.match(text)
    if comparison is not None and comparison[1] in NUMBERS:
        return Condition(name=comparison[1], operator=comparison[2], limit=float(comparison[3]))
    name, separator, rest = text.partition(":")
    if not separator or name not in NAMES:
        raise FormatError(f"{text!r} is not a condition: unknown name or form")
    values = tuple(rest.split("|"))
    allowed = NAMES[name]
    for value in values:
        if not _WORD.match(value) or (allowed is not None and value not in allowed):
            raise FormatError(f"{text!r} is not a condition: {value!r} cannot follow {name}:")
    return Condition(name=name, operator=":", values=values)


def format_condition(condition: Condition) -> str:
    """Return the text that `parse_condition` reads as this condition."""
    if condition.operator == "":
        return condition.name
    if condition.operator == ":":
        return f"{condition.name}:{'|'.join(condition.values)}"
    return f"{condition.name}{condition.operator}{condition.limit:.15g}"
