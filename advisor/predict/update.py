"""What the optimiser takes in a step: traffic by parameters, and a launch for each variable.

Leaves to others: everything else of a step (`advisor.predict.workload_time`).
"""

import math
from collections.abc import Iterator

from advisor.model.kernel import Direction, OptimizerShape
from advisor.model.quantity import Precision
from advisor.model.workload import Workload
from advisor.predict.ceilings import DEFAULT_TRAIN_CALL_S, DeviceCeilings, default_variable_s
from advisor.predict.cold import USUAL_LAST_CACHE_BYTES
from advisor.predict.point import KernelPoint
from advisor.predict.work import bytes_moved

# From so many parameters on a variable may leave the caches with what belongs to it: its own update
# is timed. Untimed it leaves them where so many tensors of its size fill the last cache, at the
# latest from `_SURELY_LARGE` on: on a Zen 3, 4 and 5 (32 MiB) variables of one million were told 1
# to 13 % of a step too short, on a Sapphire Rapids (480 MiB) none was. Adam takes 4.9, 6.2 and 5.4
# ns for each parameter of variables of 1.3, 3.2 and 6.4 million (two cores of a Zen 3).
LARGE_PARAMETERS = 1_000_000
_SURELY_LARGE = 5_000_000
_TENSORS_IN_CACHE = 8
# A timed variable tells of others up to so many times its size.
_LIKE_TIMED = 4.0
# Tensors of the size of a variable that an update reads or writes, where each operation of its
# formula is an operator of its own (Keras 3 on TensorFlow).
_PASSES = {"sgd": 5, "momentum": 12, "rmsprop": 23, "adam": 30}


def update_s(workload: Workload, device: DeviceCeilings) -> float:
    """Return the optimiser's part: traffic by parameters, and a launch for each variable.

    Tables of embeddings count whole: Keras updates every row, and where it need not
    (`updates_rows`) it copies the table as it reads it. A large variable moves all tensors of the
    formula through memory, small ones find them in the caches.
    """
    slowness = device.train_call_s / DEFAULT_TRAIN_CALL_S
    per_variable = device.variable_s or default_variable_s(workload.optimizer) * slowness
    per_parameter = _traffic_s(workload.optimizer, device)
    name = workload.optimizer.lower()
    measured = _measured(device)
    if name in measured:
        prior = (per_parameter, per_variable)
        per_parameter, per_variable = fit_update(measured[name], prior=prior)
    elif measured:
        per_parameter, per_variable = _of_relative(name, measured, device, slowness)
    counts = [count for count in _trained(workload) if count >= LARGE_PARAMETERS]
    beyond_s = sum(
        count * _rate_s(count, workload.optimizer, device, per_parameter) for count in counts
    )
    in_caches = max(0, workload.trainable_parameters - sum(counts))
    return in_caches * per_parameter + beyond_s + workload.variables * per_variable


def updates_rows(workload: Workload) -> bool:
    """Whether the gradient of a table of embeddings stays the rows that were looked up.

    Under plain gradient descent Keras takes them off one by one (`ResourceScatterSub`). Reading the
    table then copies it: tables of 0.1, 1.3, 3.2 and 6.4 million values took 0.2, 0.8, 0.9 and 0.5
    of the update of a variable of their size (two cores of a Zen 3, Keras 3.15).
    """
    return workload.optimizer.lower() == "sgd"


def _trained(workload: Workload) -> Iterator[int]:
    """Yield the parameters of each operator that is trained."""
    return (operator.parameters for operator in workload.operators if operator.variables)


