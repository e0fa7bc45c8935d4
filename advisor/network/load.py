"""From a network's name or file and a job to a `Workload`.

Leaves to others: parsing (`keras_config`, `onnx_graph`), limits on files (`reading`),
time (`advisor.predict`).
"""

import json
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from advisor.errors import InputError, NetworkFileError
from advisor.model.published import NetworkFacts
from advisor.model.quantity import Phase, Precision
from advisor.model.workload import MAX_BATCH_SIZE, Job, Workload
from advisor.network.builder import Network
from advisor.network.bundled import bundled_config_text, find_network
from advisor.network.keras_config import network_from_config
from advisor.network.memory import (
    OPTIMIZER_SLOTS,
    inference_bytes,
    laid_out_bytes,
    training_bytes,
)
from advisor.network.onnx_graph import network_from_onnx
from advisor.network.onnx_reading import read_onnx, read_onnx_file
from advisor.network.reading import read_keras_config, read_keras_file

MAX_SAMPLES = 10**15
MAX_EPOCHS = 1_000_000

# What a file does not say and a user may leave open.
DEFAULT_BATCH_SIZE = 32
DEFAULT_SAMPLES = 10_000
DEFAULT_EPOCHS = 10
DEFAULT_OPTIMIZER = "adam"
DEFAULT_INFERENCE_SAMPLES = 1_000

