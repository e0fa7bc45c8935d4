"""What measuring an OpenCL device taught, kept between runs."""

import dataclasses
import json
import os
import sys
from pathlib import Path

import pytest

from advisor.model.kernel import Direction, OverheadShape
from advisor.model.machine import OpenclDevice
from advisor.model.measurement import BenchmarkRequest, Outcome, Runner, Setting
from advisor.model.quantity import Precision
from probes.bench import tuning_store
from probes.bench.commands import WorkerCommand
from probes.bench.load import LoadShare
from probes.bench.process import Deadlines
from probes.bench.session import Session
from probes.bench.tuning_store import TuningStore
from probes.machine.opencl import list_opencl_devices

WORKER = Path(__file__).parents[2] / "data" / "workers" / "tuned.py"
PATIENT = Deadlines(start_s=20.0, stage_s=60.0, silence_s=20.0)
ENTRY = {"gemm": {"index": 1, "count": 2, "seconds": 0.5, "trial": 1}}


class Meter:
    """Tells what others did; nothing unless it is told so."""

    def __init__(self, **share):
        self._share = share

    def share(self):
        return LoadShare(**{"others": 0.0, "steal": 0.0, **self._share})


@pytest.fixture
def store(tmp_path):
    return TuningStore(tmp_path / "kept", make_meter=Meter)


def opened(store, profile, **changes):
    device = dataclasses.replace(profile.opencl[0], **changes)
    return store.open(device, cpu=profile.cpu)


def choices_file(tmp_path):
    (file,) = (tmp_path / "kept").glob("*/choices.json")
    return file


def test_choices_come_back_for_the_same_device_and_driver_alone(store, profile, with_cpu):
    tuning = opened(store, profile)
    tuning.take({"type": "value", "learned": ENTRY})
    tuning.save()
    assert opened(store, profile).options["choices"] == ENTRY
    for changes in ({"driver_version": "26.0"}, {"name": "gfx1100"}, {"platform": "ROCm"}):
        assert opened(store, profile, **changes).options["choices"] == {}
    other_cpu = with_cpu(isa_features=("avx2",))
    assert opened(store, other_cpu).options["choices"] == {}


def test_another_version_of_the_kernels_begins_anew(store, profile, monkeypatch):
    tuning = opened(store, profile)
    tuning.take({"learned": ENTRY})
    tuning.save()
    monkeypatch.setattr(tuning_store, "sources_digest", lambda: "of another version")
    assert opened(store, profile).options["choices"] == {}


def test_the_digest_follows_the_kernels(tmp_path, monkeypatch):
    (tmp_path / "kernels").mkdir()
    (tmp_path / "kernels" / "a.cl").write_text("1", encoding="utf-8")
    monkeypatch.setattr(tuning_store.probes.workers, "__path__", [str(tmp_path)])
    before = tuning_store.sources_digest()
    assert tuning_store.sources_digest() == before
    (tmp_path / "kernels" / "a.cl").write_text("2", encoding="utf-8")
    assert tuning_store.sources_digest() != before


@pytest.mark.parametrize(
    "text",
    ["", "{", "[]", "null", '{"format": 2, "choices": {"a": {}}}', '{"choices": {"a": {}}}',
     '{"format": 1, "choices": []}', '{"format": 1, "choices": {"a": NaN}}', "[" * 100_000,
     '{"format": 1, "choices": {"a": "' + "x" * 1_100_000 + '"}}'],
)  # fmt: skip
def test_a_damaged_foreign_or_newer_file_is_ignored_and_replaced(store, profile, tmp_path, text):
    tuning = opened(store, profile)
    tuning.take({"learned": ENTRY})
    tuning.save()
    choices_file(tmp_path).write_text(text, encoding="utf-8")
    again = opened(store, profile)
    assert again.options["choices"] == {}
    again.take({"learned": ENTRY})
    again.save()
    assert json.loads(choices_file(tmp_path).read_text(encoding="utf-8"))["choices"] == ENTRY


def test_binary_garbage_is_ignored(store, profile, tmp_path):
    tuning = opened(store, profile)
    tuning.take({"learned": ENTRY})
    tuning.save()
    choices_file(tmp_path).write_bytes(os.urandom(64) + b"\xff")
    assert opened(store, profile).options["choices"] == {}


