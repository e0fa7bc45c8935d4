"""Which published figures are medians of others who have the very device of this machine.

Leaves to others: bringing such rows (`advisor.share.pull`), the words (`advisor.report`).
"""

import dataclasses
from collections.abc import Iterable

from advisor.knowledge.lookup import find_device
from advisor.knowledge.store import Knowledge
from advisor.model.comparison import ComparisonGroup
from advisor.share.community import COMMUNITY


def with_same_machine(
    groups: Iterable[ComparisonGroup], knowledge: Knowledge
) -> tuple[ComparisonGroup, ...]:
    """Return the groups with each median of others on the same product marked as such."""
    return tuple(_marked(group, knowledge) for group in groups)


def _marked(group: ComparisonGroup, knowledge: Knowledge) -> ComparisonGroup:
    if all(result.source.title != COMMUNITY for result in group.results):
        return group
    own = find_device(knowledge, group.device, kind=group.kind)
    if own is None:
        return group
    results = tuple(
        dataclasses.replace(
            result,
            is_same_machine=result.source.title == COMMUNITY
            and (result.device, result.kind) == (own.device, own.kind),
        )
        for result in group.results
    )
    return dataclasses.replace(group, results=results)
