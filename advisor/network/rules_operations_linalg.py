"""Operations of `keras.ops.linalg` on matrices: decompositions, inverses, systems of equations.

Each counts as products of matrices with as many multiply-adds as its textbook algorithm has
(Golub and Van Loan, Matrix Computations); its steps wait for each other, so that it may take
longer, which a note says.
Leaves to others: products (`rules_operations_products`), norms (`rules_operations`).
"""

import math

from advisor.model.kernel import GemmShape
from advisor.network.call import Call, Result, Shape, Step

# Multiply-adds of an n x n matrix, in n to the power of three.
_OF_SQUARE = {
    "cholesky": 1 / 6, "choleskyinverse": 1 / 2, "det": 1 / 3, "slogdet": 1 / 3, "logdet": 1 / 6,
    "lufactor": 1 / 3, "inv": 1.0, "eigh": 9 / 2, "eig": 25 / 2,
}  # fmt: skip
# The same of an m x n matrix, m >= n: of m n^2 and of n^3.
_OF_OBLONG = {
    "qr": (2.0, -2 / 3), "svd": (2.0, 11.0), "pinv": (3.0, 11.0), "matrixrank": (2.0, 2.0),
}  # fmt: skip


def _counted(call: Call, batch: int, m: int, n: int, multiply_adds: float, elements: int) -> Step:
    inner = max(1, round(multiply_adds / (m * n)))
    gemm = GemmShape(m=m, n=n, k=inner, batch=batch)
    return Step(shape=gemm, elements=call.batch * elements, reads=(-1,))


def _told(call: Call, outputs: tuple[Shape, ...], steps: tuple[Step, ...]) -> Result:
    note = (
        f"{call.fields.where}: counts as products of matrices with as many operations; it may take "
        "longer."
    )
    return Result(outputs=call.recorded or outputs, steps=steps, note=note)


def _results(name: str, outer: Shape, m: int, n: int) -> tuple[Shape, ...]:
    """Return the shapes of all that a decomposition of m x n makes."""
    least = min(m, n)
    match name:
        case "det" | "logdet" | "matrixrank":
            return (outer,)
        case "slogdet":
            return (outer, outer)
        case "eig" | "eigh":
            return ((*outer, n), (*outer, n, n))
        case "lufactor":
            return ((*outer, m, n), (*outer, least))
        case "qr":
            return ((*outer, m, least), (*outer, least, n))
        case "svd":
            return ((*outer, m, m), (*outer, least), (*outer, n, n))
        case "pinv":
            return ((*outer, n, m),)
        case _:
            return ((*outer, n, n),)


def _decomposed(name: str, call: Call) -> Result:
    *outer, m, n = call.input
    small, large = sorted((m, n))
    if name in _OF_SQUARE:
        if m != n:
            raise call.fields.refuse(f"needs a square matrix, its input is {call.input}")
        multiply_adds = _OF_SQUARE[name] * n**3
    else:
        by_size, by_side = _OF_OBLONG[name]
        multiply_adds = by_size * large * small**2 + by_side * small**3
    outputs = _results(name, tuple(outer), m, n)
    elements = sum(math.prod(shape) for shape in outputs)
    step = _counted(call, call.batch * math.prod(outer), m, n, multiply_adds, elements)
    return _told(call, outputs, (step,))


def _solved(name: str, call: Call) -> Result | None:
    """Return the solution of a system: a decomposition, and two triangles for each right side."""
    if len(call.inputs) < 2 or len(call.inputs[1]) < 1:
        return None
    *outer, m, n = call.input
    right = call.inputs[1]
    columns = right[-1] if len(right) >= len(call.input) else 1
    each = {"solvetriangular": (0.0, 0.5), "solve": (1 / 3, 1.0), "lstsq": (2.0, 2.0)}[name]
    multiply_adds = m * n * (each[0] * n + each[1] * columns)
    output = (*outer, n, columns) if len(right) >= len(call.input) else (*outer, n)
    step = _counted(call, call.batch * math.prod(outer), m, n, multiply_adds, math.prod(output))
    return _told(call, (output,), (step,))


def find_linear(name: str, call: Call) -> Result | None:
    """Return an operation on matrices by its name; None: it is none."""
    if len(call.input) < 2:
        return None
    if name in ("solve", "solvetriangular", "lstsq"):
        return _solved(name, call)
    return _decomposed(name, call) if name in _OF_SQUARE or name in _OF_OBLONG else None
