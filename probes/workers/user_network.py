"""Steps of the user's network under one setup: the child of a trial.

Started through `main.py` by its name. The request has:

    model        {"json": text} or {"path": file, "function": name} (the user's own code)
    data         None (made up), or {"kind", "path", "function"}
    phase, batch_size, precision, optimizer, loss (None: chosen from the last layer)
    runner       "keras", or a name in RUNNERS: without Keras, from the configuration
    backend, device, intra_threads, inter_threads, cpus, jit, pipeline
    check_steps  check values are taken after 2, 4, ... and so many steps, as far as they come
    min_time_s   how long steps are timed from the third on; n_blocks: values it is cut into
    max_steps    most steps in all; max_time_s: a slow network ends after so long, from three
                 steps on
    hopeless_step_s  a step that takes longer ends it after three; None: none does
    turn_s       None, or it takes its steps in turns with others: when those that are timed have
                 lasted so long it tells the fields of the result as a `value`, rests, and takes
                 more steps each time the parent says go on

The first message is a `progress` with our number, so that the parent can watch our memory.
Leaves to others: the model (`user_network_model`), data (`user_network_data`), judging (parent).
"""

import collections
import functools
import importlib
import math
import os
import pathlib
import statistics
import time

import user_network_guard
import worker_errors
import worker_threads

RUNNERS = {"torch": "user_network_torch", "onnxruntime": "user_network_onnx"}


def _set_threads(request):
    cpus = request.get("cpus")
    if cpus and hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, cpus)
    worker_threads.set_library_threads(request.get("intra_threads"))


def _hide_gpus(backend):
    """Keep a framework on the CPU, before it is imported."""
    if backend == "jax":
        os.environ["JAX_PLATFORMS"] = "cpu"
    elif backend == "torch":
        os.environ["KERAS_TORCH_DEVICE"] = "cpu"


def _import_tensorflow(request):
    import tensorflow as tf

    if request.get("intra_threads") is not None:
        tf.config.threading.set_intra_op_parallelism_threads(request["intra_threads"])
    if request.get("inter_threads") is not None:
        tf.config.threading.set_inter_op_parallelism_threads(request["inter_threads"])
    if request.get("device", "cpu") == "cpu":
        tf.config.set_visible_devices([], "GPU")
    return tf


def import_keras(request):
    """Import Keras on the backend of the request; return it and what computes.

    Raises:
        worker_errors.UnsupportedKernel: when this interpreter lacks it.
    """
    backend = request["backend"]
    os.environ["KERAS_BACKEND"] = backend
    os.environ["KERAS_HOME"] = os.getcwd()  # noqa: PTH109 - a string for the environment
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
    if request.get("device", "cpu") == "cpu":
        _hide_gpus(backend)
    try:
        is_tensorflow = backend == "tensorflow"
        library = _import_tensorflow(request) if is_tensorflow else __import__(backend)
        import keras
    except ModuleNotFoundError as error:
        raise worker_errors.UnsupportedKernel(
            "this Python has no package {!r}".format(error.name)
        ) from error
    if backend == "torch" and request.get("intra_threads") is not None:
        library.set_num_threads(request["intra_threads"])
    return keras, {
        "framework": "keras",
        "framework_version": keras.__version__,
        "backend": backend,
        "backend_version": getattr(library, "__version__", None),
    }


def _peak_bytes():
    """Return the most memory that we had at a time; None where the system does not tell.

    Linux tells it by program; elsewhere the figure also counts what started us.
    """
    try:
        for line in pathlib.Path("/proc/self/status").read_text(encoding="ascii").splitlines():
            if line.startswith("VmHWM:"):
                return int(line.split()[1]) * 1024
    except (OSError, ValueError, IndexError):
        pass
    try:
        import resource
    except ImportError:
        return None
    import sys

    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024


