"""Steps as they are read one after another: nothing is said twice in a row.

Leaves to others: where steps come from (`advisor.recommend.steps`), how they look.
"""

import dataclasses
from collections.abc import Iterable, Iterator

from advisor.model.recommendation import Step


def told_once(steps: Iterable[Step], *, title: str) -> Iterator[Step]:
    """Yield the steps; a caption that repeats the title or the step before is left out."""
    told = {title}
    for step in steps:
        is_told = step.caption in told
        told = {title, step.caption, step.content}
        yield dataclasses.replace(step, caption="") if is_told else step
