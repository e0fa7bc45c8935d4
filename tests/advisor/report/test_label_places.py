"""Names of points cover neither each other nor a point, and stay inside the chart."""

import itertools
import random

import pytest

from advisor.report.label_places import Box, find_place

AREA = Box(left=0.0, bottom=0.0, right=200.0, top=100.0)


def place(x, y, *, width=40.0, taken=()):
    return find_place(x, y, width=width, height=7.0, gap=5.0, taken=taken, area=AREA)


def dot(x, y):
    return Box(left=x - 3.0, bottom=y - 3.0, right=x + 3.0, top=y + 3.0)


def test_a_name_stands_to_the_right_of_its_point_first():
    found = place(50.0, 50.0, taken=[dot(50.0, 50.0)])
    assert (found.left, found.bottom) == (55.0, 46.5)


def test_at_the_right_edge_it_stands_to_the_left():
    assert place(190.0, 50.0).right == 185.0


def test_a_point_beside_it_sends_it_above():
    found = place(100.0, 50.0, taken=[dot(110.0, 50.0), dot(90.0, 50.0)])
    assert found.bottom == 55.0


def test_where_nothing_is_free_there_is_no_place():
    assert place(50.0, 50.0, taken=[AREA]) is None
    assert place(50.0, 50.0, width=300.0) is None


@pytest.mark.parametrize("seed", range(5))
def test_no_two_of_many_cover_each_other(seed):
    draw = random.Random(seed)
    points = [(draw.uniform(0, 200), draw.uniform(0, 100)) for _ in range(30)]
    taken = [dot(*point) for point in points]
    named = []
    for point in points:
        found = place(*point, width=draw.uniform(5, 60), taken=taken)
        if found is not None:
            taken.append(found)
            named.append(found)
    assert len(named) > 5
    assert all(AREA.holds(each) for each in named)
    assert not any(a.covers(b) for a, b in itertools.combinations(named, 2))
    assert not any(name.covers(dot(*point)) for name in named for point in points)
