"""Reading and writing the product's files: whole or not at all, with errors a user can act on.

Leaves to others: what stands in a file (`advisor.model.codec`).
"""

import os
import stat
import sys
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import TypeVar

from advisor.errors import FormatError, InputError, why_unreadable
from advisor.i18n import N_
from advisor.model.codec import MAX_DOCUMENT_CHARS, KindError, dump_document, load_document

_T = TypeVar("_T")
STANDARD_OUTPUT = "-"
# What a file holds in the words of a person, and the command that writes such a file.
_KINDS = {
    "Recommendation": (N_("an advice"), "advise --json FILE"),
    "MeasurementSet": (N_("measurements"), "bench --out FILE"),
    "MachineProfile": (N_("facts about a machine"), "probe --json FILE"),
    "TrialReport": (N_("a trial"), "try --json FILE"),
    "Prediction": (N_("a prediction"), "predict --json FILE"),
    "Comparison": (N_("a comparison"), "compare --json FILE"),
    "Explanation": (N_("an explanation"), "explain NAME --json FILE"),
}
# An advice is larger; a disk without room for this is told of before long work.
_TRIAL_BYTES = 64 * 1024
# What a document is stands in its first lines.
_BEGIN_BYTES = 200


def read_document(path: Path, cls: type[_T]) -> _T:
    """Return the value of class `cls` that a file holds.

    Raises:
        InputError: when the file is missing, unreadable or not such a document.
    """
    try:
        return _loaded(path, cls)
    except KindError as error:
        raise _wrong_kind(path, error, wanted=cls.__name__) from None


def read_part(path: Path, cls: type[_T]) -> _T:
    """Return the value of class `cls` that a file holds, by itself or within an advice.

    Raises:
        InputError: when the file is missing, unreadable or holds no such value.
    """
    # Loaded only here: other files, and words of an error, go without it.
    from advisor.model.recommendation import Recommendation

    try:
        return _loaded(path, cls)
    except KindError as error:
        if error.kind != Recommendation.__name__:
            raise _wrong_kind(path, error, wanted=cls.__name__) from None
    advice = read_document(path, Recommendation)
    for part in (advice.profile, advice.measurements):
        if isinstance(part, cls):
            return part
    name, command = _KINDS[cls.__name__]
    raise InputError(
        f"{path}: this advice was made without {name}: `dl-advisor {command}` writes such a file"
    )


def _wrong_kind(path: Path, error: KindError, *, wanted: str) -> InputError:
    if error.kind not in _KINDS or wanted not in _KINDS:
        return InputError(f"{path}: {error}")
    (found, _), (name, command) = _KINDS[error.kind], _KINDS[wanted]
    return InputError(
        f"{path}: holds {found}, not {name}: `dl-advisor {command}` writes such a file"
    )


def _loaded(path: Path, cls: type[_T]) -> _T:
    try:
        found = path.stat()
        if stat.S_ISDIR(found.st_mode):
            raise InputError(f"{path}: is a folder: give a file name")
        if not stat.S_ISREG(found.st_mode):
            raise InputError(f"{path}: is a device, a pipe or a socket: give a file name")
        if found.st_size == 0:
            raise InputError(f"{path}: the file is empty")
        if found.st_size > MAX_DOCUMENT_CHARS:
            raise InputError(f"{path}: too large to be a file of DL Advisor")
        return load_document(path.read_text(encoding="utf-8"), cls)
    except OSError as error:
        raise InputError(f"{path}: {why_unreadable(error)}") from None
    except UnicodeDecodeError:
        raise InputError(f"{path}: not a text file") from None
    except KindError:
        raise
    except FormatError as error:
        raise InputError(f"{path}: {error}") from None


