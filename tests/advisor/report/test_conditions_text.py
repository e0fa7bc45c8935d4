"""Every condition of the language, and every one in use, has words."""

import pytest

from advisor.i18n import translator_for
from advisor.knowledge.conditions import FLAGS, NAMES, NUMBERS
from advisor.report.conditions_text import FLAG_TEXTS, NAME_TEXTS, NUMBER_TEXTS, condition_text
from tests.helpers.bundled import bundled_knowledge

TR = translator_for("en")


def test_the_whole_language_has_words():
    assert FLAG_TEXTS.keys() == FLAGS
    assert NAME_TEXTS.keys() == NAMES.keys()
    assert NUMBER_TEXTS.keys() == NUMBERS


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("container", "this is a container"),
        ("isa_lacks:avx2|amx_tile", "the processor lacks avx2 or amx_tile"),
        ("n_physical_cores<4", "fewer than 4 cores"),
        ("parameters>=10000000", "10,000,000 parameters or more"),
        ("something else", "something else"),
    ],
)
def test_words(text, words):
    assert condition_text(text, TR) == words


def test_no_condition_in_use_is_shown_raw():
    for fact in bundled_knowledge().options:
        for text in fact.excluded_when:
            assert condition_text(text, TR) != text
