"""A report as text, tables and charts, independent of the medium. All strings are final text.

Leaves to others: filling it (`advisor.report.build`), drawing it (`advisor.report.pdf`, `.text`).
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Paragraph:
    """Running text; `style` is "body", "lead", "note" or "code"."""

    text: str
    style: str = "body"


@dataclass(frozen=True, slots=True, kw_only=True)
class Facts:
    """Label and value pairs."""

    rows: tuple[tuple[str, str], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Table:
    """A table: column heads, rows of cells, and the positions of right-aligned columns."""

    heads: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    right_aligned: tuple[int, ...] = ()
    caption: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Bar:
    """A bar with an interval; `emphasis` is "best", "now", "avoid" or "none"."""

    label: str
    low: float
    mid: float
    high: float
    text: str
    emphasis: str = "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class BarChart:
    """Horizontal bars on one axis."""

    title: str
    axis: str
    bars: tuple[Bar, ...]
    is_log: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Point:
    """A point of a scatter chart; one on the Pareto front is marked.

    Attributes:
        number: by which a table names it too, None without one.
    """

    label: str
    x: float
    y: float
    is_marked: bool = False
    number: int | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class ScatterChart:
    """Points in a plane, e.g. time against cost; log axes where asked."""

    title: str
    x_axis: str
    y_axis: str
    points: tuple[Point, ...]
    is_log_x: bool = False
    is_log_y: bool = False


Block = Paragraph | Facts | Table | BarChart | ScatterChart


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """A headed part of a report."""

    title: str
    blocks: tuple[Block, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Report:
    """A whole report: title, subtitle, sections, and a footer line."""

    title: str
    subtitle: str
    sections: tuple[Section, ...]
    footer: str
    language: str = "en"
