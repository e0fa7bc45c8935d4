"""Candidates for the ranking, and the order it puts them in."""

from advisor.model.option import OptionKind
from advisor.model.recommendation import Objective, Preferences
from advisor.recommend.effort import Effort
from advisor.recommend.rank import (
    Candidate,
    rank,
)
from tests.advisor.recommend.builders import (
    a_cost,
    a_prediction,
    an_option,
    exactly,
)

NO_EFFORT = Effort(work_s=0.0, wait_s=0.0, basis="none")


def candidate(option_id, *, hours, usd, kind=OptionKind.CLOUD, effort=NO_EFFORT, redone_h=0.0):
    return Candidate(
        option=an_option(option_id, kind),
        prediction=a_prediction(option_id, hours=hours),
        cost=a_cost(usd),
        effort=effort,
        redone_s=exactly(redone_h * 3600.0),
    )


def after_work(option_id, *, hours, usd, work_h, kind):
    effort = Effort(work_s=work_h * 3600.0, wait_s=0.0, basis="work")
    return candidate(option_id, hours=hours, usd=usd, kind=kind, effort=effort)


def order(candidates, objective=Objective.BALANCED, **limits):
    preferences = Preferences(objective=objective, **limits)
    ranking = rank(candidates, preferences=preferences)
    return [placed.candidate.option.id for placed in ranking.placed]
