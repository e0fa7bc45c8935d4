"""Whose TensorFlow is timed when the user names no interpreter."""

from dataclasses import replace

from advisor.model.machine import Environment, InstalledFramework
from probes.machine.collect import collect_profile
from probes.machine.reader import SystemReader
from ui.journey import framework_python, today

KERAS = InstalledFramework(name="keras", version="3.15.1")
TENSORFLOW = InstalledFramework(name="tensorflow-cpu", version="2.21.0")
TORCH = InstalledFramework(name="torch", version="2.9.0")


def environment(python, *frameworks, kind="venv"):
    return Environment(python=python, version="3.11", kind=kind, frameworks=frameworks)


def chosen(*environments):
    profile = collect_profile(SystemReader(), today=today(), list_opencl=None)
    return framework_python(replace(profile, environments=environments))


def test_our_own_is_taken_where_it_is_there():
    own = environment("/app/app", KERAS, TENSORFLOW, kind="ours")
    assert chosen(own, environment("/venv/bin/python", KERAS, TENSORFLOW)) is None


def test_a_package_without_it_takes_the_first_of_the_user_that_has_it():
    own = environment("/app/app", kind="ours")
    torch = environment("/torch/bin/python", KERAS, TORCH)
    first = environment("/first/bin/python", KERAS, TENSORFLOW)
    second = environment("/second/bin/python", KERAS, TENSORFLOW)
    assert chosen(own, torch, first, second) == "/first/bin/python"


def test_where_nobody_has_it_our_own_says_so():
    assert chosen(environment("/app/app", kind="ours"), environment("/torch/p", TORCH)) is None
