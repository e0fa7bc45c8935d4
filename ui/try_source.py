"""From the words of the command line to the network, the job and the data of a trial.

The user's own Python file is never run here: it is handed to a child, and only with consent.
Leaves to others: running (`ui.try_run`).
"""

import argparse
import json
from pathlib import Path

from advisor.errors import InputError, NetworkFileError
from advisor.knowledge.store import Knowledge
from advisor.model.quantity import Phase, Precision
from advisor.model.trial import CodeReference, DataKind, TrialData, TrialSource
from advisor.model.workload import MAX_BATCH_SIZE, Workload
from advisor.network.bundled import bundled_config_text, find_network
from advisor.network.load import DEFAULT_BATCH_SIZE
from advisor.network.reading import read_keras_file

_DEFAULT_FUNCTION = "build_model"
_CODE = ".py"


def code_reference(word: str | None, *, function: str = _DEFAULT_FUNCTION) -> CodeReference | None:
    """Return the Python file and function that a word names ("net.py:make"), None if it does not.

    Raises:
        InputError: when there is no such file.
    """
    if word is None:
        return None
    path, colon, name = word.rpartition(":")
    if not colon or not path.endswith(_CODE):
        path, name = word, function
    if not path.endswith(_CODE):
        return None
    if not Path(path).is_file():
        raise InputError(f"{path}: there is no such file")
    if not name.isidentifier():
        raise InputError(f"{word}: {name!r} is not the name of a function")
    return CodeReference(path=str(Path(path).resolve()), function=name)


def check_consent(source: TrialSource, *, has_consent: bool) -> None:
    """Refuse to run the user's code before the user has said so.

    Raises:
        InputError: with the file that would be run.
    """
    paths = [source.code.path] if source.code is not None else []
    if source.data is not None and source.data.kind is DataKind.FUNCTION:
        paths.append(source.data.path)
    if paths and not has_consent:
        files = " and ".join(dict.fromkeys(paths))
        raise InputError(
            f"{files} would be executed with your rights: read it, then add --run-my-code"
        )


def data_of(word: str | None) -> TrialData | None:
    """Return the user's own data that a word names, None without one.

    Raises:
        InputError: when there is nothing of that name, or its kind is unknown.
    """
    if word is None:
        return None
    code = code_reference(word, function="make_data")
    if code is not None:
        return TrialData(kind=DataKind.FUNCTION, path=code.path, function=code.function)
    path = Path(word)
    if not path.exists():
        raise InputError(f"{word}: there is no such file or folder")
    kinds = {".npz": DataKind.NPZ, ".csv": DataKind.CSV}
    kind = DataKind.IMAGES if path.is_dir() else kinds.get(path.suffix.lower())
    if kind is None:
        raise InputError(f"{word}: give FILE.npz, FILE.csv, an image folder or FILE.py:function")
    if kind is DataKind.IMAGES and not any(entry.is_dir() for entry in path.iterdir()):
        raise InputError(f"{word}: an image folder has one folder for each class")
    return TrialData(kind=kind, path=str(path.resolve()))


def source_of_code(code: CodeReference, options: argparse.Namespace) -> TrialSource:
    """Return the source of a network that the user's function makes."""
    batch = DEFAULT_BATCH_SIZE if options.batch_size is None else options.batch_size
    if not 1 <= batch <= MAX_BATCH_SIZE:
        raise InputError(f"batch size is {batch}, it must be 1..{MAX_BATCH_SIZE}")
    name = Path(code.path).stem
    return TrialSource(
        name=name,
        title=f"{Path(code.path).name}:{code.function}",
        phase=Phase(options.phase),
        batch_size=batch,
        precision=Precision(options.precision),
        optimizer=options.optimizer or "sgd",
        code=code,
        data=data_of(options.data),
    )


def source_of_workload(
    workload: Workload, *, path: Path | None, data: str | None, knowledge: Knowledge
) -> TrialSource:
    """Return the source of a bundled network or of a model file, configuration only.

    Args:
        workload: the job.
        path: the model file; None for a bundled network.
        data: as the user wrote it.
        knowledge: the bundled networks.

    Raises:
        InputError: for a file that is no Keras network.
    """
    if path is None:
        facts = find_network(workload.network, networks=knowledge.networks)
        text = bundled_config_text(facts.name)
    else:
        text = _config_text(path)
    if workload.precision is Precision.INT8:
        raise InputError("networks are not tried in int8: choose float32 or bfloat16")
    return TrialSource(
        name=workload.network,
        title=workload.title,
        phase=workload.phase,
        batch_size=workload.batch_size,
        precision=workload.precision,
        optimizer=workload.optimizer,
        model_json=text,
        loss=workload.loss,
        data=data_of(data),
    )


def _config_text(path: Path) -> str:
    if path.suffix.lower() == ".onnx":
        raise InputError(f"{path}: trials run Keras networks: give .keras, .json or a Python file")
    try:
        return json.dumps(read_keras_file(path))
    except NetworkFileError as error:
        raise NetworkFileError(f"{path.name}: {error}") from None
