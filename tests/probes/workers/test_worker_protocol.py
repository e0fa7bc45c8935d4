"""The child's half of the protocol, with real pipes and real processes."""

import json
import os
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path

import pytest
import worker_protocol
from worker_protocol import Cancelled, Channel

from probes.bench.protocol import PROTOCOL_VERSION

DATA = Path(__file__).parents[2] / "data" / "workers"
WORKERS = Path(worker_protocol.__file__).parent


def test_both_halves_speak_the_same_version():
    assert worker_protocol.PROTOCOL_VERSION == PROTOCOL_VERSION


@pytest.fixture
def pipes():
    """A channel, what it reads from and what it writes to."""
    read_in, write_in = os.pipe()
    read_out, write_out = os.pipe()
    yield Channel(read_in, write_out), write_in, read_out
    for descriptor in (read_in, write_in, read_out, write_out):
        os.close(descriptor)


def test_messages_are_lines_of_json(pipes):
    channel, _, output = pipes
    channel.send("value", values_s=[0.5], text="é\n")
    line = os.read(output, 1000)
    assert line.count(b"\n") == 1
    assert json.loads(line) == {"type": "value", "values_s": [0.5], "text": "é\n"}
    with pytest.raises(ValueError, match=r"[Nn]a[Nn]|JSON"):
        channel.send("value", values_s=[float("nan")])


def test_messages_of_several_threads_do_not_mix(pipes):
    channel, _, output = pipes
    threads = [
        threading.Thread(target=lambda: [channel.send("log", text="x" * 50) for _ in range(100)])
        for _ in range(4)
    ]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    lines = os.read(output, 1 << 16).splitlines()
    assert len(lines) == 400
    assert all(json.loads(line)["text"] == "x" * 50 for line in lines)


def test_the_request_and_the_cancelling_are_taken_in_pieces(pipes):
    channel, _, _ = pipes
    channel.check_cancelled()
    for line in (b'{"type": "run", "a": 1}', b'{"type": "other"}', b'{"type": "cancel"}'):
        channel._take(json.loads(line))
    assert channel.wait_for_run()["a"] == 1
    with pytest.raises(Cancelled):
        channel.check_cancelled()


LISTEN = """
import sys, time
sys.path.insert(0, {folder!r})
import worker_protocol
channel = worker_protocol.open_channel()
print("chatter of a library")
channel.send("hello", protocol=1)
request = channel.wait_for_run()
channel.send("log", request=request)
while True:
    time.sleep(0.01)
    try:
        channel.check_cancelled()
    except worker_protocol.Cancelled:
        channel.send("cancelled")
        break
time.sleep(60)
"""


def test_a_child_keeps_the_stream_clean_and_goes_with_its_parents_end_of_the_pipe():
    code = LISTEN.format(folder=str(WORKERS))
    with subprocess.Popen(
        [sys.executable, "-S", "-c", code],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as child:
        assert json.loads(child.stdout.readline()) == {"type": "hello", "protocol": 1}
        child.stdin.write(b'{"type": "run", ')
        child.stdin.flush()
        child.stdin.write(b'"n": 1}\n{"type": "can')
        child.stdin.flush()
        assert json.loads(child.stdout.readline())["request"]["n"] == 1
        child.stdin.write(b'cel"}\n')
        child.stdin.flush()
        assert json.loads(child.stdout.readline()) == {"type": "cancelled"}
        child.stdin.close()
        assert child.wait(timeout=5) == worker_protocol.EXIT_PARENT_GONE
        assert b"chatter" in child.stderr.read()


def is_running(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    state = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]
    return state != "Z"


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="PR_SET_PDEATHSIG is Linux")
@pytest.mark.parametrize("how", ["sleep", "native"])
def test_a_child_dies_with_a_parent_that_is_killed(how):
    with subprocess.Popen(
        [sys.executable, "-S", str(DATA / "parent.py"), str(WORKERS), how],
        stdout=subprocess.PIPE,
    ) as parent:
        pid = int(parent.stdout.readline())
        assert is_running(pid)
        parent.send_signal(signal.SIGKILL)
        parent.wait(timeout=5)
    deadline = time.monotonic() + 5
    while is_running(pid) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not is_running(pid)


def pausing(channel, *, then):
    """Ask a channel to rest, and say `then` once it does; return the thread that will."""
    channel._take({"type": "pause"})

    def speak():
        time.sleep(0.05)
        channel._take({"type": then})

    thread = threading.Thread(target=speak)
    thread.start()
    return thread


def test_a_worker_rests_between_two_values_until_it_is_told_to_go_on(pipes):
    channel, _, output = pipes
    for _ in range(2):
        thread = pausing(channel, then="resume")
        channel.check_cancelled()
        thread.join()
        assert json.loads(os.read(output, 1000)) == {"type": "stage", "stage": "paused"}
        channel.check_cancelled()  # rests no more


def test_a_worker_that_rests_can_be_cancelled(pipes):
    channel, _, _output = pipes
    thread = pausing(channel, then="cancel")
    with pytest.raises(Cancelled):
        channel.check_cancelled()
    thread.join()
