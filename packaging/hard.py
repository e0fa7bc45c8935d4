"""Where a packaged app is put under strain: no network, no room, nothing to write to, a watcher.

Part of `smoke_test.py --hard`. What needs a tool or rights that are not there is left out, and
said so. Standard library only.
"""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from watch import changed_files, watcher

if TYPE_CHECKING:
    from smoke_test import Smoke

VISIBLE_S = 2.0
_GIVE_UP_S = 30.0


@contextmanager
def tiny_home(room: str) -> Iterator[Path]:
    """Yield a HOME of its own file system of so much room; needs root."""
    with tempfile.TemporaryDirectory(prefix="tiny ") as folder:
        mount = ["mount", "-t", "tmpfs", "-o", f"size={room},mode=777", "tmpfs", folder]
        subprocess.run(mount, check=True)
        try:
            yield Path(folder)
        finally:
            subprocess.run(["umount", "--lazy", folder], check=True)  # noqa: S607


def one_line(said: subprocess.CompletedProcess[str], *, codes: tuple[int, ...]) -> str:
    """Return what is wrong with a command that had to say one line and end with a code."""
    lines = said.stderr.strip().splitlines()
    if said.returncode in codes and "Traceback" not in said.stderr + said.stdout and lines:
        return ""
    return f"exit code {said.returncode}, said {said.stderr.strip()[-400:]!r}"


def test_multiprocessing(smoke: Smoke) -> str:
    """Start a process of Python's in the program, as a network of the user's own may do."""
    if not smoke.is_packaged:
        return ""
    code = (
        "import multiprocessing, os, sys\n"
        "sys.frozen = True\n"
        "context = multiprocessing.get_context('spawn')\n"
        "context.set_executable(sys.argv[1])\n"
        "child = context.Process(target=os.mkdir, args=(sys.argv[2],))\n"
        "child.start(); child.join(60)\n"
        "sys.exit(child.exitcode)\n"
    )
    made = smoke.home / "made by a child"
    command = [sys.executable, "-c", code, smoke.program, str(made)]
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=90, check=False, env=smoke.environment()
    )
    if not made.is_dir():
        return f"exit code {done.returncode}: {done.stderr.strip()[-400:]}"
    made.rmdir()
    return ""


def test_full_disk(smoke: Smoke) -> str:
    """Have no room in the HOME: the advice is there, the file is refused in one line."""
    with tiny_home("64k") as home:
        (home / "filler").write_bytes(b"x" * 48 * 1024)
        words = ("recommend", "resnet-56", "--json", str(home / "advice.json"))
        saved = smoke.run(*words, HOME=str(home))
        wrong = one_line(saved, codes=(2,))
        if not wrong and "No space left" not in saved.stderr:
            wrong = f"it said {saved.stderr.strip()!r}"
        for more in (("probe",), ("recommend", "resnet-56"), ("history",), ("doctor",)):
            done = smoke.run(*more, HOME=str(home))
            if done.returncode not in (0, 2) or "Traceback" in done.stderr:
                wrong = wrong or f"{more[0]}: {done.returncode} {done.stderr.strip()[-300:]}"
        return wrong


def test_full_disk_early(smoke: Smoke) -> str:
    """Be told before a minute of measuring that the PDF will have no room."""
    with tiny_home("64k") as home:
        (home / "filler").write_bytes(b"x" * 64 * 1024)
        began = time.monotonic()
        pdf = str(home / "advice.pdf")
        done = smoke.run("advise", "--quick", "--pdf", pdf, HOME=str(home))
        took_s = time.monotonic() - began
        wrong = one_line(done, codes=(2,))
        return wrong or (f"only after {took_s:.0f} s" if took_s > 15 else "")


def test_no_home(smoke: Smoke) -> str:
    """Have a HOME that nobody may write to: what needs no file works."""
    with tempfile.TemporaryDirectory() as folder:
        mount = ["mount", "-t", "tmpfs", "-o", "ro", "tmpfs", folder]
        subprocess.run(mount, check=True)
        try:
            done = smoke.run("recommend", "resnet-56", HOME=folder)
        finally:
            subprocess.run(["umount", "--lazy", folder], check=True)  # noqa: S607
    good = done.returncode == 0 and "Traceback" not in done.stderr
    return "" if good else f"exit code {done.returncode}: {done.stderr.strip()[-400:]}"


