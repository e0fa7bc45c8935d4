"""Addresses are counted without being known."""

import pickle

from advisor.share.collector.limiter import WINDOW_S, Limiter


class Clock:
    now = 1000.0

    def __call__(self):
        return self.now


def test_each_address_has_its_own_count_until_the_window_ends():
    clock = Clock()
    limiter = Limiter(2, clock=clock)
    assert [limiter.wait_s("203.0.113.7") for _ in range(2)] == [None, None]
    clock.now += 600
    assert limiter.wait_s("203.0.113.7") == WINDOW_S - 600
    assert limiter.wait_s("203.0.113.8") is None
    clock.now += WINDOW_S - 600
    assert limiter.wait_s("203.0.113.7") is None


def test_of_ipv6_the_network_counts():
    limiter = Limiter(1, clock=Clock())
    assert limiter.wait_s("2001:db8:1:2::1") is None
    assert limiter.wait_s("2001:db8:1:2::ffff") is not None
    assert limiter.wait_s("2001:db8:1:3::1") is None


def test_no_limit_counts_nothing():
    limiter = Limiter(0, clock=Clock())
    assert all(limiter.wait_s("203.0.113.7") is None for _ in range(100))
    assert limiter._counts == {}


def test_no_address_is_kept_and_the_salt_is_thrown_away():
    clock = Clock()
    limiter = Limiter(5, clock=clock)
    limiter.wait_s("203.0.113.7")
    limiter.wait_s("not an address")
    kept = pickle.dumps((limiter._counts, limiter._salt))
    assert b"203.0.113.7" not in kept
    assert bytes([203, 0, 113, 7]) not in kept
    before, names = limiter._salt, set(limiter._counts)
    clock.now += WINDOW_S
    limiter.wait_s("203.0.113.7")
    assert limiter._salt != before
    assert not names & set(limiter._counts)
