"""The quiet page shows one message at a time."""

from PySide6.QtWidgets import QApplication, QLabel

from ui.widgets.message_panel import MessagePanel


def visible_texts(panel):
    QApplication.processEvents()
    labels = (x for x in panel.findChildren(QLabel) if x.isVisible() and x.text())
    return [label.text() for label in labels]


def test_steps_are_numbered(qtbot):
    panel = MessagePanel()
    qtbot.addWidget(panel)
    panel.show()
    panel.show_message("Title", "Text", steps=["one", "two"], closing_text="End")
    assert set(visible_texts(panel)) == {"Title", "Text", "1", "one", "2", "two", "End"}


def test_a_message_replaces_the_one_before_at_once(qtbot):
    panel = MessagePanel()
    qtbot.addWidget(panel)
    panel.show()
    panel.show_message("Title", "Text", steps=["one", "two"])
    panel.show_message("Failed", "Why", is_failure=True)
    assert visible_texts(panel) == ["Failed", "Why"]
    panel.show_message("Title", "Text", steps=["three"])
    assert "one" not in visible_texts(panel)
    assert "three" in visible_texts(panel)


def test_long_text_wraps(qtbot):
    panel = MessagePanel()
    qtbot.addWidget(panel)
    panel.resize(500, 400)
    panel.show_message("A title", "many words " * 60)
    panel.show()
    assert panel.width() == 500
    assert panel.text.height() > 3 * panel.fontMetrics().height()
