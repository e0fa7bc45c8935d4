"""Why the runners-up lost, a line each; what is true of several of them is said once.

Leaves to others: the reasons (`advisor.recommend.explain`), their wording
(`advisor.report.reasons`).
"""

from collections.abc import Iterator, Sequence

from advisor.i18n import N_, Translator
from advisor.model.recommendation import RankedOption, Reason, ReasonCode, Recommendation
from advisor.report.reasons import clauses_text, reason_text
from advisor.report.said import said_title

# A reason of so many rows is said once for all of them.
_SHARED_BY = 3
_SHOWN_REASONS = 4
# Said by the columns of the table, or by the figures of the other reasons.
_IN_THE_TABLE = frozenset({ReasonCode.PRICE_UNKNOWN, ReasonCode.PUBLISHED_EFFECT})


def runner_up_notes(advice: Recommendation, tr: Translator) -> Iterator[str]:
    """Yield a sentence for each runner-up, then one for each reason that several share."""
    rows = advice.ranked[1:]
    texts = {row.option.id: _texts(row.reasons, tr) for row in rows}
    counts: dict[str, list[RankedOption]] = {}
    for row in rows:
        # Of a shared rank only what is true of all of it is said by its number.
        others = [texts[other.option.id] for other in rows if other.rank == row.rank]
        for text in texts[row.option.id]:
            if all(text in each for each in others):
                counts.setdefault(text, []).append(row)
    shared = {text: found for text, found in counts.items() if len(found) >= _SHARED_BY}
    for row in rows:
        told = {text for text, found in shared.items() if row in found}
        own = [text for text in texts[row.option.id] if text not in told][:_SHOWN_REASONS]
        if own:
            yield tr(
                N_("{rank}. {title}: {why}."),
                rank=row.rank,
                title=said_title(row.option.title, tr),
                why=clauses_text(own, tr),
            )
    for text, found in shared.items():
        places = _places(found, advice)
        of = N_("Of no. {places}: {text}.") if places.isdigit() else N_("Of nos. {places}: {text}.")
        yield tr(of, places=places, text=text)


def _texts(reasons: Sequence[Reason], tr: Translator) -> list[str]:
    codes = {reason.code for reason in reasons}
    said = set(_IN_THE_TABLE)
    if ReasonCode.SLOWER_THAN_FIRST in codes:
        said.add(ReasonCode.DOMINATED)
    return list(dict.fromkeys(reason_text(r, tr) for r in reasons if r.code not in said))


def _places(rows: Sequence[RankedOption], advice: Recommendation) -> str:
    """Return ranks as people write them: "2-5, 8"."""
    ranks = sorted({row.rank for row in rows})
    known = sorted({row.rank for row in advice.ranked})
    spans: list[list[int]] = []
    for rank in ranks:
        if spans and known.index(rank) == known.index(spans[-1][-1]) + 1:
            spans[-1].append(rank)
        else:
            spans.append([rank])
    return ", ".join(str(s[0]) if len(s) == 1 else f"{s[0]}-{s[-1]}" for s in spans)
