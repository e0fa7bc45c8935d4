"""Times TensorFlow kernels inside a graph, as a training step runs them.

One call from Python costs as much as a middle-sized kernel, and results given back to Python need
fresh memory. So several copies of a kernel stand in one graph, one after the other: tied by
control dependencies, and one element of each result is used, because the graph optimiser merges
equal nodes and deletes unused ones. The graph itself looks at the clock before the first and after
the last of them (`worker_keras_clock`). What a graph takes with all of this but no kernel in it is
measured once and taken off. Building such a graph takes longer than running it, a fraction of a
millisecond for each node: so an element costs one node, and all are added up at the end.
Leaves to others: what a kernel is (`worker_keras_*`), how often it runs (`worker_timing`).
"""

import functools

import numpy as np
import worker_errors
import worker_keras_clock

_DTYPES = {"float32": "float32", "bfloat16": "bfloat16", "float16": "float16"}
# The cost of a graph without kernels: the low quantile of some bouts of this many calls.
_EMPTY_CALLS = 10
_EMPTY_BOUTS = 7
# From this share of a value on, the cost of the calls is measured again beside it.
_LARGE_SHARE = 0.2
# Differences in a row that may come out negative.
_MOST_LOST = 3


def dtype_of(precision):
    """Return the name of the element type of a precision."""
    if precision not in _DTYPES:
        raise worker_errors.UnsupportedKernel("Keras kernels are not timed in " + precision)
    return _DTYPES[precision]


def copies_for(n_elements):
    """Return how many copies a graph has, by the largest tensor of its kernel.

    Few where a kernel lasts long, many where the dispatch of the graph would show.
    """
    if n_elements > 8 << 20:
        return 3
    if n_elements > 1 << 18:
        return 6
    return 16 if n_elements > 1 << 14 else 64


def copies_by_work(multiply_adds):
    """Return how many copies a graph of products or convolutions has, by those of one of them.

    A kernel of 2^29 takes 5 ms on two good cores and far more on slow ones: beside it the call of
    a graph, which is taken off, is nothing, and further copies would take the time of others.
    """
    if multiply_adds > 1 << 29:
        return 1
    if multiply_adds > 1 << 26:
        return 3
    return 8 if multiply_adds > 1 << 22 else 24


class _Kept:
    """One element of each result of a graph, which keeps what made them from being deleted.

    Attributes:
        last: what the next kernel has to wait for.
    """

    def __init__(self, tf):
        self._tf = tf
        self._alike = {}
        self.last = []

    def add(self, results):
        """Keep an element of the results of a kernel: a tensor or a list of tensors."""
        self.last = [
            self._first(result)
            for result in (results if isinstance(results, (list, tuple)) else [results])
        ]

    def _first(self, tensor):
        tf, rank = self._tf, tensor.shape.rank
        if rank is None:
            tensor, rank = tf.reshape(tensor, [-1]), 1
        if (rank, tensor.dtype) not in self._alike:
            self._alike[rank, tensor.dtype] = (
                tf.zeros([rank], "int32"),
                tf.ones([rank], "int32"),
                [],
            )
        begin, size, alike = self._alike[rank, tensor.dtype]
        alike.append(tf.raw_ops.Slice(input=tensor, begin=begin, size=size) if rank else tensor)
        return alike[-1]

    def total(self):
        """Return a number that follows from all that was kept."""
        tf = self._tf
        total = tf.zeros([])
        for _begin, _size, alike in self._alike.values():
            total = total + tf.cast(tf.reshape(tf.add_n(alike), []), "float32")
        return total


