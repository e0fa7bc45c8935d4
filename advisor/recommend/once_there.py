"""What helps further once a job runs on a GPU of this machine: rows of the table for such GPUs.

On the processor, where the work runs now, they do nothing; so they are no options of their own.
Leaves to others: how to get there (`advisor.recommend.devices`).
"""

import dataclasses
from collections.abc import Iterable, Iterator, Mapping

from advisor.model.option import Advice, Option, OptionFact
from advisor.model.published import GpuFamily
from advisor.model.recommendation import Step
from advisor.recommend.circumstances import RUNS_ON_NOW, Circumstances
from advisor.recommend.requirements import check, matching_gpus
from advisor.recommend.steps import steps_for

# What refuses a row only because the work has not moved yet.
_NOT_YET = f"runs_on:{RUNS_ON_NOW.value}"
_URL = "url"


def steps_once_there(
    gpu_id: str,
    *,
    given: Circumstances,
    families: Mapping[str, GpuFamily],
    facts: Iterable[OptionFact],
) -> Iterator[Step]:
    """Yield a sentence and the commands of each row that helps on a GPU.

    Args:
        gpu_id: of the machine.
        given: the machine and the job.
        families: family of each GPU by its id.
        facts: the options table.
    """
    for fact in facts:
        if _NOT_YET not in fact.excluded_when or fact.advice is Advice.AVOID:
            continue
        moved = dataclasses.replace(
            fact, excluded_when=tuple(text for text in fact.excluded_when if text != _NOT_YET)
        )
        gpus = matching_gpus(moved, given=given, families=families)
        if gpu_id not in {gpu.id for gpu in gpus}:
            continue
        if check(moved, given=given, families=families).refusals:
            continue
        option = Option(id=moved.id, title=moved.title, kind=moved.kind, fact=moved)
        yield Step(kind="text", caption="Once it runs there", content=moved.title)
        for step in steps_for(option, profile=given.profile, hours=0.0):
            if step.kind != _URL:
                yield step
