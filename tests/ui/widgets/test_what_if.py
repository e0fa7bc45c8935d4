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
    assert 3000 < told.args[0].max_usd < 5000
    assert bar.texts[1].text().endswith("USD")


def test_back_to_what_was_asked(bar, qtbot):
    bar.show_asked(asked(epochs=20, deadline_h=2.0))
    bar.epochs.setValue(3)
    with qtbot.waitSignal(bar.changed) as told:
        bar.reset_button.click()
    assert told.args[0] == WhatIf(epochs=20, max_usd=None, deadline_h=2.0)
    assert bar.texts[0].text() == "20"
