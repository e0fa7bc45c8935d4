"""A worker that dies of what lies in its cache, and otherwise compiles and learns something.

It writes what it was told to the file in DL_TEST_LOG, one line for each child.
"""

import json
import os
import pathlib
import sys
import time


def say(**message):
    """Write one message."""
    print(json.dumps(message), flush=True)


run = json.loads(sys.stdin.readline())
options = run["options"]
with pathlib.Path(os.environ["DL_TEST_LOG"]).open("a", encoding="utf-8") as log:
    log.write(json.dumps(options) + "\n")
say(type="hello", protocol=1)
stack = {"framework": "opencl", "framework_version": "3.0", "backend": "x", "backend_version": "1"}
say(type="stage", stage="ready", stack=stack)
cache = pathlib.Path(options["cache_folder"]) if "cache_folder" in options else None
for kernel in run["kernels"]:
    say(type="stage", id=kernel["id"], stage="prepare")
    if (cache is not None and (cache / "poison").exists()) or kernel["id"].startswith("deadly"):
        os.abort()
    if kernel["id"].startswith("hang"):
        time.sleep(60)
    if (cache is not None and (cache / "spoiled").exists()) or kernel["id"].startswith("wrong"):
        say(type="kernel_failed", id=kernel["id"], outcome="wrong_result", message="NaN")
        continue
    learned = {kernel["id"]: {"index": 1, "count": 2, "seconds": 0.5, "trial": 1}}
    say(type="value", id=kernel["id"], warmups_s=[], values_s=[0.1, 0.1], loops=1,
        lasted_s=0.1, check="fine", learned=learned)  # fmt: skip
    if cache is not None:
        cache.mkdir(parents=True, exist_ok=True)
        (cache / "kernel.so").write_bytes(b"x" * 100)
say(type="result", stack=stack)
