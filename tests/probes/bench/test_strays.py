"""Real processes that left their group."""

import subprocess
import sys
import time

import psutil
import pytest

from probes.bench.child import Child
from probes.bench.strays import MARK, kill_strays, new_mark

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="sessions are of POSIX systems")

SLEEP = "import time; time.sleep(60)"
# Starts a process in a session of its own, tells its number, and waits.
FORKS = f"""
import json, subprocess, sys, time
other = subprocess.Popen([sys.executable, "-c", {SLEEP!r}], start_new_session=True)
print(json.dumps({{"type": "progress", "pid": other.pid}}), flush=True)
time.sleep(60)
"""


def is_running(pid):
    try:
        return psutil.Process(pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False


def ends_within(pid, *, seconds):
    until = time.monotonic() + seconds
    while is_running(pid) and time.monotonic() < until:
        time.sleep(0.02)
    return not is_running(pid)


def test_what_left_the_group_of_a_child_ends_with_it(tmp_path):
    with Child([sys.executable, "-c", FORKS], environment={}, folder=str(tmp_path)) as child:
        item = child.next_item(timeout_s=20)
        pid = item.message["pid"]
        assert is_running(pid)
    assert ends_within(pid, seconds=5)


def test_only_what_has_inherited_the_mark_is_killed():
    mark = new_mark()
    ours, others = (
        subprocess.Popen([sys.executable, "-c", SLEEP], env={MARK: each})
        for each in (mark, new_mark())
    )
    try:
        assert kill_strays(mark) == 1
        assert ours.wait(5) != 0
        assert others.poll() is None
    finally:
        for process in (ours, others):
            process.kill()
            process.wait()


def test_without_strays_nothing_is_done():
    assert kill_strays(new_mark()) == 0
