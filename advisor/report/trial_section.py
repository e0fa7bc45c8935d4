"""What the report says about trials: before and after, verdicts, how to use the best.

Leaves to others: the figures (`advisor.trial`), drawing (`advisor.report.pdf`, `.text`).
"""

from advisor.format import (
    UNKNOWN,
    format_bytes,
    format_duration,
    format_factor_interval,
)
from advisor.i18n import N_, Translator
from advisor.model.machine import OsFamily
from advisor.model.measurement import StabilityWarning
from advisor.model.recommendation import Recommendation
from advisor.model.report import Bar, BarChart, Block, Paragraph, Report, Section, Table
from advisor.model.trial import TrialReport, TrialResult, TrialSetup, TrialVerdict
from advisor.report.names import PHASES
from advisor.report.reasons import sentences_text
from advisor.report.said import said, said_line
from advisor.trial.apply import how_to_apply
from advisor.trial.judge import ahead_of

VERDICTS = {
    TrialVerdict.BASELINE: N_("as it is now"),
    TrialVerdict.FASTER: N_("faster"),
    TrialVerdict.SLOWER: N_("slower"),
    TrialVerdict.NO_DIFFERENCE: N_("no difference"),
    TrialVerdict.UNSTABLE: N_("not clear"),
    TrialVerdict.WRONG_RESULT: N_("wrong result"),
    TrialVerdict.FAILED: N_("failed"),
    TrialVerdict.NOT_RUN: N_("not tried"),
}
_EMPHASIS = {
    TrialVerdict.BASELINE: "now",
    TrialVerdict.SLOWER: "avoid",
    TrialVerdict.WRONG_RESULT: "avoid",
}
WARNINGS = {
    StabilityWarning.ON_BATTERY: N_("The machine ran on battery."),
    StabilityWarning.GOVERNOR: N_("The processor was not allowed its full speed."),
    StabilityWarning.THROTTLED: N_("The machine became slower meanwhile: it may be too warm."),
    StabilityWarning.BUSY: N_("Other programs used the processor: close them and try again."),
    StabilityWarning.STEAL: N_("The host of this virtual machine took time away."),
    StabilityWarning.CPU_LIMIT: N_("This program may use only some of the processors."),
}
_AHEAD = N_(
    "Ahead, but not proven in this time: {title}, {factor} as fast as now. More time may prove it."
)
# Parts of a combined setup by their ids, in a few words.
_REMARK = "# "
_THREADS = ("threads-physical", "threads-half", "one-pool")
_PARTS = {
    "bfloat16": N_("bfloat16"),
    "fpmath-bf16": N_("bfloat16 inside the kernels"),
    "malloc-keep": N_("freed memory kept"),
    "huge-pages": N_("huge pages"),
    "tcmalloc": N_("tcmalloc"),
    "jemalloc": N_("jemalloc"),
    "pin-cores": N_("one hardware thread of each core"),
    "onednn-off": N_("oneDNN off"),
    "onednn-on": N_("oneDNN on"),
    "data-cache": N_("data kept in memory"),
    "data-prefetch": N_("next batch prepared meanwhile"),
    "data-cache-prefetch": N_("data kept and prepared meanwhile"),
    "xla": N_("XLA"),
}


def build_trial_report(report: TrialReport, tr: Translator, *, system: OsFamily) -> Report:
    """Return a search as a report of its own."""
    own, made_up = N_("your own data"), N_("made-up data of the right shape")
    return Report(
        title=tr(N_("Tried on {title}"), title=report.title),
        subtitle=tr(
            N_("{phase}, batch {batch}, {precision}, {data}; measured on {date} in {duration}"),
            phase=tr(PHASES[report.phase]),
            batch=report.batch_size,
            precision=report.precision.value,
            data=tr(own if report.has_own_data else made_up),
            date=report.measured_on,
            duration=format_duration(round(report.duration_s)),
        ),
        sections=(trial_section(report, tr, system=system),),
        footer=tr(
            N_("Speed-up: time for a sample now / time then, with a 95 % interval from its runs"
               " and, where it has few, from how far those of the others scatter. Less than 5 %"
               " is called no difference.")
        ),
        language=tr.language,
    )  # fmt: skip


def tried_sections(advice: Recommendation, tr: Translator) -> tuple[Section, ...]:
    """Return the section of what was tried for a recommendation, none when nothing was."""
    if advice.trials is None:
        return ()
    return (trial_section(advice.trials, tr, system=advice.profile.os.family),)


def trial_section(report: TrialReport, tr: Translator, *, system: OsFamily) -> Section:
    """Return the table of what was tried, the chart, and how to use the best."""
    blocks: list[Block] = [Paragraph(text=_headline(report, tr), style="lead")]
    blocks += [Paragraph(text=line) for line in ahead_lines(report, tr)]
    blocks += [Paragraph(text=line, style="note") for line in warning_lines(report, tr)]
    blocks.append(_table(report, tr))
    chart = _chart(report, tr)
    if chart.bars:
        blocks.append(chart)
    for result in report.results:
        if result.message and result.verdict is not TrialVerdict.NOT_RUN:
            text = f"{title_of(result, tr)}: {said_line(result.message, tr)}"
            blocks.append(Paragraph(text=text, style="note"))
    best = report.best or ahead_of(report)
    if best is not None:
        for step in how_to_apply(best.setup, system=system):
            blocks.append(Paragraph(text=said(step.caption, tr)))
            blocks.append(Paragraph(text=said_code(step.content, tr), style="code"))
    return Section(title=tr(N_("Measured on your network, before and after")), blocks=tuple(blocks))


