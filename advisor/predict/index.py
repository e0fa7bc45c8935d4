"""What follows from the facts alone, whatever the machine and the job: derived once, passed down.

Leaves to others: the facts (`advisor.knowledge.store`), using them (`advisor.predict.context`).
"""

from dataclasses import dataclass
from types import MappingProxyType

from advisor.knowledge.cloud import CloudIndex, cloud_index
from advisor.knowledge.store import Knowledge
from advisor.model.quantity import Phase, Precision
from advisor.predict.anchors import Anchor, anchors_by_job
from advisor.predict.published import ThreadSweep, thread_sweeps

_FRAMEWORK = "TensorFlow"


@dataclass(frozen=True, slots=True, kw_only=True)
class KnowledgeIndex:
    """Derived facts of one `Knowledge`; make it with `knowledge_index`.

    Attributes:
        cloud: the cloud tables by key, the offers by machine.
        anchors: published factors of GPUs by phase and precision.
        sweeps: published sweeps over threads.
    """

    cloud: CloudIndex
    anchors: MappingProxyType[tuple[Phase, Precision], tuple[Anchor, ...]]
    sweeps: tuple[ThreadSweep, ...]


def knowledge_index(knowledge: Knowledge) -> KnowledgeIndex:
    """Return the index of a knowledge."""
    return KnowledgeIndex(
        cloud=cloud_index(knowledge),
        anchors=MappingProxyType(anchors_by_job(knowledge)),
        sweeps=thread_sweeps(knowledge, framework=_FRAMEWORK),
    )
