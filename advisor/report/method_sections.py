"""The parts of a report that make it checkable: the network, the method, the sources.

Leaves to others: the advice (`advisor.report.advice_sections`).
"""

from advisor.format import (
    UNKNOWN,
    format_bytes,
    format_count,
    format_duration,
    format_duration_interval,
    format_number,
)
from advisor.i18n import N_, Translator
from advisor.model.kernel import OperatorKind, UnknownShape
from advisor.model.quantity import Phase
from advisor.model.recommendation import Preferences, Recommendation
from advisor.model.report import Bar, BarChart, Block, Facts, Paragraph, Section
from advisor.model.workload import Workload
from advisor.report.job_line import SEPARATOR, amount_text, wishes
from advisor.report.names import BASES, OPERATORS, PHASES
from advisor.report.own_kernels import own_kernel_blocks
from advisor.report.reasons import caveat_texts
from advisor.report.said import said, source_text

_SHOWN_SHARES = 8


def workload_section(workload: Workload, preferences: Preferences, tr: Translator) -> Section:
    """Return the user's job: the network, its size, how much is to be run, and what is wanted."""
    per_sample = format_number(workload.multiply_adds_per_sample / 1e6)
    is_one_step = workload.total_steps == 1
    job = (
        N_("{phase}, batch {batch}, {amount}: 1 step")
        if is_one_step
        else N_("{phase}, batch {batch}, {amount}: {steps:,} steps")
    )
    precision = (tr(N_("Precision")), workload.precision.value)
    if workload.phase is Phase.TRAINING:
        both = f"{workload.precision.value}, {workload.optimizer}"
        precision = (tr(N_("Precision, optimizer")), both)
    figures: tuple[tuple[str, str], ...] = (
        (tr(N_("Parameters")), format_count(workload.parameters)),
        (tr(N_("Multiply-adds per sample")), tr(N_("{n} million"), n=per_sample)),
        (tr(N_("Memory needed")), format_bytes(workload.memory_bytes)),
    )
    if any(isinstance(operator.shape, UnknownShape) for operator in workload.operators):
        # A layer of the user's own may hold anything.
        figures = tuple(
            (name, tr(N_("at least {figure}"), figure=figure)) for name, figure in figures
        )
    rows = (
        (tr(N_("Network")), workload.title),
        (
            tr(N_("Job")),
            tr(
                job,
                phase=tr(PHASES[workload.phase]),
                batch=workload.batch_size,
                amount=amount_text(workload, tr),
                steps=workload.total_steps,
            ),
        ),
        precision,
        (tr(N_("Wanted")), SEPARATOR.join(wishes(preferences, tr))),
        *figures,
    )
    notes = tuple(Paragraph(text=said(note, tr), style="note") for note in workload.notes)
    return Section(title=tr(N_("The job")), blocks=(Facts(rows=rows), *notes))


def method_section(advice: Recommendation, tr: Translator) -> Section:
    """Return how the time on this machine came about: parts of a step, evidence, assumptions."""
    baseline = advice.baseline
    blocks: list[Block] = [
        Paragraph(
            text=tr(
                N_("This machine as it is: {step} a step, {epoch} an epoch, {total} in all"
                   " (80 % intervals). Basis: {basis}."),
                step=format_duration_interval(baseline.step_s, tr),
                epoch=format_duration_interval(baseline.epoch_s, tr),
                total=format_duration_interval(baseline.total_s, tr),
                basis=tr(BASES[baseline.basis]),
            )
        )
    ]  # fmt: skip
    shares = sorted(baseline.breakdown, key=lambda share: -share.time_s)[:_SHOWN_SHARES]
    if shares:
        bars = tuple(
            Bar(label=tr(OPERATORS[OperatorKind(s.operator_kind)]), low=s.time_s, mid=s.time_s,
                high=s.time_s, text=format_duration(s.time_s, tr))
            for s in shares
        )  # fmt: skip
        title = tr(N_("Where the time of a step goes here"))
        blocks.append(BarChart(title=title, axis=tr(N_("seconds")), bars=bars))
    blocks += own_kernel_blocks(advice.measurements, advice.workload, tr)
    for evidence in baseline.evidence:
        text = f"{said(evidence.statement, tr)} [{source_text(evidence.source, tr)}]"
        blocks.append(Paragraph(text=text, style="note"))
    blocks += [Paragraph(text=said(text, tr), style="note") for text in baseline.assumptions]
    return Section(title=tr(N_("How the times were found")), blocks=tuple(blocks))


def caveats_section(advice: Recommendation, tr: Translator) -> Section:
    """Return what the reader must know before acting."""
    blocks = tuple(Paragraph(text=text) for text in caveat_texts(advice, tr))
    return Section(title=tr(N_("Before you act")), blocks=blocks)


def sources_section(advice: Recommendation, tr: Translator) -> Section:
    """Return dates of the data and the sources of every figure used."""
    dates = ", ".join(f"{p.name} {p.value}" for p in advice.data_dates) or UNKNOWN
    intro = Paragraph(text=tr(N_("Newest date of each part of the data: {dates}."), dates=dates))
    seen: dict[str, str] = {}
    for source in advice.sources:
        seen.setdefault(source.reference, source_text(source, tr))
    lines = Paragraph(text="; ".join(seen.values()), style="note")
    return Section(title=tr(N_("Sources")), blocks=(intro, lines) if seen else (intro,))
