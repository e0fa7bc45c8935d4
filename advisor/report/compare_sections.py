"""A comparison as a report: this machine's bar among those of the published devices.

Leaves to others: which figures are alike (`advisor.compare`), drawing (`advisor.report.text`).
"""

import math
from collections.abc import Iterable

from advisor.format import UNKNOWN, format_factor, format_number, format_rate
from advisor.i18n import N_, Translator
from advisor.model.comparison import (
    ComparedResult,
    Comparison,
    ComparisonGroup,
    NoResult,
    OwnBasis,
    Subject,
)
from advisor.model.device_names import short_software
from advisor.model.kernel import Direction
from advisor.model.report import Bar, BarChart, Block, Paragraph, Report, Section, Table
from advisor.report.machine_sections import DEVICE_KINDS
from advisor.report.names import DIRECTIONS, PHASES, shape_name
from advisor.report.said import said, said_note, said_work

# Devices on either side of this machine that are drawn; all of them are in the JSON.
SHOWN_EACH_SIDE = 6
_FOUND_SHOWN = 12

_OWN_BASES = {
    OwnBasis.MEASURED: N_("measured"),
    OwnBasis.PREDICTED: N_("predicted"),
    OwnBasis.DATA_SHEET: N_("data sheet, not measured"),
}
_NO_RESULTS = {
    NoResult.NOTHING_PUBLISHED: N_("nobody has published a figure for this work"),
    NoResult.OTHER_PHASE: N_("only another phase was published ({found})"),
    NoResult.OTHER_PRECISION: N_("only other number formats were published ({found})"),
    NoResult.OTHER_BATCHES: N_("only other batch sizes were published ({found})"),
    NoResult.OTHER_SHAPES: N_("only other sizes were published ({found})"),
    NoResult.SEVERAL_DEVICES: N_("only results of several devices together were published"),
    NoResult.OTHER_WORK: N_("the published networks of this name did other work ({found})"),
    NoResult.NO_RATE: N_("no speed can be told from what was published ({found})"),
    NoResult.FRAMEWORK_NOT_NAMED: N_("the published results do not name their framework"),
    NoResult.OTHER_KIND: N_("only devices of another kind were published ({found})"),
    NoResult.OWN_FIGURE_UNKNOWN: N_("the figure of this device is not known: measure it"),
}
# What was published of a network.
_METRICS = {
    "step_time": N_("time for a step"),
    "epoch_time": N_("time for an epoch"),
    "first_epoch_time": N_("time for the first epoch"),
    "latency": N_("latency"),
    "throughput": N_("throughput"),
    "cost": N_("cost"),
    "price": N_("price"),
    "speedup": N_("speed-up"),
    "time_ratio": N_("ratio of times"),
}


def build_comparison_report(comparison: Comparison, tr: Translator) -> Report:
    """Return this machine among published devices as a report of its own."""
    if comparison.measured_on is None:
        subtitle = tr(
            N_("Facts of {collected}; nothing was measured: run `dl-advisor bench`."),
            collected=comparison.collected_on,
        )
    else:
        subtitle = tr(N_("Measured on {date}."), date=comparison.measured_on)
    return Report(
        title=tr(N_("{machine} among published results"), machine=comparison.machine),
        subtitle=subtitle,
        sections=tuple(group_section(group, tr) for group in comparison.groups),
        footer=tr(
            N_("Only like is put beside like: same kind of kernel, phase and number format, one"
               " device, sizes within a factor of 2 (large matrix products and batches: 8). Every"
               " figure has its source in the JSON.")
        ),
        language=tr.language,
    )  # fmt: skip


def group_section(group: ComparisonGroup, tr: Translator) -> Section:
    """Return one kernel or network of one device: its place, bars and sources."""
    blocks: list[Block] = [Paragraph(text=_place(group, tr), style="lead")]
    if group.no_result is not None:
        blocks.append(Paragraph(text=_no_result(group, tr)))
    if group.slower_drivers:
        blocks.append(Paragraph(text=_slower_drivers(group, tr)))
    shown = _shown(group)
    if shown:
        blocks += [_chart(group, shown, tr), _table(shown, tr), *_notes(shown, tr)]
    return Section(title=f"{subject_name(group, tr)}: {group.device}", blocks=tuple(blocks))


