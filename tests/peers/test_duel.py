"""Both sides run in turn, in swapped order; ratios are of each round."""

import pytest

from tests.peers.duel import PEAK, Contest, PeerFailed, PeerMissing, Row, run_contest


def contest(ours, theirs, **changes):
    values = {"device": "D", "peer": "P", "pairs": (("mine", "other", "GB/s"),), **changes}
    return Contest(ours=ours, theirs=theirs, **values)


def test_order_is_swapped_each_round():
    calls = []

    def side(name, figures):
        def measure():
            calls.append(name)
            return figures

        return measure

    rows = run_contest(
        contest(side("a", {"mine": 2.0}), side("b", {"other": 4.0}), peaks={"mine": 8.0}), rounds=3
    )
    assert calls == ["a", "b", "b", "a", "a", "b"]
    assert rows == (
        Row(device="D", thing="mine", peer="P other", unit="GB/s", ours=(2.0,) * 3,
            theirs=(4.0,) * 3, peaks=(8.0,) * 3),
    )  # fmt: skip
    assert rows[0].ratio == 0.5
    assert rows[0].share == 0.25


def test_a_bound_that_is_told_with_the_figures_is_that_of_its_round():
    rounds = iter([{"mine": 6.0, PEAK: 8.0}, {"mine": 5.0, PEAK: 10.0}, {"mine": 9.0, PEAK: 9.0}])
    (row,) = run_contest(contest(lambda: next(rounds), lambda: {"other": 1.0}), rounds=3)
    assert row.peaks == (8.0, 10.0, 9.0)
    assert row.share == 0.75


def test_a_bound_that_is_not_known_in_each_round_gives_no_share():
    rounds = iter([{"mine": 6.0, PEAK: 8.0}, {"mine": 5.0}])
    (row,) = run_contest(contest(lambda: next(rounds), lambda: {"other": 1.0}), rounds=2)
    assert row.share is None


def test_the_ratio_is_the_median_of_rounds_not_the_ratio_of_medians():
    row = Row(
        device="D", thing="x", peer="P", unit="GB/s", ours=(1.0, 10.0, 9.0), theirs=(2.0, 10.0, 3.0)
    )
    assert row.ratios == (0.5, 1.0, 3.0)
    assert row.ratio == 1.0
    assert row.as_json()["ours_median"] == 9.0


def test_a_peer_of_zero_gives_no_ratio():
    row = Row(device="D", thing="x", peer="P", unit="GB/s", ours=(1.0,), theirs=(0.0,))
    assert row.ratio is None


@pytest.mark.parametrize(
    ("ours", "theirs", "who"), [({}, {"other": 1.0}, "us"), ({"mine": 1.0}, {}, "P other")]
)
def test_an_absent_figure_is_told(ours, theirs, who):
    asked = contest(lambda: ours, lambda: theirs)
    assert run_contest(asked, rounds=1) == ()
    assert asked.notes == [f"D: no figure for mine by {who}"]


@pytest.mark.parametrize("error", [PeerMissing, PeerFailed])
def test_what_a_side_raises_is_passed_on(error):
    def theirs():
        raise error("why")

    with pytest.raises(error, match="why"):
        run_contest(contest(lambda: {"mine": 1.0}, theirs), rounds=1)
