"""The report for the window holds every block, escaped, in the colours that it was given."""

import re

from advisor.model.report import BarChart, Point, Report, ScatterChart, Section
from advisor.report.html import Colours, render_html

COLOURS = Colours(
    muted="#111111", shade="#222222", best="#333333", now="#444444", avoid="#555555", none="#666666"
)


def widths(html):
    return [int(width) for width in re.findall(r'width="(\d+)"', html)]


def test_every_block_is_there(every_block):
    html = render_html(every_block, COLOURS)
    for part in ("Title", "Processor", "row 59", "A long table", "rented twin", "The footer"):
        assert part in html


def test_text_cannot_become_tags(every_block):
    html = render_html(every_block, COLOURS)
    assert "Lead &lt;not a tag&gt;" in html
    assert "quick &lt;b&gt;&amp; escaped&lt;/b&gt;" in html


def test_code_keeps_its_spaces_and_lines(every_block):
    assert "export A=1\nexport  B=2" in render_html(every_block, COLOURS)


def test_bars_have_the_colour_of_their_emphasis_and_the_longer_time_is_wider(every_block):
    html = render_html(every_block, COLOURS)
    assert COLOURS.now in html
    assert COLOURS.best in html
    now, best = widths(html)
    assert now > best > 0


def test_a_chart_without_values_is_left_out():
    chart = BarChart(title="Nothing", axis="s", bars=())
    report = Report(
        title="t", subtitle="", sections=(Section(title="x", blocks=(chart,)),), footer=""
    )
    html = render_html(report, COLOURS)
    assert "Nothing" not in html
    assert "<p" not in html


def test_columns_of_numbers_stand_right(every_block):
    assert '<td align="right">59</td>' in render_html(every_block, COLOURS)


def test_marked_points_have_a_star(every_block):
    html = render_html(every_block, COLOURS)
    assert html.count("★") == 1


def test_money_is_told_as_people_write_numbers():
    points = (Point(label="a card", x=123.4, y=1599.0),)
    chart = ScatterChart(title="Plane", x_axis="hours", y_axis="USD", points=points)
    report = Report(
        title="t", subtitle="", sections=(Section(title="x", blocks=(chart,)),), footer=""
    )
    assert '<td align="right">1599</td>' in render_html(report, COLOURS)
