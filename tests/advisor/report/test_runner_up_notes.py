"""Notes on runners-up: each says its own, what is shared is said once."""

import dataclasses

from advisor.i18n import translator_for
from advisor.model.recommendation import Preferences, RankedOption, ReasonCode
from advisor.recommend.reasons import reason
from advisor.report.runner_up_notes import runner_up_notes
from tests.advisor.recommend.builders import a_cost, a_prediction, an_option, exactly

TR = translator_for("en")


def row(rank, *reasons):
    return RankedOption(
        option=an_option(f"option {rank}"),
        rank=rank,
        prediction=a_prediction(),
        cost=a_cost(1.0),
        speedup=exactly(1.0),
        score=0.0,
        score_parts=(),
        reasons=reasons,
        steps=(),
        is_pareto=False,
    )


@dataclasses.dataclass(frozen=True)
class Advice:
    """What the notes read of a recommendation."""

    ranked: tuple[RankedOption, ...]
    preferences: Preferences = dataclasses.field(default_factory=Preferences)


def notes(*rows):
    return list(runner_up_notes(Advice(ranked=rows), TR))


WORK = reason(ReasonCode.WORK_MINUTES, minutes=30.0, basis="account")


def test_what_three_share_is_said_once_for_their_places():
    rows = [row(1), *(row(n, WORK) for n in (2, 3, 4, 6)), row(5)]
    rows.sort(key=lambda entry: entry.rank)
    assert notes(*rows) == ["Of nos. 2-4, 6: About 30 minutes of your work: account."]


def test_what_all_of_one_place_share_is_said_of_that_place():
    found = notes(row(1), row(2, WORK), row(2, WORK), row(2, WORK))
    assert found == ["Of no. 2: About 30 minutes of your work: account."]


def test_what_two_share_stands_with_each():
    found = notes(row(1), row(2, WORK), row(3, WORK))
    assert [note[:12] for note in found] == ["2. option 2:", "3. option 3:"]


def test_slower_with_a_factor_needs_no_dominated():
    slower = reason(ReasonCode.SLOWER_THAN_FIRST, factor_x=2.0)
    dominated = reason(ReasonCode.DOMINATED, option="the first")
    (note,) = notes(row(1), row(2, dominated, slower))
    assert note == "2. option 2: With all work and waiting 2× the time of the first."
    (note,) = notes(row(1), row(2, dominated))
    assert "the first is faster and cheaper" in note


def test_no_sentence_stands_in_the_notes_three_times():
    factor = [reason(ReasonCode.SLOWER_THAN_FIRST, factor_x=float(n)) for n in range(9)]
    found = notes(row(1), *(row(n, WORK, factor[n]) for n in range(2, 9)))
    assert sum("About 30 minutes" in note for note in found) == 1


def test_the_first_has_no_note():
    assert notes(row(1, WORK)) == []
