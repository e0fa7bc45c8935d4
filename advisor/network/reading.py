"""Reading model files within bounds: how much, how deep, and only the parts we understand.

A `.keras` file is a zip archive of which only `config.json` is read; weights stay closed.
Leaves to others: what the configuration means (`keras_config`, `onnx_model`).
"""

import json
import zipfile
import zlib
from io import BytesIO
from pathlib import Path
from typing import Any, BinaryIO

from advisor.errors import NetworkFileError, why_unreadable
from advisor.network.fields import plain_name

# The configurations of the largest published Keras models have about 1.5 MB; the worst text of
# this size takes a second and 200 MB to parse.
MAX_CONFIG_BYTES = 6 * 1024 * 1024
# Entries of an archive: Keras writes three and one for each asset.
MAX_ARCHIVE_ENTRIES = 10_000
_END_OF_DIRECTORY_BYTES = 22 + 65_535

_CONFIG_NAME = "config.json"
_HDF5_START = b"\x89HDF"


def _mebibytes(size: int) -> str:
    return f"{size / 1024 / 1024:.0f} MB"


def parse_json(data: bytes) -> Any:
    """Return what JSON text in UTF-8 stands for.

    Raises:
        NetworkFileError: when it is too long, too deep, or not JSON.
    """
    if len(data) > MAX_CONFIG_BYTES:
        raise NetworkFileError(
            f"the configuration has {_mebibytes(len(data))}, more than "
            f"{_mebibytes(MAX_CONFIG_BYTES)}: this is not a usable model"
        )
    if not data:
        raise NetworkFileError("the file is empty")
    if data.startswith(_HDF5_START):
        raise NetworkFileError("old Keras HDF5 files are not read: save the model again as .keras")
    try:
        return json.loads(data.decode("utf-8-sig"))
    except UnicodeDecodeError:
        raise NetworkFileError(
            "neither a Keras archive nor text: save the model with model.save('name.keras')"
        ) from None
    except RecursionError:
        raise NetworkFileError("the configuration is nested too deeply") from None
    except json.JSONDecodeError as error:
        raise NetworkFileError(
            f"holds no Keras JSON, line {error.lineno} is something else: "
            "save the model with model.save('name.keras') or model.to_json()"
        ) from None
    except ValueError:
        # Python refuses to read numbers of thousands of digits.
        raise NetworkFileError(
            "holds a whole number of thousands of digits: this is not a usable model"
        ) from None


def layer_classes(config: Any) -> frozenset[str]:
    """Return the names of all classes in a parsed Keras configuration, wrapped ones included.

    Each without its package.
    """
    found: set[str] = set()
    waiting = [config]
    while waiting:
        one = waiting.pop()
        if isinstance(one, dict):
            name = one.get("class_name")
            found |= {plain_name(name)} if isinstance(name, str) else set()
            waiting += one.values()
        elif isinstance(one, list):
            waiting += one
    return frozenset(found)


def _check_directory(file: BinaryIO) -> None:
    """Refuse an archive whose directory alone is a burden, before it is parsed."""
    file.seek(0, 2)
    size = file.tell()
    file.seek(max(0, size - _END_OF_DIRECTORY_BYTES))
    tail = file.read(_END_OF_DIRECTORY_BYTES)
    position = tail.rfind(b"PK\x05\x06")
    if position < 0:
        raise NetworkFileError("not a .keras file: it is not a zip archive, or is cut off")
    entries = int.from_bytes(tail[position + 10 : position + 12], "little")
    directory = int.from_bytes(tail[position + 12 : position + 16], "little")
    is_zip64 = directory == 0xFFFFFFFF or entries == 0xFFFF
    if not is_zip64 and (entries > MAX_ARCHIVE_ENTRIES or directory > MAX_CONFIG_BYTES):
        raise NetworkFileError(f"the archive has {entries} entries: this is not a .keras file")
    file.seek(0)


def read_archive_config(file: BinaryIO) -> bytes:
    """Return `config.json` of an open `.keras` archive.

    Raises:
        NetworkFileError: when there is none, it is too large, or the archive is broken.
    """
    _check_directory(file)
    try:
        with zipfile.ZipFile(file) as archive:
            entry = archive.getinfo(_CONFIG_NAME)
            if entry.file_size > MAX_CONFIG_BYTES:
                raise NetworkFileError(
                    f"{_CONFIG_NAME} declares {_mebibytes(entry.file_size)}, more than "
                    f"{_mebibytes(MAX_CONFIG_BYTES)}: this is not a usable model"
                )
            with archive.open(entry) as stream:
                return stream.read(MAX_CONFIG_BYTES + 1)
    except KeyError:
        raise NetworkFileError(
            f"the archive has no {_CONFIG_NAME}: save the model with model.save('name.keras')"
        ) from None
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError) as error:
        raise NetworkFileError(f"the archive is broken: {error}") from None


def read_keras_config(data: bytes) -> Any:
    """Return the parsed configuration in the bytes of a `.keras` file or of Keras JSON."""
    if data[:2] == b"PK":
        return parse_json(read_archive_config(BytesIO(data)))
    return parse_json(data)


def read_keras_file(path: Path) -> Any:
    """Return the parsed configuration of a `.keras` or `.json` file.

    Raises:
        NetworkFileError: when it is refused; OSError is turned into one too.
    """
    try:
        with path.open("rb") as file:
            is_archive = file.read(2) == b"PK"
            file.seek(0)
            if is_archive:
                return parse_json(read_archive_config(file))
            return parse_json(file.read(MAX_CONFIG_BYTES + 1))
    except OSError as error:
        raise NetworkFileError(why_unreadable(error)) from None
