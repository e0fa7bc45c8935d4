"""A server for each test, and no thread left behind by the code under test."""

import threading

import pytest

from tests.advisor.knowledge.refresh.refreshing import GOOD, VMS
from tests.advisor.knowledge.refresh.servers import PriceServer, answer, aws_offers, spot_advisor


@pytest.fixture
def server():
    made = PriceServer()
    yield made
    made.close()


@pytest.fixture
def good_server(server):
    server.routes["/primary" + VMS] = answer(GOOD, headers={"ETag": '"one"'})
    server.routes["/advisor.json"] = answer(spot_advisor(aws_offers()))
    return server


@pytest.fixture(autouse=True)
def no_watch_is_left():
    yield
    left = [thread.name for thread in threading.enumerate() if thread.name == "price-watch"]
    assert left == []
