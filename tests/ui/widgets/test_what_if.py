"""The sliders say what they show, and go back to what was asked."""

import dataclasses

import pytest
from PySide6.QtCore import Qt

from advisor.model.recommendation import Preferences
from tests.ui.advice_values import an_advice
from ui.journey import WhatIf
from ui.widgets.what_if import WhatIfBar


@pytest.fixture
def bar(qtbot, tr):
    made = WhatIfBar(translator=tr)
    qtbot.addWidget(made)
    made.show()
    return made


def asked(*, epochs, max_usd=None, deadline_h=None):
    advice = an_advice()
    return dataclasses.replace(
        advice,
        workload=dataclasses.replace(advice.workload, epochs=epochs),
        preferences=Preferences(max_usd=max_usd, deadline_h=deadline_h),
    )


def test_it_stands_where_the_job_is_and_asks_nothing(bar, qtbot):
    with qtbot.assertNotEmitted(bar.changed):
        bar.show_asked(asked(epochs=20, max_usd=12.0, deadline_h=3.0))
    assert [label.text() for label in bar.texts] == ["20", "12.00 USD", "3 h"]


def test_its_end_is_no_limit(bar):
    bar.show_asked(asked(epochs=1))
    assert bar.value() == WhatIf(epochs=1, max_usd=None, deadline_h=None)
    assert [label.text() for label in bar.texts] == ["1", "no limit", "no limit"]


def test_moving_asks_at_once(bar, qtbot):
    bar.show_asked(asked(epochs=20))
    with qtbot.waitSignal(bar.changed) as told:
        bar.epochs.setValue(bar.epochs.maximum())
    assert told.args[0].epochs == 1000
    with qtbot.waitSignal(bar.changed) as told:
        qtbot.keyClick(bar.usd, Qt.Key.Key_Left)
    assert told.args[0].max_usd == 5000.0
    assert bar.texts[1].text().endswith("USD")


def test_back_to_what_was_asked(bar, qtbot):
    bar.show_asked(asked(epochs=20, deadline_h=2.0))
    bar.epochs.setValue(3)
    with qtbot.waitSignal(bar.changed) as told:
        bar.reset_button.click()
    assert told.args[0] == WhatIf(epochs=20, max_usd=None, deadline_h=2.0)
    assert bar.texts[0].text() == "20"


def test_what_nobody_moved_stays_exactly_as_asked(bar):
    bar.show_asked(asked(epochs=299, max_usd=20.13, deadline_h=1.55))
    bar.hours.setValue(bar.hours.value() - 1)
    moved = bar.value()
    assert (moved.epochs, moved.max_usd) == (299, 20.13)
    assert bar.texts[0].text() == "299"
    assert moved.deadline_h == 1.5
    bar.hours.setValue(bar.hours.value() + 1)
    assert bar.value() == WhatIf(epochs=299, max_usd=20.13, deadline_h=1.55)


@pytest.mark.parametrize("epochs", [1000, 1001, 250_000])
def test_a_long_job_is_not_cut(bar, epochs):
    bar.show_asked(asked(epochs=epochs, max_usd=1e6, deadline_h=5000.0))
    bar.usd.setValue(0)
    assert bar.value() == WhatIf(epochs=epochs, max_usd=0.05, deadline_h=5000.0)


def texts_of(bar, qtbot, slider, number):
    """Return what is shown at each stop of a slider."""
    texts = []
    for position in range(slider.minimum(), slider.maximum() + 1):
        slider.setValue(position)
        texts.append(bar.texts[number].text())
    return texts


def test_it_stops_at_round_values_and_no_two_look_alike(bar, qtbot):
    bar.show_asked(asked(epochs=10))
    durations = texts_of(bar, qtbot, bar.hours, 2)
    assert {"50 min", "1 h", "1 h 30 min", "1 d", "90 d", "no limit"} <= set(durations)
    assert not [text for text in durations if text.endswith(" s")]
    money = texts_of(bar, qtbot, bar.usd, 1)
    assert {"0.05 USD", "1.00 USD", "20.00 USD", "250 USD", "5,000 USD"} <= set(money)
    epochs = texts_of(bar, qtbot, bar.epochs, 0)
    assert epochs[:12] == [*map(str, range(1, 11)), "12", "14"]
    assert epochs[-1] == "1,000"
    for texts in (durations, money, epochs):
        assert len(set(texts)) == len(texts)


def test_the_sliders_keep_their_width_while_they_move(bar, qtbot):
    bar.resize(900, 60)
    bar.show_asked(asked(epochs=20, max_usd=12.0, deadline_h=3.0))
    bar.layout().activate()
    sliders = (bar.epochs, bar.usd, bar.hours)
    before = [(slider.x(), slider.width()) for slider in sliders]
    for slider in sliders:
        for position in (slider.minimum(), slider.maximum() // 2, slider.maximum()):
            slider.setValue(position)
            bar.layout().activate()
            assert [(each.x(), each.width()) for each in sliders] == before
