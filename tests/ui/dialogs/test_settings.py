"""The settings dialog shows what holds and tells what was chosen."""

import pytest
from PySide6.QtWidgets import QLabel

from advisor.i18n import translator_for
from ui.dialogs.settings import SettingsDialog
from ui.settings import data_folder
from ui.theme_choice import Theme, keep_theme


@pytest.mark.parametrize("theme", Theme)
def test_the_kept_theme_stands_in_the_list(qtbot, tr, theme):
    keep_theme(theme)
    dialog = SettingsDialog(translator=tr)
    qtbot.addWidget(dialog)
    assert dialog.theme.currentData() == theme.value


def test_another_theme_is_told_and_nothing_is_told_before(qtbot, tr):
    dialog = SettingsDialog(translator=tr)
    qtbot.addWidget(dialog)
    told = []
    dialog.theme_chosen.connect(told.append)
    dialog.show()
    assert dialog.theme.currentText() == "as the system"
    row = dialog.theme.findData("dark")
    dialog.theme.setCurrentIndex(row)
    assert told == []
    dialog.theme.activated.emit(row)
    assert told == [Theme.DARK]


@pytest.mark.parametrize(
    ("language", "words"),
    [("en", ("Theme", "as the system", "light", "dark")),
     ("zh_CN", ("主题", "跟随系统", "浅色", "深色"))],
)  # fmt: skip
def test_the_themes_have_names_in_both_languages(qtbot, language, words):
    dialog = SettingsDialog(translator=translator_for(language))
    qtbot.addWidget(dialog)
    texts = [label.text() for label in dialog.findChildren(QLabel)]
    assert words[0] in texts
    names = [dialog.theme.itemText(n) for n in range(dialog.theme.count())]
    assert tuple(names) == words[1:]


def test_it_says_where_the_results_are(qtbot, tr):
    dialog = SettingsDialog(translator=tr)
    qtbot.addWidget(dialog)
    assert str(data_folder()) in [label.text() for label in dialog.findChildren(QLabel)]