_ONNX_SUFFIX = ".onnx"
_REFUSED_SUFFIXES = {
    ".h5": "old Keras HDF5 files are not read: save the model again as .keras",
    ".hdf5": "old Keras HDF5 files are not read: save the model again as .keras",
    ".pb": "SavedModel holds code: save the model as .keras or export it to ONNX",
    ".pt": "PyTorch files hold code: export the model with torch.onnx.export",
    ".pth": "PyTorch files hold code: export the model with torch.onnx.export",
    ".pkl": "pickles hold code: export the model to ONNX",
    ".tflite": "TensorFlow Lite files are not read: give the Keras model they were made from",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class NetworkSource:
    """Where a network comes from: a bundled name or a file, exactly one of them."""

    name: str | None = None
    path: Path | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class _Settled:
    """A job with everything filled in."""

    phase: Phase
    batch_size: int
    precision: Precision
    samples: int
    epochs: int
    optimizer: str


def _within(value: int, *, name: str, maximum: int | None = None) -> int:
    if isinstance(value, bool) or not isinstance(value, int):
        raise InputError(f"{name} must be a whole number, found {value!r}")
    if value < 1 or (maximum is not None and value > maximum):
        bounds = f"1..{maximum}" if maximum is not None else "1 or more"
        raise InputError(f"{name} is {value}, it must be {bounds}")
    return value


def _settle(job: Job, facts: NetworkFacts | None) -> _Settled:
    """Return the job with the network's usual values where it leaves them open."""
    is_training = job.phase is Phase.TRAINING
    if is_training and job.precision is Precision.INT8:
        raise InputError("int8 is for inference: train in float32, bfloat16 or float16")
    usual_batch = facts.batch_size if facts else DEFAULT_BATCH_SIZE
    usual_samples = (facts.samples if facts else None) or DEFAULT_SAMPLES
    usual_epochs = facts.epochs if facts else DEFAULT_EPOCHS
    if not is_training:
        usual_samples, usual_epochs = DEFAULT_INFERENCE_SAMPLES, 1
    optimizer = job.optimizer or (facts.optimizer if facts else DEFAULT_OPTIMIZER)
    if optimizer not in OPTIMIZER_SLOTS:
        known = ", ".join(sorted(OPTIMIZER_SLOTS))
        raise InputError(f"no optimizer {optimizer!r} is known: use one of {known}")
    return _Settled(
        phase=job.phase,
        batch_size=_within(
            usual_batch if job.batch_size is None else job.batch_size,
            name="batch size", maximum=MAX_BATCH_SIZE,
        ),
        precision=job.precision,
        samples=_within(
            usual_samples if job.samples is None else job.samples,
            name="samples", maximum=MAX_SAMPLES,
        ),
        epochs=_within(
            usual_epochs if job.epochs is None else job.epochs, name="epochs", maximum=MAX_EPOCHS
        ),
        optimizer=optimizer,
    )  # fmt: skip


def workload_from_network(
    network: Network, *, title: str, job: Job, facts: NetworkFacts | None = None
) -> Workload:
    """Return the workload of a network that was built at the job's batch size."""
    settled = _settle(job, facts)
    notes = network.notes
    if facts is not None and facts.note:
        notes = (facts.note, *notes)
    return Workload(
        network=network.name,
        title=title,
        phase=settled.phase,
        batch_size=settled.batch_size,
        precision=settled.precision,
        samples=settled.samples,
        epochs=settled.epochs,
        optimizer=settled.optimizer,
        operators=network.operators,
        parameters=network.parameters,
        trainable_parameters=network.trainable_parameters,
        variables=network.variables,
        multiply_adds_per_sample=network.multiply_adds_per_sample,
        input_elements_per_sample=network.input_elements_per_sample,
        memory_training_bytes=training_bytes(
            network, precision=settled.precision, optimizer=settled.optimizer
        ),
        memory_inference_bytes=inference_bytes(network, precision=settled.precision),
        notes=notes,
        n_inputs=max(1, len(network.inputs)),
        loss=network.loss,
        laid_out_bytes=laid_out_bytes(network, precision=settled.precision),
        assumed=_assumed(job),
    )


def _assumed(job: Job) -> tuple[str, ...]:
    """Return what decides how long a job takes and was left open; inference has no epochs."""
    given = {"samples": job.samples}
    if job.phase is Phase.TRAINING:
        given["epochs"] = job.epochs
    return tuple(name for name, value in given.items() if value is None)


def bundled_network(
    name: str, *, networks: Iterable[NetworkFacts], batch_size: int = 1, is_training: bool = True
) -> Network:
    """Return a bundled network by its name or another of its names.

    Raises:
        InputError: when there is none of that name.
    """
    facts = find_network(name, networks=networks)
    config = json.loads(bundled_config_text(facts.name))
    return network_from_config(
        config, name=facts.name, batch_size=batch_size, is_training=is_training
    )


def bundled_workload(name: str, *, job: Job, networks: Iterable[NetworkFacts]) -> Workload:
    """Return the workload of a bundled network.

    Raises:
        InputError: when there is none of that name, or the job cannot be.
    """
    facts = find_network(name, networks=networks)
    settled = _settle(job, facts)
    network = bundled_network(
        facts.name,
        networks=(facts,),
        batch_size=settled.batch_size,
        is_training=settled.phase is Phase.TRAINING,
    )
    return workload_from_network(network, title=facts.title, job=job, facts=facts)


def _network(
    read: Callable[[], Any], *, is_onnx: bool, name: str, batch_size: int, is_training: bool
) -> Network:
    """Build a network; name the file in what is refused, endless nesting as well."""
    build = network_from_onnx if is_onnx else network_from_config
    try:
        return build(read(), name=name, batch_size=batch_size, is_training=is_training)
    except NetworkFileError as error:
        raise NetworkFileError(f"{name}: {error}") from None
    except RecursionError:
        raise NetworkFileError(f"{name}: the configuration is nested too deeply") from None


def workload_from_bytes(data: bytes, *, name: str, job: Job) -> Workload:
    """Return the workload of a model file's content; `name` is its file name.

    Raises:
        NetworkFileError: when the content is refused; one line that starts with the name.
        InputError: when the job cannot be.
    """
    settled = _settle(job, None)
    is_onnx = Path(name).suffix.lower() == _ONNX_SUFFIX
    read = read_onnx if is_onnx else read_keras_config
    network = _network(
        lambda: read(data),
        is_onnx=is_onnx,
        name=name,
        batch_size=settled.batch_size,
        is_training=settled.phase is Phase.TRAINING,
    )
    return workload_from_network(network, title=Path(name).stem, job=job)


def network_from_file(path: Path, *, batch_size: int = 1, is_training: bool = True) -> Network:
    """Return the network of a `.keras`, Keras `.json` or `.onnx` file.

    Raises:
        NetworkFileError: when the file is refused; one line that starts with its name.
    """
    suffix = path.suffix.lower()
    if path.is_dir() or suffix in _REFUSED_SUFFIXES:
        advice = _REFUSED_SUFFIXES.get(suffix, "this is a folder: give a .keras or .onnx file")
        raise NetworkFileError(f"{path.name or path}: {advice}")
    if path.exists() and not path.is_file():
        raise NetworkFileError(f"{path.name}: not a regular file: give a .keras or .onnx file")
    is_onnx = suffix == _ONNX_SUFFIX
    read = read_onnx_file if is_onnx else read_keras_file
    return _network(
        lambda: read(path),
        is_onnx=is_onnx,
        name=path.name,
        batch_size=batch_size,
        is_training=is_training,
    )


def workload_from_file(path: Path, *, job: Job) -> Workload:
    """Return the workload of a `.keras`, Keras `.json` or `.onnx` file.

    Raises:
        NetworkFileError: when the file is refused; one line that starts with its name.
        InputError: when the job cannot be.
    """
    settled = _settle(job, None)
    is_training = settled.phase is Phase.TRAINING
    network = network_from_file(path, batch_size=settled.batch_size, is_training=is_training)
    return workload_from_network(network, title=path.stem, job=job)


def load_workload(source: NetworkSource, *, job: Job, networks: Iterable[NetworkFacts]) -> Workload:
    """Return the workload of a bundled name or of a file.

    Raises:
        NetworkFileError: when the file is refused.
        InputError: when the name is unknown, the job cannot be, or not exactly one is given.
    """
    if source.path is not None and source.name is None:
        return workload_from_file(source.path, job=job)
    if source.name is not None and source.path is None:
        return bundled_workload(source.name, job=job, networks=networks)
    raise InputError("give either a bundled network or a model file")