def _device_bytes(request):
    """Return the most memory that a GPU gave us, None without one."""
    if request.get("device", "cpu") == "cpu":
        return None
    try:
        if request["backend"] == "tensorflow":
            import tensorflow as tf

            gpus = tf.config.list_logical_devices("GPU")
            return int(tf.config.experimental.get_memory_info(gpus[0].name)["peak"])
        if request["backend"] == "torch":
            import torch

            return int(torch.cuda.max_memory_allocated())
    except Exception:
        return None
    return None


class Settling:
    """Tells when the steps of a turn are what they are in a long run.

    Others have had the caches, and threads must wake up. Those of OpenMP may find themselves on one
    core for a few tenths of a second, after a rest and after the start: a step of PyTorch takes 115
    ms then in place of 45.
    """

    # It is waited for so long, and for two steps.
    _MOST_S = 0.5
    # A shorter first step is not timed; neither is one that takes so many times the shortest of
    # the last ones.
    _SHORT_S = 0.02
    _FAR = 1.5
    _LAST = 40

    def __init__(self):
        self._last_s = collections.deque(maxlen=self._LAST)
        self._is_start = True

    def rest(self):
        """Note a rest: the start is over."""
        self._is_start = False

    def n_steps(self, turn_s):
        """Return how many steps a turn has that is to last so long: no matter how they turn out."""
        return math.ceil(turn_s / statistics.median(self._last_s))

    def lasts(self, early_s, spent_s):
        """Return whether a step, with those before it since the rest, is one that settles."""
        shortest_s = min(self._last_s, default=spent_s)
        self._last_s.append(spent_s)
        has_time = sum(early_s) < self._MOST_S
        if self._is_start:
            self._is_start = has_time
            return has_time
        if not early_s and spent_s < self._SHORT_S:
            return True
        return spent_s > self._FAR * shortest_s and (has_time or len(early_s) < 2)