def test_what_makes_no_sense_is_not_taken_and_nothing_new_is_not_written(store, profile, tmp_path):
    tuning = opened(store, profile)
    tuning.take({"type": "value"})
    tuning.take({"learned": "everything"})
    tuning.save()
    assert list((tmp_path / "kept").glob("*/choices.json")) == []


@pytest.mark.parametrize("share", [{"others": 0.5}, {"others_cores": 0.5}, {"steal": 0.05}])
def test_what_was_timed_on_a_busy_machine_is_not_kept(profile, tmp_path, share):
    store = TuningStore(tmp_path / "kept", make_meter=lambda: Meter(**share))
    tuning = opened(store, profile)
    tuning.take({"type": "value", "learned": ENTRY})
    tuning.save()
    assert opened(store, profile).options["choices"] == {}


def test_on_battery_nothing_is_kept(store, profile):
    tuning = store.open(profile.opencl[0], cpu=profile.cpu, on_battery=True)
    tuning.take({"type": "value", "learned": ENTRY})
    tuning.save()
    assert opened(store, profile).options["choices"] == {}


def test_a_choice_that_gave_a_wrong_result_is_forgotten_even_on_a_busy_machine(profile, tmp_path):
    calm = TuningStore(tmp_path / "kept", make_meter=Meter)
    tuning = opened(calm, profile)
    tuning.take({"type": "value", "learned": {**ENTRY, "conv": ENTRY["gemm"]}})
    tuning.save()
    busy = TuningStore(tmp_path / "kept", make_meter=lambda: Meter(steal=0.5))
    tuning = opened(busy, profile)
    tuning.take({"type": "kernel_failed", "learned": {"gemm": None, "unknown": None}})
    tuning.save()
    assert set(opened(calm, profile).options["choices"]) == {"conv"}


def test_a_folder_that_cannot_be_written_costs_nothing(profile, tmp_path):
    blocked = tmp_path / "file"
    blocked.write_text("", encoding="utf-8")
    tuning = opened(TuningStore(blocked, make_meter=Meter), profile)
    tuning.take({"learned": ENTRY})
    tuning.save()
    tuning.forget_compiled()
    assert not tuning.has_compiled
    assert blocked.read_text(encoding="utf-8") == ""


def compiled(store, profile, name, n_bytes, at_s):
    tuning = opened(store, profile, name=name)
    folder = Path(tuning.options["cache_folder"])
    folder.mkdir()
    (folder / "kernel.so").write_bytes(bytes(n_bytes))
    os.utime(folder.parent, (at_s, at_s))
    return folder


def test_the_longest_unused_are_removed_when_it_becomes_too_much(profile, tmp_path):
    store = TuningStore(tmp_path / "kept", max_bytes=1000, make_meter=Meter)
    old = compiled(store, profile, "old", 600, 1000.0)
    new = compiled(store, profile, "new", 300, 2000.0)
    assert old.exists()
    third = compiled(store, profile, "third", 300, 3000.0)
    assert old.exists()  # room is made before something is compiled, not after
    opened(store, profile, name="third")
    assert not old.parent.exists()
    assert new.exists()
    assert third.exists()


def test_one_that_is_too_large_by_itself_loses_what_it_compiled_and_keeps_its_choices(
    profile, tmp_path
):
    store = TuningStore(tmp_path / "kept", max_bytes=1000, make_meter=Meter)
    tuning = opened(store, profile)
    tuning.take({"learned": ENTRY})
    tuning.save()
    folder = Path(tuning.options["cache_folder"])
    folder.mkdir()
    (folder / "kernel.so").write_bytes(bytes(2000))
    again = opened(store, profile)
    assert not again.has_compiled
    assert again.options["choices"] == ENTRY


def request(name, device_id, **more):
    values = {
        "id": name,
        "role": "headline",
        "runner": Runner.OPENCL,
        "device_id": device_id,
        "shape": OverheadShape(kind="launch"),
        "direction": Direction.FORWARD,
        "precision": Precision.FLOAT32,
        "min_value_s": 1e-3,
        "n_values": 2,
    }
    return BenchmarkRequest(**{**values, **more})


