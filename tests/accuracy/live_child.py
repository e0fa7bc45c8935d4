"""Child: runs steps of networks one after another on random data.

The framework is imported once for all; each network is built anew. The request has `options` and
`networks`, objects as `live_steps.py` takes them. The result has one object for
each: the fields of the worker with `started_s` and `seconds` (of building, tracing and timing),
or `message` when it failed.
"""

import gc
import os
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "probes" / "workers"))

import live_steps
import worker_kernels
import worker_protocol


def run_one(network, options, channel):
    """Return what became of one network."""
    started, clock = time.time(), time.monotonic()
    try:
        fields = live_steps.run_network(network, options, channel)
    except worker_protocol.Cancelled:
        raise
    except Exception as error:
        fields = {"message": worker_kernels.sentence_of(error)}
    gc.collect()
    fields.update(started_s=started, seconds=time.monotonic() - clock)
    return fields


def main():
    """Serve one request, and end at once: a framework that is torn down may hang."""
    channel = worker_protocol.open_channel()
    channel.send("hello", protocol=worker_protocol.PROTOCOL_VERSION, python=sys.version.split()[0])
    request = channel.wait_for_run()
    try:
        done = [run_one(one, request["options"], channel) for one in request["networks"]]
        channel.send("result", networks=done)
    except worker_protocol.Cancelled:
        channel.send("cancelled")
    finally:
        sys.stderr.flush()
        os._exit(0)


if __name__ == "__main__":
    main()
