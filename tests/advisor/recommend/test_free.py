import pytest

from advisor.i18n import translator_for
from advisor.model.offer import FreeTier
from advisor.model.option import OptionKind
from advisor.model.recommendation import Hint, ReasonCode
from advisor.recommend.free import free_limits, without_slow
from advisor.recommend.reasons import reason
from advisor.report.reasons import reason_text
from tests.advisor.recommend.builders import an_option
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
    (found,) = free_limits(
        "notebooks", hours=hours, most_hours=hours, tiers=[tier(), tier(option_id="other")]
    )
    assert words in reason_text(found, translator_for("en"))


@pytest.mark.parametrize(("most_hours", "is_told"), [(11.9, False), (30.0, True)])
def test_a_job_that_may_outlast_a_session_is_told_to_be_saved(most_hours, is_told):
    (found,) = free_limits("notebooks", hours=8.0, most_hours=most_hours, tiers=[tier()])
    text = reason_text(found, translator_for("en"))
    assert "8 h on a T4 fit in one" in text
    assert ("1 d 6 h at the upper end do not: save checkpoints" in text) == is_told


def test_what_nobody_has_read_is_not_told():
    assert not free_limits("notebooks", hours=1.0, most_hours=1.0, tiers=[tier(session_hours=None)])
    (found,) = free_limits(
        "notebooks", hours=100.0, most_hours=100.0, tiers=[tier(hours_a_week=None)]
    )
    assert "week" not in reason_text(found, translator_for("en"))


def test_each_free_service_that_is_an_option_has_its_limits():
    knowledge = bundled_knowledge()
    options = {o.id for o in knowledge.options if o.kind is OptionKind.FREE_TIER}
    limited = {t.option_id for t in knowledge.free_tiers if t.session_hours is not None}
    assert options
    assert options == limited


def free_hint(code, *, hours=1.0, factor_x=2.0):
    option = an_option("notebooks", OptionKind.FREE_TIER)
    return Hint(option=option, reasons=(reason(code, factor_x=factor_x, hours=hours),), steps=())


def test_a_free_service_that_is_no_gain_is_refused_with_the_reason():
    gain, loss = (
        free_hint(code) for code in (ReasonCode.FASTER_THAN_NOW, ReasonCode.SLOWER_THAN_NOW)
    )
    other = Hint(option=an_option("other"), reasons=loss.reasons, steps=())
    kept, (refused,) = without_slow([gain, loss, other], local_s=[])
    assert kept == (gain, other)
    assert (refused.option_id, refused.reasons) == ("notebooks", loss.reasons)


@pytest.mark.parametrize(("factor_x", "is_kept"), [(0.97, False), (1.04, False), (1.1, True)])
def test_a_free_service_that_is_about_as_fast_as_now_is_no_hint(factor_x, is_kept):
    hint = free_hint(ReasonCode.FASTER_THAN_NOW, factor_x=factor_x)
    kept, refused = without_slow([hint], local_s=[])
    assert kept == ((hint,) if is_kept else ())
    texts = [reason_text(each.reasons[0], translator_for("en")) for each in refused]
    assert all("no difference to speak of" in text for text in texts)


@pytest.mark.parametrize(("local_s", "is_kept"), [([3500.0], True), ([9e3, 1800.0], False)])
def test_a_device_of_this_machine_that_is_sooner_goes_before_a_free_service(local_s, is_kept):
    hint = free_hint(ReasonCode.FASTER_THAN_NOW)
    kept, refused = without_slow([hint], local_s=local_s)
    assert kept == ((hint,) if is_kept else ())
    texts = [reason_text(each.reasons[0], translator_for("en")) for each in refused]
    assert all("a device of this machine does the job sooner" in text for text in texts)


def test_a_service_whose_time_is_not_known_stays():
    hint = Hint(
        option=an_option("notebooks", OptionKind.FREE_TIER),
        reasons=(reason(ReasonCode.NO_FIGURE),),
        steps=(),
    )
    assert without_slow([hint], local_s=[1.0]) == ((hint,), ())
