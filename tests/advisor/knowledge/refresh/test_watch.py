"""The clock beside a transfer."""

import socket
import time

import pytest

from advisor.knowledge.refresh.watch import Watch

pytestmark = pytest.mark.alone


def test_a_blocked_reader_is_freed_at_the_deadline():
    left, right = socket.socketpair()
    with left, right, Watch(0.15, should_stop=lambda: False) as watch:
        watch.add(left)
        began = time.monotonic()
        assert left.recv(1) == b""
        assert 0.1 < time.monotonic() - began < 1.0
        assert watch.is_late
        assert not watch.is_cancelled


def test_a_blocked_reader_is_freed_when_the_user_stops():
    left, right = socket.socketpair()
    began = time.monotonic()
    with left, right, Watch(30, should_stop=lambda: time.monotonic() - began > 0.1) as watch:
        watch.add(left)
        assert left.recv(1) == b""
        assert watch.is_cancelled
        assert not watch.is_late


def test_a_connection_made_too_late_is_shut_at_once():
    left, right = socket.socketpair()
    with left, right, Watch(0.0, should_stop=lambda: False) as watch:
        watch.add(left)
        assert left.recv(1) == b""
        assert watch.left_s() == 0.0


def test_a_pause_ends_with_the_deadline():
    began = time.monotonic()
    with Watch(0.1, should_stop=lambda: False) as watch:
        watch.pause(30)
    assert time.monotonic() - began < 1.0
