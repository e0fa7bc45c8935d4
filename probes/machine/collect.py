"""The probe: all facts about this machine as one `MachineProfile`.

Reads only, needs no rights, never raises for what it finds. Leaves to others: measuring
(`probes.bench`) and judging (`advisor.recommend`).
"""

from collections.abc import Callable, Iterable

from advisor.model.machine import MachineProfile, MissingFact, OpenclDevice
from probes.environments import find_environments
from probes.machine.facts import MachineFacts
from probes.machine.linux import collect_linux
from probes.machine.macos import collect_macos
from probes.machine.missing import (
    list_missing_basics,
    list_missing_gpu_drivers,
    list_missing_opencl,
)
from probes.machine.opencl import (
    OpenclAnswer,
    list_doubtful_facts,
    match_with_bus,
    name_by_driver,
)
from probes.machine.reader import Reader
from probes.machine.windows import collect_windows


def collect_profile(
    reader: Reader,
    *,
    today: str,
    list_opencl: Callable[[], OpenclAnswer] | None,
    environment_paths: Iterable[str] = (),
) -> MachineProfile:
    """Return the profile of the machine that the reader sees.

    Args:
        reader: `SystemReader()` for this machine, `RecordedReader(folder)` for a recorded one.
        today: date of the profile, ISO.
        list_opencl: asks for the OpenCL devices (`list_opencl_devices`); None leaves them out and
            says nothing of them.
        environment_paths: interpreters, environments or folders that the user named.
    """
    facts = _collect_facts(reader)
    answer = list_opencl() if list_opencl is not None else None
    opencl = _devices(answer)
    matched = match_with_bus(opencl, graphics=facts.graphics)
    return MachineProfile(
        collected_on=today,
        os=facts.os,
        cpu=facts.cpu,
        memory=facts.memory,
        graphics=name_by_driver(facts.graphics, opencl=matched),
        opencl=matched,
        npus=facts.npus,
        environments=find_environments(reader, paths=environment_paths),
        power=facts.power,
        load=facts.load,
        missing=_list_missing(facts, answer),
        chassis=facts.chassis,
    )


def _collect_facts(reader: Reader) -> MachineFacts:
    if reader.system == "Windows":
        return collect_windows(reader)
    if reader.system == "Darwin":
        return collect_macos(reader)
    # Other systems have some of Linux's files, or none: what is not there is None.
    return collect_linux(reader)


def _devices(answer: OpenclAnswer | None) -> tuple[OpenclDevice, ...]:
    entries = answer if isinstance(answer, tuple) else ()
    return tuple(entry for entry in entries if isinstance(entry, OpenclDevice))


def _list_missing(facts: MachineFacts, answer: OpenclAnswer | None) -> tuple[MissingFact, ...]:
    missing = [
        *facts.missing,
        *list_missing_basics(facts.cpu, memory=facts.memory),
    ]
    system = facts.os.family
    missing += list_missing_gpu_drivers(facts.graphics, npus=facts.npus, system=system)
    if isinstance(answer, MissingFact):
        missing.append(answer)
    elif answer is not None:
        devices = _devices(answer)
        missing += [entry for entry in answer if isinstance(entry, MissingFact)]
        missing += list_missing_opencl(
            facts.graphics, opencl=devices, system=system, distribution=facts.distribution
        )
        missing += list_doubtful_facts(devices)
    return tuple(missing)