def subject_name(group: ComparisonGroup, tr: Translator) -> str:
    """Return what is compared in a few words."""
    if group.subject is Subject.DATA_SHEET_RATE:
        return tr(N_("arithmetic peak by data sheet"))
    if group.subject is Subject.DATA_SHEET_BANDWIDTH:
        return tr(N_("memory bandwidth by data sheet"))
    if group.shape is not None:
        name = shape_name(group.shape, tr)
        if group.direction in (None, Direction.FORWARD):
            return name
        return f"{name}, {tr(DIRECTIONS[group.direction])}"
    phase = tr(PHASES[group.phase]) if group.phase is not None else UNKNOWN
    return tr(
        N_("{network}, {phase}, batch {batch}, {precision}"),
        network=group.workload or UNKNOWN, phase=phase, batch=group.batch_size,
        precision=group.precision.value,
    )  # fmt: skip


def figure_text(value: float, group: ComparisonGroup, tr: Translator) -> str:
    """Return a figure of a group with its unit."""
    if group.subject is Subject.NETWORK:
        return tr(N_("{value} samples/s"), value=format_number(value))
    return format_rate(value, group.unit)


def _place(group: ComparisonGroup, tr: Translator) -> str:
    if group.own is None:
        return tr(N_("{device}: no figure."), device=group.device)
    own = tr(
        N_("{figure} ({basis}), {software}") if group.own_software else N_("{figure} ({basis})"),
        figure=figure_text(group.own.mid, group, tr),
        basis=tr(_OWN_BASES[group.own_basis]),
        software=short_software(group.own_software or ""),
    )
    n_devices = len({result.device for result in group.results})
    if group.slower and group.faster:
        return tr(
            N_("{own}: between {slower} and {faster}."),
            own=own, slower=group.slower, faster=group.faster,
        )  # fmt: skip
    if group.faster and n_devices == 1:
        return tr(N_("{own}: below the only other device, {faster}."), own=own, faster=group.faster)
    if group.faster:
        return tr(N_("{own}: below all {n} devices, next is {faster}."), own=own,
                  n=n_devices, faster=group.faster)  # fmt: skip
    if group.slower and n_devices == 1:
        return tr(N_("{own}: above the only other device, {slower}."), own=own, slower=group.slower)
    if group.slower:
        return tr(N_("{own}: above all {n} devices, next is {slower}."), own=own,
                  n=n_devices, slower=group.slower)  # fmt: skip
    return tr(N_("{text}."), text=own)


def _slower_drivers(group: ComparisonGroup, tr: Translator) -> str:
    told = [
        tr(N_("{device}: {figure}"), device=each.device,
           figure=figure_text(each.own.mid, group, tr))
        for each in group.slower_drivers
    ]  # fmt: skip
    return tr(N_("With another driver: {figures}."), figures=tr(N_("; ")).join(told))


def _no_result(group: ComparisonGroup, tr: Translator) -> str:
    assert group.no_result is not None
    names = [_found_name(name, group.no_result, tr) for name in group.found[:_FOUND_SHOWN]]
    if len(group.found) > len(names):
        names.append(tr(N_("and {n} more"), n=len(group.found) - len(names)))
    why = tr(_NO_RESULTS[group.no_result], found=", ".join(names))
    if group.results:
        return tr(N_("{text}."), text=f"{why[:1].upper()}{why[1:]}")
    return tr(N_("No comparable result: {why}."), why=why)


def _found_name(name: str, why: NoResult, tr: Translator) -> str:
    """Return what was found instead, in the user's language where it is a word."""
    if why is NoResult.OTHER_KIND:
        return tr({kind.value: text for kind, text in DEVICE_KINDS.items()}.get(name, name))
    if why is NoResult.NO_RATE:
        return tr(_METRICS.get(name.replace(" ", "_"), name))
    return said(said_work(name, tr), tr)


def _shown(group: ComparisonGroup) -> tuple[ComparedResult, ...]:
    """Return the devices next to this machine, and others' medians of the same one."""
    near = _near(group)
    return tuple(r for r in group.results if r in near or r.is_same_machine)


def _near(group: ComparisonGroup) -> tuple[ComparedResult, ...]:
    """Return the devices next to this machine, those at the ends where it has no figure."""
    if group.own is None:
        return group.results[-2 * SHOWN_EACH_SIDE :]
    own = group.own.mid
    slower = [r for r in group.results if r.value < own]
    faster = [r for r in group.results if r.value >= own]
    room = 2 * SHOWN_EACH_SIDE
    n_slower = max(SHOWN_EACH_SIDE, room - len(faster))
    n_faster = max(SHOWN_EACH_SIDE, room - len(slower))
    return (*slower[-n_slower:], *faster[:n_faster])


