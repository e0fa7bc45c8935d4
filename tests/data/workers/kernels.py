"""A worker that answers requests for kernels as their ids say. Standard library only.

An id has the form "name:behaviour". What each process is told goes to the file named by
DL_TEST_LOG, one JSON object a line.
"""

import json
import os
import signal
import sys
import time
from pathlib import Path


def say(**message):
    os.write(1, json.dumps(message).encode() + b"\n")


def value(name, **more):
    fields = {"warmups_s": [0.2], "values_s": [0.1, 0.11], "loops": 2, "check": "fine", **more}
    say(type="value", id=name, **fields)


def answer(name):
    behaviour = name.partition(":")[2].partition("/")[0]
    say(type="stage", id=name, stage="prepare")
    if behaviour == "crash":
        os.kill(os.getpid(), signal.SIGSEGV)
        time.sleep(5)
    elif behaviour == "hang":
        time.sleep(60)
    elif behaviour == "unsupported":
        say(type="kernel_failed", id=name, outcome="unsupported", message="cannot")
    elif behaviour == "odd_failure":
        say(type="kernel_failed", id=name, outcome="?")
    elif behaviour == "nonsense":
        value(name, values_s=[-1.0])
    elif behaviour == "forgotten":
        pass
    elif behaviour == "twice":
        value(name)
        value(name, values_s=[9.0])
    elif behaviour == "foreign":
        value("never asked for")
        value(name)
    elif behaviour == "cancelled":
        say(type="log")
        sys.stdin.readline()
        say(type="cancelled")
        os._exit(0)
    else:
        value(name)


def main():
    say(type="hello", protocol=1, python="0")
    request = json.loads(sys.stdin.readline())
    settings = {name: text for name, text in os.environ.items() if name.startswith("DL_")}
    with Path(os.environ["DL_TEST_LOG"]).open("a") as log:
        log.write(json.dumps({"request": request, "settings": settings}) + "\n")
    if "DL_BROKEN" in os.environ:
        os._exit(5)
    say(type="stage", stage="ready", stack={"framework": "fake", "framework_version": "1"})
    for kernel in request["kernels"]:
        answer(kernel["id"])
    say(type="result", stack={"framework": "fake"})


main()
