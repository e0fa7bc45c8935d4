"""Whether the framework that the work is written in runs on a GPU to buy or to rent.

The work is Keras on TensorFlow (`advisor.recommend.circumstances`). A card that only another
framework reaches is no way to do the same training faster, and is not offered for it. Inference
leaves the framework anyway, by an exported network.
Leaves to others: GPUs of this machine (`advisor.recommend.devices`).
"""

import re

from advisor.knowledge.graphics import find_gpu_family
from advisor.knowledge.store import Knowledge
from advisor.model.machine import OsFamily
from advisor.model.published import GpuFamily
from advisor.model.quantity import Phase
from advisor.recommend.devices import names_tensorflow, support_of

# As the families' routes name it; of a rented machine today's wheel, which its commands install.
_TODAYS_TENSORFLOW = re.compile(r"\b(?:TF|TensorFlow|Keras)\b(?! up to)", re.IGNORECASE)
# How the routes name the last version with code for older cards.
_CUDA_12 = "CUDA 12"


def runs_now_on(name: str, *, system: OsFamily, phase: Phase, knowledge: Knowledge) -> bool | None:
    """Return whether a GPU officially does this user's kind of job; None: its family is unknown."""
    family = find_gpu_family(knowledge, pci_vendor_id=None, pci_device_id=None, name=name)
    if family is None:
        return None
    support = support_of(family, system=system, phase=phase)
    if support.level != "official":
        return False
    if phase is Phase.INFERENCE:
        return True
    return names_tensorflow(support.route)


def runs_when_rented(family: GpuFamily | None) -> bool:
    """Return whether today's TensorFlow runs on a GPU beside Linux; True: its family is unknown.

    Rented machines for inference run it too, so the route is that of training.
    """
    if family is None:
        return True
    support = support_of(family, system=OsFamily.LINUX, phase=Phase.TRAINING)
    return support.route is not None and _TODAYS_TENSORFLOW.search(support.route) is not None


def needs_cuda_12(family: GpuFamily | None) -> bool:
    """Return whether a GPU is too old for CUDA 13; False: its family is unknown."""
    if family is None:
        return False
    support = support_of(family, system=OsFamily.LINUX, phase=Phase.INFERENCE)
    return support.route is not None and _CUDA_12 in support.route
