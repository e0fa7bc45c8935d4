"""Commands that measure nothing: times and advice from saved values, and reports of saved advice.

Leaves to others: which values are taken (`ui.saved_values`), parsing words (`ui.cli`).
"""

import argparse
from pathlib import Path

from advisor.errors import InputError
from advisor.model.recommendation import Preferences, Recommendation
from advisor.recommend.preferences import check_preferences
from advisor.report.build import build_report, build_times_report
from ui import commands
from ui.exits import EXIT_DONE
from ui.files import check_targets, read_document, write_bytes, write_document
from ui.saved_values import advice_from, saved_values
from ui.settings import last_recommendation_file
from ui.terminal import print_line, report_text, user_translator


def predict(options: argparse.Namespace) -> int:
    """Print the predicted times of a network on this machine or on a saved one."""
    check_targets(options.json, sources=commands.files_read(options))
    workload = commands.workload_of(options)
    profile, measurements = saved_values(options)
    recommendation = advice_from(options, profile, measurements, workload, Preferences())
    if options.json is not None:
        write_document(options.json, recommendation.baseline)
    else:
        print_line(report_text(build_times_report(recommendation, user_translator())))
    return EXIT_DONE


def recommend(options: argparse.Namespace) -> int:
    """Print advice made from saved values alone; write the PDF and the JSON."""
    check_targets(options.pdf, options.json, sources=commands.files_read(options))
    workload = commands.workload_of(options)
    preferences = commands.preferences_of(options)
    check_preferences(preferences)
    profile, measurements = saved_values(options)
    recommendation = advice_from(options, profile, measurements, workload, preferences)
    if options.pdf is not None:
        _write_pdf(options.pdf, recommendation)
    if options.json is not None:
        write_document(options.json, recommendation)
    else:
        has_pdf = options.pdf is not None
        print_line(commands.summary_of(recommendation, is_kept=False, has_pdf=has_pdf))
    return EXIT_DONE


def report(options: argparse.Namespace) -> int:
    """Write a saved recommendation as PDF, or print it."""
    check_targets(options.pdf, sources=[options.recommendation])
    if options.recommendation is None:
        if not last_recommendation_file().exists():
            raise InputError(
                "no advice was made yet: run `dl-advisor advise`, or name a saved file"
            )
        recommendation = read_document(last_recommendation_file(), Recommendation)
    else:
        recommendation = read_document(options.recommendation, Recommendation)
    if options.pdf is None:
        print_line(report_text(build_report(recommendation, user_translator())))
    else:
        _write_pdf(options.pdf, recommendation)
    return EXIT_DONE


def _write_pdf(path: Path, recommendation: Recommendation) -> None:
    write_bytes(path, commands.pdf_of(recommendation))
    commands.say(f"report written to {path}")
