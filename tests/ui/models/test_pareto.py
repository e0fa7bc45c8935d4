"""The chart of time and money: every priced option once, the front as a line, now apart."""

from advisor.model.option import OptionKind
from tests.ui.advice_values import a_ranked, an_advice
from ui.models.pareto import pareto_series


def test_every_priced_option_is_one_point(tr):
    advice = an_advice()
    series = pareto_series(advice, tr)
    points = [point for each in series if not each.is_line for point in each.points]
    priced = [row for row in advice.ranked if row.cost.total_usd is not None]
    assert len(points) == len(priced)
    titles = {point.label.split("\n")[0].partition(". ")[2] for point in points}
    assert titles == {row.option.title for row in priced}


def test_on_the_front_each_slower_option_is_cheaper(tr):
    advice = an_advice()
    (line,) = [series for series in pareto_series(advice, tr) if series.is_line]
    seconds, money = [p.x for p in line.points], [p.y for p in line.points]
    assert seconds == sorted(seconds)
    assert money == sorted(money, reverse=True)
    for row in advice.ranked:
        if row.cost.total_usd is not None:
            time, usd = row.prediction.total_s.mid, row.cost.total_usd.mid
            assert any(x <= time and y <= usd for x, y in zip(seconds, money, strict=True))


def test_the_front_is_that_of_the_recommendation(tr):
    """Computing time alone would put the rented one on it, and leave the setting's twin out."""
    hour = 3600.0
    advice = an_advice(
        ranked=(
            a_ranked(1, "A setting", hours=2.0, usd=0.0, done_s=2.0 * hour, is_pareto=True),
            a_ranked(2, "Rented", kind=OptionKind.CLOUD, hours=0.2, usd=1.0, done_s=3.0 * hour,
                     is_pareto=False),
            a_ranked(3, "Bought", kind=OptionKind.BUY, hours=1.0, usd=9.0, done_s=1.5 * hour,
                     is_pareto=True),
            a_ranked(4, "Its twin", hours=2.0, usd=0.0, done_s=2.0 * hour, is_pareto=True),
        )
    )  # fmt: skip
    series = {each.name: each for each in pareto_series(advice, tr)}
    on_front = [point.label.split("\n")[0] for point in series["on the front"].points]
    assert sorted(on_front) == ["1. A setting", "3. Bought", "4. Its twin"]
    (other,) = series["the other options"].points
    assert other.label == "2. Rented\n3 h · 1.00 USD"
    assert other.x == 3.0 * hour
    (line,) = [each for each in series.values() if each.is_line]
    assert [point.x for point in line.points] == [1.5 * hour, 2.0 * hour, 2.0 * hour]


def test_now_is_marked(tr):
    advice = an_advice()
    stays = [row for row in advice.ranked if row.option.kind is OptionKind.STAY]
    series = pareto_series(advice, tr)
    assert series[-1].name == "as it is now"
    assert len(series[-1].points) == len(stays) == 1


def test_without_options_nothing_is_drawn(tr):
    assert pareto_series(an_advice(ranked=()), tr) == ()
