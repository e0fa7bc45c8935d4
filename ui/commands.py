"""The commands of the command line: arguments to steps of the journey, values to text or JSON.

What only some of them need is imported where they do: half of a start is what is loaded.
Leaves to others: parsing words and ending the process (`ui.cli`), the steps (`ui.journey`), what
measures nothing (`ui.saved_commands`, `ui.knowledge_commands`).
"""

import argparse
import difflib
import importlib
import os
from pathlib import Path

from advisor.errors import InputError
from advisor.i18n import Translator
from advisor.knowledge.regions import Continent, is_in_regions
from advisor.knowledge.user_folder import skipped_sentence
from advisor.model.machine import MachineProfile
from advisor.model.measurement import MeasurementSet, Outcome
from advisor.model.objective import Objective
from advisor.model.quantity import Phase, Precision
from advisor.model.recommendation import Preferences, Recommendation
from advisor.model.workload import Job, Workload
from advisor.report.called import as_called
from advisor.report.columns import wrap
from advisor.report.said import said_line
from probes.bench.plan_builder import Budget
from ui import dataset, journey
from ui.doctor import doctor_report
from ui.exits import EXIT_DONE, EXIT_INCOMPLETE
from ui.files import check_targets, spared, write_bytes, write_document
from ui.last_measured import keep_bench, last_measured
from ui.program import program_name
from ui.settings import keep_last
from ui.streams import say_line
from ui.terminal import (
    output_encoding,
    output_width,
    print_line,
    report_text,
    shown,
    user_translator,
)

# Verdicts that are facts about the machine, not something that went wrong.
EXPECTED_OUTCOMES = (Outcome.COMPLETED, Outcome.UNSUPPORTED, Outcome.SKIPPED)
# How alike two names of regions must be to be offered for one another, 0 to 1.
_ALIKE = 0.75
# What means nothing in inference, by the names of the options.
_OF_TRAINING = ("epochs", "optimizer")


def advise(options: argparse.Namespace) -> int:
    """Do the main job: probe, measure, advise; write the PDF and the JSON."""
    check_targets(options.pdf, options.json, sources=[model_file(options)])
    request = journey.JourneyRequest(
        network=_network(options),
        model_file=model_file(options),
        job=_job(options),
        preferences=preferences_of(options),
        budget=_budget(options),
        device_ids=tuple(options.device) if options.device else None,
        earlier=last_measured(),
    )
    from ui.progress import TerminalProgress

    with TerminalProgress() as progress:
        progress.ask_machine()
        recommendation = journey.walk(request, on_event=progress.show, cancel=progress.cancel)
    tell_not_kept(keep_last(recommendation))
    if options.pdf is not None:
        write_bytes(options.pdf, pdf_of(recommendation))
    if options.json is not None:
        write_document(options.json, recommendation)
    if options.json != "-":
        print_line(summary_of(recommendation, has_pdf=options.pdf is not None))
    if options.pdf is not None:
        say(f"report written to {options.pdf}")
    if progress.cancel.is_cancelled:
        raise KeyboardInterrupt
    return _completeness(recommendation.measurements)


def probe(options: argparse.Namespace) -> int:
    """Print the facts about this machine."""
    from ui.progress import probed_machine

    check_targets(options.json)
    profile = probed_machine()
    if options.json is not None:
        write_document(options.json, profile)
    else:
        from advisor.report.build import build_profile_report

        print_line(report_text(build_profile_report(profile, _translator())))
    return EXIT_DONE


def bench(options: argparse.Namespace) -> int:
    """Measure this machine, or some of its devices."""
    for target in (options.out, options.json):
        check_targets(target)
    request = journey.JourneyRequest(
        network=options.network,
        budget=_budget(options),
        device_ids=tuple(options.device) if options.device else None,
        python=options.python,
    )
    workload = None
    if options.network is not None:
        workload = journey.load_job(request, dataset.bundled_knowledge())
    from ui import bench_modes
    from ui.progress import TerminalProgress, probed_machine

    profile = probed_machine()
    with TerminalProgress() as progress:
        results = bench_modes.measure(
            request,
            profile=profile,
            workload=workload,
            progress=progress,
            sustained_minutes=options.sustained,
        )
    if request.device_ids is None and request.python is None and options.sustained is None:
        keep_bench(profile, results)
    try:
        for target in (options.out, options.json):
            if target is not None:
                _write_run(str(target), results, is_cancelled=progress.cancel.is_cancelled)
    finally:
        # A disk that is full by now costs the file, not the figures.
        if options.json != "-":
            _print_figures(profile, results)
    if progress.cancel.is_cancelled:
        raise KeyboardInterrupt
    return _completeness(results)


