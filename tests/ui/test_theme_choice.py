"""The chosen theme is kept, shown at once, and given up again for that of the system."""

import subprocess
import sys

import pytest
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QLabel

from tests.ui.test_theme import contrast
from ui.kept_words import word_file
from ui.models.cards import Card, CardFact
from ui.theme import is_dark
from ui.theme_choice import (
    THEME,
    Theme,
    choose_theme,
    chosen_theme,
    keep_theme,
    palette_of,
)
from ui.widgets.card import CardWidget

ROLES = QPalette.ColorRole
DISABLED = QPalette.ColorGroup.Disabled


@pytest.mark.parametrize("theme", Theme)
def test_what_is_kept_comes_back(theme):
    keep_theme(theme)
    assert chosen_theme() is theme


def test_without_a_choice_it_is_that_of_the_system():
    assert chosen_theme() is Theme.SYSTEM


@pytest.mark.parametrize("data", [b"", b"pink\n", b"\xff\xfe"])
def test_a_broken_file_is_like_none(data):
    word_file(THEME).parent.mkdir(parents=True)
    word_file(THEME).write_bytes(data)
    assert chosen_theme() is Theme.SYSTEM


def test_a_folder_that_cannot_be_made_is_no_error():
    word_file(THEME).parent.parent.mkdir(parents=True, exist_ok=True)
    word_file(THEME).parent.write_text("in the way")
    keep_theme(Theme.DARK)
    assert chosen_theme() is Theme.SYSTEM


def test_a_choice_is_shown_at_once_and_that_of_the_system_comes_back(themed_app, qtbot):
    label = QLabel("a word")
    qtbot.addWidget(label)
    before = label.palette().color(ROLES.Window)
    choose_theme(Theme.DARK)
    dark = themed_app.styleSheet()
    assert is_dark(themed_app)
    assert is_dark(label)
    choose_theme(Theme.LIGHT)
    assert not is_dark(label)
    assert themed_app.styleSheet() != dark
    choose_theme(Theme.SYSTEM)
    assert label.palette().color(ROLES.Window) == before
    assert chosen_theme() is Theme.SYSTEM


@pytest.mark.parametrize("theme", [Theme.LIGHT, Theme.DARK])
def test_texts_can_be_read(theme):
    palette = palette_of(theme)
    for text, ground in (
        (ROLES.WindowText, ROLES.Window), (ROLES.Text, ROLES.Base), (ROLES.Link, ROLES.Base),
        (ROLES.ButtonText, ROLES.Button), (ROLES.ToolTipText, ROLES.ToolTipBase),
        (ROLES.HighlightedText, ROLES.Highlight),
    ):  # fmt: skip
        assert contrast(palette.color(text), palette.color(ground)) >= 4.5, text
    assert palette.color(DISABLED, ROLES.Text) != palette.color(ROLES.Text)


def test_the_icons_of_a_card_follow(themed_app, tr, qtbot):
    choose_theme(Theme.LIGHT)
    facts = (CardFact(label="Cores", value="4", path="cpu.cores"),)
    card = CardWidget(Card(title="Processor", facts=facts), translator=tr)
    qtbot.addWidget(card)
    card.show()

    def drawn():
        ((button, _name),) = card._icons
        return button.icon().pixmap(28, 28).toImage()

    light = drawn()
    choose_theme(Theme.DARK)
    qtbot.waitUntil(lambda: drawn() != light)


START = """
import sys
from PySide6.QtCore import QTimer
from ui import app
from ui.theme import is_dark
def look(window):
    print(is_dark(window))
    QTimer.singleShot(0, window.close)
sys.exit(app.run(on_window=look))
"""


@pytest.mark.parametrize("theme", [Theme.LIGHT, Theme.DARK])
def test_the_window_starts_with_the_kept_theme(theme):
    keep_theme(theme)
    done = subprocess.run(
        [sys.executable, "-c", START], capture_output=True, text=True, timeout=60, check=False
    )
    assert (done.returncode, done.stdout.strip()) == (0, str(theme is Theme.DARK)), done.stderr
