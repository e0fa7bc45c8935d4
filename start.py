#!/usr/bin/env python3
"""Set DL Advisor up where it lies and start it; the standard library is all it needs.

    python3 start.py                 the window, or `advise` where there is no display
    python3 start.py test [--slow]   every check and test
    python3 start.py WORDS ...       dl-advisor WORDS ...

The first start makes `.venv` beside this file and installs the hash-pinned lock into it;
the first `collector` makes the much smaller `.venv-collector`.
A finished set-up leaves a stamp: later starts take a fraction of a second and no network.
"""

import contextlib
import hashlib
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent
OLDEST, TOO_NEW = (3, 11), (3, 14)
# Libraries of the system that Qt loads, and the Debian package of each.
QT_LIBRARIES = {
    "libEGL.so.1": "libegl1",
    "libGL.so.1": "libgl1",
    "libX11-xcb.so.1": "libx11-xcb1",
    "libX11.so.6": "libx11-6",
    "libdbus-1.so.3": "libdbus-1-3",
    "libfontconfig.so.1": "libfontconfig1",
    "libfreetype.so.6": "libfreetype6",
    "libglib-2.0.so.0": "libglib2.0-0",
    "libgthread-2.0.so.0": "libglib2.0-0",
    "libxcb-cursor.so.0": "libxcb-cursor0",
    "libxcb-icccm.so.4": "libxcb-icccm4",
    "libxcb-image.so.0": "libxcb-image0",
    "libxcb-keysyms.so.1": "libxcb-keysyms1",
    "libxcb-randr.so.0": "libxcb-randr0",
    "libxcb-render-util.so.0": "libxcb-render-util0",
    "libxcb-render.so.0": "libxcb-render0",
    "libxcb-shape.so.0": "libxcb-shape0",
    "libxcb-shm.so.0": "libxcb-shm0",
    "libxcb-sync.so.1": "libxcb-sync1",
    "libxcb-util.so.1": "libxcb-util1",
    "libxcb-xfixes.so.0": "libxcb-xfixes0",
    "libxcb-xkb.so.1": "libxcb-xkb1",
    "libxcb.so.1": "libxcb1",
    "libxkbcommon-x11.so.0": "libxkbcommon-x11-0",
    "libxkbcommon.so.0": "libxkbcommon0",
}


class Environment:
    """An environment beside this file, made from one lock; its room and its download in bytes."""

    def __init__(self, folder, *, lock, needed, download):
        self.folder = ROOT / folder
        self.stamp = self.folder / "set-up.json"
        self.python = self.folder / ("Scripts/python.exe" if os.name == "nt" else "bin/python")
        self.lock = lock
        self.needed = needed
        self.download = download


APP = Environment(".venv", lock="requirements.lock", needed=3e9, download=600e6)
COLLECTOR = Environment(
    ".venv-collector", lock="requirements-collector.lock", needed=200e6, download=14e6
)


class SetUpError(Exception):
    """Set-up cannot go on; the text is one line that says what is wrong and what to do."""


def say(text):
    """Tell the user, on stderr, so that the output of a command stays clean."""
    print(f"DL Advisor: {text}", file=sys.stderr, flush=True)


def check_python():
    """Refuse a Python that the pinned packages have no wheels for."""
    if OLDEST <= sys.version_info[:2] < TOO_NEW:
        return
    names = [f"python3.{minor}" for minor in range(TOO_NEW[1] - 1, OLDEST[1] - 1, -1)]
    other = next(filter(None, map(shutil.which, names)), None)
    if other:
        os.execv(other, [other, str(Path(__file__).resolve()), *sys.argv[1:]])
    found = ".".join(map(str, sys.version_info[:3]))
    raise SetUpError(
        f"needs Python 3.11, 3.12 or 3.13, this is {found}: install one of them"
        " and run it with this file"
    )


def digest(lock):
    """Return what the installed packages depend on."""
    return hashlib.sha256((ROOT / lock).read_bytes()).hexdigest()


def place():
    """Return what an environment is tied to: this folder and this interpreter."""
    return f"{ROOT} {sys.base_prefix} {sys.version_info[:2]}"


def read_stamp(environment):
    """Return what earlier starts finished in this place, {} when nothing usable is there."""
    with contextlib.suppress(OSError, ValueError):
        stamp = json.loads(environment.stamp.read_text(encoding="utf-8"))
        is_here = isinstance(stamp, dict) and stamp.get("place") == place()
        if is_here and environment.python.exists():
            return stamp
    return {}


def write_stamp(environment, stamp):
    """Remember a finished part of the set-up, whole or not at all."""
    partial = environment.stamp.with_suffix(".part")
    partial.write_text(json.dumps(stamp), encoding="utf-8")
    partial.replace(environment.stamp)


