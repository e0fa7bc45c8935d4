"""Measures the frameworks of an interpreter that the user names.

Leaves to others: finding environments (`probes.environments`), what is timed
(`probes.bench.plan_environment`), running it (`probes.bench.session`).
"""

import logging
import os
import time
from collections.abc import Callable, Iterable
from pathlib import Path

from advisor.errors import InputError
from advisor.model.machine import Environment, MachineProfile
from advisor.model.measurement import BenchmarkRequest, MeasurementSet, Outcome, Runner
from advisor.model.quantity import Phase
from probes.bench.commands import WorkerCommand, worker_command
from probes.bench.events import SessionEvent
from probes.bench.plan import Budget
from probes.bench.plan_environment import FrameworkDevice, plan_environment, stacks_of
from probes.bench.process import CancelToken, Deadlines, run_worker
from probes.bench.session import Session
from probes.environments import find_environments
from probes.machine.reader import Reader

_LOGGER = logging.getLogger(__name__)

# All that an environment may take, with asking its frameworks for devices.
BUDGET_S = {Budget.QUICK: 58.0, Budget.THOROUGH: 590.0}
# Share of it that asking may take: each framework is imported for it.
_LIST_SHARE = 0.3
_SEARCH_S = 5.0
_LISTED = (Runner.TORCH, Runner.JAX, Runner.ONNXRUNTIME, Runner.OPENVINO)
_MAX_DEVICES = 16
_NAMES = ("python", "pypy", "graalpy")
_PROGRAMS = ("python3", "python", "python3.exe", "python.exe", "pypy3", "graalpy")


def find_environment(python: str, *, reader: Reader) -> Environment:
    """Return the environment of an interpreter, or of the folder of an environment.

    Raises:
        InputError: when there is no such interpreter, or no framework in it.
    """
    path = Path(python)
    reason = _why_no_interpreter(path)
    if reason is not None:
        raise InputError(f"{python}: {reason}")
    # The link of the interpreter itself is kept: a virtual environment depends on it.
    folders = {os.path.realpath(place) for place in _folders(path)}
    for environment in find_environments(reader, paths=(python,), budget_s=_SEARCH_S):
        own = Path(environment.python)
        if os.path.realpath(own.parent) in folders and environment.frameworks:
            return environment
    raise InputError(f"{python}: no deep-learning framework is installed there")


def _why_no_interpreter(path: Path) -> str | None:
    """Return why a place is no interpreter and no environment, as far as its names tell."""
    if path.is_symlink() and not path.exists():
        return "the link leads nowhere: the Python behind it was moved or removed"
    if not path.exists():
        return "there is no such interpreter"
    if path.is_dir():
        places = (folder / name for folder in _folders(path) for name in _PROGRAMS)
        if not any(place.is_symlink() or place.exists() for place in places):
            return "there is no Python interpreter in this folder"
        return None
    if not path.is_file() or not path.name.lower().startswith(_NAMES):
        return "this is not a Python interpreter"
    if not os.access(path, os.X_OK):
        return "this interpreter may not be run: its file is not executable"
    return None


def _folders(path: Path) -> tuple[Path, ...]:
    """Return the folders in which the interpreter may be."""
    return (path, path / "bin", path / "Scripts") if path.is_dir() else (path.parent,)


def interpreter_of(environment: Environment, *, named: str) -> str:
    """Return the interpreter to be started: the one that was named, unless that is a folder."""
    return environment.python if Path(named).is_dir() else named


def list_devices(
    environment: Environment,
    *,
    python: str,
    cancel: CancelToken | None = None,
    command: Callable[..., WorkerCommand] = worker_command,
    limit_s: float = BUDGET_S[Budget.THOROUGH],
) -> tuple[FrameworkDevice, ...]:
    """Ask each framework of an environment, in a child of its own, for devices besides the CPU.

    A framework that cannot answer has none: why it fails is told when it is timed.

    Args:
        environment: tells the frameworks.
        python: the interpreter to be started.
        cancel: stops early.
        command: makes the command of a worker; replaced in tests.
        limit_s: seconds for all of it; a framework whose turn has not come by then has none.
    """
    found: list[FrameworkDevice] = []
    ends_at = time.monotonic() + limit_s
    for runner in dict.fromkeys(stack.runner for stack in stacks_of(environment)):
        if runner not in _LISTED or (cancel is not None and cancel.is_cancelled):
            continue
        rest_s = ends_at - time.monotonic()
        if rest_s <= 0.0:
            _LOGGER.info("devices of %s: no time left to ask", runner.value)
            continue
        verdict = run_worker(
            command("framework_list", python=python),
            {"framework": runner.value},
            deadlines=Deadlines(start_s=30.0, stage_s=120.0, silence_s=60.0, budget_s=rest_s),
            cancel=cancel,
        )
        if verdict.outcome is Outcome.COMPLETED and verdict.result is not None:
            found += _parse_devices(verdict.result.get("devices"), framework=runner.value)
        else:
            _LOGGER.info("devices of %s: %s", runner.value, verdict.message)
    return tuple(found)


def _parse_devices(data: object, *, framework: str) -> list[FrameworkDevice]:
    found = []
    for entry in data[:_MAX_DEVICES] if isinstance(data, list) else []:
        name = entry.get("id") if isinstance(entry, dict) else None
        if isinstance(name, str) and name.startswith(f"{framework}:"):
            found.append(FrameworkDevice(id=name, name=str(entry.get("name") or name)))
    return found


def measure_environment(
    python: str,
    profile: MachineProfile,
    *,
    reader: Reader,
    budget: Budget = Budget.QUICK,
    phase: Phase = Phase.TRAINING,
    device_ids: Iterable[str] | None = None,
    on_plan: Callable[[tuple[BenchmarkRequest, ...]], None] | None = None,
    on_event: Callable[[SessionEvent], None] | None = None,
    cancel: CancelToken | None = None,
) -> MeasurementSet:
    """Time the headlines with each framework of an interpreter.

    Args:
        python: interpreter, or folder of an environment.
        profile: the machine.
        reader: how the machine is looked at.
        budget: how carefully.
        phase: in inference no gradients are timed.
        device_ids: "cpu" and ids such as "torch:xpu:0"; None for all that the frameworks see.
        on_plan: called once with what is going to be timed.
        on_event: see `Session.run`.
        cancel: stops early; what is measured by then is kept.

    Raises:
        InputError: no such interpreter, framework or device.
    """
    started = time.monotonic()
    environment = find_environment(python, reader=reader)
    interpreter = interpreter_of(environment, named=python)
    limit_s, list_s = BUDGET_S[budget], _LIST_SHARE * BUDGET_S[budget]
    devices = list_devices(environment, python=interpreter, cancel=cancel, limit_s=list_s)
    requests = plan_environment(
        environment, profile, budget=budget, phase=phase, devices=devices, device_ids=device_ids
    )
    (on_plan or _ignore)(requests)
    rest_s = limit_s - (time.monotonic() - started)
    session = Session(profile=profile, python=interpreter)
    return session.run(requests, on_event=on_event, cancel=cancel, budget_s=rest_s)


def _ignore(_requests: object) -> None:
    """Tell nobody."""
