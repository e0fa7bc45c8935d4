"""What an option costs, in words."""

from advisor.i18n import translator_for
from advisor.model.prediction import Cost
from advisor.model.quantity import Interval
from advisor.report.money import money_text, short_money

TR, ZH = translator_for("en"), translator_for("zh_CN")
NOTHING = Interval(low=0.0, mid=0.0, high=0.0)


def text(total, *missing, tr=TR):
    return money_text(Cost(total_usd=total, parts=(), missing=missing), tr)


def test_nothing_is_called_nothing_only_where_all_is_counted():
    assert text(NOTHING) == "no cost"
    assert text(NOTHING, "price of electricity") == "no cost but the price of electricity"
    assert text(NOTHING, "price of electricity", tr=ZH) == "除电价外免费"


def test_an_amount_is_an_interval_and_an_unknown_cost_says_why():
    assert text(Interval(low=1.0, mid=1.5, high=2.0)) == "1.50 USD (1.00 – 2.00)"
    unknown = text(None, "price of an hour", "price of electricity")
    assert unknown == "cost unknown (price of an hour, price of electricity)"


def test_the_short_form_does_not_call_what_is_not_counted_nothing():
    def short(total, *missing):
        return short_money(Cost(total_usd=total, parts=(), missing=missing))

    assert short(NOTHING) == "0.00 USD"
    assert short(NOTHING, "price of electricity") == "> 0 USD"
    assert short(Interval(low=1.0, mid=1.5, high=2.0), "price of electricity") == "1.50 USD"
    assert short(None, "price of an hour") == "–"
