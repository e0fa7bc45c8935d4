"""Kernels as Keras on TensorFlow runs them, timed inside a graph.

Options: "threads" (None: the default of TensorFlow). Variables that TensorFlow reads at import
are set by the parent.
Leaves to others: each family of kernels (`worker_keras_*`), timing (`worker_timing`).
"""

import gc
import os

import worker_errors
import worker_threads


def import_keras(options):
    """Import TensorFlow with its threads set, and Keras on top of it; return both.

    Keras keeps its settings in the temporary folder: those of the user would change what is
    measured, and nothing of the user's is written to.
    """
    threads = options.get("threads")
    worker_threads.set_library_threads(threads)
    os.environ["KERAS_BACKEND"] = "tensorflow"
    os.environ["KERAS_HOME"] = os.getcwd()  # noqa: PTH109 - a string for the environment
    os.environ.setdefault("TF_CPP_MIN_LOG_LEVEL", "2")
    # A fifth of the import is looking for garbage among what stays.
    gc.disable()
    import tensorflow as tf

    if threads is not None:
        tf.config.threading.set_intra_op_parallelism_threads(threads)
        tf.config.threading.set_inter_op_parallelism_threads(min(2, threads))
    # The CPU is measured, whatever else TensorFlow finds.
    tf.config.set_visible_devices([], "GPU")
    import keras

    gc.freeze()
    gc.enable()
    return tf, keras


def stack_of(tf, keras):
    """Return what computes."""
    return {
        "framework": "keras",
        "framework_version": keras.__version__,
        "backend": "tensorflow",
        "backend_version": tf.__version__,
    }


def make_runner(options):
    """Return the runner of Keras on the backend that KERAS_BACKEND names, or on TensorFlow."""
    backend = os.environ.get("KERAS_BACKEND", "tensorflow")
    if backend == "tensorflow":
        return KerasRunner(options)
    import worker_keras_portable

    return worker_keras_portable.make_runner(options, backend)


class KerasRunner:
    """Runs kernels in float32, bfloat16 and float16."""

    def __init__(self, options):
        self._tf, self._keras = import_keras(options)
        # Only now: these modules need NumPy, which must not load before the threads are set.
        import worker_keras_graph

        self._graphs = worker_keras_graph.Graphs(self._tf)

    def stack(self):
        """Return what computes."""
        return stack_of(self._tf, self._keras)

    def prepare(self, kernel):
        """Return a kernel, ready to run."""
        import worker_keras_conv
        import worker_keras_fixed
        import worker_keras_gemm
        import worker_keras_layers
        import worker_keras_recurrent
        import worker_keras_windows

        graphs, keras = self._graphs, self._keras
        preparations = {
            "GemmShape": lambda: worker_keras_gemm.prepare_gemm(graphs, kernel),
            "ConvShape": lambda: worker_keras_conv.prepare_conv(graphs, kernel),
            "RecurrentShape": lambda: worker_keras_recurrent.prepare_recurrent(
                graphs, keras, kernel
            ),
            "NormShape": lambda: worker_keras_layers.prepare_norm(graphs, keras, kernel),
            "ElementwiseShape": lambda: worker_keras_layers.prepare_elementwise(
                graphs, keras, kernel
            ),
            "SoftmaxShape": lambda: worker_keras_layers.prepare_softmax(graphs, kernel),
            "PoolShape": lambda: worker_keras_windows.prepare_pool(graphs, kernel),
            "EmbeddingShape": lambda: worker_keras_windows.prepare_embedding(graphs, kernel),
            "OptimizerShape": lambda: worker_keras_fixed.prepare_optimizer(graphs, keras, kernel),
            "OverheadShape": lambda: worker_keras_fixed.prepare_overhead(graphs, keras, kernel),
        }
        name = kernel["shape"]["type"]
        if name not in preparations:
            raise worker_errors.UnsupportedKernel("Keras is not timed on a " + name)
        return preparations[name]()
