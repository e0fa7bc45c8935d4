"""For all tests."""

import gc


def pytest_collection_finish():
    """Leave what is loaded out of the searches for garbage that follow: they took 11 s of 255."""
    gc.collect()
    gc.freeze()
