"""Tries a packaged app as a stranger would: in an empty HOME, every page, the advice, the PDF.

    python packaging/smoke_test.py DIST/dl-advisor        a folder made by PyInstaller
    python packaging/smoke_test.py dl-advisor-0.1.0-lean-linux-x86_64.tar.xz
    python packaging/smoke_test.py                        the one that is installed (on PATH)
    python packaging/smoke_test.py --hard ...             also where things go wrong (see `hard.py`)

A tar is unpacked, installed for the user of the empty HOME, tried, and uninstalled: nothing may
be left but the user's data. Pages are opened on the display that there is, else offscreen.
Standard library only; `--hard` takes root, strace and xdotool, and says what it left out. Prints a
line for each check; exit code 1 when one failed.
"""

import argparse
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

import hard

PAGES = ("start", "machine", "workload", "measure", "compare", "advice", "history")
# A window that stays open for so long has made its page; an error is on stderr by then.
PAGE_S = 4.0
COMMAND_S = 300.0
# Folders of the HOME in which user's data may be written, and what belongs to others.
ALLOWED = (".cache", ".config", ".local/share", ".nv", ".dbus")
INSTALLED = (".local/lib", ".local/bin", "applications", "mime", "icons", "metainfo", "man")


class Smoke:
    """One program in one empty HOME, and what failed so far."""

    def __init__(self, *, home: Path, program: str) -> None:
        self.home = home
        self.program = program
        self.n_failed = 0

    def environment(self, **more: str) -> dict[str, str]:
        """Return a small environment with the empty HOME."""
        kept = {n: os.environ[n] for n in ("DISPLAY", "WAYLAND_DISPLAY") if n in os.environ}
        if not kept:
            kept["QT_QPA_PLATFORM"] = "offscreen"
        path = f"{self.home}/.local/bin:/usr/local/bin:/usr/bin:/bin"
        return {**kept, "HOME": str(self.home), "PATH": path, "LANG": "C.UTF-8", **more}

    @property
    def is_packaged(self) -> bool:
        """Whether the program holds its own Python."""
        return (Path(self.program).resolve().parent / "_internal").is_dir()

    def run(
        self, *words: str, before: tuple[str, ...] = (), **more: str
    ) -> subprocess.CompletedProcess[str]:
        """Run the console program to its end, perhaps by another one."""
        return subprocess.run(
            [*before, self.program, *words],
            capture_output=True,
            text=True,
            timeout=COMMAND_S,
            cwd=self.home,
            env=self.environment(**more),
            check=False,
        )

    def check(self, name: str, test: Callable[[], str]) -> None:
        """Print how a test went; it returns what is wrong, "" for nothing."""
        began = time.monotonic()
        try:
            wrong = test()
        except (OSError, ValueError, KeyError, subprocess.SubprocessError) as error:
            wrong = f"{type(error).__name__}: {error}"
        self.n_failed += bool(wrong)
        verdict = f"FAILED: {wrong}" if wrong else "passed"
        sys.stdout.write(f"{name}: {verdict} ({time.monotonic() - began:.1f} s)\n")
        sys.stdout.flush()


def ends_well(done: "subprocess.CompletedProcess[str]", *, codes: tuple[int, ...] = (0,)) -> str:
    """Return what is wrong with a finished command."""
    if done.returncode in codes and "Traceback" not in done.stderr:
        return ""
    return f"exit code {done.returncode}: {done.stderr.strip()[-400:]}"


def test_worker(smoke: Smoke) -> str:
    """Ask one worker for the OpenCL devices, as the program itself does."""
    request = json.dumps({"type": "run", "protocol": 1}) + "\n"
    command = [smoke.program, "--worker", "opencl_list"]
    with subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
        env=smoke.environment(),
    ) as child:
        assert child.stdin is not None
        assert child.stdout is not None
        child.stdin.write(request)
        child.stdin.flush()
        lines = [json.loads(line) for line in child.stdout]
    kinds = [line["type"] for line in lines]
    return "" if kinds[:1] == ["hello"] and kinds[-1:] == ["result"] else f"it said {kinds}"


def test_advice(smoke: Smoke) -> str:
    """Do the main job and write the PDF and the JSON; 3 is done with something unmeasured."""
    words = ("advise", "--quick", "--pdf", "advice.pdf", "--json", "advice.json")
    wrong = ends_well(smoke.run(*words), codes=(0, 3))
    if wrong:
        return wrong
    if not (smoke.home / "advice.pdf").read_bytes().startswith(b"%PDF-"):
        return "the PDF is none"
    advice = json.loads((smoke.home / "advice.json").read_text(encoding="utf-8"))
    return "" if advice else "the advice is empty"


