"""Paints a cell with a second, quieter line and an interval as a bar below it.

Leaves to others: what the cells say (`ui.models.advice_rows`).
"""

from PySide6.QtCore import QObject, QRect, QRectF, QSize, Qt
from PySide6.QtGui import QColor, QFont, QFontMetrics, QPainter, QPalette
from PySide6.QtWidgets import (
    QStyle,
    QStyledItemDelegate,
    QStyleOptionViewItem,
)

from ui.models.rows import AnyIndex, CellRole, Span
from ui.theme import report_colours
from ui.widgets.text_delegate import line_height

_MARGIN = 6
_BAR_HEIGHT = 4
_DOT = 8
_SMALLER = 0.92


class RowDelegate(QStyledItemDelegate):
    """Paints text, detail and bar of a `Cell`; long lines end in an ellipsis."""

    def __init__(self, parent: QObject | None = None) -> None:
        """Paint for a view."""
        super().__init__(parent)

    def sizeHint(self, option: QStyleOptionViewItem, index: AnyIndex) -> QSize:  # noqa: N802
        """Return room for both lines and the bar."""
        size = super().sizeHint(option, index)
        height = 2 * line_height(option.font, str(index.data() or "")) + _DOT + 2 * _MARGIN
        detail = str(index.data(CellRole.DETAIL) or "")
        beside = 2 * _MARGIN + 1
        return QSize(
            max(size.width(), option.fontMetrics.horizontalAdvance(detail) + beside), height
        )

    def paint(self, painter: QPainter, option: QStyleOptionViewItem, index: AnyIndex) -> None:
        """Paint one cell."""
        self.initStyleOption(option, index)
        text, option.text = option.text, ""
        widget = option.widget
        widget.style().drawControl(QStyle.ControlElement.CE_ItemViewItem, option, painter, widget)
        painter.save()
        self._paint_lines(painter, option, index, text)
        bar = index.data(CellRole.BAR)
        if bar is not None:
            _paint_bar(painter, option, bar)
        painter.restore()

    def _paint_lines(
        self, painter: QPainter, option: QStyleOptionViewItem, index: AnyIndex, text: str
    ) -> None:
        colour = option.palette.color(QPalette.ColorRole.Text)
        area = option.rect.adjusted(_MARGIN, _MARGIN, -_MARGIN, 0)
        detail = index.data(CellRole.DETAIL) or ""
        height = line_height(option.font, text + detail)
        first = QRect(area.left(), area.top(), area.width(), height)
        _paint_line(painter, first, text, option.font, colour, option.displayAlignment)
        if detail:
            quiet = QColor(colour)
            quiet.setAlphaF(0.7)
            font = QFont(option.font)
            font.setBold(False)
            font.setPointSizeF(option.font.pointSizeF() * _SMALLER)
            second = first.translated(0, height)
            _paint_line(painter, second, detail, font, quiet, option.displayAlignment)


def _paint_line(
    painter: QPainter,
    area: QRect,
    text: str,
    font: QFont,
    colour: QColor,
    alignment: Qt.AlignmentFlag,
) -> None:
    painter.setFont(font)
    painter.setPen(colour)
    shown = QFontMetrics(font).elidedText(text, Qt.TextElideMode.ElideRight, area.width())
    side = alignment & Qt.AlignmentFlag.AlignHorizontal_Mask
    painter.drawText(area, side | Qt.AlignmentFlag.AlignVCenter, shown)


def _paint_bar(painter: QPainter, option: QStyleOptionViewItem, bar: Span) -> None:
    colours = report_colours(option.widget)
    area = option.rect.adjusted(_MARGIN + _DOT, 0, -_MARGIN - _DOT, -_MARGIN)
    middle = area.bottom() - _DOT / 2

    def at(share: float) -> float:
        return area.left() + share * area.width()

    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(colours.none))
    width = max(2.0, at(bar.high) - at(bar.low))
    painter.drawRoundedRect(
        QRectF(at(bar.low), middle - _BAR_HEIGHT / 2, width, _BAR_HEIGHT), 2.0, 2.0
    )
    painter.setBrush(QColor(colours.now))
    painter.drawEllipse(QRectF(at(bar.mid) - _DOT / 2, middle - _DOT / 2, _DOT, _DOT))