class StepClock:
    """Follows the steps: the first, the second, then the timed ones; says when to stop.

    `checks` are the numbers of steps after which a check value was taken, each with its value.
    `on_enough` is called with a check value and how it was checked when there are enough steps,
    and then they begin anew; None: then they end. In turns one timed step may be enough.
    """

    def __init__(self, request, clock=time.perf_counter):
        self._clock = clock
        self._check_steps = max(1, request["check_steps"])
        self._turn_s = request.get("turn_s")
        self._settling = None if self._turn_s is None else Settling()
        self._min_time_s = request["min_time_s"] if self._turn_s is None else 0.0
        self._least_steps = 3 if self._turn_s is None else 1
        self._max_steps = request["max_steps"]
        self._max_time_s = request["max_time_s"]
        self._hopeless_s = request.get("hopeless_step_s")
        self._early_s = []
        self._began = None
        self._n_since_rest = 0
        self.on_enough = None
        self.n_steps = 0
        self.first_step_s = None
        self.times_s = []
        self.checks = []

    def begin(self):
        """Note the start of a step."""
        self._began = self._clock()

    def end(self):
        """Note the end of a step; return whether it was the last."""
        spent = self._clock() - self._began
        self.n_steps += 1
        self._n_since_rest += 1
        if self.n_steps == 1:
            self.first_step_s = spent
        elif not self.times_s and self._is_early(spent):
            self._early_s.append(spent)
        else:
            if not self.times_s and self._settling is not None:
                self._least_steps = self._settling.n_steps(self._turn_s)
            self.times_s.append(spent)
        return self.is_done and self.on_enough is None

    def follow(self, checked=None):
        """Count what lies between the end of one step and the start of the next as well.

        A rest is not counted, nor what settles after it.

        Args:
            checked: returns the check value so far and how it was checked.
        """
        if self.on_enough is not None and self.is_done:
            self.on_enough(*checked())
            self._n_since_rest = 1
            if self._settling is not None:
                self._settling.rest()
            self._early_s, self.times_s = [], []
        self._began = self._clock()

    def _is_early(self, spent_s):
        """Return whether a step comes before those that are timed."""
        if self.n_steps == 2 or self._settling is None:
            # Whatever a library prepares for the steps to come is done after it.
            return self._n_since_rest == 2
        return self._settling.lasts(self._early_s, spent_s)

    @property
    def is_checked(self):
        """Whether this was a step after which a check value is taken."""
        count = self.n_steps
        return count == self._check_steps or (
            1 < count < self._check_steps and not count & count - 1
        )

    def check(self, value):
        """Note the check value after the steps so far."""
        self.checks.append((self.n_steps, value))

    @property
    def _is_hopeless(self):
        if self._hopeless_s is None or self._n_since_rest < 3:
            return False
        return min(self._early_s + self.times_s) > self._hopeless_s

    @property
    def is_done(self):
        """Whether there are enough steps since the last rest."""
        spent_s = sum(self._early_s) + sum(self.times_s)
        if self._n_since_rest >= self._max_steps or self._is_hopeless:
            return True
        if self._n_since_rest > 2 and spent_s > self._max_time_s:
            return True
        is_enough = len(self.times_s) >= self._least_steps
        return is_enough and sum(self.times_s) >= self._min_time_s

    def values_s(self, n_blocks):
        """Return the mean seconds of a step in each of so many blocks of equal length."""
        is_enough = len(self.times_s) >= min(2, self._least_steps)
        times_s = self.times_s if is_enough else self._early_s + self.times_s
        count = len(times_s)
        n_blocks = max(1, min(n_blocks, count))
        edges = [count * at // n_blocks for at in range(n_blocks + 1)]
        return [
            sum(times_s[edges[at] : edges[at + 1]]) / (edges[at + 1] - edges[at])
            for at in range(n_blocks)
        ]


def _load_plainly(request):
    """Return what runs the network without Keras, the software and the network.

    Raises:
        worker_errors.UnsupportedKernel: when that cannot be done with this network.
    """
    if request.get("data"):
        raise worker_errors.UnsupportedKernel("the user's own data are read with Keras only")
    runner = importlib.import_module(RUNNERS[request["runner"]])
    if request["runner"] == "torch":
        os.environ["CUDA_VISIBLE_DEVICES"] = ""
    return (runner.run, *runner.load(request))


def _load_keras(request, emit):
    """Return what runs the network with Keras, the software and the network."""
    keras, stack = import_keras(request)
    import user_network_model

    emit("stage", stage="prepare")
    network = user_network_model.load_network(keras, request)
    is_training = request["phase"] == "training"
    steps = user_network_model.train if is_training else user_network_model.predict
    return functools.partial(steps, keras), stack, network


def run(request, channel):
    """Run the steps and return the fields of the result."""
    emit = channel.send
    emit("progress", pid=os.getpid())
    user_network_guard.prefer_for_killing()
    if request["model"].get("path") or (request.get("data") or {}).get("function"):
        user_network_guard.end_group_with_us()
    _set_threads(request)
    emit("stage", stage="import")
    is_keras = request.get("runner", "keras") == "keras"
    steps, stack, network = (
        _load_keras(request, emit) if is_keras else _load_plainly(request)
    )  # fmt: skip
    clock = StepClock(request)
    is_training = request["phase"] == "training"

    def fields(check_value, check):
        return {
            "stack": stack,
            "first_step_s": clock.first_step_s,
            "values_s": clock.values_s(request["n_blocks"]),
            "n_steps": clock.n_steps,
            "batch_size": network.batch_size if is_keras else request["batch_size"],
            "check_value": check_value,
            "checks": clock.checks,
            "check": check,
            "has_random_layers": is_training and network.has_random_layers,
            "peak_memory_bytes": _peak_bytes(),
            "device_memory_bytes": _device_bytes(request),
        }

    def tell_and_rest(check_value, check):
        emit("value", **fields(check_value, check))
        channel.rest()

    if request.get("turn_s") is not None:
        clock.on_enough = tell_and_rest
    emit("stage", stage="warm_up")
    return fields(*steps(network, request, clock, emit))
