"""A paragraph of a PDF that ends its lines where a reader expects it, in every language.

ReportLab ends English lines at spaces alone, and cuts a longer word anywhere; Chinese ones it ends
within words and after brackets that open, and squeezes the spaces of those that end in a sign.
Leaves to others: where a line may end (`advisor.report.columns`).
"""

from collections.abc import Iterator, Sequence
from itertools import accumulate
from typing import Any

from reportlab.platypus import Paragraph
from reportlab.platypus.paragraph import ParaLines, cjkU, makeCJKParaLine

from advisor.report.columns import shorter_spans, spans

# What rounding may add to the width of a line.
_NEARLY = 1e-3


class WellBroken(Paragraph):  # type: ignore[misc]
    """A paragraph of a style whose `wordWrap` is "CJK", for which ReportLab asks for its lines."""

    def breakLinesCJK(self, maxWidths: Any) -> Any:  # noqa: N802, N803 - ReportLab's names
        """Return the lines for these widths."""
        if hasattr(self, "blPara") and getattr(self, "_splitpara", False):
            return self.blPara
        room = min(maxWidths) if isinstance(maxWidths, list | tuple) else maxWidths
        self.height = 0
        lines = []
        for letters in _given_lines(self.frags):
            for begin, end in line_ends([letter.width for letter in letters], letters, room):
                used = sum(letter.width for letter in letters[begin:end])
                part = letters[begin:end]
                lines.append(makeCJKParaLine(part, room, used, room - used, False, False))  # noqa: FBT003
        return ParaLines(kind=1, lines=lines)


def _given_lines(fragments: Sequence[Any]) -> Iterator[list[Any]]:
    """Yield the letters of each line that the text itself ends, with their fonts."""
    letters: list[Any] = []
    for fragment in fragments:
        letters += [cjkU(letter, fragment, "utf8") for letter in fragment.text]
        if hasattr(fragment, "lineBreak"):
            yield [*letters, cjkU("", fragment, "utf8")]
            letters = []
    if letters:
        yield letters


def line_ends(
    widths: Sequence[float], letters: Sequence[str], room: float
) -> Iterator[tuple[int, int]]:
    """Yield where each line begins and ends.

    Args:
        widths: of the letters.
        letters: of a text, each of one sign or none.
        room: for a line.
    """
    text = "".join(letters)
    reached = [0.0, *accumulate(widths)]
    begin, end = 0, 0
    left = spans(text)[::-1]
    while left:
        first, last = left.pop()
        if reached[last] - reached[begin] <= room + _NEARLY:
            end = last
        elif begin < first:
            if end > begin:
                yield begin, end
            begin = end = first
            left.append((first, last))
        elif last - first > 1:
            left += shorter_spans(text, first, last)[::-1]
        else:
            end = last
    yield begin, len(letters)
