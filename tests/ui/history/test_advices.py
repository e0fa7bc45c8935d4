"""Finished advice is kept in files of its own, up to a number, the oldest dropped."""

import dataclasses
import datetime as dt

import pytest

from advisor.errors import InputError
from advisor.model.recommendation import Recommendation
from tests.ui.advice_values import an_advice
from ui.files import read_document
from ui.history import advices
from ui.history.advices import keep_advice, kept_advices, kept_at
from ui.settings import advices_folder, keep_last, read_last

NOW = dt.datetime(2026, 11, 22, 1, 30, tzinfo=dt.UTC)


def numbered(n):
    return dataclasses.replace(an_advice(), n_offers_considered=n)


def test_an_advice_comes_back_with_its_time(tmp_path):
    path = keep_advice(an_advice(), folder=tmp_path / "new", now=NOW)
    assert kept_at(path) == NOW
    assert read_document(path, Recommendation) == an_advice()
    assert kept_at(tmp_path / "other.json") is None


def test_the_same_is_not_kept_twice_and_the_newest_stands_first(tmp_path):
    first = keep_advice(numbered(1), folder=tmp_path, now=NOW)
    assert keep_advice(numbered(1), folder=tmp_path, now=NOW + dt.timedelta(hours=1)) == first
    second = keep_advice(numbered(2), folder=tmp_path, now=NOW + dt.timedelta(hours=2))
    assert kept_advices(tmp_path) == (second, first)


def test_the_oldest_are_dropped_and_other_files_are_left_alone(tmp_path, monkeypatch):
    monkeypatch.setattr(advices, "MAX_KEPT", 3)
    (tmp_path / "mine.json").write_text("{}")
    paths = [
        keep_advice(numbered(n), folder=tmp_path, now=NOW + dt.timedelta(minutes=n))
        for n in range(5)
    ]
    assert kept_advices(tmp_path) == tuple(reversed(paths[2:]))
    assert (tmp_path / "mine.json").is_file()


def test_what_is_kept_as_the_last_stands_in_the_history_too():
    keep_last(an_advice())
    (path,) = kept_advices(advices_folder())
    assert read_document(path, Recommendation) == read_last()


def test_a_folder_that_is_a_file_costs_no_answer(tmp_path):
    advices_folder().parent.mkdir(parents=True)
    advices_folder().write_text("in the way")
    with pytest.raises((InputError, OSError)):
        keep_advice(an_advice(), folder=advices_folder(), now=NOW)
    keep_last(an_advice())
    assert read_last() == an_advice()
