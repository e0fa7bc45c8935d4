"""A table as text for a terminal: in columns, or where those are too narrow row below row.

Leaves to others: how text is broken (`advisor.report.columns`), the rest of a report
(`advisor.report.text`).
"""

from collections.abc import Iterable, Iterator, Sequence

from advisor.model.report import Table
from advisor.report.columns import display_width, is_wide, longest_word, pad, wrap

_GAP = 2
# Where two between the columns leave no room for their figures.
_NARROW_GAP = 1
# A column is not narrower than its longest word, up to this.
_WHOLE_WORD = 24
# Chinese may be broken after each letter: one below the other they cannot be read.
_LEAST_WIDE = 8
_INDENT = "  "


def table_lines(block: Table, width: int) -> list[str]:
    """Return the lines of a table, its caption above.

    Where the columns would part figures and words, or be higher than their rows one below the
    other, each row is a list: what it is of, then each head with its cell.
    """
    caption = wrap(block.caption, width, breaks_words=False) if block.caption else []
    widths, gap = _column_widths(block, width, gap=_GAP), _GAP
    if widths is None:
        widths, gap = _column_widths(block, width, gap=_NARROW_GAP), _NARROW_GAP
    listed = list(_listed(block, width))
    if widths is not None:
        lines = list(_in_columns(block, widths, gap))
        if len(lines) <= max(len(listed), 2 * len(block.rows) + 2):
            return ["", *caption, *lines]
    return ["", *caption, *listed]


def fact_lines(
    rows: Iterable[tuple[str, str]], width: int, *, breaks_words: bool = False
) -> Iterator[str]:
    """Yield labels with their values beside them."""
    facts = tuple(rows)
    widest = max((display_width(label) for label, _ in facts), default=0)
    label_width = min(widest, width // 3)
    for label, value in facts:
        labels = wrap(label, label_width)
        values = wrap(value, width - label_width - _GAP, breaks_words=breaks_words)
        for number in range(max(len(labels), len(values))):
            yield f"{pad(_at(labels, number), label_width)}{' ' * _GAP}{_at(values, number)}"


def _at(lines: list[str], number: int) -> str:
    return lines[number] if number < len(lines) else ""


def _column_widths(block: Table, width: int, *, gap: int) -> list[int] | None:
    """Return the columns' widths, the widest give way first; None where they have no room.

    Figures stay with their units and words stay whole.
    """
    rows = (block.heads, *block.rows)
    places = range(len(block.heads))
    wanted = [max(display_width(row[i]) for row in rows) for i in places]
    least = [max(_least(row[i]) for row in rows) for i in places]
    room = width - gap * (len(wanted) - 1)
    if sum(least) > room:
        return None
    while sum(wanted) > room:
        wide = [i for i in places if wanted[i] > least[i]]
        wanted[max(wide, key=lambda i: (wanted[i], -i))] -= 1
    return wanted


def _least(cell: str) -> int:
    """Return the least columns for a cell in which it can be read."""
    longest = min(longest_word(cell, has_units=True), _WHOLE_WORD)
    return max(longest, min(display_width(cell), _LEAST_WIDE)) if is_wide(cell) else longest


def _in_columns(block: Table, widths: Sequence[int], gap: int) -> Iterator[str]:
    between = " " * gap
    for number, row in enumerate((block.heads, *block.rows)):
        cells = [wrap(cell, room) for cell, room in zip(row, widths, strict=True)]
        for height in range(max(map(len, cells), default=0)):
            parts = [
                pad(_at(cell, height), widths[i], is_right=i in block.right_aligned)
                for i, cell in enumerate(cells)
            ]
            yield between.join(parts).rstrip()
        if number == 0:
            yield between.join("-" * room for room in widths)


def _listed(block: Table, width: int) -> Iterator[str]:
    """Yield each row as a list, an empty line between two; empty cells are left out."""
    for number, row in enumerate(block.rows):
        if number:
            yield ""
        filled = [(head, cell) for head, cell in zip(block.heads, row, strict=True) if cell]
        title, n_title = (filled[0][1], 1) if filled else ("", 0)
        if title.isdigit() and len(filled) > 1:
            # A number alone does not say what a row is of.
            title, n_title = f"{title}. {filled[1][1]}", 2
        yield from wrap(title, width)
        for line in fact_lines(filled[n_title:], width - len(_INDENT), breaks_words=True):
            yield _INDENT + line
