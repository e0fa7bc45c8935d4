"""Commands that ask the dataset about this machine.

Leaves to others: the answers (`advisor.compare`), parsing words (`ui.cli`).
"""

import argparse
from collections.abc import Sequence

from advisor.compare.architectures import architecture_names
from advisor.compare.explain import close_names
from advisor.compare.explain import explain as explanation_of
from advisor.compare.kernels import compare_kernels
from advisor.compare.ordering import of_kind
from advisor.errors import InputError
from advisor.i18n import N_
from advisor.knowledge.lookup import find_past_system
from advisor.knowledge.store import Knowledge
from advisor.model.comparison import Comparison
from advisor.model.explanation import Explanation
from advisor.model.machine import DeviceKind, MachineProfile
from advisor.model.recommendation import Preferences, Recommendation
from advisor.report.compare_sections import build_comparison_report
from advisor.report.explain_sections import build_explanation_report
from ui import commands, dataset
from ui.comparing import compare_network_of
from ui.exits import EXIT_DONE, EXIT_INCOMPLETE
from ui.files import check_targets, write_document
from ui.saved_values import advice_from, saved_advice, saved_profile, saved_values
from ui.terminal import in_columns, print_line, report_text, user_translator


def compare(options: argparse.Namespace) -> int:
    """Print this machine among published results, by kernel or for one network."""
    check_targets(options.json, sources=commands.files_read(options))
    knowledge = dataset.bundled_knowledge()
    workload = None
    if options.workload or options.network or options.model:
        workload = commands.workload_of(options)
    profile, measurements = saved_values(options)
    if measurements is None and options.profile is not None:
        commands.say("no measurements for this profile: its data sheet stands in")
    if workload is None:
        comparison = compare_kernels(profile, measurements, knowledge)
    else:
        advice = advice_from(options, profile, measurements, workload, Preferences())
        comparison = compare_network_of(advice, knowledge)
    if options.kind is not None:
        comparison = of_kind(comparison, kind=DeviceKind(options.kind))
    if options.json is not None:
        write_document(options.json, comparison)
    else:
        report = build_comparison_report(comparison, user_translator())
        print_line(report_text(report))
    return _completeness(comparison)


def explain(options: argparse.Namespace) -> int:
    """Print what became of systems, flags or devices, and what to take on this machine.

    Raises:
        InputError: for a name that is not known, with the names that are like it.
    """
    check_targets(options.json, sources=[options.profile])
    knowledge = dataset.bundled_knowledge()
    if not options.name:
        return _list_names(options, knowledge)
    profile = saved_profile(options)
    advice = saved_advice(options, profile)
    found = _explained(options.name, profile=profile, knowledge=knowledge, advice=advice)
    if options.json is not None:
        if len(found) > 1:
            raise InputError("a file holds one explanation: give one name with --json")
        write_document(options.json, found[0])
        return EXIT_DONE
    tr = user_translator()
    print_line("\n\n".join(report_text(build_explanation_report(each, tr)) for each in found))
    return EXIT_DONE


def _explained(
    words: Sequence[str],
    *,
    profile: MachineProfile,
    knowledge: Knowledge,
    advice: Recommendation | None,
) -> list[Explanation]:
    """Return what the words mean, as few names as they can be; a name may be of several words."""
    found = []
    first = 0
    while first < len(words):
        for end in range(len(words), first, -1):
            name = " ".join(words[first:end])
            known = explanation_of(name, profile=profile, knowledge=knowledge, advice=advice)
            if known is not None and not _holds_a_system(words[first:end], known, knowledge):
                found.append(known)
                first = end
                break
        else:
            raise _not_known(words[first:], knowledge=knowledge)
    return found


def _holds_a_system(words: Sequence[str], known: Explanation, knowledge: Knowledge) -> bool:
    """Whether words that are known as a kind of GPU only, by a part of them, are several names."""
    if known.system or known.options or any(device.spec for device in known.devices):
        return False
    return len(words) > 1 and any(find_past_system(knowledge, word) for word in words)


def _not_known(words: Sequence[str], *, knowledge: Knowledge) -> InputError:
    """Return the refusal: of all words where a name is like them, else of the first."""
    word = words[0]
    for name in (" ".join(words), word):
        close = close_names(name, knowledge=knowledge)
        if close:
            return InputError(f"{name!r} is not known: did you mean {', '.join(close)}?")
    return InputError(
        f"{word!r} is not known, nor is anything like it: `dl-advisor explain` lists all names"
    )


def _list_names(options: argparse.Namespace, knowledge: Knowledge) -> int:
    if options.json is not None:
        raise InputError("--json goes with a NAME")
    tr = user_translator()
    variables = {each.name for fact in knowledge.options for each in fact.environment}
    lists = (
        (N_("Frameworks and tools of older advice"), {row.name for row in knowledge.past_systems}),
        (N_("Options of today"), {row.id for row in knowledge.options}),
        (N_("Environment variables"), variables),
        (N_("Architectures"), set(architecture_names(knowledge))),
        (N_("Devices"), {row.device for row in knowledge.devices}),
    )
    for title, names in lists:
        print_line(f"{tr(title)}\n{in_columns(sorted(names, key=str.lower))}\n")
    return EXIT_DONE


def _completeness(comparison: Comparison) -> int:
    """Done with something missing where nothing at all could be put beside this machine."""
    has_results = any(group.results for group in comparison.groups)
    return EXIT_DONE if has_results else EXIT_INCOMPLETE
