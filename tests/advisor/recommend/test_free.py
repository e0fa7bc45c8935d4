import pytest

from advisor.i18n import translator_for
from advisor.model.offer import FreeTier
from advisor.model.option import OptionKind
from advisor.recommend.free import free_limits
from advisor.report.reasons import reason_text
from tests.helpers.bundled import bundled_knowledge


def tier(**changes):
    values = {
        "name": "Notebooks",
        "what": "T4",
        "limit": "30 h a week",
        "observed_on": "2026-03-01",
        "source": "s",
        "note": None,
        "option_id": "notebooks",
        "session_hours": 12.0,
        "hours_a_week": 30.0,
    }
    return FreeTier(**values | changes)


@pytest.mark.parametrize(
    ("hours", "words"),
    [
        (11.5, "(as of 2026-03-01): 11 h 30 min on a T4 fit in one"),
        (12.5, "12 h 30 min on a T4 take at least 2 sessions, with checkpoints"),
        (31, "a week has 30 h (as of 2026-03-01): 1 d 7 h on a T4 take at least 3 sessions in 2"),
    ],
)
def test_a_job_is_counted_in_sessions_and_weeks(hours, words):
    (found,) = free_limits("notebooks", hours=hours, tiers=[tier(), tier(option_id="other")])
    assert words in reason_text(found, translator_for("en"))


def test_what_nobody_has_read_is_not_told():
    assert not free_limits("notebooks", hours=1.0, tiers=[tier(session_hours=None)])
    (found,) = free_limits("notebooks", hours=100.0, tiers=[tier(hours_a_week=None)])
    assert "week" not in reason_text(found, translator_for("en"))


def test_each_free_service_that_is_an_option_has_its_limits():
    knowledge = bundled_knowledge()
    options = {o.id for o in knowledge.options if o.kind is OptionKind.FREE_TIER}
    limited = {t.option_id for t in knowledge.free_tiers if t.session_hours is not None}
    assert options
    assert options == limited