class World:
    """Runs sessions with the worker that learns and dies of poison."""

    def __init__(self, profile, folder):
        self.profile, self._log = profile, folder / "log"
        self.store = TuningStore(folder / "kept", make_meter=Meter)

    def _command(self, _name, *, python=None, settings=()):
        log = Setting(name="DL_TEST_LOG", value=str(self._log))
        argv = (sys.executable, "-S", str(WORKER))
        return WorkerCommand(argv=argv, environment=(log, *settings))

    def run(self, *names, tuning=True, **more):
        session = Session(
            profile=self.profile, command=self._command, deadlines=PATIENT,
            tuning=self.store if tuning else None,
        )  # fmt: skip
        found = session.run([request(name, "opencl:0:0", **more) for name in names])
        return {r.request.id: getattr(r, "outcome", Outcome.COMPLETED) for r in found.results}

    def told(self):
        """What each child was told."""
        return [json.loads(line) for line in self._log.read_text(encoding="utf-8").splitlines()]

    def put(self, name):
        """Put a file among what was compiled: "poison" kills, "spoiled" gives wrong results."""
        folder = Path(self.store.open(self.profile.opencl[0], cpu=self.profile.cpu)
                      .options["cache_folder"])  # fmt: skip
        (folder / name).write_text("", encoding="utf-8")


@pytest.fixture
def world(profile, tmp_path):
    return World(profile, tmp_path)


def test_what_a_child_learned_is_told_to_that_of_the_next_run(world):
    assert set(world.run("a", "b").values()) == {Outcome.COMPLETED}
    world.run("a")
    first, second = world.told()
    assert first["choices"] == {}
    assert set(second["choices"]) == {"a", "b"}
    assert first["cache_folder"] == second["cache_folder"]


def test_what_was_learned_before_a_child_died_is_kept(world):
    found = world.run("a", "deadly", "b")
    assert found == {"a": Outcome.COMPLETED, "deadly": Outcome.CRASHED, "b": Outcome.COMPLETED}
    world.run("a")
    assert set(world.told()[-1]["choices"]) == {"a", "b"}


def test_a_broken_cache_costs_one_child_and_no_kernel(world):
    world.run("a")
    world.put("poison")
    assert world.run("a", "b") == {"a": Outcome.COMPLETED, "b": Outcome.COMPLETED}
    assert len(world.told()) == 3


def test_a_kernel_that_is_deadly_without_the_cache_is_told(world):
    world.run("a")
    found = world.run("a", "deadly", "b")
    assert found == {"a": Outcome.COMPLETED, "deadly": Outcome.CRASHED, "b": Outcome.COMPLETED}


def test_wrong_results_of_a_broken_cache_are_not_believed(world):
    world.run("a")
    world.put("spoiled")
    assert world.run("a", "b") == {"a": Outcome.COMPLETED, "b": Outcome.COMPLETED}
    assert len(world.told()) == 3


def test_a_kernel_that_is_always_wrong_costs_no_second_child_once_that_is_known(world):
    expected = {"a": Outcome.COMPLETED, "wrong": Outcome.WRONG_RESULT}
    for _ in range(3):
        assert world.run("a", "wrong") == expected
    assert len(world.told()) == 3
    world.run("b", "wrong 2")  # not known yet: once more without what was compiled
    assert len(world.told()) == 5


def test_without_a_store_and_for_other_runners_nothing_is_told(world):
    world.run("a", tuning=False)
    world.run("b", runner=Runner.NUMPY)
    assert not [told for told in world.told() if "cache_folder" in told or "choices" in told]


@pytest.mark.slow
@pytest.mark.parametrize("damage", ["empty", "half", "garbage"])
def test_a_real_driver_survives_a_broken_cache(profile, tmp_path, damage):
    answer = list_opencl_devices()
    answers = answer if isinstance(answer, tuple) else ()
    devices = tuple(device for device in answers if isinstance(device, OpenclDevice))
    if not devices:
        pytest.skip("this machine has no OpenCL device")
    real = dataclasses.replace(profile, opencl=devices)
    asked = [request("launch", devices[0].id)]

    def outcomes():
        session = Session(profile=real, tuning=TuningStore(tmp_path / "kept"), deadlines=PATIENT)
        return [getattr(r, "outcome", Outcome.COMPLETED) for r in session.run(asked).results]

    assert outcomes() == [Outcome.COMPLETED]
    files = [f for f in (tmp_path / "kept").glob("*/compiled/**/*") if f.is_file()]
    assert files
    for file in files:
        content = file.read_bytes()
        file.write_bytes({"empty": b"", "half": content[: len(content) // 2],
                          "garbage": os.urandom(len(content))}[damage])  # fmt: skip
    assert outcomes() == [Outcome.COMPLETED]
    assert outcomes() == [Outcome.COMPLETED]
