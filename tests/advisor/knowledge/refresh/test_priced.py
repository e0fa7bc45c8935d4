"""Prices that can be true."""

from advisor.knowledge.refresh.priced import possible, spot_below


def test_possible_prices():
    assert [possible(x) for x in (0.0, -1.0, 1e-6, 999.99, 1000.0, float("nan"))] == [
        False, False, True, True, False, False,
    ]  # fmt: skip


def test_spot_below():
    assert spot_below(0.4, 1.0) == 0.4
    assert spot_below(1.0, 1.0) is None
    assert spot_below(0.9999, 1.0) is None
    assert spot_below(0.4, None) == 0.4
    assert spot_below(None, 1.0) is None