def _print_figures(profile: MachineProfile, results: MeasurementSet) -> None:
    from advisor.normal.judge import judge_efficiency
    from advisor.report.build import build_measurement_report

    shares = judge_efficiency(profile, results, dataset.bundled_knowledge())
    report = build_measurement_report(results, _translator(), efficiencies=shares)
    print_line(report_text(report))


def _write_run(target: str, results: MeasurementSet, *, is_cancelled: bool) -> None:
    """Write a run; one that was cut short takes the place of no earlier file."""
    place = spared(Path(target)) if is_cancelled and target != "-" else None
    if place is not None:
        kept = Path(target).name
        say(f"{kept} stays as it was: what was measured until then is in {place.name}")
    write_document(str(place or target), results)


def networks(options: argparse.Namespace) -> int:
    """List the bundled networks, or the layers of one or of a model file."""
    knowledge = dataset.bundled_knowledge()
    if options.name is None:
        for facts in sorted(knowledge.networks, key=lambda row: row.name):
            print_line(f"{facts.name:28} {facts.title}")
        return EXIT_DONE
    # Imported only here: no other command loads what reads networks before it reads one.
    from advisor.network.summary import network_table

    name = Path(options.name) if _looks_like_file(options.name) else options.name
    print_line(network_table(name, networks=knowledge.networks))
    return EXIT_DONE


def data(options: argparse.Namespace) -> int:
    """Check the bundled dataset, or list the claims of the founding studies."""
    if options.action == "findings":
        for finding in dataset.bundled_knowledge().findings:
            claim = wrap(finding.claim, output_width() - 13, breaks_words=False)
            print_line(f"{finding.id:6} {finding.verdict:5} " + f"\n{'':13}".join(claim))
        return EXIT_DONE
    validate = importlib.import_module("advisor.knowledge.validate")
    return int(validate.main([]))


def doctor(options: argparse.Namespace) -> int:
    """Print what belongs into a bug report: versions, the machine, what is missing."""
    from ui.progress import probed_machine

    profile = probed_machine()
    if options.json is not None:
        write_document(options.json, profile)
        return EXIT_DONE
    print_line(
        doctor_report(profile, _translator(), width=output_width(), encoding=output_encoding())
    )
    return EXIT_DONE


def say(text: str) -> None:
    """Write a line to standard error."""
    line = as_called(said_line(text, user_translator()), program_name())
    say_line(f"dl-advisor: {shown(line)}")


def tell_put_aside(place: Path | None) -> None:
    """Say that a damaged history was put aside and a new one begun, where it was."""
    if place is not None:
        say(f"the history was damaged: it is kept as {place}, and a new one begins")


def tell_not_kept(reason: str | None) -> None:
    """Say in one line why the advice is not there next time."""
    if reason is not None:
        say(f"the advice could not be kept for later: {reason}")


def tell_skipped() -> None:
    """Say in one line which of the user's own rows could not be used."""
    sentence = skipped_sentence(dataset.bundled_knowledge())
    if sentence is not None:
        say(sentence)


def _completeness(results: MeasurementSet | None) -> int:
    if results is None:
        return EXIT_INCOMPLETE
    if results.failed and not results.measured:
        say(f"no kernel gave a figure; first: {results.failed[0].message}")
        return EXIT_INCOMPLETE
    lost = [f for f in results.failed if f.outcome not in EXPECTED_OUTCOMES]
    if not lost:
        return EXIT_DONE
    say(f"{len(lost)} of {len(results.results)} kernels gave no figure; first: {lost[0].message}")
    return EXIT_INCOMPLETE


def _looks_like_file(word: str) -> bool:
    return Path(word).suffix in (".keras", ".json", ".onnx", ".h5") or os.sep in word


def _network(options: argparse.Namespace) -> str | None:
    named = [w for w in (options.workload, options.network, options.model) if w is not None]
    if len(named) > 1:
        raise InputError("give one network: WORKLOAD, --network or --model")
    if any(not str(word).strip() for word in named):
        raise InputError("the name of the network is empty: give one, or leave the word out")
    if options.workload is not None and not _looks_like_file(options.workload):
        return str(options.workload)
    return options.network if options.network is None else str(options.network)


