"""The style follows the palette; the icon can be drawn."""

import pytest
from PySide6.QtGui import QColor, QFont, QPalette

from ui.theme import ThemeWatcher, app_icon, is_dark, report_colours, style_sheet

LIGHT = QPalette(QColor("#f0f0f0"), QColor("#ffffff"))
DARK = QPalette(QColor("#30353a"), QColor("#202428"))


@pytest.fixture
def app(qapp):
    palette, sheet = qapp.palette(), qapp.styleSheet()
    yield qapp
    qapp.setStyleSheet(sheet)
    qapp.setPalette(palette)


@pytest.mark.parametrize(("palette", "expected"), [(LIGHT, False), (DARK, True)])
def test_dark_is_what_has_light_text(app, palette, expected):
    app.setPalette(palette)
    assert is_dark(app) is expected


def test_the_sheet_changes_with_the_palette(app):
    app.setPalette(LIGHT)
    watcher = ThemeWatcher(app)
    light = app.styleSheet()
    app.setPalette(DARK)
    dark = app.styleSheet()
    app.setPalette(LIGHT)
    assert light == app.styleSheet() != dark
    watcher.deleteLater()


def test_the_sheet_has_no_empty_place(app):
    assert "{" in style_sheet(app)
    assert "{{" not in style_sheet(app)


def test_titles_grow_with_the_letters_of_the_user(app):
    usual = app.font()
    before = style_sheet(app)
    font = QFont(usual)
    font.setPointSizeF(15.0)
    app.setFont(font)
    try:
        assert "#page_title { font-size: 22pt" in style_sheet(app)
    finally:
        app.setFont(usual)
    assert "#page_title { font-size: 15pt" in before


def contrast(first, second):
    def luminance(colour):
        parts = (c / 255 for c in (colour.red(), colour.green(), colour.blue()))
        linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    low, high = sorted((luminance(first), luminance(second)))
    return (high + 0.05) / (low + 0.05)


@pytest.mark.parametrize("palette", [LIGHT, DARK])
@pytest.mark.parametrize("name", ["muted", "avoid"])
def test_quiet_text_can_still_be_read(app, palette, name):
    app.setPalette(palette)
    colour = QColor(getattr(report_colours(app), name))
    ground = app.palette().color(QPalette.ColorRole.Window)
    assert contrast(colour, ground) >= 4.5


def test_the_icon_can_be_drawn(qapp):
    assert not app_icon().isNull()
    assert app_icon().pixmap(64, 64).width() == 64
