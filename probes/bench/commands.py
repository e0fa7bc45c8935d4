"""Command lines of the workers: from the sources, from a frozen app, in another interpreter.

Leaves to others: starting them (`probes.bench.process`).
"""

import os
import re
import runpy
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import probes.workers
from advisor.errors import InputError
from advisor.model.measurement import Setting
from probes.bench.environment import restored_library_path

# Called by a library in place of another program, with its arguments, and without the protocol.
_PROGRAMS = frozenset({"opencl_linker"})
_NAME = re.compile(r"[a-z][a-z0-9_]*\Z")


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerCommand:
    """How a worker is started: its command line and the variables set for it."""

    argv: tuple[str, ...]
    environment: tuple[Setting, ...] = ()


def worker_script(name: str) -> Path:
    """Return the file of the worker `name` ("main", "opencl_list", ...).

    Every worker is entered through `main`, which speaks the protocol for it.

    Raises:
        InputError: when there is no such worker.
    """
    folder = Path(next(iter(probes.workers.__path__)))
    script = folder / f"{name}.py"
    if not _NAME.match(name) or not script.is_file():
        raise InputError(f"no worker is called {name!r}")
    return script


def worker_command(
    name: str, *, python: str | None = None, settings: Sequence[Setting] = ()
) -> WorkerCommand:
    """Return the command of a worker.

    Args:
        name: file name of the worker without its ending.
        python: another interpreter, as the user wrote it (a link is kept: a virtual
            environment depends on it). None: our own, also when we are a frozen app.
        settings: variables to be set for it.
    """
    worker_script(name)
    is_frozen = bool(getattr(sys, "frozen", False))
    if python is None and is_frozen:
        return WorkerCommand(argv=(_own_program(), "--worker", name), environment=tuple(settings))
    restored = restored_library_path(os.environ) if is_frozen else ()
    # Whoever measures as root would leave compiled files in the folder of an installed app.
    flags = ("-X", "utf8", *(("-B",) if is_frozen else ()))
    argv = (python or sys.executable, *flags, str(worker_script("main")), name)
    return WorkerCommand(argv=argv, environment=(*restored, *settings))


def _own_program() -> str:
    """Return the console program of a frozen app: Windows gives the other no standard streams."""
    program = Path(sys.executable)
    beside = program.with_name(program.name.replace("-gui", ""))
    return str(beside) if beside.is_file() else str(program)


def run_worker_here(name: str, *, arguments: Sequence[str] = ()) -> None:
    """Become the worker `name`: what a frozen app does when called with `--worker`.

    Args:
        name: file name of the worker without its ending.
        arguments: what follows the name; only a worker that stands for a program takes any.
    """
    script = worker_script(name)
    if name not in _PROGRAMS:
        script, arguments = worker_script("main"), (name,)
    sys.path.insert(0, str(script.parent))
    sys.argv = [str(script), *arguments]
    runpy.run_path(str(script), run_name="__main__")
