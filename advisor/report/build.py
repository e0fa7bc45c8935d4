"""A recommendation as a report: which parts, in which order.

Leaves to others: the parts (`advisor.report.*_sections`), drawing (`advisor.report.pdf`, `.text`).
"""

from collections.abc import Iterable

from advisor.i18n import N_, Translator
from advisor.model.efficiency import Efficiency
from advisor.model.machine import MachineProfile
from advisor.model.measurement import MeasurementSet
from advisor.model.recommendation import Recommendation
from advisor.model.report import Report, Section
from advisor.report.advice_sections import (
    answer_section,
    avoid_section,
    hints_section,
    how_section,
    money_section,
    options_section,
    rejections_section,
)
from advisor.report.job_line import amount_text, job_sentence
from advisor.report.machine_sections import machine_section, measurement_section
from advisor.report.method_sections import (
    caveats_section,
    method_section,
    sources_section,
    workload_section,
)
from advisor.report.names import OBJECTIVES, PHASES
from advisor.report.short_sections import (
    short_avoid_section,
    short_hints_section,
    short_options_section,
)
from advisor.report.times_section import times_section
from advisor.report.trial_section import tried_sections

_JOB = N_("{title}, {phase}: batch {batch}, {amount}, {precision}, on {cpu}. Wanted: {objective}.")


def build_report(advice: Recommendation, tr: Translator) -> Report:
    """Return the whole report of a recommendation."""
    measured: tuple[Section, ...] = ()
    if advice.measurements is not None:
        shares = advice.efficiencies
        measured = (
            measurement_section(
                advice.measurements, tr, profile=advice.profile, efficiencies=shares
            ),
        )
    sections = (
        answer_section(advice, tr),
        caveats_section(advice, tr),
        options_section(advice, tr),
        avoid_section(advice, tr),
        how_section(advice, tr),
        money_section(advice, tr),
        hints_section(advice, tr),
        workload_section(advice.workload, advice.preferences, tr),
        machine_section(advice.profile, tr),
        *tried_sections(advice, tr),
        *measured,
        method_section(advice, tr),
        rejections_section(advice, tr),
        sources_section(advice, tr),
    )
    footer = tr(
        N_("DL Advisor {version}, {date}. Times are predictions with an 80 % interval unless"
           " they say measured."),
        version=advice.app_version,
        date=advice.created_on,
    )  # fmt: skip
    return _report(advice, sections, footer, tr)


def build_times_report(advice: Recommendation, tr: Translator) -> Report:
    """Return how long the network takes on each option, and how the times here were found."""
    sections = (times_section(advice, tr), method_section(advice, tr))
    return Report(
        title=tr(N_("How long it takes")),
        subtitle=f"{job_sentence(advice.workload, None, tr)} · {advice.profile.cpu.brand}",
        sections=tuple(s for s in sections if _has_content(s)),
        footer=tr(N_("`recommend` says which to take, with prices, work and reasons.")),
        language=tr.language,
    )


def build_summary(
    advice: Recommendation, tr: Translator, *, is_kept: bool = True, has_pdf: bool = False
) -> Report:
    """Return what fits a screen of a terminal; the whole report has the rest.

    Args:
        advice: what is told.
        tr: into the user's language.
        is_kept: whether it is the last advice now, which `report` writes.
        has_pdf: whether the whole report was asked for as well, which then needs no mention.
    """
    measured: tuple[Section, ...] = ()
    if advice.measurements is not None:
        measured = (measurement_section(advice.measurements, tr, profile=advice.profile),)
    sections = (
        *measured,
        short_avoid_section(advice, tr),
        short_hints_section(advice, tr),
        caveats_section(advice, tr),
        short_options_section(advice, tr),
        answer_section(advice, tr, is_short=True),
    )
    if has_pdf:
        footer = ""
    elif is_kept:
        footer = N_("Reasons, sources, money in parts and what was left out: add --pdf FILE, or use"
                    " the command `report` for the whole text of the last advice.")  # fmt: skip
    else:
        footer = N_("Reasons, sources, money in parts and what was left out: add --pdf FILE.")
    return _report(advice, sections, tr(footer), tr)


def _report(
    advice: Recommendation, sections: tuple[Section, ...], footer: str, tr: Translator
) -> Report:
    subtitle = tr(
        _JOB,
        title=advice.workload.title,
        batch=advice.workload.batch_size,
        amount=amount_text(advice.workload, tr),
        phase=tr(PHASES[advice.workload.phase]),
        precision=advice.workload.precision.value,
        cpu=advice.profile.cpu.brand,
        objective=tr(OBJECTIVES[advice.preferences.objective]),
    )
    title = tr(N_("What to do for faster or cheaper deep learning"))
    if advice.measurements is not None and advice.measurements.is_cancelled:
        title = tr(N_("Cancelled run: {title}"), title=title)
    return Report(
        title=title,
        subtitle=subtitle,
        sections=tuple(s for s in sections if _has_content(s)),
        footer=footer,
        language=tr.language,
    )


def build_profile_report(profile: MachineProfile, tr: Translator) -> Report:
    """Return what is known about a machine, as a report of its own."""
    return Report(
        title=profile.cpu.brand,
        subtitle=tr(N_("Facts found on {date}"), date=profile.collected_on),
        sections=(machine_section(profile, tr),),
        footer="",
        language=tr.language,
    )


def build_measurement_report(
    results: MeasurementSet, tr: Translator, *, efficiencies: Iterable[Efficiency] = ()
) -> Report:
    """Return the headline figures of a session and whether they are normal, as a report."""
    title = tr(N_("Measurements"))
    subtitle = tr(N_("Taken on {date}"), date=results.measured_on)
    if results.is_cancelled:
        title = tr(N_("Cancelled run: {title}"), title=title)
        n_measured, n_asked = len(results.measured), len(results.results)
        subtitle = tr(
            N_("Taken on {date}; {n_measured} of {n_asked} measurements are there"),
            date=results.measured_on,
            n_measured=n_measured,
            n_asked=n_asked,
        )
    return Report(
        title=title,
        subtitle=subtitle,
        sections=(measurement_section(results, tr, efficiencies=efficiencies),),
        footer="",
        language=tr.language,
    )


def _has_content(section: Section) -> bool:
    return any(getattr(block, "rows", (None,)) for block in section.blocks)
