"""Looks at the clock inside a graph of TensorFlow, once its threads are awake.

A call from Python leaves the threads asleep that share the work of large operations. The first of
these in a call has to wake them, and the last has to wake Python, which takes up to a millisecond
on a virtual machine: a step pays it once, not with each kernel. So a product that is shared stands
before the first look, and what waking takes is a figure of its own.
Leaves to others: what is timed (`worker_keras_graph`).
"""

import time

# Rows and columns of the product that wakes the threads: enough for several to share it.
_WAKING = 256
# The same of products that last long enough for Python to fall asleep: one to three milliseconds.
_LASTING = 512


class GraphClock:
    """Makes functions of graphs that tell how long they took.

    Args:
        tf: the TensorFlow module.
        random: function of a shape and an element type that gives a tensor.
        element: function of a tensor that gives one element of it.
    """

    def __init__(self, tf, random, element):
        self._tf, self._random, self._element = tf, random, element
        self._operand = None

    @property
    def operand(self):
        """Return the matrix whose square wakes the threads."""
        if self._operand is None:
            with self._tf.init_scope():
                self._operand = self._random((_WAKING, _WAKING), "float32")
        return self._operand

    def woken(self):
        """Return the first element of that square."""
        return self._element(self._tf.matmul(self.operand, self.operand))

    def timed(self, body):
        """Return a function that runs `body` in a graph and returns the seconds that it took.

        Args:
            body: function of tensors that gives a number which follows from all it computes, but
                for assignments to variables: these are waited for as well.
        """
        tf = self._tf

        @tf.function(autograph=False, jit_compile=False)
        def clocked(*arguments):
            woken = self.woken()
            with tf.control_dependencies([woken]):
                begin = tf.timestamp()
            graph = begin.graph
            n_before = len(graph.get_operations())
            with tf.control_dependencies([begin]):
                total = body(*arguments)
            made = graph.get_operations()[n_before:]
            with tf.control_dependencies([total, *(op for op in made if _is_assignment(op))]):
                end = tf.timestamp()
            # What nothing uses would be deleted.
            return end - begin, total, woken

        return lambda *arguments: float(clocked(*arguments)[0])

    def waking(self):
        """Return a function: the seconds that a call with large operations takes longer.

        What an empty call takes, and the operations as they are one after the other, is taken off.
        """
        tf = self._tf
        operand = self._random((_LASTING, _LASTING), "float32")

        @tf.function(autograph=False, jit_compile=False)
        def called(matrix, n_products):
            looks, results = [tf.timestamp()], []
            for _ in range(n_products):
                with tf.control_dependencies(looks[-1:]):
                    results.append(self._element(tf.matmul(matrix, matrix)))
                with tf.control_dependencies(results[-1:]):
                    looks.append(tf.timestamp())
            return looks, results

        def longer_s():
            seconds = []
            for n_products in (0, 2):
                started = time.perf_counter()
                looks, _results = called(operand, n_products)
                elapsed_s = time.perf_counter() - started
                last_s = float(looks[-1] - looks[-2]) if n_products else 0.0
                seconds.append(elapsed_s - n_products * last_s)
            return seconds[1] - seconds[0]

        return longer_s


def _is_assignment(op):
    """Whether an operation writes a variable: its result is seldom used, and takes its time."""
    return op.type.startswith(("Assign", "Resource"))
