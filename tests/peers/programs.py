"""Runs programs of peers, and says plainly which is not there."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from probes.bench.environment import child_environment
from tests.peers.duel import PeerFailed, PeerMissing

TIMEOUT_S = 300.0


def find_program(name: str, *, package: str) -> str:
    """Return the path of a program.

    Raises:
        PeerMissing: naming the package that has it.
    """
    path = shutil.which(name)
    if path is None:
        raise PeerMissing(f"{name} is not installed: {package}")
    return path


def run_program(
    command: Sequence[str], *, settings: Mapping[str, str], timeout_s: float = TIMEOUT_S
) -> str:
    """Return what a program printed on both outputs.

    Raises:
        PeerFailed: it could not be started, or took too long.
    """
    environment = {**child_environment(os.environ), **settings}
    with tempfile.TemporaryDirectory(prefix="peer-") as folder:
        environment["POCL_CACHE_DIR"] = folder
        try:
            done = subprocess.run(
                command, env=environment, cwd=folder, timeout=timeout_s, check=False,
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL,
            )  # fmt: skip
        except (OSError, subprocess.TimeoutExpired) as error:
            raise PeerFailed(f"{Path(command[0]).name}: {error}") from error
    return done.stdout.decode("utf-8", "replace")


def run_script(
    name: str,
    arguments: Sequence[str],
    *,
    python: str = sys.executable,
    settings: Mapping[str, str] | None = None,
) -> dict[str, float]:
    """Return the figures that a script of this folder prints as its last line.

    Raises:
        PeerMissing: the script says that its library is not there.
        PeerFailed: it printed no figures.
    """
    script = Path(__file__).with_name(name)
    text = run_program([python, str(script), *arguments], settings=settings or {})
    last = (text.strip().splitlines() or [""])[-1]
    try:
        answer = json.loads(last)
        if "missing" in answer:
            raise PeerMissing(answer["missing"])
        return {key: float(value) for key, value in answer["figures"].items()}
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise PeerFailed(f"{name} {' '.join(arguments)}: {last or error}") from error