def model_file(options: argparse.Namespace) -> Path | None:
    """Return the file that the arguments name as the network, None where they name none."""
    if options.workload is not None and _looks_like_file(options.workload):
        return Path(options.workload)
    return options.model if options.model is None else Path(options.model)


def files_read(options: argparse.Namespace) -> tuple[Path | None, ...]:
    """Return the files that a command of saved values reads; None for each that is not named."""
    return model_file(options), options.profile, options.measurements


def _job(options: argparse.Namespace) -> Job:
    if options.phase == Phase.INFERENCE.value:
        for name in _OF_TRAINING:
            if getattr(options, name) is not None:
                raise InputError(f"--{name} belongs to training: leave it out in inference")
    return Job(
        phase=Phase(options.phase),
        batch_size=options.batch_size,
        precision=Precision(options.precision),
        samples=options.samples,
        epochs=options.epochs,
        optimizer=options.optimizer,
    )


def workload_of(options: argparse.Namespace) -> Workload:
    """Return the workload that the arguments name."""
    request = journey.JourneyRequest(
        network=_network(options), model_file=model_file(options), job=_job(options)
    )
    try:
        return journey.load_job(request, dataset.bundled_knowledge())
    except InputError:
        if request.network is not None and Path(request.network).exists():
            raise InputError(
                f"{request.network}: not a network: give a .keras, .json or .onnx file, or a name"
                " that `dl-advisor networks` lists"
            ) from None
        raise


def regions_of(text: str, *, has_short_names: bool = True) -> tuple[str, ...]:
    """Return the regions of a comma-separated list.

    Args:
        text: whole names, and where short ones are allowed beginnings ("eu-") and "europe".
        has_short_names: False where each region is fetched by its name.

    Raises:
        InputError: when no offer is there.
    """
    regions = tuple(region.strip() for region in text.split(",") if region.strip())
    known = {offer.region for offer in dataset.bundled_knowledge().offers}
    for region in regions:
        is_short = has_short_names and any(is_in_regions(r, wanted=(region,)) for r in known)
        if region not in known and not is_short:
            names = sorted({*known, *(Continent if has_short_names else ())})
            close = difflib.get_close_matches(region, names, n=3, cutoff=_ALIKE)
            if close:
                near = ", ".join(close)
                raise InputError(f"no offer is in region {region!r}: perhaps {near}")
            raise InputError(
                f"no offer is in region {region!r}: `dl-advisor prices regions` lists all"
            )
    return regions


def _named_regions(text: str) -> tuple[str, ...]:
    found = regions_of(text)
    if not found:
        raise InputError("--regions names none: leave it out for any region")
    return found


def preferences_of(options: argparse.Namespace) -> Preferences:
    """Return what the arguments say of wishes and limits."""
    return Preferences(
        objective=Objective(options.objective),
        max_usd=options.max_usd,
        deadline_h=options.deadline_hours,
        regions=() if options.regions is None else _named_regions(options.regions),
        allows_cloud=not options.no_cloud,
        allows_buying=not options.no_buy,
        electricity_usd_per_kwh=options.electricity_usd_per_kwh,
        data_bytes=None if options.data_gb is None else round(options.data_gb * 1e9),
        use_h_per_week=options.hours_per_week,
    )


def _budget(options: argparse.Namespace) -> Budget:
    return Budget.THOROUGH if options.thorough else Budget.QUICK


def _translator() -> Translator:
    return user_translator()


def summary_of(
    recommendation: Recommendation, *, is_kept: bool = True, has_pdf: bool = False
) -> str:
    """Return the short text of an advice, which says where the rest is."""
    from advisor.report.build import build_summary

    summary = build_summary(recommendation, _translator(), is_kept=is_kept, has_pdf=has_pdf)
    return report_text(summary)


def pdf_of(recommendation: Recommendation) -> bytes:
    """Return the report of an advice as PDF."""
    # Imported only here: what sets pages costs a fourth of a command's start.
    from advisor.report.build import build_report
    from advisor.report.pdf import render_pdf

    return render_pdf(build_report(recommendation, _translator()), created_at=journey.now())