def said_code(code: str, tr: Translator) -> str:
    """Return text to copy with its remarks in the user's language."""
    return "\n".join(_said_remark(line, tr) for line in code.splitlines())


def _said_remark(line: str, tr: Translator) -> str:
    found = tr(line)
    if found != line or not line.startswith(_REMARK):
        return found
    return _REMARK + said(line.removeprefix(_REMARK), tr)


def _headline(report: TrialReport, tr: Translator) -> str:
    best, now = report.best, report.results[0]
    if now.verdict is TrialVerdict.FAILED:
        text = N_("The network gave no figure: {message}")
        return tr(N_("{text}."), text=tr(text, message=said_line(now.message, tr)))
    if best is None or best.speedup is None:
        return tr(N_("Nothing that was tried is surely faster than what you have now."))
    return tr(
        N_("Best: {title}, {factor} as fast as now."),
        title=title_of(best, tr),
        factor=format_factor_interval(best.speedup),
    )


def warning_lines(report: TrialReport, tr: Translator) -> tuple[str, ...]:
    """Return what disturbed the runs, a sentence each."""
    return tuple(sentences_text([tr(WARNINGS[w])], tr) for w in report.warnings if w in WARNINGS)


def ahead_lines(report: TrialReport, tr: Translator) -> tuple[str, ...]:
    """Return a sentence on what is ahead without a proof, none where nothing is."""
    ahead = ahead_of(report)
    if ahead is None or ahead.speedup is None:
        return ()
    factor = format_factor_interval(ahead.speedup)
    return (tr(_AHEAD, title=title_of(ahead, tr), factor=factor),)


def title_of(result: TrialResult, tr: Translator) -> str:
    """Return the name of what was tried."""
    return setup_title(result.setup, tr)


def setup_title(setup: TrialSetup, tr: Translator) -> str:
    """Return the name of what is tried, with the number that tells it from others like it."""
    if setup.parts:
        titles = setup.title.split(" + ")
        if len(titles) != len(setup.parts):
            titles = list(setup.parts)
        pairs = zip(setup.parts, titles, strict=True)
        return " + ".join(_part_title(part, title, setup, tr) for part, title in pairs)
    text = tr(setup.title)
    if "{backend}" in text:
        text = text.format(backend=setup.backend)
    return f"{text} ({setup.batch_size})" if setup.batch_size is not None else text


def _part_title(part: str, title: str, setup: TrialSetup, tr: Translator) -> str:
    """Return the name of a part of a combined setup in a few words, as several stand in a row.

    Parts without a short name go by their own title; the number of threads is the setup's.
    """
    if part in _THREADS and setup.intra_threads is not None:
        if setup.intra_threads == 1:
            return tr(N_("one thread"))
        return tr(N_("{n} threads"), n=setup.intra_threads)
    if part in _PARTS:
        return tr(_PARTS[part])
    return tr(title).replace("{backend}", setup.backend)


def _table(report: TrialReport, tr: Translator) -> Table:
    heads = (
        N_("Setting"), N_("Verdict"), N_("Speed-up"), N_("Step"), N_("First step"),
        N_("Memory"), N_("Runs"),
    )  # fmt: skip
    return Table(
        heads=tuple(tr(head) for head in heads),
        rows=tuple(_row(result, tr) for result in report.results),
        right_aligned=(3, 4, 5, 6),
    )


def _row(result: TrialResult, tr: Translator) -> tuple[str, ...]:
    step = result.step_s
    return (
        title_of(result, tr),
        tr(VERDICTS[result.verdict]),
        UNKNOWN if result.speedup is None else format_factor_interval(result.speedup),
        format_duration(None if step is None else step.mid),
        format_duration(result.first_step_s),
        format_bytes(result.peak_memory_bytes),
        str(result.n_runs),
    )


def _chart(report: TrialReport, tr: Translator) -> BarChart:
    bars = []
    best = report.best
    for result in report.results:
        if result.step_s is None:
            continue
        sample = result.step_s.scaled(1.0 / result.samples_per_step)
        emphasis = "best" if result is best else _EMPHASIS.get(result.verdict, "none")
        bars.append(
            Bar(
                label=title_of(result, tr),
                low=sample.low,
                mid=sample.mid,
                high=sample.high,
                text=format_duration(sample.mid),
                emphasis=emphasis,
            )
        )
    # Each bar has its time with the unit that suits it.
    axis = tr(N_("shorter is better"))
    return BarChart(title=tr(N_("Time for one sample")), axis=axis, bars=tuple(bars))
