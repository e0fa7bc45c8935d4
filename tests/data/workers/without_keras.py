"""The real worker of trials with everything but Keras: what takes the place of it.

The first argument of the program is the folder of the workers.
"""

import sys

sys.path.insert(0, sys.argv[1])

import main as worker_main
import user_network
import user_network_model

load_function = user_network_model.load_function
STACK = {
    "framework": "keras",
    "framework_version": "3",
    "backend": "tensorflow",
    "backend_version": "2",
}


class Network:
    """What stands for a network."""

    has_random_layers = False

    def __init__(self, batch_size):
        self.batch_size = batch_size


def serve(load_network, train):
    """Serve one request with functions in place of those of `user_network_model`."""
    user_network.import_keras = lambda _request: (None, STACK)
    user_network_model.load_network = load_network
    user_network_model.train = train
    worker_main.main("user_network")
