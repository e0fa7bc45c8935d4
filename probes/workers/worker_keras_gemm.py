"""Matrix products as a dense layer of Keras on TensorFlow computes them.

Leaves to others: the shapes of the operands of each direction (`worker_operands`).
"""

import numpy as np
import worker_check
import worker_keras_graph
import worker_operands


def prepare_gemm(graphs, kernel):
    """Return the product of a `GemmShape`, ready to run."""
    tf, shape = graphs.tf, kernel["shape"]
    dtype = worker_keras_graph.dtype_of(kernel["precision"])
    (a_shape, transpose_a), (b_shape, transpose_b) = worker_operands.operands(
        shape, kernel["direction"]
    )
    leading = (shape["batch"],) if shape["batch"] > 1 else ()
    a = graphs.random(leading + a_shape, dtype)
    b = graphs.random(leading + b_shape, dtype)

    def multiply(left, right):
        return tf.linalg.matmul(left, right, transpose_a=transpose_a, transpose_b=transpose_b)

    def check():
        found = tf.cast(multiply(a, b), "float32").numpy()
        left = tf.cast(a, "float32").numpy()
        right = tf.cast(b, "float32").numpy()
        if leading:
            found, left, right = found[-1], left[-1], right[-1]
        left = left.T if transpose_a else left
        right = right.T if transpose_b else right
        rows = np.unique(np.linspace(0, len(found) - 1, 5).astype(int))
        expected = left[rows].astype("float64") @ right.astype("float64")
        return worker_check.compare(
            found[rows], expected, kernel["precision"], "rows of the product"
        )

    work = shape["batch"] * shape["m"] * shape["n"] * shape["k"]
    copies = worker_keras_graph.copies_by_work(work)
    return worker_keras_graph.Prepared(graphs.serial(multiply, [a, b], copies), check)
