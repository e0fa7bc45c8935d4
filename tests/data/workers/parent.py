"""A parent that starts the real worker's channel in a child and tells the child's number.

The child listens as every worker does, then does what the first argument says. Killing this
process must end the child.
"""

import subprocess
import sys
import time

CHILD = """
import ctypes, os, sys, time
sys.path.insert(0, {folder!r})
import worker_protocol
channel = worker_protocol.open_channel()
channel.send("hello", protocol=1)
if {how!r} == "native":
    # Holds the interpreter: no other thread of Python runs.
    ctypes.PyDLL(None).sleep(60)
time.sleep(60)
"""

folder, how = sys.argv[1:]
code = CHILD.format(folder=folder, how=how)
child = subprocess.Popen(
    [sys.executable, "-S", "-c", code], stdin=subprocess.PIPE, stdout=subprocess.PIPE
)
child.stdout.readline()
print(child.pid, flush=True)
time.sleep(60)
