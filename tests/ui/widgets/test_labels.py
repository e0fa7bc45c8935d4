"""Long words of labels can be broken, so that Qt gives their lines the height that they take."""

from ui.widgets.labels import breakable, text_label

NAME = "a_very_long_name_of_a_model_file_" * 6 + ".keras"
MESSAGE = f"{NAME}: holds no Keras JSON, line 1 is something else: save the model anew"


def test_words_of_usual_length_stay_as_they_are():
    text = "model.keras: not a Keras model: save it with model.save('name.keras')"
    assert breakable(text) == text


def test_nothing_but_places_for_breaks_is_added():
    for text in (MESSAGE, "x" * 90, "/a/long/path/" * 9):
        assert breakable(text) != text
        assert breakable(text).replace("\N{ZERO WIDTH SPACE}", "") == text


def test_a_label_is_high_enough_for_a_long_name(qapp):
    label = text_label(breakable(MESSAGE), name="note")
    widest = label.fontMetrics().horizontalAdvance(MESSAGE)
    n_lines = -(-widest // 400)
    assert label.heightForWidth(400) >= n_lines * label.fontMetrics().lineSpacing()
    assert label.minimumSizeHint().width() < widest // 2
