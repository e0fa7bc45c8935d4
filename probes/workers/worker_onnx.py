"""Writes small ONNX models, byte by byte: ONNX Runtime takes nothing else, and `onnx` may lack.

A message of protocol buffers is a row of fields; each begins with its number and its kind:
0 for a number in base 128, 2 for bytes with their length before them.
The numbers of the fields are those of onnx.proto, version 3.
Leaves to others: what is in a model (`onnxruntime_kernels`).
"""

FLOAT, INT32 = 1, 6
# Number and bytes of each element type that constants have.
_TYPES = {"float32": (FLOAT, "<f4"), "uint8": (2, "|u1"), "int8": (3, "|i1"), "int64": (7, "<i8")}
IR_VERSION = 8
# The oldest that has all of the operators in this form; read by runtimes since 2021.
OPSET = 14

_INT = 2
_STRING = 3
_INTS = 7


def varint(value):
    """Return a number in base 128, lowest digits first; negative ones as 64 bits."""
    value &= (1 << 64) - 1
    digits = bytearray()
    while True:
        value, digit = value >> 7, value & 0x7F
        digits.append(digit | (0x80 if value else 0))
        if not value:
            return bytes(digits)


def _number(field, value):
    return varint(field << 3) + varint(value)


def _bytes(field, value):
    if isinstance(value, str):
        value = value.encode("utf-8")
    return varint(field << 3 | 2) + varint(len(value)) + value


def tensor(name, array):
    """Return a constant tensor from an array."""
    kind, stored = _TYPES[array.dtype.name]
    data = array.astype(stored).tobytes()
    dims = b"".join(_number(1, size) for size in array.shape)
    return dims + _number(2, kind) + _bytes(8, name) + _bytes(9, data)


def kind_of(dtype):
    """Return the number of the element type of an array."""
    return _TYPES[dtype.name][0]


def value_info(name, shape, kind=FLOAT):
    """Return the declaration of an input or output: its shape and the number of its type."""
    dims = b"".join(_bytes(1, _number(1, size)) for size in shape)
    tensor_type = _number(1, kind) + _bytes(2, dims)
    return _bytes(1, name) + _bytes(2, _bytes(1, tensor_type))


def attribute(name, value):
    """Return an attribute: a whole number, a text, or a list of whole numbers."""
    if isinstance(value, int):
        return _bytes(1, name) + _number(3, value) + _number(20, _INT)
    if isinstance(value, str):
        return _bytes(1, name) + _bytes(4, value) + _number(20, _STRING)
    numbers = b"".join(_number(8, number) for number in value)
    return _bytes(1, name) + numbers + _number(20, _INTS)


def node(operator, inputs, outputs, **attributes):
    """Return one operator; an input or output that is left out has the name ""."""
    return (
        b"".join(_bytes(1, name) for name in inputs)
        + b"".join(_bytes(2, name) for name in outputs)
        + _bytes(4, operator)
        + b"".join(_bytes(5, attribute(key, value)) for key, value in sorted(attributes.items()))
    )


def model(nodes, inputs, outputs, constants, kinds=None):
    """Return the bytes of a model.

    Args:
        nodes: operators in the order in which they run.
        inputs: shapes by name.
        outputs: shapes by name.
        constants: arrays by name.
        kinds: numbers of the element types of inputs and outputs that are not float, by name.
    """
    kinds = kinds or {}
    declared = [
        b"".join(_bytes(field, value_info(n, s, kinds.get(n, FLOAT))) for n, s in shapes.items())
        for field, shapes in ((11, inputs), (12, outputs))
    ]
    graph = (
        b"".join(_bytes(1, entry) for entry in nodes)
        + _bytes(2, "kernel")
        + b"".join(_bytes(5, tensor(name, array)) for name, array in constants.items())
        + b"".join(declared)
    )
    opset = _bytes(1, "") + _number(2, OPSET)
    return _number(1, IR_VERSION) + _bytes(2, "dl-advisor") + _bytes(7, graph) + _bytes(8, opset)