def _rate_s(count: int, optimizer: str, device: DeviceCeilings, per_parameter: float) -> float:
    """Return seconds for each parameter of a large variable, no less than for one of a small."""
    passes = _passes(optimizer)
    timed = [
        (abs(math.log(shape.parameters / count)), point.time_s / shape.parameters, shape.optimizer)
        for point in device.points
        if isinstance(shape := point.shape, OptimizerShape) and _is_large(shape)
    ]
    apart, timed_s, known = min(timed, default=(math.inf, 0.0, optimizer))
    by_timed = max(per_parameter, timed_s * passes / _passes(known))
    if apart <= math.log(_LIKE_TIMED):
        return by_timed
    cache = device.last_cache_bytes or USUAL_LAST_CACHE_BYTES
    fits = _TENSORS_IN_CACHE * Precision.FLOAT32.size_bytes * count < cache
    if fits and count < _SURELY_LARGE:
        return per_parameter
    moved = passes * Precision.FLOAT32.size_bytes / device.bandwidth_byte_per_s
    return by_timed if timed else max(per_parameter, moved)


def _is_large(shape: OptimizerShape) -> bool:
    return shape.parameters >= LARGE_PARAMETERS * max(1, shape.variables)


def _measured(device: DeviceCeilings) -> dict[str, list[KernelPoint]]:
    """Return the points of small variables, by optimiser."""
    found: dict[str, list[KernelPoint]] = {}
    for point in device.points:
        if isinstance(point.shape, OptimizerShape) and not _is_large(point.shape):
            found.setdefault(point.shape.optimizer.lower(), []).append(point)
    return found


def _passes(optimizer: str) -> int:
    name = optimizer.lower()
    known = next((known for known in ("adam", "rmsprop", "momentum") if known in name), None)
    return _PASSES[known or ("momentum" if "ada" in name or "nesterov" in name else "sgd")]


def _of_relative(
    name: str, measured: dict[str, list[KernelPoint]], device: DeviceCeilings, slowness: float
) -> tuple[float, float]:
    """Return seconds for each parameter and variable, from the measured optimiser most alike."""

    def unlike(other: str) -> tuple[float, str]:
        return abs(math.log(_passes(other) / _passes(name))), other

    nearest = min(measured, key=unlike)
    of_nearest = default_variable_s(nearest)
    prior = (_traffic_s(nearest, device), of_nearest * slowness)
    per_parameter, per_variable = fit_update(measured[nearest], prior=prior)
    return (
        per_parameter * _passes(name) / _passes(nearest),
        per_variable * default_variable_s(name) / of_nearest,
    )


def _traffic_s(optimizer: str, device: DeviceCeilings) -> float:
    count = 1_000_000
    shape = OptimizerShape(optimizer=optimizer, parameters=count, variables=1)
    moved = bytes_moved(shape, direction=Direction.UPDATE, precision=Precision.FLOAT32)
    return moved / device.bandwidth_byte_per_s / count


def fit_update(points: list[KernelPoint], *, prior: tuple[float, float]) -> tuple[float, float]:
    """Return seconds for each parameter and each variable that fit measured updates best.

    Relative errors are minimised by least squares; a coefficient that would be negative, or that
    the points cannot tell, keeps its prior.
    """
    rows = []
    for point in points:
        assert isinstance(point.shape, OptimizerShape)
        rows.append((point.shape.parameters / point.time_s, point.shape.variables / point.time_s))
    aa, ab, bb = (
        sum(a * a for a, _ in rows), sum(a * b for a, b in rows), sum(b * b for _, b in rows),
    )  # fmt: skip
    a_sum, b_sum = sum(a for a, _ in rows), sum(b for _, b in rows)
    determinant = aa * bb - ab * ab
    if len(rows) > 1 and determinant > 1e-6 * aa * bb:
        per_parameter = (a_sum * bb - b_sum * ab) / determinant
        per_variable = (aa * b_sum - ab * a_sum) / determinant
        if per_parameter > 0.0 and per_variable > 0.0:
            return per_parameter, per_variable
    # One unknown at a time: the variables keep their prior unless the points forbid it.
    per_variable = min(prior[1], 0.5 / max(b for _, b in rows))
    if a_sum > 0.0:
        residual = sum(a * (1.0 - b * per_variable) for a, b in rows) / aa
        return max(0.0, residual), per_variable
    return prior[0], per_variable
