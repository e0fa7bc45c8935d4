"""The real worker of trials with everything but Keras: the user's file is loaded and called.

The first argument is the folder of the workers. What the user's function returns is taken for
the seconds of a step.
"""

import without_keras


def load_network(_keras, request):
    reference = request["model"]
    found = without_keras.load_function(reference["path"], reference["function"])()
    network = without_keras.Network(request["batch_size"])
    network.step_s = float(found or 0.01)
    return network


def train(_keras, network, _request, clock, _emit):
    clock.first_step_s = 1.0
    clock.times_s = [network.step_s] * 5
    clock.checks = [(2, 2.5), (4, 2.3)]
    return 2.3, "fine"


without_keras.serve(load_network, train)
