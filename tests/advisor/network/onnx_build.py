"""Small ONNX files made in place, and what our reader makes of them."""

import functools
import time
import warnings
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper
from onnx.backend.test.loader import load_model_tests

from advisor.errors import NetworkFileError
from advisor.model.workload import Job
from advisor.network.load import workload_from_bytes
from advisor.network.onnx_graph import network_from_onnx
from advisor.network.onnx_reading import read_onnx

PACKAGE = Path(onnx.__file__).parent / "backend" / "test" / "data"
FLOAT, INT64 = TensorProto.FLOAT, TensorProto.INT64


@functools.cache
def standard_cases():
    """The cases of the standard, which onnx makes once only."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)
        return load_model_tests(kind="node")


def weights(name, *dims):
    return numpy_helper.from_array(np.zeros(dims, np.float32), name)


def sizes(name, *values):
    return numpy_helper.from_array(np.array(values, np.int64), name)


def fed(name, *dims, kind=FLOAT):
    return helper.make_tensor_value_info(name, kind, list(dims))


def model(nodes, feeds, constants=(), outputs=None, opset=17):
    """The bytes of a file; nodes are (operation, inputs, outputs, attributes)."""
    made = [
        helper.make_node(op, list(ins), list(outs), **(attributes[0] if attributes else {}))
        for op, ins, outs, *attributes in nodes
    ]
    ends = outputs or [helper.make_tensor_value_info(made[-1].output[0], FLOAT, None)]
    graph = helper.make_graph(made, "g", list(feeds), ends, list(constants))
    opsets = [helper.make_opsetid("", opset)]
    return helper.make_model(graph, opset_imports=opsets).SerializeToString()


def built(data, *, batch=2, is_training=True):
    return network_from_onnx(read_onnx(data), name="n", batch_size=batch, is_training=is_training)


def refuse(data, says, name="mine.onnx"):
    began = time.process_time()
    with pytest.raises(NetworkFileError, match=says) as caught:
        workload_from_bytes(data, name=name, job=Job())
    assert time.process_time() - began < 2.0
    assert "\n" not in str(caught.value)


def varint(value):
    out = bytearray()
    while value >= 0x80:
        out.append(value & 0x7F | 0x80)
        value >>= 7
    return bytes([*out, value])


def length_field(number, size):
    return bytes([number << 3 | 2]) + varint(size)
