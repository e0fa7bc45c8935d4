"""What a job runs with on a rented machine: what pip installs there, and what is to be written.

A network in Keras runs in Keras on TensorFlow. One in an ONNX file runs in ONNX Runtime. To be
trained it is to be had in the framework that the file was exported from, most often PyTorch: ONNX
Runtime trains no more since 1.20 (PyPI: onnxruntime-training 1.19.2, looked at on 2026-11-29).
Leaves to others: the machine (`advisor.recommend.cloud_steps`, `advisor.recommend.skypilot`).
"""

from dataclasses import dataclass

from advisor.i18n import N_
from advisor.model.offer import Offer
from advisor.model.quantity import Phase
from advisor.model.recommendation import Step

_ARM = ("arm64", "aarch64")
# Stands for the user's own program.
_PROGRAMS = {Phase.TRAINING: "TRAIN.py", Phase.INFERENCE: "PREDICT.py"}
# The last with CUDA 12, which older cards need (PyPI: the extras of onnxruntime-gpu 1.26 and 1.27,
# looked at on 2026-11-29), and the last PyTorch whose usual wheel has code for all of them.
_ORT_OF_CUDA_12 = '"onnxruntime-gpu[cuda,cudnn]<1.27"'
_TORCH_OF_CUDA_12 = '"torch<2.8"'


@dataclass(frozen=True, slots=True, kw_only=True)
class RentedJob:
    """What a rented machine is to run.

    Attributes:
        phase: of the job.
        is_onnx: whether the network is an ONNX file, or becomes one by being quantised.
        needs_cuda_12: whether CUDA 13 has no code for the GPU of the machine.
    """

    phase: Phase = Phase.TRAINING
    is_onnx: bool = False
    needs_cuda_12: bool = False

    @property
    def program(self) -> str:
        """Name that stands for the user's program."""
        return _PROGRAMS[self.phase]


KERAS_TRAINING = RentedJob()


def is_arm(offer: Offer) -> bool:
    """Whether a machine has Arm's processors."""
    return offer.architecture in _ARM


def pip_packages(offer: Offer, job: RentedJob) -> str:
    """Return what pip installs on a machine, as a shell takes it."""
    has_gpu = offer.accelerator is not None and not is_arm(offer)
    if not job.is_onnx:
        return f"{_tensorflow(offer)} keras"
    if job.phase is Phase.TRAINING:
        return _TORCH_OF_CUDA_12 if has_gpu and job.needs_cuda_12 else "torch"
    if not has_gpu:
        return "onnxruntime"
    return _ORT_OF_CUDA_12 if job.needs_cuda_12 else '"onnxruntime-gpu[cuda,cudnn]"'


def _tensorflow(offer: Offer) -> str:
    if is_arm(offer):
        return "tensorflow"
    return "tensorflow-cpu" if offer.accelerator is None else '"tensorflow[and-cuda]"'


def program_steps(offer: Offer, job: RentedJob) -> tuple[Step, ...]:
    """Return what stands in the program; nothing for Keras, where the user's runs as it is."""
    if not job.is_onnx:
        return ()
    if job.phase is Phase.TRAINING:
        text = N_(
            "An ONNX file is made for inference: train the network in the framework that it was "
            "exported from, and export it again afterwards. The commands here bring PyTorch."
        )
        return (Step(kind="text", caption=N_("Training a network of an ONNX file"), content=text),)
    if offer.accelerator is None:
        lines = ['session = onnxruntime.InferenceSession("NETWORK.onnx")']
    else:
        # Without a word it computes on the processor where a library of the GPU is missing.
        lines = [
            "onnxruntime.preload_dlls()",
            'names = ["CUDAExecutionProvider", "CPUExecutionProvider"]',
            'session = onnxruntime.InferenceSession("NETWORK.onnx", providers=names)',
            "assert session.get_providers() == names",
        ]
    return (
        Step(
            kind="python",
            caption=N_("In the program: run the ONNX file"),
            content="\n".join(["import onnxruntime", *lines]),
        ),
    )