def root_prefix():
    """Return the words that make a command run as root without a question, None if none do."""
    if os.name != "posix":
        return None
    if os.geteuid() == 0:
        return []
    can = (
        shutil.which("sudo")
        and not subprocess.run(["sudo", "-n", "true"], capture_output=True, check=False).returncode
    )
    return ["sudo", "-n"] if can else None


def apt_install(packages, *, purpose):
    """Install Debian packages where we may, else raise with the one line that does it."""
    line = "apt-get install -y " + " ".join(packages)
    prefix = root_prefix()
    if prefix is None or not shutil.which("apt-get"):
        tool = "sudo " + line if shutil.which("apt-get") else "the packages that hold them"
        raise SetUpError(f"{purpose}: run  {tool}  and start again")
    say(f"{purpose}: installing {' '.join(packages)}")
    quiet = {"DEBIAN_FRONTEND": "noninteractive"}
    for words in (["update"], ["install", "-y", "--no-install-recommends", *packages]):
        done = subprocess.run(
            [*prefix, "apt-get", "-q", *words],
            check=False,
            env={**os.environ, **quiet},
            capture_output=True,
            text=True,
        )
    if done.returncode:
        reason = (done.stderr.strip().splitlines() or ["apt-get failed"])[-1]
        raise SetUpError(f"{purpose}: `{line}` failed: {reason}")


def has(module):
    """Tell whether this interpreter has a module."""
    return importlib.util.find_spec(module) is not None


def make_venv(environment):
    """Make the environment and return the words that run a pip for it."""
    if environment.folder.exists():
        shutil.rmtree(environment.folder)
    if not has("venv") or not (has("ensurepip") or has("pip")):
        package = f"python3.{sys.version_info[1]}-venv"
        apt_install([package], purpose="this Python cannot make environments")
        importlib.invalidate_caches()
    own_pip = has("ensurepip")
    words = [] if own_pip else ["--without-pip"]
    made = subprocess.run(
        [sys.executable, "-m", "venv", *words, str(environment.folder)],
        check=False,
        capture_output=True,
        text=True,
    )
    if made.returncode:
        reason = (made.stdout + made.stderr).strip().splitlines() or ["venv failed"]
        raise SetUpError(f"cannot make {environment.folder}: {reason[-1]}")
    if own_pip:
        return [str(environment.python), "-m", "pip"]
    return [sys.executable, "-m", "pip", "--python", str(environment.python)]


def explain(output):
    """Turn what pip printed into one line that says what to do."""
    no_network = (
        r"NewConnectionError|NameResolution|Temporary failure|ConnectTimeout|ReadTimeout|"
        r"Network is unreachable|ProxyError|Connection refused|from versions: none"
    )
    known = (
        (r"No space left|Errno 28", "the disk is full: make room and start again"),
        (
            no_network,
            "the packages cannot be downloaded: connect to the internet and start again",
        ),
        (
            r"do not match the hashes",
            "a downloaded package is not the pinned one: start again; report it if it recurs",
        ),
    )
    for pattern, advice in known:
        if re.search(pattern, output):
            return advice
    errors = [line for line in output.splitlines() if "ERROR" in line]
    return (errors or ["pip failed without a word"])[-1]


def pip_words(environment):
    """Return the pip that serves the environment as it is."""
    own = [str(environment.python), "-m", "pip"]
    if subprocess.run([*own, "--version"], capture_output=True, check=False).returncode == 0:
        return own
    return [sys.executable, "-m", "pip", "--python", str(environment.python)]


def install(lock, *, pip):
    """Install one lock into the environment, showing that something goes on."""
    words = [
        "install",
        "--require-hashes",
        "--only-binary=:all:",
        "--no-input",
        "--no-deps",
        "--disable-pip-version-check",
        "-r",
        str(ROOT / lock),
    ]
    variables = {**os.environ, "PIP_REQUIRE_VIRTUALENV": "0", "PYTHONUTF8": "1"}
    child = subprocess.Popen(
        [*pip, *words],
        env=variables,
        encoding="utf-8",
        errors="replace",
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
    )
    lines = []
    for line in child.stdout:
        lines.append(line)
        if sys.stderr.isatty() and line.startswith(("Collecting", "Installing")):
            print("\r  " + line.strip()[:70].ljust(72), end="", file=sys.stderr, flush=True)
    if sys.stderr.isatty():
        print("\r" + " " * 76 + "\r", end="", file=sys.stderr)
    if child.wait():
        raise SetUpError(explain("".join(lines)))


def is_set_up(environment, stamp, *, is_test=False):
    """Tell whether the stamp covers what is asked for."""
    if is_test and stamp.get("dev") != digest("requirements-dev.lock"):
        return False
    return stamp.get("run") == digest(environment.lock)