def test_no_network(smoke: Smoke) -> str:
    """Run without any network, not even that of the machine with itself."""
    done = smoke.run("recommend", "resnet-56", before=("unshare", "--net"))
    if done.returncode or "Traceback" in done.stderr:
        return f"exit code {done.returncode}: {done.stderr.strip()[-400:]}"
    refused = smoke.run("prices", "refresh", before=("unshare", "--net"))
    return "Traceback" if "Traceback" in refused.stderr or refused.returncode == 1 else ""


def test_read_only(smoke: Smoke) -> str:
    """Run from a folder that even root cannot write to; mounted so in a space of its own."""
    folder = str(Path(smoke.program).resolve().parent)
    script = 'mount --bind "$1" "$1" && mount -o remount,bind,ro "$1" && ! touch "$1/x" && shift'
    before = ("unshare", "--mount", "sh", "-c", f'{script} && exec "$@"', "sh", folder)
    done = smoke.run("bench", "--quick", "--device", "cpu", "--out", "m.json", before=before)
    (smoke.home / "m.json").unlink(missing_ok=True)
    good = done.returncode in (0, 3) and "Traceback" not in done.stderr
    return "" if good else f"exit code {done.returncode}: {done.stderr.strip()[-400:]}"


def test_writes(smoke: Smoke) -> str:
    """Watch the main job: nothing is made or changed outside the user's folders."""
    if shutil.which("strace") is None:
        return "left out: no strace"
    with tempfile.TemporaryDirectory() as folder:
        traces = Path(folder)
        done = smoke.run("advise", "--quick", "--pdf", "advice.pdf", before=watcher(traces))
        if done.returncode not in (0, 3):
            return f"exit code {done.returncode}: {done.stderr.strip()[-400:]}"
        home = str(smoke.home)
        found, n_calls = changed_files(traces, allowed=(f"{home}/",), start=home)
        return ", ".join(found[:20]) if n_calls >= 1000 else f"the traces have {n_calls} calls"


def test_visible(smoke: Smoke) -> str:
    """See the window within two seconds, the second time that it is opened."""
    if shutil.which("xdotool") is None or "DISPLAY" not in os.environ:
        return "left out: no xdotool or no display"
    program = str(Path(smoke.program).with_name(Path(smoke.program).name + "-gui"))
    took_s = [until_visible([program], environment=smoke.environment()) for _ in range(4)]
    sys.stdout.write(f"  window visible after {', '.join(f'{t:.2f}' for t in took_s)} s\n")
    return "" if min(took_s[1:]) <= VISIBLE_S else f"{min(took_s[1:]):.2f} s at best"


def until_visible(command: list[str], *, environment: dict[str, str]) -> float:
    """Return the seconds until the window is seen on the display; it is closed again."""
    search = ["xdotool", "search", "--onlyvisible", "--class", "dl-advisor"]
    began = time.monotonic()
    with subprocess.Popen(command, env=environment, start_new_session=True) as child:
        took_s = float("inf")
        while time.monotonic() - began < _GIVE_UP_S:
            found = subprocess.run(search, capture_output=True, check=False, env=environment)
            if found.stdout.strip():
                took_s = time.monotonic() - began
                break
            time.sleep(0.02)
        child.send_signal(signal.SIGINT)
        try:
            child.wait(15)
        except subprocess.TimeoutExpired:
            child.kill()
    return took_s


def try_hard(smoke: Smoke) -> None:
    """Run every check."""
    smoke.check("window visible in 2 s", lambda: test_visible(smoke))
    smoke.check("nothing written elsewhere", lambda: test_writes(smoke))
    if os.name != "posix" or os.geteuid() != 0:
        sys.stdout.write("left out, as they need root: full disk, read-only, no network\n")
        return
    smoke.check("HOME on a full disk", lambda: test_full_disk(smoke))
    smoke.check("a full disk is told at once", lambda: test_full_disk_early(smoke))
    smoke.check("HOME that cannot be written", lambda: test_no_home(smoke))
    smoke.check("no network", lambda: test_no_network(smoke))
    smoke.check("read-only program", lambda: test_read_only(smoke))
