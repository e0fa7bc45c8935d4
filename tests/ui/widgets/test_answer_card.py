"""The card says which option, how long, how sure, why and how; long ones scroll."""

import dataclasses

import pytest
from PySide6.QtGui import QGuiApplication
from PySide6.QtWidgets import QLabel

from tests.ui.advice_values import MANY_STEPS, a_first_guess, an_advice, cancelled_after
from ui.widgets.answer_card import AnswerCard
from ui.widgets.step_box import StepBox


@pytest.fixture
def card(qtbot, tr):
    widget = AnswerCard(translator=tr)
    qtbot.addWidget(widget)
    widget.resize(560, 240)
    widget.show()
    return widget


def texts(widget):
    return "\n".join(label.text() for label in widget.findChildren(QLabel))


def test_the_first_option_is_the_best(card):
    card.show_option(an_advice(), 0)
    assert card.title.text() == "Eight threads for the operators of TensorFlow"
    assert card.badge.text() == "Best for you · scaled from a measurement"
    assert card.numbers.text().startswith(
        "1 h 12 min (48 min – 1 h 48 min) for the whole job · no cost"
    )
    assert "• Changes nothing and needs no money but for electricity." in texts(card)
    assert card.property("first") is True


def test_a_guess_is_called_one(card):
    card.show_option(a_first_guess(), 0, is_provisional=True)
    assert "nothing measured yet" in card.badge.text()
    assert "model only" in card.badge.text()


def test_a_guess_by_earlier_measurements_says_their_date(card):
    card.show_option(an_advice(), 0, is_provisional=True)
    date = an_advice().measurements.measured_on
    assert card.badge.text().startswith(f"First guess, by what was measured on {date} · ")


def test_another_option_says_its_place_and_its_money(card):
    card.show_option(an_advice(), 1)
    assert card.badge.text().startswith("Option 2 of 5")
    assert "0.42 USD" in card.numbers.text()
    assert "0.76 h at 0.526 USD" in texts(card)
    assert card.property("first") is False


def test_staying_has_no_speed_up(card):
    card.show_option(an_advice(), 2)
    assert "the speed of now" not in card.numbers.text()


def test_an_unknown_cost_says_what_is_not_known(card):
    card.show_option(an_advice(), 3)
    assert "cost unknown" in card.numbers.text()
    assert "Not known: price of the device" in texts(card)


def test_a_figure_that_may_be_far_off_says_so(card):
    advice = an_advice()
    first = advice.ranked[0]
    warned = dataclasses.replace(first.prediction, is_warned=True)
    ranked = (dataclasses.replace(first, prediction=warned),)
    card.show_option(dataclasses.replace(advice, ranked=ranked), 0)
    assert "more than 3 times" in texts(card)


def test_showing_again_leaves_nothing_of_the_option_before(card, qtbot):
    card.show_option(an_advice(), 1)
    card.show_option(an_advice(), 0)
    qtbot.waitUntil(lambda: len(card.findChildren(StepBox)) == 2, timeout=1000)
    assert "--number" not in texts(card)


def test_many_steps_scroll_and_do_not_stretch_the_card(card, qtbot):
    card.show_option(an_advice(), 1)
    assert len(card.findChildren(StepBox)) == len(MANY_STEPS)
    assert card.minimumSizeHint().height() <= 300
    assert card.height() == 240


def test_a_step_can_be_copied(card):
    card.show_option(an_advice(), 0)
    step = next(box for box in card.findChildren(StepBox) if hasattr(box, "copy_button"))
    step.copy_button.click()
    assert QGuiApplication.clipboard().text() == "export OMP_NUM_THREADS=8"
    assert step.copy_button.accessibleName() == "Copy: In the terminal:"


@pytest.mark.parametrize("number", range(5))
@pytest.mark.parametrize("width", [420, 560, 900])
def test_nothing_is_wider_than_the_card(card, qtbot, number, width):
    card.resize(width, 240)
    card.show_option(an_advice(), number)
    qtbot.wait(1)
    for label in card.findChildren(QLabel):
        right = label.mapTo(card, label.rect().topRight()).x()
        assert right <= card.width(), label.text()


def test_what_is_shown_already_is_not_made_anew(card):
    advice = an_advice()
    card.show_option(advice, 0)
    before = card.findChildren(QLabel)
    card.show_option(advice, 0)
    assert card.findChildren(QLabel) == before
    card.show_option(advice, 0, is_provisional=True)
    assert "First guess" in card.badge.text()


def test_a_cancelled_run_is_not_the_best_without_more_ado(card):
    card.show_option(an_advice(measurements=cancelled_after(3, n_asked=12)), 0)
    assert card.badge.text() == "Cancelled run: best so far · scaled from a measurement"
    assert "The run was cancelled: 3 of 12 measurements are there." in texts(card)
    card.show_option(an_advice(), 0)
    assert "ancelled" not in card.badge.text() + texts(card)
