"""Python environments of this machine that have a deep-learning framework.

Reads folder names in site-packages, starts nothing and imports nothing, so it takes milliseconds
and cannot be harmed by a broken environment. Leaves to others: whether the framework works there
(`probes.workers`).
"""

import re
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

from advisor.model.machine import Environment, InstalledFramework
from probes.machine import text as parse
from probes.machine.reader import Reader

# The search ends here, with what it has.
SEARCH_BUDGET_S = 0.4
MAX_ENVIRONMENTS = 40

FRAMEWORKS = frozenset(
    {
        "apache-tvm",
        "ai-edge-litert",
        "intel-extension-for-pytorch",
        "intel-extension-for-tensorflow",
        "jax",
        "jax-metal",
        "keras",
        "mlx",
        "mxnet",
        "ncnn",
        "onnxruntime",
        "onnxruntime-directml",
        "onnxruntime-gpu",
        "onnxruntime-openvino",
        "onnxruntime-rocm",
        "openvino",
        "paddlepaddle",
        "tensorflow",
        "tensorflow-cpu",
        "tensorflow-cpu-aws",
        "tensorflow-directml-plugin",
        "tensorflow-gpu",
        "tensorflow-intel",
        "tensorflow-macos",
        "tensorflow-metal",
        "tensorflow-rocm",
        "tf-nightly",
        "tf-nightly-cpu",
        "tflite-runtime",
        "tinygrad",
        "torch",
        "torch-directml",
    }
)

_DIST_INFO = re.compile(r"([A-Za-z0-9][\w.\-]*?)-(\d[\w.+!]*)\.(?:dist-info|egg-info)")
_PYTHON_FOLDER = re.compile(r"python(3\.\d{1,2})t?")
_CONDA_PYTHON = re.compile(r"python-(3\.\d{1,2}(?:\.\d{1,3})?)-.*\.json")
_CONDA_ROOTS = ("miniconda3", "anaconda3", "miniforge3", "mambaforge", "micromamba", ".conda")
_VENV_FOLDERS = (".virtualenvs", ".local/share/virtualenvs", "venvs", ".venvs")
_LOCAL_VENVS = ("venv", ".venv", "env")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Prefix:
    """A folder that may be a Python environment, and what kind if it is."""

    path: str
    kind: str
    python: str | None = None


def find_environments(
    reader: Reader,
    *,
    paths: Iterable[str] = (),
    clock: Callable[[], float] = time.monotonic,
    budget_s: float = SEARCH_BUDGET_S,
) -> tuple[Environment, ...]:
    """Return the environments with a framework, our own first and in any case.

    Args:
        reader: the machine.
        paths: interpreters or environment folders that the user named, or working folders in
            which "venv", ".venv" or "env" may lie.
        clock: seconds that only go up.
        budget_s: the search ends after this, with what it has.
    """
    until = clock() + budget_s
    found: dict[str, Environment] = {}
    for prefix in _list_prefixes(reader, paths):
        if len(found) >= MAX_ENVIRONMENTS or (found and clock() > until):
            break
        real = reader.real_path(prefix.path)
        if real in found:
            continue
        environment = _read_environment(reader, prefix)
        if environment is not None and (environment.frameworks or environment.kind == "ours"):
            found[real] = environment
    return tuple(found.values())


def _slashes(path: str) -> str:
    return path.replace("\\", "/").rstrip("/") or "/"


def _list_prefixes(reader: Reader, paths: Iterable[str]) -> Iterator[_Prefix]:
    """Yield places in the order in which they matter to the user."""
    if reader.python:
        python = _slashes(reader.python)
        yield _Prefix(path=_prefix_of(python), kind="ours", python=python)
    for path in paths:
        yield from _named(_slashes(path))
    environ = reader.environ
    for variable, kind in (("VIRTUAL_ENV", "venv"), ("CONDA_PREFIX", "conda")):
        if environ.get(variable):
            yield _Prefix(path=_slashes(environ[variable]), kind=kind)
    home = _slashes(environ.get("HOME") or environ.get("USERPROFILE") or "/")
    yield from _conda(reader, home)
    yield from _below(reader, f"{_pyenv_root(reader, home)}/versions", kind="pyenv")
    for folder in _VENV_FOLDERS:
        yield from _below(reader, f"{home}/{folder}", kind="venv")
    local = environ.get("LOCALAPPDATA")
    if local:
        yield from _below(reader, f"{_slashes(local)}/Programs/Python", kind="system")
    yield from _on_path(reader)


def _prefix_of(python: str) -> str:
    """Return the folder of the environment whose interpreter this is."""
    folder = python.rpartition("/")[0]
    last = folder.rpartition("/")[2].lower()
    return folder.rpartition("/")[0] or "/" if last in ("bin", "scripts") else folder


def _named(path: str) -> Iterator[_Prefix]:
    name = path.rpartition("/")[2].lower()
    if name.startswith("python"):
        yield _Prefix(path=_prefix_of(path), kind="venv", python=path)
    yield _Prefix(path=path, kind="venv")
    for folder in _LOCAL_VENVS:
        yield _Prefix(path=f"{path}/{folder}", kind="venv")


