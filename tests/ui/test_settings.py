"""The last recommendation is kept whole, and a disk that refuses costs nothing."""

from tests.ui.advice_values import an_advice
from ui.settings import data_folder, keep_last, last_recommendation_file, read_last


def test_what_is_kept_comes_back():
    keep_last(an_advice())
    assert read_last() == an_advice()


def test_nothing_kept_is_none():
    assert read_last() is None


def test_a_broken_file_is_none():
    last_recommendation_file().parent.mkdir(parents=True)
    last_recommendation_file().write_text("{")
    assert read_last() is None


def test_a_folder_that_cannot_be_made_is_no_error():
    data_folder().parent.mkdir(parents=True)
    data_folder().write_text("in the way")
    assert "in the way" not in str(keep_last(an_advice()))
    assert str(data_folder()) in str(keep_last(an_advice()))
    assert read_last() is None
