"""`dl-advisor try`: real steps of the user's network under each setting, before and after.

Leaves to others: the words (`ui.try_arguments`), the network (`ui.try_source`), the search
(`ui.try_run`).
"""

import argparse
from pathlib import Path

from advisor.errors import InputError
from advisor.format import format_duration
from advisor.i18n import N_, Translator
from advisor.model.machine import Environment, MachineProfile, OsFamily
from advisor.model.recommendation import Preferences
from advisor.model.trial import (
    TrialReport,
    TrialRun,
    TrialSetup,
    TrialSource,
    TrialVerdict,
)
from advisor.model.workload import Workload
from advisor.report.job_line import job_sentence
from advisor.report.names import OUTCOMES
from advisor.report.said import said_line
from advisor.report.trial_section import build_trial_report, said_code, setup_title
from advisor.share.steps import TriedJob
from advisor.trial.apply import Form, snippet, undo
from advisor.trial.judge import ahead_of
from advisor.trial.plan import choose_trials
from probes.bench.trials.facts import memory_limit_bytes
from probes.bench.trials.run import RunLimits
from ui import commands, dataset, journey, try_install, try_source
from ui.earlier_trials import earlier_trials_of
from ui.exits import EXIT_DONE, EXIT_INCOMPLETE
from ui.files import check_targets, write_bytes, write_document
from ui.history.rows import Search
from ui.history.store import History
from ui.last_measured import last_measured
from ui.own_steps import keep_own_step, own_steps_of
from ui.progress import TerminalProgress
from ui.settings import keep_last, read_last, trials_file
from ui.streams import say_line
from ui.terminal import print_line, report_text, user_translator
from ui.try_arguments import ALL_MINUTES, DEFAULT_MINUTES
from ui.try_plan import named_environment, search_row, setups_for
from ui.try_run import Searcher, SearchRequest
from ui.trying import tells_something

_MINUTE_S = 60.0


def history_file() -> Path:
    """Return where finished runs are kept."""
    return trials_file()


def try_settings(options: argparse.Namespace) -> int:
    """Try settings on a network and print what each gained."""
    if options.uninstall is not None:
        try_install.uninstall(options.uninstall)
        return EXIT_DONE
    _check_words(options)
    check_targets(options.pdf, options.json, sources=_files_read(options))
    source = _source(options)
    try_source.check_consent(source, has_consent=options.run_my_code)
    profile = journey.probe_machine(with_opencl=False)
    earlier = _tried_before(options, source, profile)
    if earlier is not None:
        tr = _tr()
        text = N_("taking what was tried on {date} (--minutes tries it anew)")
        commands.say(tr(text, date=earlier.measured_on))
        return EXIT_DONE if _show(earlier, options, profile.os.family) else EXIT_INCOMPLETE
    python = options.python
    if options.install is not None:
        python = try_install.installed_python(options)
    environment = named_environment(python)
    setups = _setups(options, source, profile, environment)
    if options.list:
        for setup in setups[1:]:
            print_line(f"{setup.id:24} {setup_title(setup, _tr())}")
        return EXIT_DONE
    report, is_cancelled = _search(options, source, profile, setups, environment)
    if source.code is None and tells_something(report):
        feed_advice(report, workload=commands.workload_of(options), profile=profile)
    is_applied = _show(report, options, profile.os.family)
    if is_cancelled:
        raise KeyboardInterrupt
    code = _exit_code(report)
    return code if is_applied else EXIT_INCOMPLETE


def _files_read(options: argparse.Namespace) -> tuple[Path | None, ...]:
    """Return the files of the network and of its data, where any are named."""
    data_file = None if options.data is None else Path(options.data)
    return commands.model_file(options), data_file


def _check_words(options: argparse.Namespace) -> None:
    """Refuse words that would be passed over.

    Raises:
        InputError: with the word that they go with.
    """
    if options.install is None and (options.yes or options.find_links is not None):
        word = "--yes" if options.yes else "--find-links"
        raise InputError(f"{word} goes with --install NAME")
    if options.list and options.apply is not None:
        raise InputError("--list tries nothing: leave --apply out")


def _tried_before(
    options: argparse.Namespace, source: TrialSource, profile: MachineProfile
) -> TrialReport | None:
    """Return the earlier trial of this job that --apply by itself takes; None: to be tried now."""
    asks_for_runs = (
        options.option, options.all, options.list, options.python, options.install,
        options.minutes, options.data, options.resume,
    )  # fmt: skip
    if options.apply is None or any(asks_for_runs) or source.code is not None:
        return None
    workload = commands.workload_of(options)
    path = commands.model_file(options)
    taken = earlier_trials_of(profile, workload, model_file=path).taken
    return taken if taken is not None and tells_something(taken) else None


def feed_advice(report: TrialReport, *, workload: Workload, profile: MachineProfile) -> None:
    """Make the last advice anew from what was tried and what was last measured here."""
    last, measured = read_last(), last_measured()
    is_here = measured is not None and measured.profile.cpu.brand == profile.cpu.brand
    is_same = last is not None and last.workload == workload
    preferences = last.preferences if last is not None and is_same else Preferences()
    advice = journey.advise(
        profile,
        measured.measurements if measured is not None and is_here else None,
        workload,
        preferences,
        dataset.bundled_knowledge(),
        index=dataset.bundled_index(),
        trials=report,
        own_steps=own_steps_of(profile),
    )
    commands.tell_not_kept(keep_last(advice))
    tr = _tr()
    job = job_sentence(workload, preferences, tr)
    commands.say(tr(N_("the last advice is now for this job, with what was tried: {job}"), job=job))


