"""States of the main job for the tests of the pages."""

import pytest

from tests.ui.advice_values import a_first_guess, a_request, an_advice, results
from ui.presenters.advise import AdviseState, Stage


def _states():
    guess, advice = a_first_guess(), an_advice()
    measuring = AdviseState(
        stage=Stage.MEASURING, profile=advice.profile, recommendation=guess, is_provisional=True,
        running=a_request(1), results=results(4), n_total=12,
    )  # fmt: skip
    return {
        "empty": AdviseState(),
        "probing": AdviseState(stage=Stage.PROBING),
        "found": AdviseState(stage=Stage.PROBING, profile=advice.profile),
        "measuring": measuring,
        "cancelling": AdviseState(
            stage=Stage.CANCELLING, recommendation=guess, is_provisional=True, n_total=12
        ),
        "done": AdviseState(
            stage=Stage.DONE, profile=advice.profile, recommendation=advice, results=results(12)
        ),
        "cancelled": AdviseState(stage=Stage.CANCELLED, recommendation=guess, is_provisional=True),
        "last": AdviseState(stage=Stage.LAST, profile=advice.profile, recommendation=advice),
        "failed": AdviseState(stage=Stage.FAILED, message="too large: take a smaller batch"),
        "broken": AdviseState(
            stage=Stage.FAILED, message="no space", recommendation=guess, is_provisional=True
        ),
    }


@pytest.fixture
def states():
    return _states()
