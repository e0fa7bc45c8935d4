"""Makes and removes a Python environment of the app's own, for an option that is not installed.

It is made beside its place and moved there when it is whole, so that nothing half-made is left.
Leaves to others: what goes into it, asking the user (`ui.try_install`).
"""

import contextlib
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from advisor.errors import InputError
from probes.bench.environment import child_environment

_PART = ".part"
_LIMIT_S = 3600.0
_KILL_S = 5.0
_TOLD = 300
# pip unpacks beside what it installs.
_ROOM = 1.2
# What pip needs to reach an index the way the user does.
_PASSED = ("HTTP_PROXY", "HTTPS_PROXY", "NO_PROXY", "SSL_CERT_FILE", "REQUESTS_CA_BUNDLE")


def python_of(folder: Path) -> Path:
    """Return the interpreter of an environment."""
    return folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")


def is_made(folder: Path) -> bool:
    """Return whether the environment is there."""
    return python_of(folder).exists()


def make_environment(
    folder: Path,
    packages: Sequence[str],
    *,
    python: str,
    size_bytes: int,
    wheels: Path | None = None,
    limit_s: float = _LIMIT_S,
) -> Path:
    """Make an environment with packages and return its interpreter.

    Args:
        folder: where it will be.
        packages: names for pip.
        python: interpreter that it is made from.
        size_bytes: what it will take.
        wheels: a folder to take the packages from, without any network; None: an index.
        limit_s: seconds for each of the two programs.

    Raises:
        InputError: when there is no room, or a program fails; nothing is left then.
    """
    part = folder.with_name(folder.name + _PART)
    try:
        folder.parent.mkdir(parents=True, exist_ok=True)
        free = shutil.disk_usage(folder.parent).free
        if free < _ROOM * size_bytes:
            raise InputError(
                f"{folder.parent}: {size_bytes >> 20} MiB are needed, {free >> 20} MiB are free"
            )
        shutil.rmtree(part, ignore_errors=True)
        _run((python, "-m", "venv", str(part)), what="venv", limit_s=limit_s)
        source = ("--no-index", "--find-links", str(wheels)) if wheels is not None else ()
        flags = ("--quiet", "--no-input", "--disable-pip-version-check", "--no-cache-dir")
        install = (str(python_of(part)), "-m", "pip", "install", *flags, *source, *packages)
        _run(install, what="pip", limit_s=limit_s)
        remove_environment(folder)
        part.replace(folder)
    except OSError as error:
        raise InputError(f"{folder}: cannot be made: {error.strerror or error}") from None
    finally:
        shutil.rmtree(part, ignore_errors=True)
    return python_of(folder)


def remove_environment(folder: Path) -> bool:
    """Remove an environment with all that is in it; return whether there was one.

    Raises:
        InputError: when something in it cannot be removed.
    """
    if not folder.exists():
        return False
    try:
        shutil.rmtree(folder)
    except OSError as error:
        raise InputError(f"{folder}: cannot be removed: {error.strerror or error}") from None
    return True


def _run(command: Sequence[str], *, what: str, limit_s: float) -> None:
    """Run a program to its end; what it started ends with it.

    Raises:
        InputError: when it fails or takes too long, with the line in which it says why.
    """
    with tempfile.TemporaryFile() as output:
        process = subprocess.Popen(
            command,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
            env=_environment(),
            start_new_session=os.name != "nt",
        )
        try:
            code = process.wait(limit_s)
        except subprocess.TimeoutExpired:
            raise InputError(f"{what} did not end within {limit_s:g} s") from None
        finally:
            _end(process)
        if code != 0:
            output.seek(0)
            raise InputError(f"{what} failed: {_reason(output.read(), code)}")


def _environment() -> dict[str, str]:
    names = {*_PASSED, *(name.lower() for name in _PASSED)}
    kept = {name: value for name, value in os.environ.items() if name in names}
    pip = {name: value for name, value in os.environ.items() if name.startswith("PIP_")}
    return {**child_environment(os.environ), **kept, **pip}


def _end(process: subprocess.Popen[bytes]) -> None:
    """End what is left of a program and of its children."""
    if sys.platform == "win32":
        process.kill()
    else:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(process.pid, 9)
    with contextlib.suppress(subprocess.TimeoutExpired):
        process.wait(_KILL_S)


def _reason(output: bytes, code: int) -> str:
    """Return the line that says why a program failed: the last one that is called an error."""
    lines = [line.strip() for line in output.decode("utf-8", errors="replace").splitlines()]
    named = [line for line in lines if line.lower().startswith(("error", "oserror"))]
    said = [line for line in lines if line]
    found = named or said
    return found[-1][:_TOLD] if found else f"it ended with {code}"
