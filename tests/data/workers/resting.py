"""The real worker of trials with a network that only waits: steps, rests and what may go wrong.

The first argument is the folder of the workers. Variables: DL_STEP_S seconds of a step, DL_HOLD_MB
memory that it takes, DL_DIES_AT the step in which it aborts.
"""

import os
import sys
import time

sys.path.insert(0, sys.argv[1])

import main as worker_main
import user_network
import user_network_model

STACK = {
    "framework": "keras",
    "framework_version": "3",
    "backend": "tensorflow",
    "backend_version": "2",
}


class Network:
    """Waits in place of computing."""

    has_random_layers = False

    def __init__(self, batch_size):
        self.batch_size = batch_size
        self.held = bytearray(os.urandom(1 << 20) * int(os.environ.get("DL_HOLD_MB", "0")))


def train(_keras, network, _request, clock, _emit):
    step_s, dies_at = float(os.environ["DL_STEP_S"]), int(os.environ.get("DL_DIES_AT", "0"))

    def checked():
        return 2.3, "fine"

    clock.begin()
    while True:
        time.sleep(step_s)
        is_done = clock.end()
        if clock.n_steps == dies_at:
            os.abort()
        if clock.is_checked:
            clock.check(2.3)
        if is_done:
            return checked()
        clock.follow(checked)


user_network.import_keras = lambda _request: (None, STACK)
user_network_model.load_network = lambda _keras, request: Network(request["batch_size"])
user_network_model.train = train
worker_main.main("user_network")
