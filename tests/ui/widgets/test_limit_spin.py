"""A number beyond the limits can be typed, and is changed in the open."""

import pytest
from PySide6.QtCore import Qt
from PySide6.QtTest import QTest

from ui.widgets.limit_spin import DecimalSpin, LimitSpin


@pytest.fixture
def whole(qtbot):
    spin = LimitSpin()
    spin.setRange(1, 10_000)
    spin.setGroupSeparatorShown(True)
    spin.setValue(32)
    return told_by(spin, qtbot)


@pytest.fixture
def decimal(qtbot):
    spin = DecimalSpin()
    spin.setRange(0.0, 10.0)
    spin.setDecimals(2)
    spin.setSuffix(" USD/kWh")
    spin.setSpecialValueText("not counted")
    return told_by(spin, qtbot)


def told_by(spin, qtbot):
    qtbot.addWidget(spin)
    spin.show()
    told = []
    spin.limited.connect(told.append)
    return spin, told


def type_in(spin, text):
    spin.selectAll()
    QTest.keyClicks(spin, text)
    shown = spin.text()
    QTest.keyClick(spin, Qt.Key.Key_Return)
    return shown


def test_a_number_that_is_too_large_becomes_the_largest_one_and_is_told(whole):
    spin, told = whole
    assert type_in(spin, "100000") == "100000", "it is seen as it was typed"
    assert (spin.value(), spin.text()) == (10_000, "10,000")
    assert set(told) == {"100000"}


def test_a_number_that_is_too_small_becomes_the_smallest_one_and_is_told(whole):
    spin, told = whole
    type_in(spin, "0")
    assert spin.value() == 1
    assert set(told) == {"0"}


@pytest.mark.parametrize("text", ["64", "10000", "10,000", "1"])
def test_a_number_within_the_limits_is_taken_without_a_word(whole, text):
    spin, told = whole
    type_in(spin, text)
    assert spin.value() == int(text.replace(",", ""))
    assert told == []


def test_what_is_no_number_is_as_before(whole):
    spin, told = whole
    type_in(spin, "abc")
    assert (spin.value(), told) == (32, [])
    spin.selectAll()
    QTest.keyClick(spin, Qt.Key.Key_Backspace)
    QTest.keyClick(spin, Qt.Key.Key_Return)
    assert (spin.value(), told) == (32, [])


def test_a_price_that_is_too_large_becomes_the_largest_one_and_is_told(decimal):
    spin, told = decimal
    type_in(spin, "20")
    assert spin.value() == 10.0
    assert spin.text() == "10.00 USD/kWh"
    assert told
    told.clear()
    type_in(spin, "0.25")
    assert (spin.value(), told) == (0.25, [])
    type_in(spin, "x")
    assert (spin.value(), told) == (0.25, [])
