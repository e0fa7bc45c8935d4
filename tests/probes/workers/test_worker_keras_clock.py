"""What the clock inside a graph counts, in a real child with TensorFlow."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

WORKERS = Path(__file__).parents[3] / "probes" / "workers"
# Waking takes 60 ms here, a kernel 10 ms, and so does what an assignment waits for.
SCRIPT = """
import json, time
import keras_kernels
tf, _keras = keras_kernels.import_keras({})
import worker_keras_graph

def lasting(seconds):
    def sleep():
        time.sleep(seconds)
        return 1.0
    return tf.py_function(sleep, [], "float32")

graphs = worker_keras_graph.Graphs(tf)
state = tf.Variable(0.0)
kernel = graphs.serial(lambda value: value + lasting(0.01), [tf.ones([200])], 3)
graphs.clock.woken = lambda: lasting(0.06)
kernel_after = graphs.serial(lambda value: value + lasting(0.01), [tf.ones([200])], 3)

def assigning():
    state.assign_add(lasting(0.01))
    return tf.constant(0.0)

update = graphs.once(assigning, [])
timed = {name: min(graph.run(3) for _ in range(3)) / 3
         for name, graph in {"plain": kernel, "after": kernel_after, "update": update}.items()}
print(json.dumps(timed))
"""


@pytest.fixture(scope="module")
def seconds(tmp_path_factory):
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT],
        cwd=tmp_path_factory.mktemp("worker"),
        env={**os.environ, "PYTHONPATH": str(WORKERS)},
        capture_output=True,
        text=True,
        timeout=240,
        check=False,
    )
    assert done.returncode == 0, done.stderr[-2000:]
    return json.loads(done.stdout.splitlines()[-1])


def test_a_kernel_takes_what_it_lasts_however_long_its_threads_take_to_wake(seconds):
    assert seconds["plain"] == pytest.approx(0.01, rel=0.3)
    assert seconds["after"] == pytest.approx(0.01, rel=0.3)


def test_assignments_that_nothing_reads_are_waited_for(seconds):
    assert seconds["update"] >= 0.01
