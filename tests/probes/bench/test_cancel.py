"""Asking to stop."""

from probes.bench.cancel import CancelToken, followed_by


def test_asking_twice_is_asking_once():
    token = CancelToken()
    assert not token.is_cancelled
    token.cancel()
    token.cancel()
    assert token.is_cancelled
    assert not token.is_urgent


def test_whoever_follows_can_be_hurried_once():
    token = CancelToken()
    assert not token.hurry()
    with token.followed(), followed_by(token):
        assert token.hurry()
        assert token.is_urgent
        assert not token.hurry()
    assert not CancelToken().hurry()


def test_who_followed_and_went_is_not_hurried():
    token = CancelToken()
    with followed_by(None), followed_by(token):
        pass
    assert not token.hurry()
    assert not token.is_urgent
