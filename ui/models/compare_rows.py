"""Rows of the compare page: the published devices and this machine on one logarithmic axis.

Leaves to others: which figures are alike (`advisor.compare`), drawing (`ui.widgets.row_delegate`).
"""

import math
from collections.abc import Iterable

from advisor.format import UNKNOWN, format_factor
from advisor.i18n import N_, Translator
from advisor.model.comparison import ComparedResult, ComparisonGroup, Subject
from advisor.model.device_names import short_software
from advisor.model.machine import DeviceKind
from advisor.model.quantity import Phase
from advisor.model.report import Paragraph
from advisor.report.compare_sections import (
    device_text,
    figure_text,
    group_section,
    subject_name,
)
from advisor.report.machine_sections import DEVICE_KINDS
from advisor.report.names import PHASES
from advisor.report.reasons import between
from advisor.report.said import said_note, said_work, source_text
from ui.models.rows import Cell, Span

COMPARE_HEADS = (N_("Device"), N_("Figure"), N_("Against this"), N_("Year"), N_("Software"))
COMPARE_TIPS = (
    "",
    N_("On a logarithmic axis; more is better."),
    N_("2× is twice as fast as this machine."),
    "",
    N_("What it was measured with."),
)


def group_title(group: ComparisonGroup, tr: Translator) -> str:
    """Return what a group compares, and below it on which part of this machine."""
    return f"{subject_name(group, tr)}\n{group.device}"


def group_text(group: ComparisonGroup, tr: Translator) -> str:
    """Return where this machine stands, or why nothing stands beside it."""
    blocks = group_section(group, tr).blocks
    told = [block for block in blocks if isinstance(block, Paragraph) and block.style != "note"]
    return between(tr).join(block.text for block in told)


def phases_of(groups: Iterable[ComparisonGroup]) -> tuple[Phase, ...]:
    """Return the phases that the networks among the groups have."""
    return tuple(dict.fromkeys(group.phase for group in groups if group.phase is not None))


def phase_name(phase: Phase, tr: Translator) -> str:
    """Return a phase in the user's language."""
    return tr(PHASES[phase])


def kinds_of(group: ComparisonGroup) -> tuple[DeviceKind, ...]:
    """Return the kinds of the published devices, in the order of the enum."""
    found = {result.kind for result in group.results}
    return tuple(kind for kind in DeviceKind if kind in found)


def kind_name(kind: DeviceKind, tr: Translator) -> str:
    """Return a kind of device in the user's language."""
    return tr(DEVICE_KINDS[kind])


def years_of(group: ComparisonGroup) -> tuple[int, ...]:
    """Return the years of the published devices, newest first."""
    return tuple(sorted({r.year for r in group.results if r.year is not None}, reverse=True))


def filtered(
    group: ComparisonGroup, *, kind: DeviceKind | None = None, since: int | None = None
) -> tuple[ComparedResult, ...]:
    """Return the results of a kind and from a year on; None takes all."""
    return tuple(
        result
        for result in group.results
        if (kind is None or result.kind is kind)
        and (since is None or (result.year is not None and result.year >= since))
    )


def compare_rows(
    group: ComparisonGroup, results: tuple[ComparedResult, ...], tr: Translator
) -> tuple[tuple[tuple[Cell, ...], ...], tuple[ComparedResult | None, ...]]:
    """Return the rows, fastest first, and the result behind each, None for this machine."""
    values = [result.value for result in results if result.value > 0]
    if group.own is not None:
        values += [v for v in (group.own.low, group.own.high) if v > 0]
    low, high = (min(values), max(values)) if values else (1.0, 1.0)
    entries: list[tuple[float, tuple[Cell, ...], ComparedResult | None]] = [
        (result.value, _row(result, group, (low, high), tr), result) for result in results
    ]
    if group.own is not None:
        entries.append((group.own.mid, _own_row(group, (low, high), tr), None))
    entries.sort(key=lambda entry: -entry[0])
    return tuple(entry[1] for entry in entries), tuple(entry[2] for entry in entries)


def _at(value: float, ends: tuple[float, float]) -> float:
    low, high = ends
    if value <= 0 or high <= low:
        return 0.0
    return min(1.0, max(0.0, math.log(value / low) / math.log(high / low)))


def _row(
    result: ComparedResult, group: ComparisonGroup, ends: tuple[float, float], tr: Translator
) -> tuple[Cell, ...]:
    place = _at(result.value, ends)
    kind = kind_name(result.kind, tr)
    if not result.is_certain:
        kind = tr(N_("{kind} (work not checked)"), kind=kind)
    year = UNKNOWN if result.year is None else str(result.year)
    ratio = result.ratio if result.ratio is not None else -1.0
    return (
        Cell(text=device_text(result, tr), value=result.device, detail=kind,
             explanation=said_note(result.note or "", tr)),
        Cell(text=figure_text(result.value, group, tr), value=result.value,
             bar=Span(low=0.0, mid=place, high=place)),
        Cell(text=format_factor(result.ratio), value=ratio, is_number=True),
        Cell(text=year, value=float(result.year or 0), is_number=True),
        Cell(text=result.software or UNKNOWN, value=result.software or "",
             detail=_work(result, group, tr)),
    )  # fmt: skip


def _work(result: ComparedResult, group: ComparisonGroup, tr: Translator) -> str:
    if group.subject is Subject.NETWORK and result.batch_size is not None:
        return tr(N_("batch {n}"), n=result.batch_size)
    return said_work(result.workload.replace("_", " "), tr)


def source_of(result: ComparedResult, tr: Translator) -> str:
    """Return where a figure is from: the work, the study, and below them what it says of it."""
    work = f"{said_work(result.workload.replace('_', ' '), tr)} · " if result.workload else ""
    note = f"\n{said_note(result.note, tr)}" if result.note else ""
    return f"{work}{source_text(result.source, tr)}{note}"


def _own_row(group: ComparisonGroup, ends: tuple[float, float], tr: Translator) -> tuple[Cell, ...]:
    own = group.own
    assert own is not None
    span = Span(low=_at(own.low, ends), mid=_at(own.mid, ends), high=_at(own.high, ends))
    name = tr(N_("this machine: {device}"), device=group.device)
    return (
        Cell(text=name, value=name, detail=kind_name(group.kind, tr), is_strong=True),
        Cell(text=figure_text(own.mid, group, tr), value=own.mid, bar=span, is_strong=True),
        Cell(text="1×", value=1.0, is_number=True, is_strong=True),
        Cell(text=UNKNOWN, value=0.0, is_number=True),
        Cell(
            text=short_software(group.own_software or "") or UNKNOWN,
            value=group.own_software or "",
        ),
    )
