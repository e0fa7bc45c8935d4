"""Conditions of the options table in words: why an option does not apply here.

Leaves to others: the language (`advisor.knowledge.conditions`), deciding it
(`advisor.recommend.requirements`).
"""

from advisor.errors import FormatError
from advisor.i18n import N_, Translator
from advisor.knowledge.conditions import Condition, parse_condition

FLAG_TEXTS = {
    "container": N_("this is a container"),
    "virtual_machine": N_("this is a virtual machine"),
    "no_cpu_limit": N_("nothing limits the processors of this process"),
    "no_gpu": N_("there is no GPU"),
    "no_igpu": N_("there is no iGPU"),
    "no_tensorflow": N_("TensorFlow has no ready-made build for the machine"),
    "onednn_by_default": N_("TensorFlow takes oneDNN's kernels by itself"),
    "onednn_off_by_default": N_("TensorFlow leaves oneDNN's kernels off on this processor"),
    "onnx_file": N_("the network is an ONNX file, and TensorFlow reads none"),
    "short_format": N_("the job is computed in a short format as it is"),
    "has_served_card": N_(
        "a graphics card that the makers of frameworks support is in this machine"
    ),
    "memory_fits": N_("the job fits the memory"),
    "depends_on_code": N_("it depends on your code"),
}
NAME_TEXTS = {
    "isa_has": N_("the processor has {values}"),
    "isa_lacks": N_("the processor lacks {values}"),
    "os": N_("the system is {values}"),
    "arch": N_("the processor architecture is {values}"),
    "cpu_vendor": N_("the processor is from {values}"),
    "gpu_vendor": N_("the GPU is from {values}"),
    "gpu_lacks": N_("no GPU is from {values}"),
    "gpus_served": N_("the makers of frameworks support the GPU from {values}"),
    "npu_lacks": N_("no NPU is from {values}"),
    "phase": N_("the job is {values}"),
    "precision": N_("the job is computed in {values}"),
    "runs_on": N_("the work runs on the {values}"),
    "network_has": N_("the network has {values}"),
    "network_lacks": N_("the network has no {values}"),
    "framework_not_installed": N_("{values} is missing"),
    "already_default": N_("it is so already"),
}
# What is said of fewer than a limit, and of the limit or more.
NUMBER_TEXTS = {
    "n_physical_cores": (N_("fewer than {limit} cores"), N_("{limit} cores or more")),
    "n_numa_nodes": (N_("fewer than {limit} memory nodes"), N_("{limit} memory nodes or more")),
    "n_gpus": (N_("fewer than {limit} GPUs"), N_("{limit} GPUs or more")),
    "memory_gib": (
        N_("less than {limit} GiB of memory"),
        N_("{limit} GiB of memory or more"),
    ),
    "memory_channels": (
        N_("fewer than {limit} memory channels"),
        N_("{limit} memory channels or more"),
    ),
    "batch_size": (
        N_("fewer than {limit} samples in a batch"),
        N_("{limit} samples in a batch or more"),
    ),
    "epochs": (N_("fewer than {limit} epochs"), N_("{limit} epochs or more")),
    "parameters": (N_("fewer than {limit} parameters"), N_("{limit} parameters or more")),
    "input_elements": (
        N_("fewer than {limit} values in a sample"),
        N_("{limit} values in a sample or more"),
    ),
    "fresh_mebibytes": (
        N_("less than {limit} MiB of a step in results of more than 32 MiB each"),
        N_("{limit} MiB of a step or more in results of more than 32 MiB each"),
    ),
}


def condition_text(text: str, tr: Translator) -> str:
    """Return what a condition says, in words; text that is no condition as it stands."""
    try:
        condition = parse_condition(text)
    except FormatError:
        return text
    return _words(condition, tr)


def _words(condition: Condition, tr: Translator) -> str:
    if condition.operator == "":
        return tr(FLAG_TEXTS[condition.name])
    if condition.operator == ":":
        joined = tr(N_(" or ")).join(tr(value) for value in condition.values)
        return tr(NAME_TEXTS[condition.name], values=joined)
    fewer, or_more = NUMBER_TEXTS[condition.name]
    return tr(fewer if condition.operator == "<" else or_more, limit=f"{condition.limit:,.15g}")
