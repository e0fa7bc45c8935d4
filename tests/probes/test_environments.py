"""Environments are found by their folders, in the order in which they matter, in bounded time."""

import os
import subprocess
import sys
import time
from collections.abc import Mapping
from types import SimpleNamespace

import pytest

from advisor.model.machine import InstalledFramework
from probes.environments import MAX_ENVIRONMENTS, find_environments, parse_packages
from probes.machine.reader import SystemReader


class Tree:
    """A machine of paths; folders follow from them."""

    def __init__(self, paths: Mapping[str, str], *, environ=None, python=None, system="Linux"):
        self._paths = dict(paths)
        self.environ = {"HOME": "/home/user", **(environ or {})}
        self.python = python
        self.system = system

    def read_text(self, path):
        return self._paths.get(path)

    def exists(self, path):
        return path in self._paths or bool(self.list_dir(path))

    def list_dir(self, path):
        prefix = path.rstrip("/") + "/"
        below = [p[len(prefix) :].split("/")[0] for p in self._paths if p.startswith(prefix)]
        return tuple(sorted(set(below)))

    def real_path(self, path):
        return path.replace("/link/", "/real/")


def environment(root, *packages, version="3.11"):
    site = f"{root}/lib/python{version}/site-packages"
    files = {f"{root}/bin/python3": "", f"{site}/pip/__init__.py": ""}
    return files | {f"{site}/{package}.dist-info/METADATA": "" for package in packages}


def found(tree, **options):
    return [(e.kind, e.python, e.version) for e in find_environments(tree, **options)]


def test_kinds_and_versions():
    paths = environment("/home/user/.pyenv/versions/3.12.1", "torch-2.4.0", version="3.12")
    paths |= environment("/home/user/miniconda3/envs/tf", "tensorflow-2.16.1")
    paths["/home/user/miniconda3/envs/tf/conda-meta/python-3.11.9-h955ad1f_0.json"] = "{}"
    paths |= environment("/home/user/.virtualenvs/old", "keras-2.4.3", version="3.8")
    paths["/home/user/.virtualenvs/old/pyvenv.cfg"] = "home = /usr/bin\nversion = 3.8.10\n"
    assert found(Tree(paths)) == [
        ("conda", "/home/user/miniconda3/envs/tf/bin/python3", "3.11.9"),
        ("pyenv", "/home/user/.pyenv/versions/3.12.1/bin/python3", "3.12"),
        ("venv", "/home/user/.virtualenvs/old/bin/python3", "3.8.10"),
    ]


def test_ours_is_first_and_told_without_a_framework_too():
    paths = environment("/app/venv") | environment("/usr", "torch-2.0.0")
    tree = Tree(paths, python="/app/venv/bin/python")
    assert found(tree) == [
        ("ours", "/app/venv/bin/python", "3.11"),
        ("system", "/usr/bin/python3", "3.11"),
    ]


def test_an_environment_without_a_framework_is_not_told():
    assert found(Tree(environment("/usr", "numpy-2.0.0"))) == []


def test_the_same_environment_behind_a_link_is_told_once():
    paths = environment("/home/link/e", "torch-2.0.0") | environment("/home/real/e", "torch-2.0.0")
    tree = Tree(paths, environ={"VIRTUAL_ENV": "/home/link/e", "CONDA_PREFIX": "/home/real/e"})
    assert [python for _, python, _ in found(tree)] == ["/home/link/e/bin/python3"]


@pytest.mark.parametrize(
    "path", ["/data/proj", "/data/proj/.venv", "/data/proj/.venv/bin/python3.11", "/data/proj/"]
)
def test_a_named_path_may_be_a_folder_an_environment_or_an_interpreter(path):
    tree = Tree(environment("/data/proj/.venv", "jax-0.4.30"))
    (only,) = find_environments(tree, paths=[path])
    assert only.frameworks == (InstalledFramework(name="jax", version="0.4.30"),)


def test_conda_tells_its_environments_in_a_list():
    paths = environment("/scratch/envs/a", "torch-2.0.0")
    paths["/home/user/.conda/environments.txt"] = "/scratch/envs/a\n\n/scratch/envs/gone\n"
    assert [python for _, python, _ in found(Tree(paths))] == ["/scratch/envs/a/bin/python3"]