def _pyenv_root(reader: Reader, home: str) -> str:
    return _slashes(reader.environ.get("PYENV_ROOT") or f"{home}/.pyenv")


def _conda(reader: Reader, home: str) -> Iterator[_Prefix]:
    for line in (reader.read_text(f"{home}/.conda/environments.txt") or "").splitlines()[:100]:
        if line.strip():
            yield _Prefix(path=_slashes(line.strip()), kind="conda")
    for place in (home, "/opt"):
        for name in _CONDA_ROOTS:
            root = f"{place.rstrip('/')}/{name}"
            if not reader.exists(root):
                continue
            yield _Prefix(path=root, kind="conda")
            yield from _below(reader, f"{root}/envs", kind="conda")


def _below(reader: Reader, folder: str, *, kind: str) -> Iterator[_Prefix]:
    for name in reader.list_dir(folder)[:100]:
        yield _Prefix(path=f"{folder}/{name}", kind=kind)


def _on_path(reader: Reader) -> Iterator[_Prefix]:
    separator = ";" if reader.system == "Windows" else ":"
    for entry in reader.environ.get("PATH", "").split(separator)[:60]:
        folder = _slashes(entry.strip())
        # The system's folders and prefixes such as /opt/python/bin.
        if folder.rpartition("/")[2].lower() in ("bin", "scripts"):
            yield _Prefix(path=_prefix_of(f"{folder}/python3"), kind="system")
    for prefix in ("/usr/local", "/usr"):
        yield _Prefix(path=prefix, kind="system")


def _read_environment(reader: Reader, prefix: _Prefix) -> Environment | None:
    python = prefix.python or _find_python(reader, prefix.path)
    if python is None:
        return None
    version, folders = _find_packages(reader, prefix.path)
    frameworks: dict[str, InstalledFramework] = {}
    for folder in folders:
        for framework in parse_packages(reader.list_dir(folder)):
            frameworks.setdefault(framework.name, framework)
    return Environment(
        python=python,
        version=_read_version(reader, prefix.path) or version,
        kind=_refine_kind(reader, prefix),
        frameworks=tuple(sorted(frameworks.values(), key=lambda framework: framework.name)),
    )


def _find_python(reader: Reader, prefix: str) -> str | None:
    root = prefix.rstrip("/")
    names = ("bin/python3", "bin/python", "Scripts/python.exe", "python.exe")
    return next((f"{root}/{name}" for name in names if reader.exists(f"{root}/{name}")), None)


def _find_packages(reader: Reader, prefix: str) -> tuple[str | None, tuple[str, ...]]:
    """Return the version in the folder names (3.11), and the folders that hold packages."""
    root = prefix.rstrip("/")
    version: str | None = None
    folders: list[str] = []
    # A packaged app is its own interpreter, with everything in "_internal".
    libraries = ("lib", "lib64", "_internal") if root.rpartition("/")[2] != "usr" else ("lib",)
    for library in libraries:
        for name in reader.list_dir(f"{root}/{library}"):
            match = _PYTHON_FOLDER.fullmatch(name)
            if match is not None:
                version = match[1]
                folders += [f"{root}/{library}/{name}/{p}" for p in _package_folders()]
    if root in ("/usr", ""):
        folders.append("/usr/lib/python3/dist-packages")
        home = reader.environ.get("HOME")
        if home and version:
            folders.append(f"{home}/.local/lib/python{version}/site-packages")
    folders += [f"{root}/Lib/site-packages", f"{root}/_internal"]
    return version, tuple(folders)


def _package_folders() -> tuple[str, ...]:
    return ("site-packages", "dist-packages")


def _read_version(reader: Reader, prefix: str) -> str | None:
    pairs = parse.parse_key_values(reader.read_text(f"{prefix}/pyvenv.cfg"))
    version = pairs.get("version") or pairs.get("version_info")
    if version:
        return ".".join(version.split(".")[:3])[:20]
    for name in reader.list_dir(f"{prefix}/conda-meta"):
        match = _CONDA_PYTHON.fullmatch(name)
        if match is not None:
            return match[1]
    return None


def _refine_kind(reader: Reader, prefix: _Prefix) -> str:
    """Return the kind that the environment's own marks tell; a named path may be anything."""
    if prefix.kind in ("ours", "pyenv"):
        return prefix.kind
    if reader.exists(f"{prefix.path}/conda-meta"):
        return "conda"
    if reader.exists(f"{prefix.path}/pyvenv.cfg"):
        return "venv"
    return "system"


def parse_packages(names: Iterable[str]) -> tuple[InstalledFramework, ...]:
    """Return the frameworks among the names of a site-packages folder, sorted by name."""
    found: dict[str, InstalledFramework] = {}
    for name in names:
        match = _DIST_INFO.fullmatch(name) if name.endswith("-info") else None
        if match is None:
            continue
        distribution = re.sub(r"[-_.]+", "-", match[1]).lower()
        if distribution in FRAMEWORKS:
            found[distribution] = InstalledFramework(name=distribution, version=match[2])
    return tuple(found[name] for name in sorted(found))
