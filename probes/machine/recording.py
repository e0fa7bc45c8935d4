"""A machine as a folder of files: what the probe read there, to be read again anywhere.

A bug report from a machine becomes a folder in `tests/data/machines`. The folder holds
`machine.json` (words of the platform, links, usable device nodes, listings), `commands.json`
(argument list joined by spaces -> output) and `files/` with one file per file that was read.
Only what the probe uses is kept: a few environment variables, no listing of a person's folders,
and the home folder is called "/home/user". Leaves to others: asking the person before it is sent.
"""

import json
import re
from collections import Counter
from collections.abc import Callable, Mapping
from pathlib import Path, PurePosixPath
from typing import Any
from urllib.parse import quote, unquote

from advisor.errors import FormatError
from probes.environments import parse_packages
from probes.machine.reader import Reader

# What the probe looks at; nothing else of the environment is recorded.
RECORDED_VARIABLES = (
    "CONDA_PREFIX",
    "HOME",
    "KUBERNETES_SERVICE_HOST",
    "LOCALAPPDATA",
    "PATH",
    "PYENV_ROOT",
    "USERPROFILE",
    "VIRTUAL_ENV",
    "container",
)

# Listings there tell about the machine, not about a person.
_SYSTEM_FOLDERS = ("/sys/", "/proc/", "/dev/dri")
_USED_NAME = re.compile(r"python(3[\d.]*t?)?(\.exe)?|python-3[\w.\-]*\.json")

# Characters that may stand in a file name on every system.
_SAFE = " ()+,-._@[]{}~!"


class RecordedReader:
    """A reader over a folder written by `record`, or by hand.

    A second reading of a path gives the file `NAME@2` beside it, where there is one.
    """

    def __init__(self, folder: Path) -> None:
        facts = _load_object(folder / "machine.json")
        self._files = folder / "files"
        self._commands = _strings(_load_object(folder / "commands.json", optional=True))
        self._links = _strings(facts.get("links", {}))
        self._usable: dict[str, Any] = dict(facts.get("usable", {}))
        self._dirs: dict[str, Any] = dict(facts.get("dirs", {}))
        self._times_read: Counter[str] = Counter()
        self.system = str(facts.get("system", "Linux"))
        self.machine = str(facts.get("machine", "x86_64"))
        self.release = str(facts.get("release", ""))
        self.logical_cpus = int(facts.get("logical_cpus", 1))
        affinity = facts.get("affinity")
        self.affinity = None if affinity is None else int(affinity)
        self.environ: Mapping[str, str] = _strings(facts.get("environ", {}))
        python = facts.get("python")
        self.python = None if python is None else str(python)
        self.cpu_flags = tuple(str(flag) for flag in facts.get("cpu_flags", ()))

    def read_text(self, path: str) -> str | None:
        """Return the recorded text of a file."""
        self._times_read[path] += 1
        count = self._times_read[path]
        if count > 1:
            later = self._read(f"{path}@{count}")
            if later is not None:
                return later
        return self._read(path)

    def list_dir(self, path: str) -> tuple[str, ...]:
        """Return the recorded names in a folder."""
        path = _clean(path)
        names = set(self._dirs.get(path, ()))
        place = self._place(path)
        if place.is_dir():
            names.update(unquote(entry.name) for entry in place.iterdir())
        prefix = path.rstrip("/") + "/"
        for known in (*self._links, *self._usable, *self._dirs):
            if known.startswith(prefix):
                names.add(known[len(prefix) :].split("/", 1)[0])
        return tuple(sorted(names))

    def link_name(self, path: str) -> str | None:
        """Return the recorded last part of the target of a link."""
        return self._links.get(_clean(path))

    def exists(self, path: str) -> bool:
        """Tell whether the recording knows the path."""
        path = _clean(path)
        known = path in self._links or path in self._usable or path in self._dirs
        return known or self._place(path).exists() or bool(self.list_dir(path))

    def real_path(self, path: str) -> str:
        """Return the path: a recording keeps only the last part of links."""
        return path

    def can_use(self, path: str) -> bool | None:
        """Return the recorded answer; None when it was not recorded."""
        usable = self._usable.get(_clean(path))
        return None if usable is None else bool(usable)

    def run(self, argv: tuple[str, ...], *, timeout_s: float) -> str | None:  # noqa: ARG002
        """Return the recorded output of a command."""
        return self._commands.get(_clean(" ".join(argv)))

    def pause(self, seconds: float) -> None:
        """Return at once."""

    def _place(self, path: str) -> Path:
        return self._files.joinpath(*_encode(path).parts)

    def _read(self, path: str) -> str | None:
        try:
            return self._place(path).read_text(encoding="utf-8", errors="replace")
        except (OSError, ValueError):
            return None


