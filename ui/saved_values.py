"""Values that a command starts from when it does not measure: files, else the last run.

Leaves to others: reading a file (`ui.files`), the advice (`ui.journey`), what is shown of it (the
commands).
"""

import argparse
from pathlib import Path

from advisor.errors import InputError
from advisor.model.machine import MachineProfile
from advisor.model.measurement import MeasurementSet
from advisor.model.plausible import check_machine
from advisor.model.recommendation import Preferences, Recommendation
from advisor.model.workload import Workload
from ui import commands, dataset, journey
from ui.files import read_document, read_part
from ui.last_measured import last_measured
from ui.settings import read_last


def saved_values(options: argparse.Namespace) -> tuple[MachineProfile, MeasurementSet | None]:
    """Return what the files say; without files the last run, else the machine as it is.

    Tells in one line what is taken where no file is named, and what of a file is not.

    Raises:
        InputError: when a named file has no such value.
    """
    if options.measurements is not None:
        measurements = read_part(options.measurements, MeasurementSet)
        profile = saved_profile(options)
        if options.profile is not None:
            _check_same_machine(options.measurements, profile)
            commands.say(
                f"{options.measurements} counts as measured on the machine of {options.profile}"
            )
        return profile, measurements
    if options.profile is not None:
        profile = saved_profile(options)
        if _has_measurements(options.profile):
            commands.say(
                f"the measurements in {options.profile} are left out: name it with --measurements"
                " as well"
            )
        return profile, None
    last = last_measured()
    if last is not None and last.measurements is not None:
        measured_on = last.measurements.measured_on
        commands.say(f"taking the measurements of the last run, {measured_on}")
        return last.profile, last.measurements
    commands.say(
        "nothing was measured here yet: the data sheet stands in; `dl-advisor bench` measures, and"
        " --measurements takes what it wrote"
    )
    from ui.progress import probed_machine

    return probed_machine(), None


def _check_same_machine(path: Path, profile: MachineProfile) -> None:
    """Refuse what an advice measured on another processor; measurements alone do not tell theirs.

    Raises:
        InputError: with both names.
    """
    try:
        other = read_part(path, MachineProfile)
    except InputError:
        return
    if other.cpu.brand != profile.cpu.brand:
        raise InputError(
            f"{path}: measured on {other.cpu.brand}, not on {profile.cpu.brand}: leave out"
            " --profile, or name what was measured there"
        )


def _has_measurements(path: Path) -> bool:
    try:
        return bool(read_part(path, MeasurementSet).measured)
    except InputError:
        return False


def saved_profile(options: argparse.Namespace) -> MachineProfile:
    """Return the machine of the file, else this one.

    Raises:
        InputError: when the file has none.
    """
    if options.profile is None:
        from ui.progress import probed_machine

        return probed_machine()
    profile = read_part(options.profile, MachineProfile)
    try:
        check_machine(profile)
    except InputError as error:
        raise InputError(f"{options.profile}: {error}") from None
    return profile


def saved_advice(options: argparse.Namespace, profile: MachineProfile) -> Recommendation | None:
    """Return the advice of the named file, else the last one for this machine; None without one."""
    if options.profile is None:
        last = read_last()
        is_here = last is not None and last.profile.cpu.brand == profile.cpu.brand
        return last if is_here else None
    try:
        return read_document(options.profile, Recommendation)
    except InputError:
        return None  # a profile alone


def advice_from(
    options: argparse.Namespace,
    profile: MachineProfile,
    measurements: MeasurementSet | None,
    workload: Workload,
    preferences: Preferences,
) -> Recommendation:
    """Return advice from such values; those of the last run go with what was tried here since."""
    if options.measurements is not None or options.profile is not None:
        knowledge, index = dataset.bundled_knowledge(), dataset.bundled_index()
        return journey.advise(profile, measurements, workload, preferences, knowledge, index=index)
    return journey.advise_with_tried(
        profile, measurements, workload, preferences, model_file=commands.model_file(options)
    )