def set_up(environment, *, is_test=False):
    """Bring an environment to the state of its locks; return the stamp."""
    stamp = read_stamp(environment)
    if is_set_up(environment, stamp, is_test=is_test):
        return stamp
    with one_at_a_time():
        stamp = read_stamp(environment)
        if is_set_up(environment, stamp, is_test=is_test):
            return stamp
        free, needed = shutil.disk_usage(ROOT).free, environment.needed
        if free < needed and not stamp:
            raise SetUpError(
                f"needs {needed / 1e9:g} GB on the disk of {ROOT}, {free / 1e9:.1f} GB are free"
            )
        size = f"about {environment.download / 1e6:.0f} MB to download"
        say(f"setting up, once: {size}, a few minutes at most")
        pip = pip_words(environment) if stamp else make_venv(environment)
        # The lock for tests contains the other one.
        install("requirements-dev.lock" if is_test else environment.lock, pip=pip)
        folder = environment.folder
        packages = next(folder.glob("lib/python*/site-packages"), folder / "Lib/site-packages")
        (packages / "dl_advisor_here.pth").write_text(f"{ROOT}\n", encoding="utf-8")
        stamp = {**stamp, "place": place(), "run": digest(environment.lock)}
        if is_test:
            stamp["dev"] = digest("requirements-dev.lock")
        write_stamp(environment, stamp)
    return stamp


@contextlib.contextmanager
def one_at_a_time():
    """Let a second start wait until the first has finished its set-up."""
    try:
        import fcntl
    except ImportError:
        yield
        return
    with (ROOT / ".set-up.lock").open("w") as handle:
        fcntl.flock(handle, fcntl.LOCK_EX)
        yield


def missing_qt_packages():
    """Return the Debian packages of the libraries that the dynamic loader does not find."""
    if not sys.platform.startswith("linux"):
        return []
    probe = (
        "import ctypes, sys\n"
        "for name in sys.argv[1:]:\n"
        "    try: ctypes.CDLL(name)\n"
        "    except OSError: print(name)\n"
    )
    found = subprocess.run(
        [str(APP.python), "-c", probe, *QT_LIBRARIES], check=False, capture_output=True, text=True
    )
    return sorted({QT_LIBRARIES[name] for name in found.stdout.split()})


def provide_qt(stamp):
    """Make sure that the window can open; asked once per set-up."""
    if stamp.get("qt"):
        return
    packages = missing_qt_packages()
    if packages:
        apt_install(packages, purpose="the window needs libraries of the system")
    write_stamp(APP, {**stamp, "qt": True})


def has_display():
    """Tell whether a window can be shown."""
    is_desktop = os.name == "nt" or sys.platform == "darwin"
    return is_desktop or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def called_as():
    """Return the words before the first argument; a launcher may have put a path into them."""
    python, *rest = sys.orig_argv[: len(sys.orig_argv) - len(sys.argv) + 1]
    name = Path(python).name
    return subprocess.list2cmdline([name if shutil.which(name) else python, *rest])


def start(environment, words):
    """Replace this process by the environment's Python; hints of the app name this file."""
    command = [str(environment.python), "-P", *words]
    variables = os.environ | ({"DL_ADVISOR_PROGRAM": called_as()} if words[0] == "-m" else {})
    if os.name == "posix":
        print(end="", flush=True)
        os.execve(command[0], command, variables)
    return subprocess.run(command, check=False, env=variables).returncode


def is_help_of_new_collector(arguments):
    """Tell whether somebody only asks what the collector is, before it is set up."""
    wants_help = {"-h", "--help"}.intersection(arguments)
    return bool(wants_help) and not is_set_up(COLLECTOR, read_stamp(COLLECTOR))


def print_collector_help():
    """Print the help of the collector with the standard library alone, in English."""
    import argparse

    sys.path.insert(0, str(ROOT))
    from ui.share_arguments import add_collector

    parser = argparse.ArgumentParser(prog=called_as())
    add_collector(parser.add_subparsers())
    with contextlib.suppress(SystemExit):
        parser.parse_args(["collector", "--help"])


def main(arguments):
    """Set up what is missing, then do what the arguments say."""
    environment = COLLECTOR if arguments[:1] == ["collector"] else APP
    try:
        check_python()
        if environment is COLLECTOR and is_help_of_new_collector(arguments):
            print_collector_help()
            return 0
        is_test = arguments[:1] == ["test"]
        wants_window = not arguments and has_display()
        stamp = set_up(environment, is_test=is_test)
        if is_test or wants_window or arguments[:1] == ["--page"]:
            provide_qt(stamp)
    except SetUpError as error:
        say(str(error))
        return 2
    except OSError as error:
        say(f"cannot set up in {ROOT}: {error.strerror or error} ({error.filename or ''})")
        return 2
    except KeyboardInterrupt:
        say("cancelled; the next start goes on from here")
        return 130
    if is_test:
        return start(environment, [str(ROOT / "tests" / "checks.py"), *arguments[1:]])
    if not arguments and not wants_window:
        arguments = ["advise"]
    return start(environment, ["-m", "ui", *arguments])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
