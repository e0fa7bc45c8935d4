"""What follows from the facts alone, whatever the machine and the job: derived once, passed down.

Leaves to others: the facts (`advisor.knowledge.store`), using them (`advisor.predict.context`).
"""

from dataclasses import dataclass, field

from advisor.knowledge.cloud import CloudIndex, cloud_index
from advisor.knowledge.store import Knowledge
from advisor.predict.answers import LastAnswers
from advisor.predict.nearby import AnchorTable
from advisor.predict.published import ThreadSweep, thread_sweeps
from advisor.predict.weights import anchor_table

_FRAMEWORK = "TensorFlow"


@dataclass(frozen=True, slots=True, kw_only=True)
class KnowledgeIndex:
    """Derived facts of one `Knowledge`; make it with `knowledge_index`.

    Attributes:
        cloud: the cloud tables by key, the offers by machine.
        anchors: published times of networks, as experiments that tell about other devices.
        sweeps: published sweeps over threads.
        answers: what the published times tell about a job; those of the last job are kept.
    """

    cloud: CloudIndex
    anchors: AnchorTable
    sweeps: tuple[ThreadSweep, ...]
    answers: LastAnswers = field(compare=False)


def knowledge_index(knowledge: Knowledge) -> KnowledgeIndex:
    """Return the index of a knowledge."""
    anchors = anchor_table(knowledge)
    return KnowledgeIndex(
        cloud=cloud_index(knowledge),
        anchors=anchors,
        answers=LastAnswers(anchors),
        sweeps=thread_sweeps(knowledge, framework=_FRAMEWORK),
    )