def _tr() -> Translator:
    return user_translator()


def _source(options: argparse.Namespace) -> TrialSource:
    word = options.workload if options.workload is not None else options.model
    code = try_source.code_reference(None if word is None else str(word))
    if code is not None:
        return try_source.source_of_code(code, options)
    workload = commands.workload_of(options)
    path = options.model
    if path is None and options.workload is not None and Path(options.workload).is_file():
        path = Path(options.workload)
    return try_source.source_of_workload(
        workload, path=path, data=options.data, knowledge=dataset.bundled_knowledge()
    )


def _setups(
    options: argparse.Namespace,
    source: TrialSource,
    profile: MachineProfile,
    environment: Environment | None,
) -> tuple[TrialSetup, ...]:
    wants_batches = options.all or any(name.startswith("batch") for name in options.option)
    setups = setups_for(profile, source, environment=environment, with_batches=wants_batches)
    return choose_trials(setups, options.option) if options.option else setups


def _search(
    options: argparse.Namespace,
    source: TrialSource,
    profile: MachineProfile,
    setups: tuple[TrialSetup, ...],
    environment: Environment | None,
) -> tuple[TrialReport, bool]:
    minutes = options.minutes or (ALL_MINUTES if options.all else DEFAULT_MINUTES)
    with History(history_file()) as history, TerminalProgress() as progress:
        commands.tell_put_aside(history.put_aside)
        kept = search_row(profile, source, environment=environment)
        kept = history.resumed(kept) if options.resume else history.begun(kept)
        request = SearchRequest(
            source=source,
            setups=setups,
            budget_s=minutes * _MINUTE_S,
            with_pairs=options.all,
            earlier=history.runs_of(kept.key),
            limits=RunLimits(memory_bytes=memory_limit_bytes(profile)),
        )
        searcher = Searcher(
            request,
            today=journey.today(),
            history=history,
            search_=kept,
            on_run=_tell,
            cancel=progress.cancel,
        )
        report = searcher.go(profile)
        if source.code is None:
            _keep_own_step(history, kept, report, commands.workload_of(options), profile)
        return report, progress.cancel.is_cancelled


def _keep_own_step(
    history: History,
    search: Search,
    report: TrialReport,
    workload: Workload,
    profile: MachineProfile,
) -> None:
    """Keep what the trial tells of a prediction from what was last measured on this machine."""
    last = last_measured()
    if last is None or last.profile.cpu.brand != profile.cpu.brand:
        return
    job = TriedJob(
        profile=profile, measurements=last.measurements, workload=workload, trials=report
    )
    keep_own_step(history, search, job)


def _tell(setup: TrialSetup, run: TrialRun) -> None:
    tr = _tr()
    name = setup_title(setup, tr)
    if run.is_completed and run.step_beside_s is not None:
        text = tr(
            N_("{name}: {step} a step; as it is now, in turns with it: {now}"),
            name=name,
            step=format_duration(run.step_s),
            now=format_duration(run.step_beside_s),
        )
    elif run.is_completed:
        text = tr(N_("{name}: {step} a step"), name=name, step=format_duration(run.step_s))
    else:
        text = f"{name}: {tr(OUTCOMES[run.outcome])}: {said_line(run.message, tr)}"
    say_line(f"{run.started_s + run.duration_s:5.0f} s  {text}")


def _show(report: TrialReport, options: argparse.Namespace, system: OsFamily) -> bool:
    """Print and write what was asked for; return whether there was something to apply, if asked."""
    document = build_trial_report(report, _tr(), system=system)
    if options.pdf is not None:
        from advisor.report.pdf import render_pdf

        write_bytes(options.pdf, render_pdf(document, created_at=journey.now()))
    if options.json is not None:
        write_document(options.json, report)
    if options.json != "-":
        print_line(report_text(document))
    return options.apply is None or _print_snippet(report, Form(options.apply))


def _print_snippet(report: TrialReport, form: Form) -> bool:
    """Print how to use the best setting; return whether there is anything to use in this form."""
    best = report.best
    if best is None:
        commands.say("nothing is applied: no setting is surely faster than what you have now")
        ahead = ahead_of(report)
        if ahead is not None:
            name = setup_title(ahead.setup, _tr())
            commands.say(f"{name} is ahead, but not proven: more time (--minutes) may prove it")
        return False
    text = snippet(best.setup, form)
    if not text:
        forms = ", ".join(each.value for each in Form if snippet(best.setup, each))
        commands.say(f"nothing is applied: the best setting has no {form.value} form, only {forms}")
        return False
    tr = _tr()
    print_line(said_code(text, tr))
    caption, way = tr(N_("To undo it")), tr(undo(best.setup, form))
    print_line(f"# {caption}\n{way}")
    return True


def _exit_code(report: TrialReport) -> int:
    lost = (TrialVerdict.FAILED, TrialVerdict.NOT_RUN)
    if report.results[0].verdict is TrialVerdict.FAILED:
        commands.say(f"the network gave no figure: {report.results[0].message}")
        return EXIT_INCOMPLETE
    n_without = sum(r.verdict is TrialVerdict.NOT_RUN for r in report.results)
    if n_without:
        text = "settings without a turn in this time: {n}; more of it (--minutes) helps"
        commands.say(text.format(n=n_without))
    return EXIT_INCOMPLETE if any(r.verdict in lost for r in report.results) else EXIT_DONE