def test_packages_of_debian_and_of_the_user_belong_to_the_system():
    paths = environment("/usr", version="3.12")
    paths["/usr/lib/python3/dist-packages/keras-3.0.0.egg-info"] = ""
    user = "/home/user/.local/lib/python3.12/site-packages"
    paths[f"{user}/torch-2.4.0.dist-info/METADATA"] = ""
    (only,) = find_environments(Tree(paths))
    assert [f.name for f in only.frameworks] == ["keras", "torch"]


def test_an_interpreter_on_the_path_of_windows():
    paths = {
        "C:/Py/python.exe": "",
        "C:/Py/Lib/site-packages/onnxruntime_directml-1.24.4.dist-info/METADATA": "",
    }
    tree = Tree(paths, environ={"PATH": "C:\\Py\\Scripts;C:\\Windows"}, system="Windows")
    (only,) = find_environments(tree)
    assert only.python == "C:/Py/python.exe"
    assert only.frameworks[0].name == "onnxruntime-directml"


def test_the_search_ends_when_its_time_is_over():
    paths = {}
    for number in range(5):
        paths |= environment(f"/home/user/.virtualenvs/e{number}", "torch-2.0.0")
    ticks = iter(range(1000))
    assert len(find_environments(Tree(paths), clock=lambda: next(ticks), budget_s=2.5)) < 5


def test_the_search_ends_at_its_count():
    paths = {}
    for number in range(MAX_ENVIRONMENTS + 5):
        paths |= environment(f"/home/user/.virtualenvs/e{number:03}", "torch-2.0.0")
    assert len(find_environments(Tree(paths), clock=lambda: 0.0)) == MAX_ENVIRONMENTS


def test_names_of_distributions_are_made_one():
    names = [
        "tensorflow_cpu-2.21.0.dist-info",
        "Torch-2.1.0+cpu.dist-info",
        "torchvision-0.16.0.dist-info",
        "keras-3.15.1.dist-info",
        "keras",
        "-info",
        "tensorflow_cpu-.dist-info",
    ]
    assert [(f.name, f.version) for f in parse_packages(names)] == [
        ("keras", "3.15.1"),
        ("tensorflow-cpu", "2.21.0"),
        ("torch", "2.1.0+cpu"),
    ]


def test_the_environment_of_this_test_is_found_and_is_true():
    start = time.monotonic()
    ours = find_environments(SystemReader())[0]
    assert time.monotonic() - start < 5
    assert ours.python == sys.executable
    code = "import importlib.metadata as m; print(m.version('keras'))"
    version = subprocess.run([ours.python, "-c", code], capture_output=True, text=True, check=True)
    assert InstalledFramework(name="keras", version=version.stdout.strip()) in ours.frameworks


@pytest.mark.skipif(os.name != "posix", reason="links need rights on Windows")
def test_an_interpreter_keeps_its_link(tmp_path):
    root = tmp_path / "venv"
    (root / "bin").mkdir(parents=True)
    (root / "bin" / "python3").symlink_to(sys.executable)
    (root / "lib/python3.11/site-packages/torch-2.0.0.dist-info").mkdir(parents=True)
    reader = SystemReader()
    limited = SimpleNamespace(
        environ={"HOME": str(tmp_path / "nobody")},
        python=None,
        system="Linux",
        read_text=reader.read_text,
        exists=reader.exists,
        list_dir=lambda path: reader.list_dir(path) if path.startswith(str(tmp_path)) else (),
        real_path=reader.real_path,
    )
    (only,) = find_environments(limited, paths=[str(root)])
    assert only.python == str(root / "bin" / "python3")


def test_a_packaged_app_is_an_environment_of_its_own():
    root = "/usr/lib/dl-advisor"
    paths = {
        f"{root}/dl-advisor": "",
        f"{root}/_internal/python3.11/lib-dynload/math.so": "",
        f"{root}/_internal/keras-3.15.1.dist-info/METADATA": "",
    }
    tree = Tree(paths, python=f"{root}/dl-advisor")
    (own,) = find_environments(tree)
    assert (own.kind, own.python, own.version) == ("ours", f"{root}/dl-advisor", "3.11")
    assert own.frameworks == (InstalledFramework(name="keras", version="3.15.1"),)
