"""A worker that misbehaves in the way its first argument names. Standard library only."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path


def say(**message):
    os.write(1, json.dumps(message).encode() + b"\n")


def hello(protocol=1):
    say(type="hello", protocol=protocol, python="0")


def wait_for_run():
    return json.loads(sys.stdin.readline())


def echo():
    hello()
    request = wait_for_run()
    environment = {k: v for k, v in os.environ.items() if k.startswith(("DL_", "LC_"))}
    say(type="log", text="folder", folder=str(Path.cwd()), pid=os.getpid(), environment=environment)
    say(type="unheard-of", text="ignored")
    say(type="result", request=request)


def hang():
    hello()
    time.sleep(60)


def silent():
    time.sleep(60)


def slow_stage():
    hello()
    say(type="stage", stage="prepare")
    time.sleep(0.4)
    say(type="result")


def abort():
    hello()
    os.abort()


def segfault():
    hello()
    os.kill(os.getpid(), signal.SIGSEGV)
    time.sleep(5)


def illegal():
    hello()
    os.kill(os.getpid(), signal.SIGILL)
    time.sleep(5)


def killed():
    hello()
    os.kill(os.getpid(), signal.SIGKILL)
    time.sleep(5)


def exit_3():
    hello()
    sys.stderr.write("the reason\n")
    sys.exit(3)


def exit_0():
    hello()


def flood_stderr():
    hello()
    sys.stderr.write("x" * 1_000_000 + "the end\n")
    say(type="result")


def flood_stdout():
    hello()
    os.write(1, b"x" * 10)
    for _ in range(100):
        os.write(1, b"y" * 65536)
    time.sleep(60)


def flood_messages():
    hello()
    for index in range(20_000):
        say(type="progress", index=index)
    say(type="result")


def endless_messages():
    hello()
    while True:
        say(type="progress")


def half_a_line():
    hello()
    os.write(1, b'{"type": "res')


def half_a_line_stays():
    hello()
    os.write(1, b'{"type": "res')
    time.sleep(60)


def not_json():
    hello()
    os.write(1, b"Initialising the library...\n")
    time.sleep(60)


def invalid_utf8():
    hello()
    os.write(1, b'{"type": "\xff\xfe"}\n')
    time.sleep(60)


def not_a_number():
    hello()
    os.write(1, b'{"type": "value", "values_s": [NaN]}\n')
    time.sleep(60)


def infinite():
    hello()
    os.write(1, b'{"type": "value", "values_s": [1e999]}\n')
    time.sleep(60)


def wrong_version():
    hello(protocol=999)
    time.sleep(60)


def no_hello():
    say(type="result")


def two_results():
    hello()
    say(type="result")
    say(type="result")


def hang_after_result():
    hello()
    say(type="result", ok=True)
    time.sleep(60)


def error():
    hello()
    say(type="error", outcome="unsupported", message="no such device")


def odd_error():
    hello()
    say(type="error", outcome="completed")


def closes_output():
    hello()
    os.close(1)
    time.sleep(60)


def grandchild():
    hello()
    process = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    say(type="log", pid=process.pid)
    os._exit(0)


def escaped_grandchild():
    hello()
    code = "import time; time.sleep(3)"
    subprocess.Popen([sys.executable, "-c", code], start_new_session=True)
    os._exit(7)


def obeys_cancel():
    hello()
    wait_for_run()
    say(type="stage", stage="measure")
    sys.stdin.readline()
    say(type="cancelled")


def rests():
    """Rest when asked to, and tell what was said meanwhile."""
    hello()
    wait_for_run()
    say(type="stage", stage="timing")
    asked = json.loads(sys.stdin.readline())
    say(type="stage", stage="paused")
    told = json.loads(sys.stdin.readline())
    say(type="result", heard=[asked["type"], told["type"]], told=told)


def rests_unasked():
    hello()
    wait_for_run()
    say(type="stage", stage="paused")
    say(type="result")


def ignores_sigterm():
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    hello()
    say(type="stage", stage="measure")
    time.sleep(60)


def obeys_sigterm():
    hello()
    say(type="stage", stage="measure")
    time.sleep(60)


def never_reads():
    hello()
    time.sleep(0.2)
    say(type="result")


globals()[sys.argv[1]]()
