"""Kills -9 at random moments: no orphan, no lost finished run, the history opens.

The app tries a setting of a real network again and again with the same history; every other kill
hits the child first, and the app is left to tell what became of it before it is killed as well.
"""

import random
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import IO

import psutil

from tests.trial_proof.jobs import ROOT, Proof, write_json
from tests.trial_proof.tries import app_environment
from ui.history.store import History

_NETWORK = "mnist-mlp"
_WORDS = (_NETWORK, "--option", "malloc-keep", "--option", "one-pool", "--minutes", "5")
_LATEST_S = 14.0
_GRACE_S = 5.0
_TELL_S = 15.0


class _Told:
    """Lines of finished runs that the app has written, read in a thread."""

    def __init__(self, stream: IO[str]) -> None:
        self.lines: list[str] = []
        self._thread = threading.Thread(target=self._read, args=(stream,), daemon=True)
        self._thread.start()

    def _read(self, stream: IO[str]) -> None:
        for line in stream:
            if " s  " in line and ":" in line:
                self.lines.append(line)

    def end(self) -> int:
        """Wait for the end of the stream and return how many runs were told."""
        self._thread.join(_GRACE_S)
        return len(self.lines)


def kills(proof: Proof, count: int) -> int:
    """Kill so often; print what was found and return 1 when anything was lost or left."""
    moments = random.Random(11)
    folder = proof.out / "kills"
    told = n_children = 0
    faults: list[str] = []
    for at in range(count):
        n_told, has_hit_child = _kill_once(folder, moments, wants_child=bool(at % 2))
        told += n_told
        n_children += has_hit_child
        faults += [f"kill {at}: {text}" for text in _faults(folder, told, n_kills=at + 1)]
        print(f"kill {at + 1:3}: {'child, then parent' if has_hit_child else 'parent':18} "
              f"{told} runs told so far, {len(faults)} faults", flush=True)  # fmt: skip
    found = {"kills": count, "children": n_children, "runs_told": told, "faults": faults}
    write_json(proof.out / "kills.json", found)
    print("\n".join(faults) or f"{count} kills, {n_children} of a child: nothing lost or left")
    return int(bool(faults) or told == 0)


def _kill_once(folder: Path, moments: random.Random, *, wants_child: bool) -> tuple[int, bool]:
    command = [sys.executable, "-m", "ui", "try", *_WORDS]
    with subprocess.Popen(
        command, cwd=ROOT, env=app_environment(folder), stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE, text=True,
    ) as parent:  # fmt: skip
        assert parent.stderr is not None
        told = _Told(parent.stderr)
        time.sleep(moments.uniform(0.0, _LATEST_S))
        has_hit = wants_child and _kill_child(parent.pid, told)
        parent.send_signal(signal.SIGKILL)
        parent.wait()
        return told.end(), has_hit


def _is_worker(process: psutil.Process) -> bool:
    try:
        return "user_network" in " ".join(process.cmdline())
    except psutil.Error:  # it ended meanwhile
        return False


def _kill_child(parent: int, told: _Told) -> bool:
    """Kill the worker of the app and wait until it has told what became of it."""
    for child in psutil.Process(parent).children():
        if _is_worker(child):
            before = len(told.lines)
            child.kill()
            until = time.monotonic() + _TELL_S
            while len(told.lines) == before and time.monotonic() < until:
                time.sleep(0.02)
            return True
    return False


def _orphans(folder: Path) -> list[int]:
    """Return processes that work in a folder of the app, or were started with its variables."""
    found = []
    for process in psutil.process_iter():
        try:
            is_dead = process.status() == psutil.STATUS_ZOMBIE
            if not is_dead and Path(process.cwd()).is_relative_to(folder.resolve()):
                found.append(process.pid)
        except (psutil.Error, OSError):
            continue
    return found


def _faults(folder: Path, told: int, *, n_kills: int) -> list[str]:
    until = time.monotonic() + _GRACE_S
    while _orphans(folder) and time.monotonic() < until:
        time.sleep(0.02)
    faults = [f"orphan {pid}" for pid in _orphans(folder)]
    path = next(folder.rglob("history.sqlite3"), None)
    if path is None:
        return faults + (["no history although runs were told"] if told else [])
    with History(path) as history:
        rows = len(history.rows())
    # What was told was kept before; one more of each try may have been kept and not yet told.
    if not told <= rows <= told + n_kills:
        faults.append(f"{told} runs were told, {rows} are kept")
    return faults