class Graphs:
    """Makes timed graphs with one TensorFlow module."""

    def __init__(self, tf):
        self.tf = tf
        self._empties = {}
        self.clock = worker_keras_clock.GraphClock(tf, self.random, self.element)
        self._random = np.random.default_rng(1)

    def random(self, shape, dtype, low=None, high=1.0):
        """Return a tensor of normally distributed values, or uniform ones from `low` to `high`."""
        if low is None:
            values = self._random.standard_normal(shape, dtype=np.float32)
        else:
            values = self._random.uniform(low, high, shape).astype(np.float32)
        return self.tf.cast(self.tf.constant(values), dtype)

    def element(self, tensor):
        """Return one element of a tensor, as float32."""
        flat = self.tf.reshape(tensor, [-1])
        return self.tf.cast(flat[0], "float32")

    def serial(self, kernel, inputs, copies):
        """Return copies of a kernel on the same inputs, one after the other.

        Args:
            kernel: function of the inputs that gives a tensor or a list of tensors.
            inputs: tensors.
            copies: how many.
        """

        def body(*arguments):
            return self._in_a_row([lambda: kernel(*arguments)] * copies)

        return self._timed(body, inputs, copies)

    def _in_a_row(self, runs):
        """Run functions without arguments one after the other; return a number from all results."""
        kept = _Kept(self.tf)
        for run in runs:
            with self.tf.control_dependencies(kept.last):
                results = run()
            kept.add(results)
        return kept.total()

    def with_each(self, kernel, inputs, sets):
        """Return a kernel with each of several sets of operands, one after the other.

        Tracing a large kernel takes seconds: it is traced once, as a function of the graph.

        Args:
            kernel: function of the inputs and a set that gives a tensor or a list of tensors.
            inputs: tensors, the same for each set.
            sets: lists of tensors of the same shapes.
        """
        tf, n_inputs, size = self.tf, len(inputs), len(sets[0])

        @tf.function(autograph=False, jit_compile=False)
        def traced(*arguments):
            return kernel(*arguments[:n_inputs], list(arguments[n_inputs:]))

        def body(*arguments):
            own, starts = arguments[:n_inputs], range(n_inputs, len(arguments), size)
            every = [arguments[first : first + size] for first in starts]
            return self._in_a_row([functools.partial(traced, *own, *each) for each in every])

        flat = [operand for operands in sets for operand in operands]
        return self._timed(body, [*inputs, *flat], len(sets))

    def stack(self, layer, first, others, copies, backward):
        """Return a layer applied to its own result again and again.

        Args:
            layer: function of a tensor and the others that gives a tensor of the same shape.
            first: the first input.
            others: further inputs, the same for each copy.
            copies: how often.
            backward: whether the gradients back to the first input are computed as well.
        """
        tf = self.tf

        def forward(value, arguments, kept):
            for _ in range(copies):
                value = layer(value, *arguments)
                kept.add(value)
            return value

        def body(value, *arguments):
            kept = _Kept(tf)
            if not backward:
                forward(value, arguments, kept)
                return kept.total()
            with tf.GradientTape() as tape:
                tape.watch(value)
                last = forward(value, arguments, kept)
            # A gradient that is a constant would be folded into the one above it.
            kept.add(tape.gradient(last, value, output_gradients=value))
            return kept.total()

        return self._timed(body, [first, *others], copies)

    def once(self, body, inputs, copies=1, empty_copies=1):
        """Return a graph whose body gives one number, counted as so many kernels.

        `empty_copies`: how many results it uses an element of.
        """
        return self._timed(body, inputs, copies, empty_copies)

    def _timed(self, body, inputs, copies, empty_copies=None):
        function = self.clock.timed(body)
        empty = self._empty(copies if empty_copies is None else empty_copies)
        return TimedGraph(lambda: function(*inputs), copies, empty)

    def _empty(self, copies):
        """Return the call of a graph of so many copies of nothing."""
        if copies not in self._empties:
            tf = self.tf
            one = tf.ones([256])

            def nothing(value):
                kept = _Kept(tf)
                for _ in range(copies):
                    with tf.control_dependencies(kept.last):
                        kept.add(value)
                return kept.total()

            empty = self.clock.timed(nothing)
            self._empties[copies] = EmptyCall(lambda: empty(one))
        return self._empties[copies]


def _seconds_of(call, calls):
    """Return the seconds of so many calls by the clock of their graph."""
    return sum(call() for _ in range(calls))


class EmptyCall:
    """What a graph takes without kernels; `call` returns seconds."""

    def __init__(self, call):
        self._call = call
        self._seconds = None

    def seconds(self):
        """Return the seconds of one call: a low quantile of some bouts, taken once."""
        if self._seconds is None:
            self.seconds_now(_EMPTY_CALLS)
            bouts_s = sorted(self.seconds_now(_EMPTY_CALLS) for _ in range(_EMPTY_BOUTS))
            self._seconds = bouts_s[_EMPTY_BOUTS // 4]
        return self._seconds

    def seconds_now(self, calls):
        """Return the seconds of one call as it is at this moment, the mean of so many."""
        return _seconds_of(self._call, calls) / calls


class TimedGraph:
    """A graph with several copies of a kernel; `call` returns its seconds, `run` counts kernels."""

    def __init__(self, call, copies, empty):
        self._call = call
        self._empty = empty
        self.loops_per_call = copies

    def run(self, loops):
        """Return the seconds that `loops` kernels take without the rest of the graph.

        Whole graphs are run; the seconds are scaled to the kernels asked for.
        """
        calls = -(-loops // self.loops_per_call)
        seconds = _seconds_of(self._call, calls)
        empty_s = self._empty.seconds()
        if empty_s * calls > _LARGE_SHARE * seconds:
            # A machine that has become slower since would make the kernel look slower, too.
            empty_s = self._empty.seconds_now(max(8, calls))
        return (seconds - calls * empty_s) * loops / (calls * self.loops_per_call)

    def close(self):
        """Let go of the tensors."""
        self._call = None


class Prepared:
    """A timed graph and the check of its kernel.

    Attributes:
        is_difference: whether its times are differences, whose least is no best.
    """

    is_difference = False

    def __init__(self, graph, check):
        self._graph = graph
        self._check = check
        self.loops_per_call = graph.loops_per_call

    def check(self):
        """Return how the result was verified."""
        return self._check()

    def run(self, loops):
        """Return the seconds of so many kernels."""
        return self._graph.run(loops)

    def close(self):
        """Let go of the tensors."""
        self._graph.close()
        self._check = None


class PreparedDifference(Prepared):
    """What a graph takes longer than another: backward is both directions less forward."""

    is_difference = True

    def __init__(self, graph, part, check):
        super().__init__(graph, check)
        self._part = part
        self._n_lost = 0

    def run(self, loops):
        """Return the difference of the seconds of so many kernels; noise may make it negative.

        A difference that is lost in the noise again and again is no figure, and no fault.
        """
        difference_s = self._graph.run(loops) - self._part.run(loops)
        self._n_lost = 0 if difference_s > 0.0 else self._n_lost + 1
        if self._n_lost > _MOST_LOST:
            raise worker_errors.UnsupportedKernel(
                "takes too little beside its forward part to be told apart from it"
            )
        return difference_s

    def close(self):
        """Let go of the tensors."""
        super().close()
        self._part.close()
