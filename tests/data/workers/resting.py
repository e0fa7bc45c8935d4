"""The real worker of trials with a network that only waits: steps, rests and what may go wrong.

The first argument is the folder of the workers. Variables: DL_STEP_S seconds of a step, DL_HOLD_MB
memory that it takes, DL_DIES_AT the step in which it aborts.
"""

import os
import time

import without_keras


def load_network(_keras, request):
    network = without_keras.Network(request["batch_size"])
    network.held = bytearray(os.urandom(1 << 20) * int(os.environ.get("DL_HOLD_MB", "0")))
    return network


def train(_keras, _network, _request, clock, _emit):
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


without_keras.serve(load_network, train)
