"""Only groups of enough different uploads are published, and no figure in two of them."""

import dataclasses
from array import array

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.share.collector.aggregates import Figures, aggregates_of
from advisor.share.collector.series import Series
from advisor.share.collector.store import bin_of, value_of

SERIES = Series(
    device="AMD Ryzen 5 5600G", device_kind="cpu", kernel="stream triad", direction="forward",
    precision="float32", unit="B/s", framework="numpy", framework_version="2.4", backend=None,
    threads=None, system="linux", device_threads=12,
)  # fmt: skip


def figures(pairs=(), merged=None):
    made = Figures(merged=merged or {})
    for upload, value in pairs:
        made.uploads.append(upload)
        made.values.append(value)
    return made


def test_the_median_and_the_middle_half():
    (group,) = aggregates_of({SERIES: figures(enumerate([5.0, 1, 2, 3, 4]))}, least=5)
    assert (group.n, group.low, group.median, group.high) == (5, 2.0, 3.0, 4.0)
    assert not group.is_general


def test_four_are_not_published():
    assert aggregates_of({SERIES: figures(enumerate([1.0] * 4))}, least=5) == ()


def test_several_figures_of_few_uploads_are_not_many_uploads():
    """One machine that was timed with eight thread counts is still one machine."""
    groups = {
        dataclasses.replace(SERIES, threads=t): figures([(1, 1.0), (2, 2.0)]) for t in range(1, 9)
    }
    assert aggregates_of(groups, least=5) == ()


def test_small_series_are_published_together_without_what_they_differ_in():
    groups = {
        dataclasses.replace(SERIES, framework_version=v, threads=4): figures(
            [(10 * i + j, 1.0) for j in range(3)]
        )
        for i, v in enumerate(("2.3", "2.4"))
    }
    (group,) = aggregates_of(groups, least=5)
    assert (group.n, group.is_general) == (6, True)
    assert (group.series.framework_version, group.series.threads) == (None, 4)


def test_old_figures_of_several_series_may_be_of_one_upload():
    merged = {bin_of(1.0): 3}
    groups = {
        dataclasses.replace(SERIES, threads=t): figures(merged=dict(merged)) for t in (1, 2, 3)
    }
    assert aggregates_of(groups, least=5) == ()


@given(
    st.lists(
        st.lists(st.tuples(st.integers(0, 30), st.floats(1.0, 1e12)), max_size=12), max_size=8
    ),
    st.integers(5, 9),
)
def test_every_group_hides_its_members_and_no_figure_is_in_two(lists, least):
    groups = {
        dataclasses.replace(SERIES, threads=number + 1): figures(dict(pairs).items())
        for number, pairs in enumerate(lists)
    }
    found = aggregates_of(groups, least=least)
    assert all(group.n >= least and group.low <= group.median <= group.high for group in found)
    assert sum(group.is_general for group in found) <= 1
    in_fine = {group.series.threads for group in found if not group.is_general}
    rest = [g for s, g in groups.items() if s.threads not in in_fine]
    general = [group for group in found if group.is_general]
    if general:
        assert general[0].n == len({u for g in rest for u in g.uploads})


@given(st.floats(1e-6, 1e15))
def test_a_bin_is_one_per_cent_wide(value):
    assert value_of(bin_of(value)) == pytest.approx(value, rel=0.0051)


def test_figures_take_little_room():
    assert isinstance(Figures().values, array)
