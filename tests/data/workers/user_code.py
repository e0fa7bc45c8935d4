"""The real worker of trials with everything but Keras: the user's file is loaded and called.

The first argument is the folder of the workers. What the user's function returns is taken for
the seconds of a step.
"""

import sys

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
    """What the user's function gave."""

    has_random_layers = False

    def __init__(self, step_s, batch_size):
        self.step_s = step_s
        self.batch_size = batch_size


def load_network(_keras, request):
    reference = request["model"]
    found = user_network_model.load_function(reference["path"], reference["function"])()
    return Network(float(found or 0.01), request["batch_size"])


def train(_keras, network, _request, clock, _emit):
    clock.first_step_s = 1.0
    clock.times_s = [network.step_s] * 5
    clock.checks = [(2, 2.5), (4, 2.3)]
    return 2.3, "fine"


user_network.import_keras = lambda _request: (None, STACK)
user_network_model.load_network = load_network
user_network_model.train = train
worker_main.main("user_network")
