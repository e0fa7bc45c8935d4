"""Qt's own words follow the language of the window."""

import dataclasses

import pytest
from PySide6.QtWidgets import QDialogButtonBox

from advisor.i18n import translator_for
from ui.translators import QtWords

ENGLISH, CHINESE = translator_for("en"), translator_for("zh_CN")


@pytest.fixture
def words(qapp):
    made = QtWords(qapp)
    yield made
    made.speak(ENGLISH)
    made.deleteLater()


def saved_by(qtbot):
    box = QDialogButtonBox(QDialogButtonBox.StandardButton.Save)
    qtbot.addWidget(box)
    return box.button(QDialogButtonBox.StandardButton.Save).text().replace("&", "")


def test_buttons_of_qt_speak_the_language_and_english_again(words, qapp, qtbot):
    words.speak(CHINESE)
    assert "保存" in saved_by(qtbot)
    assert qapp.translate("QFileDialog", "Files of type:") == "文件类型："
    words.speak(CHINESE)
    assert "保存" in saved_by(qtbot)
    words.speak(ENGLISH)
    assert saved_by(qtbot) == "Save"


def test_a_language_that_qt_has_not_leaves_its_words_english(words, qtbot):
    words.speak(CHINESE)
    words.speak(dataclasses.replace(CHINESE, language="xx"))
    assert saved_by(qtbot) == "Save"
