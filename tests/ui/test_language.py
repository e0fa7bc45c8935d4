"""The language: what was chosen, else the system's, else English."""

import pytest

from ui.kept_words import word_file
from ui.language import (
    LANGUAGE,
    LANGUAGE_NAMES,
    chosen_language,
    keep_language,
    language_of,
    user_translator,
)


@pytest.fixture(autouse=True)
def plain_system(monkeypatch):
    for name in ("LC_ALL", "LC_MESSAGES", "LANG"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setattr("locale.getlocale", lambda: (None, None))


@pytest.mark.parametrize(
    ("name", "expected"),
    [
        ("zh_CN.UTF-8", "zh_CN"),
        ("zh-Hans-CN", "zh_CN"),
        ("zh_SG", "zh_CN"),
        ("Chinese (Simplified)_China.936", "zh_CN"),
        ("zh_TW.UTF-8", "en"),
        ("de_DE.UTF-8", "en"),
        ("C", "en"),
        ("", "en"),
    ],
)
def test_names_of_locales(name, expected):
    assert language_of(name) == expected


def test_the_system_decides_until_the_user_does(monkeypatch):
    assert chosen_language() == "en"
    monkeypatch.setenv("LANG", "zh_CN.UTF-8")
    assert chosen_language() == "zh_CN"
    keep_language("en")
    assert chosen_language() == "en"


def test_a_damaged_choice_is_none():
    word_file(LANGUAGE).parent.mkdir(parents=True)
    word_file(LANGUAGE).write_bytes(b"\xff\xfe klingon")
    assert chosen_language() == "en"


def test_chinese_speaks_chinese():
    keep_language("zh_CN")
    tr = user_translator()
    assert tr.language == "zh_CN"
    assert tr("Machine") != "Machine"
    assert set(LANGUAGE_NAMES) == {"en", "zh_CN"}
