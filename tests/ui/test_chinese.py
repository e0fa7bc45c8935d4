"""In Chinese no English sentence is left: all that is told of recorded machines is read through."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from advisor.compare.explain import explain
from advisor.i18n import translator_for
from advisor.knowledge.store import load_knowledge
from advisor.model.codec import encode, load_document
from advisor.model.machine import MachineProfile, OsFamily
from advisor.model.quantity import Phase
from advisor.model.recommendation import Objective, Preferences
from advisor.model.workload import Job
from advisor.network.load import bundled_workload
from advisor.recommend.recommend import recommend
from advisor.report.build import (
    build_measurement_report,
    build_profile_report,
    build_report,
    build_summary,
)
from advisor.report.compare_sections import build_comparison_report
from advisor.report.explain_sections import build_explanation_report
from advisor.report.said import said_note
from advisor.report.trial_section import build_trial_report
from tests.accuracy.live_file import Recording
from tests.advisor.recommend.test_tried import TRIALS
from ui.comparing import compare_all
from ui.models import compare_rows

TESTS = Path(__file__).resolve().parents[1]
ZH = translator_for("zh_CN")
# Three words of Latin letters or more beside each other.
_RUN = re.compile(
    r"(?<![\w./=:@-])[A-Za-z][A-Za-z'’-]*(?:[ ,]+[A-Za-z][A-Za-z'’-]*){2,}(?![\w./=-])"
)
# Of names of persons and products at most one word begins with a small letter.
_LEAST_SMALL = 2
# What stays: words of others in quotation marks, commands, titles as published, names.
_QUOTED = re.compile('“[^”]*”|"[^"]*"')
_NAMES = (
    "pip install", "pip uninstall", "apt install", "cuDNN RNN fix", "branch, compiled",
    "How can I speed up deep learning", "via github", "shaders per core, clock",
    "Text generator with embedding", "TensorFlow built from source with",
)  # fmt: skip


def _texts(value: object) -> Iterator[str]:
    """Yield the texts of a report, but not its commands."""
    if isinstance(value, dict):
        if value.get("style") != "code":
            for name, part in value.items():
                if name not in ("style", "emphasis", "language", "type"):
                    yield from _texts(part)
    elif isinstance(value, list | tuple):
        for part in value:
            yield from _texts(part)
    elif isinstance(value, str):
        yield value


def _english(text: str) -> list[str]:
    runs = _RUN.findall(_QUOTED.sub("", text))
    return [
        run
        for run in runs
        if sum(word[:1].islower() for word in re.split("[ ,]+", run)) >= _LEAST_SMALL
        and not any(name in run for name in _NAMES)
    ]


def _left(texts: Iterator[str] | list[str]) -> set[tuple[str, str]]:
    return {(run, text) for text in texts for run in _english(text)}


@pytest.fixture(scope="module")
def knowledge():
    return load_knowledge()


def _machine(name):
    if name == "a10-7850k":
        path = TESTS / "data/machines/a10-7850k/profile.json"
        return load_document(path.read_text(encoding="utf-8"), MachineProfile), None
    recording = Recording(TESTS / "accuracy/recorded" / f"{name}.json.gz")
    return recording.profile, recording.measurements("calibration/start")


@pytest.fixture(scope="module", params=["a10-7850k", "linux-sapphirerapids-2"])
def machine(request):
    return _machine(request.param)


def test_english_is_found_where_it_is():
    assert _english("其中 the worker ended without a result 为")
    assert not _english("NVIDIA Jetson AGX Xavier 与 Wide Resnet of Google")


@pytest.mark.parametrize(
    ("network", "phase"), [("resnet-50", Phase.INFERENCE), ("mnist-cnn", Phase.TRAINING)]
)
def test_advice_and_comparison(knowledge, machine, network, phase):
    profile, measurements = machine
    workload = bundled_workload(network, job=Job(phase=phase), networks=knowledge.networks)
    left = set()
    for objective in (Objective.CHEAPEST, Objective.FASTEST):
        advice = recommend(
            profile, measurements, workload, Preferences(objective=objective), knowledge,
            today="2026-11-22", app_version="1",
        )  # fmt: skip
        for build in (build_report, build_summary):
            left |= _left(_texts(encode(build(advice, ZH))))
    found = compare_all(advice, knowledge)
    left |= _left(_texts(encode(build_comparison_report(found, ZH))))
    for group in found.groups:
        rows, results = compare_rows.compare_rows(group, group.results, ZH)
        cells = [cell for row in rows for cell in row]
        told = [text for c in cells for text in (c.text, c.detail or "", c.explanation or "")]
        told += [compare_rows.source_of(result, ZH) for result in results if result is not None]
        told += [compare_rows.group_title(group, ZH), compare_rows.group_text(group, ZH)]
        left |= _left(told)
    assert not left


def test_machine_measurements_and_trials(machine):
    profile, measurements = machine
    left = _left(_texts(encode(build_profile_report(profile, ZH))))
    if measurements is not None:
        left |= _left(_texts(encode(build_measurement_report(measurements, ZH))))
    report = build_trial_report(TRIALS, ZH, system=OsFamily.LINUX)
    assert not left | _left(_texts(encode(report)))


def test_notes_of_all_studies(knowledge):
    notes = {row.note for row in (*knowledge.published, *knowledge.devices) if row.note}
    assert not _left([said_note(note, ZH) for note in notes])


def test_explanations_of_all_options_and_systems_have_few_runs_left(knowledge):
    profile, _ = _machine("a10-7850k")
    names = [*(s.name for s in knowledge.past_systems), *(o.id for o in knowledge.options)]
    told = [explain(name, profile=profile, knowledge=knowledge) for name in names]
    reports = [build_explanation_report(each, ZH) for each in told if each is not None]
    left = {run for report in reports for run, _text in _left(_texts(encode(report)))}
    assert len(left) <= 30, left