def _chart(group: ComparisonGroup, shown: Iterable[ComparedResult], tr: Translator) -> BarChart:
    bars = [
        Bar(
            label=_label(result, tr),
            low=result.value,
            mid=result.value,
            high=result.value,
            text=_bar_text(result, group, tr),
        )
        for result in shown
    ]
    if group.own is not None:
        own = Bar(
            label=tr(N_("this machine: {device}"), device=group.device),
            low=group.own.low,
            mid=group.own.mid,
            high=group.own.high,
            text=figure_text(group.own.mid, group, tr),
            emphasis="now",
        )
        place = sum(1 for bar in bars if bar.mid < group.own.mid)
        bars.insert(place, own)
    units = {"flop/s": "FLOP/s", "B/s": "B/s", "1/s": tr(N_("samples/s"))}
    axis = tr(N_("{unit}, log scale, more is better"), unit=units.get(group.unit, group.unit))
    return BarChart(title=_chart_title(group, shown, tr), axis=axis, bars=tuple(bars), is_log=True)


def _chart_title(group: ComparisonGroup, shown: Iterable[ComparedResult], tr: Translator) -> str:
    """Return what is compared, with the batches of the rows where they are not this machine's."""
    title = subject_name(group, tr)
    batches = sorted({result.batch_size for result in shown if result.batch_size is not None})
    if group.subject is not Subject.NETWORK or not batches or batches == [group.batch_size]:
        return title
    if len(batches) == 1:
        return tr(N_("{title}; published at batch {batch}"), title=title, batch=batches[0])
    return tr(
        N_("{title}; published at batch {low} to {high}"),
        title=title, low=batches[0], high=batches[-1],
    )  # fmt: skip


def device_text(result: ComparedResult, tr: Translator) -> str:
    """Return what a result is of: a device, or others' machines like this one."""
    return (
        tr(N_("same machine, others' median"))
        if result.is_same_machine
        else said(result.device, tr)
    )


def _label(result: ComparedResult, tr: Translator) -> str:
    if result.is_same_machine:
        return device_text(result, tr)
    device = device_text(result, tr)
    return device if result.year is None else f"{device}, {result.year}"


def _bar_text(result: ComparedResult, group: ComparisonGroup, tr: Translator) -> str:
    text = figure_text(result.value, group, tr)
    if result.ratio is None or not math.isfinite(result.ratio):
        return text
    return f"{text}, {format_factor(result.ratio)}"


def _table(shown: Iterable[ComparedResult], tr: Translator) -> Table:
    heads = (N_("Device"), N_("Kind"), N_("Against this"), N_("Software"), N_("Work"), N_("Study"))
    rows = tuple(
        (
            device_text(result, tr),
            tr(DEVICE_KINDS[result.kind]),
            format_factor(result.ratio),
            result.software or UNKNOWN,
            _work(result, tr),
            said(result.source.title, tr),
        )
        for result in shown
    )
    return Table(heads=tuple(tr(head) for head in heads), rows=rows, right_aligned=(2,))


def _work(result: ComparedResult, tr: Translator) -> str:
    work = said_work(result.workload.replace("_", " "), tr)
    if result.batch_size is None:
        return work if result.is_certain else tr(N_("{work} (unverified)"), work=work)
    form = (
        N_("{work}, batch {batch}")
        if result.is_certain
        else N_("{work}, batch {batch} (unverified)")
    )
    return tr(form, work=work, batch=result.batch_size)


def _notes(shown: Iterable[ComparedResult], tr: Translator) -> Iterable[Paragraph]:
    """Return what the studies say of their figures, each once."""
    notes: dict[str, list[str]] = {}
    for result in shown:
        if result.note and result.software is not None:
            notes.setdefault(result.note, []).append(device_text(result, tr))
    for note, devices in list(notes.items())[:_FOUND_SHOWN]:
        names = ", ".join(dict.fromkeys(devices))
        text = tr(N_("{devices}: {note}"), devices=names, note=said_note(note, tr))
        yield Paragraph(text=text, style="note")