def check_writable(path: Path) -> None:
    """Find out before long work whether a file can be written, without touching an old one.

    Raises:
        InputError: when the folder is missing or not writable, or the path is no plain file.
    """
    folder = _plain_target(path).parent
    if not folder.is_dir():
        raise InputError(f"{path}: there is no folder {folder}: make it or choose another")
    try:
        if path.exists():
            with path.open("ab"):
                pass
        with tempfile.TemporaryFile(dir=folder) as trial:
            trial.write(bytes(_TRIAL_BYTES))
            trial.flush()
    except OSError as error:
        raise InputError(
            f"{path}: cannot be written: {error.strerror}: choose another place"
        ) from None


def check_targets(*targets: Path | str | None, sources: Iterable[Path | None] = ()) -> None:
    """Find out before long work whether results can be written, each to a file of its own.

    Args:
        targets: what the user named for the PDF and the JSON; None and "-" are no files.
        sources: files that the work reads, which must stay as they are.

    Raises:
        InputError: when one cannot be written, or would take the place of another or of a source.
    """
    paths = [Path(t) for t in targets if t is not None and str(t) != STANDARD_OUTPUT]
    for path in paths:
        check_writable(path)
    for number, path in enumerate(paths):
        if any(_is_same(path, other) for other in paths[:number]):
            raise InputError(f"{path}: the PDF and the JSON need files of their own")
        if any(source is not None and _is_same(path, source) for source in sources):
            raise InputError(f"{path}: is read and would be written over: choose another name")


def _is_same(path: Path, other: Path) -> bool:
    """Return whether two paths mean one file, whether or not it is there yet."""
    try:
        return path.samefile(other)
    except OSError:
        return os.path.realpath(path) == os.path.realpath(other)


def _plain_target(path: Path) -> Path:
    """Return the place that a path means, behind its links.

    Raises:
        InputError: when a folder, a device, a pipe or a socket is there: never written over.
    """
    target = Path(os.path.realpath(path)) if path.is_symlink() else path
    try:
        mode = path.stat().st_mode
    except OSError:
        # Nothing is there yet, or writing itself tells why it cannot be.
        return target
    if stat.S_ISDIR(mode):
        raise InputError(f"{path}: is a folder: give a file name")
    if not stat.S_ISREG(mode):
        raise InputError(f"{path}: is a device, a pipe or a socket: give a file name")
    return target


def write_bytes(path: Path, data: bytes) -> None:
    """Write a file whole or not at all; through a link to a file, not over the link.

    Raises:
        InputError: when it cannot be written; an old file is then unchanged.
    """
    target = _plain_target(path)
    partial: str | None = None
    try:
        handle, partial = tempfile.mkstemp(
            dir=target.parent, prefix=f".{target.name}.", suffix=".part"
        )
        with os.fdopen(handle, "wb") as stream:
            stream.write(data)
            stream.flush()
            os.fsync(stream.fileno())
        if os.name == "posix":
            umask = os.umask(0)
            os.umask(umask)
            Path(partial).chmod(0o666 & ~umask)
        Path(partial).replace(target)
        partial = None
    except OSError as error:
        raise InputError(f"{path}: cannot be written: {error.strerror}") from None
    finally:
        # Also when it is stopped meanwhile: the user's folder keeps no part of a file.
        if partial is not None:
            Path(partial).unlink(missing_ok=True)


def spared(path: Path) -> Path | None:
    """Return a place beside a file that must stay as it is; None where there is no such file."""
    return path.with_name(f"{path.stem}.cancelled{path.suffix}") if path.exists() else None


def write_document(target: str, value: object) -> None:
    """Write a value of the model as JSON to a file, or to standard output for "-"."""
    text = dump_document(value)
    if target == STANDARD_OUTPUT:
        sys.stdout.write(text)
        sys.stdout.flush()
    else:
        write_bytes(Path(target), text.encode("utf-8"))


def is_advice(path: Path) -> bool:
    """Tell by its first words whether a file holds a saved advice."""
    try:
        if not path.is_file():
            return False
        with path.open("rb") as stream:
            begin = stream.read(_BEGIN_BYTES)
    except OSError:
        return False
    return b'"kind": "Recommendation"' in begin
