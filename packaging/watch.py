"""Tells which files a watched program made or changed: runs it under strace and reads the traces.

Part of `hard.py` and `prove.py`. Standard library only.
"""

import re
from collections.abc import Iterator
from pathlib import Path

# Calls that make or change what their paths name; of links and symlinks only the last one.
_CHANGING = {
    "open", "openat", "creat", "mkdir", "mkdirat", "rename", "renameat", "renameat2", "unlink",
    "unlinkat", "rmdir", "symlink", "symlinkat", "link", "linkat", "truncate", "chmod", "fchmodat",
    "chown", "lchown", "fchownat", "mknod", "mknodat",
}  # fmt: skip
_LAST_ONLY = {"symlink", "symlinkat", "link", "linkat"}
_STARTING = {"clone", "clone3", "fork", "vfork"}
_CALL = re.compile(r"(\w+)\((.*)\)\s+= (-?\d+)")
# A path, and the folder that it is relative to where the call names one.
_PATH = re.compile(r'(?:(?:AT_FDCWD|\d+)<([^>]*)>, )?"((?:[^"\\]|\\.)*)"')
_FOLDER = re.compile(r'(?:\d+<([^>]*)>|"((?:[^"\\]|\\.)*)")')
_WRITES = re.compile(r"O_WRONLY|O_RDWR|O_CREAT|O_TRUNC")
# How Python finds out which folder is for temporary files: made and removed at once.
_TRIAL_FILE = re.compile(r"/tmp/[a-z0-9_]{8}")  # noqa: S108
# Devices, what the kernel makes up, memory, and our folders of temporary files.
_NO_FILES = ("/dev/", "/proc/", "/sys/fs/cgroup/", "/tmp/dl-advisor-")  # noqa: S108


def watcher(folder: Path) -> tuple[str, ...]:
    """Return the command that goes before another one: a trace for each process in a folder."""
    calls = "trace=file,process,fchdir"
    words = ("strace", "-ff", "-y", "-qq", "-s", "4096", "--seccomp-bpf", "-e", calls)
    return (*words, "-o", str(folder / "trace"))


def changed_files(
    folder: Path, *, allowed: tuple[str, ...], start: str, program: str = "", below: str = ""
) -> tuple[list[str], int]:
    """Return files that were made or changed elsewhere, and how many calls were read.

    Args:
        folder: where the traces are.
        allowed: beginnings of paths that may be written to.
        start: the folder in which the program was started.
        program: end of the path of the program to follow, with all that it starts; "" for all.
        below: the root of the file system that the program saw, where it was not ours.
    """
    found: set[str] = set()
    n_calls = 0
    for process in _roots(folder, program=program):
        for path in _changes(folder, process=process, cwd=start, below=below):
            n_calls += 1
            is_elsewhere = bool(path) and not path.startswith((*allowed, *_NO_FILES))
            if is_elsewhere and not _TRIAL_FILE.fullmatch(path):
                found.add(path)
    return sorted(found), n_calls


def _roots(folder: Path, *, program: str) -> list[str]:
    """Return the processes to begin with: those that became the program, or the first one."""
    traces = sorted(folder.glob("trace.*"), key=lambda path: int(path.suffix[1:]))
    if not program:
        return [path.suffix[1:] for path in traces[:1]]
    became = re.compile(rf'execve\("[^"]*/{re.escape(program)}", .* = 0')
    # The starter of a packaged program becomes the program once more, in the same process.
    return [path.suffix[1:] for path in traces if became.search(_read(path))]


def _read(path: Path) -> str:
    return path.read_text(encoding="utf-8", errors="replace") if path.exists() else ""


def _changes(folder: Path, *, process: str, cwd: str, below: str) -> Iterator[str]:
    """Yield for each call of a process and its children a path that it changed, or ""."""
    for line in _read(folder / f"trace.{process}").splitlines():
        call = _CALL.match(line)
        if call is None or call[3] == "-1":
            continue
        name, words = call[1], call[2]
        if name in _STARTING:
            yield from _changes(folder, process=call[3], cwd=cwd, below=below)
        elif name in ("chdir", "fchdir") and (place := _FOLDER.search(words)):
            cwd = _full(place[1] or place[2], folder="", cwd=cwd, below=below)
        elif name in _CHANGING and not _only_reads(name, words):
            named = _PATH.findall(words)
            for at, path in named[-1:] if name in _LAST_ONLY else named:
                yield _full(path, folder=at, cwd=cwd, below=below)
        else:
            yield ""


def _only_reads(name: str, words: str) -> bool:
    return name in ("open", "openat") and (not _WRITES.search(words) or "O_TMPFILE" in words)


def _full(path: str, *, folder: str, cwd: str, below: str) -> str:
    """Return the whole path, as the program saw it; a trace writes other letters as numbers."""
    plain, place = _plain(path), _plain(folder) or cwd
    whole = plain if plain.startswith("/") else f"{place}/{plain}"
    return whole.removeprefix(below) if below else whole


def _plain(path: str) -> str:
    as_bytes = path.encode("latin-1", errors="replace").decode("unicode_escape").encode("latin-1")
    return as_bytes.decode("utf-8", errors="replace")
