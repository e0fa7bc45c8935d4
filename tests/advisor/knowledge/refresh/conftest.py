"""A server for each test, and no thread left behind by the code under test."""

import threading

import pytest

from tests.advisor.knowledge.refresh.servers import PriceServer


@pytest.fixture
def server():
    made = PriceServer()
    yield made
    made.close()


@pytest.fixture(autouse=True)
def no_watch_is_left():
    yield
    left = [thread.name for thread in threading.enumerate() if thread.name == "price-watch"]
    assert left == []
