"""What exit statuses say."""

import pytest

from advisor.model.measurement import Outcome
from probes.bench.exits import describe_exit, last_words, plain_reason


@pytest.mark.parametrize(
    ("status", "outcome", "words"),
    [
        (0, Outcome.PROTOCOL_ERROR, "without a result"),
        (3, Outcome.CRASHED, "exit status 3"),
        (-6, Outcome.CRASHED, "SIGABRT"),
        (-4, Outcome.CRASHED, "instruction that this processor does not have"),
        (-9, Outcome.OUT_OF_MEMORY, "memory ran out"),
        (-15, Outcome.CRASHED, "SIGTERM"),
        (-250, Outcome.CRASHED, "signal 250"),
        (0xC0000005, Outcome.CRASHED, "0xC0000005"),
        (0xC000001D, Outcome.CRASHED, "instruction"),
        (0xC0000017, Outcome.OUT_OF_MEMORY, "out of memory"),
    ],
)
def test_each_status_has_a_verdict_and_a_sentence(status, outcome, words):
    found, text = describe_exit(status)
    assert found is outcome
    assert words in text


def test_the_last_words_are_one_line_that_can_be_shown():
    said = "first\n\x1b[31mlibpython3.so: cannot open\x07\n  \n"
    assert last_words(said) == "[31mlibpython3.so: cannot open"
    assert last_words("") == last_words("\n \n") == ""
    assert len(last_words("x" * 5000)) == 200


def test_a_reason_is_one_short_line_that_steers_no_terminal():
    assert plain_reason("no\n luck \x1b[31m\x07here\t") == "no luck [31mhere"
    assert plain_reason(None) == plain_reason("") == plain_reason("\n\x1b") == ""
    assert plain_reason(17) == "17"
    assert plain_reason("x" * 10**6) == "x" * 500 + " …"