def test_page(smoke: Smoke, page: str) -> str:
    """Open the window on a page: it must stay open and say nothing on stderr."""
    program = str(Path(smoke.program).with_name(Path(smoke.program).name + "-gui"))
    with subprocess.Popen(
        [program, "--page", page],
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        env=smoke.environment(),
    ) as child:
        try:
            _, said = child.communicate(timeout=PAGE_S)
            return f"it ended with {child.returncode}: {said[-400:]}"
        except subprocess.TimeoutExpired:
            child.terminate()
        _, said = child.communicate()
    return said[-400:] if "Traceback" in said or "error" in said else ""


def test_bad_input(smoke: Smoke) -> str:
    """Expect one line and exit code 2."""
    done = smoke.run("recommend", "no-such-network")
    is_one_line = len(done.stderr.strip().splitlines()) == 1
    return "" if done.returncode == 2 and is_one_line else ends_well(done) or done.stderr[-400:]


def test_library_path(smoke: Smoke) -> str:
    """Measure a Python of the user: it must get the user's library path and not ours."""
    folder = smoke.home / "fake"
    packages = folder / "lib/python3.11/site-packages"
    (packages / "onnxruntime-1.20.0.dist-info").mkdir(parents=True)
    python, seen = folder / "bin/python3", folder / "seen"
    python.parent.mkdir()
    python.write_text(f'#!/bin/sh\necho "${{LD_LIBRARY_PATH-none}}" > "{seen}"\nexit 1\n')
    python.chmod(0o755)
    smoke.run("bench", "--quick", "--python", str(python), LD_LIBRARY_PATH="/of/the/user")
    said = seen.read_text().strip() if seen.exists() else "nothing: it was not started"
    shutil.rmtree(folder)
    return "" if said == "/of/the/user" else f"it saw {said}"


def try_all(smoke: Smoke) -> None:
    """Run every check."""
    smoke.check("version", lambda: ends_well(smoke.run("--version")))
    for words in (("probe",), ("networks",), ("recommend", "resnet-56"), ("doctor",)):
        smoke.check(" ".join(words), lambda words=words: ends_well(smoke.run(*words)))
    for language in ("C", "zh_CN.UTF-8"):
        smoke.check(f"LANG={language}", lambda it=language: ends_well(smoke.run("probe", LANG=it)))
    smoke.check("bad input", lambda: test_bad_input(smoke))
    smoke.check("a worker", lambda: test_worker(smoke))
    smoke.check("library path", lambda: test_library_path(smoke))
    smoke.check("advice and PDF", lambda: test_advice(smoke))
    smoke.check("multiprocessing", lambda: hard.test_multiprocessing(smoke))
    for page in PAGES:
        smoke.check(f"page {page}", lambda page=page: test_page(smoke, page))


def strangers(home: Path) -> list[str]:
    """Return files of the HOME that are neither the user's data nor what was asked for."""
    found = []
    for path in sorted(home.rglob("*")):
        place = path.relative_to(home).as_posix()
        if path.is_dir() or place in ("advice.pdf", "advice.json"):
            continue
        inside = place.removeprefix(".local/share/")
        if not place.startswith(ALLOWED) or (place != inside and inside.startswith(INSTALLED)):
            found.append(place)
    return found


def install(archive: Path, *, folder: Path, home: Path) -> Path:
    """Unpack a tar and install it into the HOME; return its installer."""
    subprocess.run(["tar", "-C", str(folder), "-xf", str(archive)], check=True)  # noqa: S607
    (script,) = folder.glob("*/install.sh")
    environment = {"HOME": str(home), "PATH": "/usr/bin:/bin"}
    subprocess.run([str(script)], check=True, env=environment)
    return home / ".local/lib/dl-advisor/install.sh"


def main() -> int:
    """Try what the arguments name."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", nargs="?", type=Path)
    parser.add_argument("--hard", action="store_true", help="also where things go wrong")
    given = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="smoke 试 ") as folder:
        home = Path(folder) / "home"
        home.mkdir()
        script = None
        program = shutil.which("dl-advisor") if given.what is None else None
        if given.what is not None and given.what.is_dir():
            program = str(given.what.resolve() / "dl-advisor")
        elif given.what is not None:
            script = install(given.what.resolve(), folder=Path(folder), home=home)
            program = str(home / ".local/bin/dl-advisor")
        if program is None:
            parser.error("no dl-advisor is installed")
        smoke = Smoke(home=home, program=program)
        try_all(smoke)
        if given.hard:
            hard.try_hard(smoke)
        if script is not None:
            command, environment = [str(script), "--uninstall"], smoke.environment()
            subprocess.run(command, check=True, env=environment)
        smoke.check("nothing but the user's data is left", lambda: ", ".join(strangers(home)))
    return 1 if smoke.n_failed else 0


if __name__ == "__main__":
    sys.exit(main())
