"""The charts go by the time that the order goes by: with the user's own work and waiting."""

from advisor.i18n import translator_for
from advisor.model.option import OptionKind
from advisor.report.advice_charts import money_chart, time_chart
from tests.ui.advice_values import a_ranked, an_advice

TR = translator_for("en")
HOUR = 3600.0


def an_advice_of(*ranked):
    return an_advice(ranked=ranked)


def rented(**changes):
    values = {"hours": 0.2, "usd": 1.0, "done_s": 3.0 * HOUR, **changes}
    return a_ranked(2, "Rented", kind=OptionKind.CLOUD, **values)


STAY = a_ranked(1, "Stay", kind=OptionKind.STAY, hours=2.0, usd=0.0, done_s=2.0 * HOUR)
BOUGHT = a_ranked(3, "Bought", kind=OptionKind.BUY, hours=1.0, usd=9.0, done_s=1.5 * HOUR)


def test_a_bar_ends_where_the_result_is_there_and_says_so():
    chart = time_chart(an_advice_of(STAY, rented()), TR)
    stay, rent = chart.bars
    assert (stay.mid, rent.mid) == (2.0 * HOUR, 3.0 * HOUR)
    computing = rented().prediction.total_s
    assert rent.high - rent.low == computing.high - computing.low
    assert rent.text == "3 h, 1.00 USD"
    assert chart.axis == "done in: with your own work and waiting"


def test_a_file_from_before_shows_the_time_of_computing_under_its_name():
    chart = time_chart(an_advice_of(rented(done_s=None)), TR)
    assert [bar.mid for bar in chart.bars] == [0.2 * HOUR]
    assert chart.axis == "time of the whole job"


def test_options_far_apart_are_on_a_log_scale_and_the_axis_says_that():
    chart = time_chart(an_advice_of(STAY, rented(hours=100.0, done_s=100.0 * HOUR)), TR)
    assert chart.is_log
    assert chart.axis.endswith(", log scale")


def test_money_stands_against_the_same_time():
    (chart,) = money_chart(an_advice_of(STAY, rented(), BOUGHT), TR)
    assert [point.x for point in chart.points] == [2.0, 3.0, 1.5]
    assert chart.x_axis == "hours until done, your own work and waiting counted"
    assert list(money_chart(an_advice_of(STAY, BOUGHT), TR)) == []
    assert list(money_chart(an_advice_of(STAY, rented(usd=0.0), STAY), TR)) == []