class RecordingReader:
    """A reader that passes everything on and notes what was read."""

    def __init__(self, inner: Reader) -> None:
        self._inner = inner
        self._times_read: Counter[str] = Counter()
        self.files: dict[str, str] = {}
        self.commands: dict[str, str] = {}
        self.links: dict[str, str] = {}
        self.usable: dict[str, bool] = {}
        self.dirs: dict[str, list[str]] = {}
        self.system = inner.system
        self.machine = inner.machine
        self.release = inner.release
        self.logical_cpus = inner.logical_cpus
        self.affinity = inner.affinity
        self.environ = inner.environ
        self.python = inner.python
        self.cpu_flags = inner.cpu_flags

    def read_text(self, path: str) -> str | None:
        """Pass on and note the text; a later reading is noted as `PATH@2`."""
        text = self._inner.read_text(path)
        self._times_read[path] += 1
        if text is not None:
            count = self._times_read[path]
            name = path if count == 1 else f"{path}@{count}"
            if count == 1 or text != self.files.get(path):
                self.files[name] = text
        return text

    def list_dir(self, path: str) -> tuple[str, ...]:
        """Pass on and note the names."""
        names = self._inner.list_dir(path)
        if names:
            self.dirs[_clean(path)] = list(names)
        return names

    def link_name(self, path: str) -> str | None:
        """Pass on and note the target."""
        name = self._inner.link_name(path)
        if name is not None:
            self.links[_clean(path)] = name
        return name

    def exists(self, path: str) -> bool:
        """Pass on and note what exists, as an empty listing."""
        found = self._inner.exists(path)
        if found:
            self.dirs.setdefault(_clean(path), [])
        return found

    def real_path(self, path: str) -> str:
        """Pass on."""
        return self._inner.real_path(path)

    def can_use(self, path: str) -> bool | None:
        """Pass on and note the answer."""
        usable = self._inner.can_use(path)
        if usable is not None:
            self.usable[_clean(path)] = usable
        return usable

    def run(self, argv: tuple[str, ...], *, timeout_s: float) -> str | None:
        """Pass on and note the output."""
        output = self._inner.run(argv, timeout_s=timeout_s)
        if output is not None:
            self.commands[" ".join(argv)] = output
        return output

    def pause(self, seconds: float) -> None:
        """Pass on."""
        self._inner.pause(seconds)


def record(folder: Path, recording: RecordingReader) -> None:
    """Write what a `RecordingReader` noted while a profile was collected through it.

    Args:
        folder: made if needed; an existing recording there is overwritten file by file.
        recording: after `collect_profile(recording, ...)`.
    """
    environ = recording.environ
    hide = _home_hider(environ)
    for path, text in sorted(recording.files.items()):
        place = folder.joinpath("files", *_encode(hide(path)).parts)
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(hide(text), encoding="utf-8")
    facts = {
        "system": recording.system,
        "machine": recording.machine,
        "release": recording.release,
        "logical_cpus": recording.logical_cpus,
        "affinity": recording.affinity,
        "python": None if recording.python is None else hide(recording.python),
        "cpu_flags": list(recording.cpu_flags),
        "environ": {name: hide(environ[name]) for name in RECORDED_VARIABLES if name in environ},
        "links": {hide(path): name for path, name in recording.links.items()},
        "usable": recording.usable,
        "dirs": {hide(path): _useful(path, names) for path, names in recording.dirs.items()},
    }
    folder.mkdir(parents=True, exist_ok=True)
    _write_object(folder / "machine.json", facts)
    _write_object(folder / "commands.json", recording.commands)


def _home_hider(environ: Mapping[str, str]) -> Callable[[str], str]:
    """Return a function that puts "/home/user" in place of the home folder."""
    home = environ.get("HOME") or environ.get("USERPROFILE") or ""
    spellings = sorted({home.rstrip("/\\"), _clean(home).rstrip("/")}, key=len, reverse=True)

    def hide(text: str) -> str:
        for spelling in spellings:
            if len(spelling) > 1:
                text = text.replace(spelling, "/home/user")
        return text

    return hide


def _useful(path: str, names: list[str]) -> list[str]:
    """Return the names of a listing that the probe uses; all of them only in the system's own."""
    if _clean(path).startswith(_SYSTEM_FOLDERS):
        return names
    return [name for name in names if _USED_NAME.fullmatch(name) or parse_packages([name])]


def _clean(path: str) -> str:
    return path.replace("\\", "/")


def _encode(path: str) -> PurePosixPath:
    parts = [quote(part, safe=_SAFE) for part in _clean(path).split("/") if part not in ("", ".")]
    return PurePosixPath(*(part.replace("..", "%2E%2E") for part in parts))


def _write_object(path: Path, value: Mapping[str, Any]) -> None:
    text = json.dumps(value, indent=1, ensure_ascii=False, sort_keys=True)
    path.write_text(text + "\n", encoding="utf-8")


def _load_object(path: Path, *, optional: bool = False) -> dict[str, Any]:
    if optional and not path.exists():
        return {}
    try:
        value = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError) as error:
        raise FormatError(f"{path}: not a recorded machine: {error}") from None
    if not isinstance(value, dict):
        raise FormatError(f"{path}: expected an object")
    return value


def _strings(value: object) -> dict[str, str]:
    if not isinstance(value, dict):
        return {}
    return {_clean(str(key)): str(text) for key, text in value.items()}
