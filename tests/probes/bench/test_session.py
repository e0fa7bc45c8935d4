"""Sessions with a worker that does what the ids of the kernels say."""

import dataclasses
import datetime as dt
import json
import sys
from pathlib import Path

import pytest

from advisor.model.kernel import Direction, PeakShape
from advisor.model.measurement import (
    BenchmarkRequest,
    Outcome,
    Runner,
    Setting,
    StabilityWarning,
)
from advisor.model.quantity import Precision
from probes.bench.events import KernelFinished, KernelStarted, SessionFinished, SessionStarted
from probes.bench.process import CancelToken, Deadlines, WorkerCommand
from probes.bench.session import Session

WORKER = Path(__file__).parents[2] / "data" / "workers" / "kernels.py"
DAY = dt.date(2026, 11, 21)


def request(name, **more):
    values = {
        "id": name,
        "role": "calibration",
        "runner": Runner.KERAS,
        "device_id": "cpu",
        "shape": PeakShape(width=4),
        "direction": Direction.FORWARD,
        "precision": Precision.FLOAT32,
        "min_value_s": 0.25,
        "n_values": 3,
    }
    return BenchmarkRequest(**{**values, **more})


@pytest.fixture
def world(profile, tmp_path):
    """Runs sessions and tells what their children were told."""

    class World:
        log = tmp_path / "log"
        commands: list = []  # noqa: RUF012

        def command(self, name, *, python=None, settings=()):
            self.commands.append((name, python, tuple(settings)))
            log = Setting(name="DL_TEST_LOG", value=str(self.log))
            argv = (sys.executable, "-S", str(WORKER))
            return WorkerCommand(argv=argv, environment=(log, *settings))

        def session(self, **more):
            more.setdefault("profile", profile)
            more.setdefault("deadlines", Deadlines(start_s=20, stage_s=20, silence_s=20))
            return Session(command=self.command, today=lambda: DAY, **more)

        def run(self, *names_or_requests, session=None, **more):
            asked = [request(n) if isinstance(n, str) else n for n in names_or_requests]
            return (session or self.session()).run(asked, **more)

        def children(self):
            return [json.loads(line) for line in self.log.read_text().splitlines()]

    World.commands = []
    return World()


def outcomes(measurements):
    return {
        result.request.id: getattr(result, "outcome", Outcome.COMPLETED)
        for result in measurements.results
    }


def test_good_kernels_become_measurements_in_order(world):
    events = []
    measurements = world.run("a:", "b:", on_event=events.append)
    assert [m.request.id for m in measurements.measured] == ["a:", "b:"]
    first = measurements.measured[0]
    assert first.stack.framework == "fake"
    assert (first.values_s, first.warmups_s, first.loops) == ((0.1, 0.11), (0.2,), 2)
    assert first.check == "fine"
    assert measurements.measured_on == "2026-11-21"
    assert measurements.duration_s > 0
    kinds = [type(event) for event in events]
    assert kinds == [
        SessionStarted, KernelStarted, KernelFinished, KernelStarted, KernelFinished,
        SessionFinished,
    ]  # fmt: skip
    assert events[0].n_kernels == 2
    assert [(e.n_done, e.n_total) for e in events if isinstance(e, KernelFinished)] == [
        (1, 2),
        (2, 2),
    ]
    assert events[-1].measurements is measurements


def test_the_wire_holds_the_request(world):
    world.run("a:")
    sent = world.children()[0]["request"]
    assert sent["runner"] == "keras"
    assert sent["budget_s"] is None
    assert sent["options"]["device_id"] == "cpu"
    assert sent["kernels"] == [
        {
            "id": "a:",
            "shape": {"type": "PeakShape", "width": 4},
            "direction": "forward",
            "precision": "float32",
            "min_value_s": 0.25,
            "n_values": 3,
            "is_reference": False,
        }
    ]
    assert sent["bout"] == 8


def test_each_set_of_conditions_has_a_child_of_its_own(world):
    off = (Setting(name="DL_OFF", value="1"),)
    world.run(
        request("a:"),
        request("b:", threads=1),
        request("c:", settings=off),
        request("d:", runner=Runner.OPENCL, device_id="opencl:0:0"),
        request("e:", precision=Precision.BFLOAT16),
    )
    children = world.children()
    told = [[kernel["id"] for kernel in child["request"]["kernels"]] for child in children]
    assert told == [["a:", "e:"], ["b:"], ["c:"], ["d:"]]
    assert children[1]["request"]["options"]["threads"] == 1
    assert children[2]["settings"]["DL_OFF"] == "1"
    assert "DL_OFF" not in children[0]["settings"]
    options = children[3]["request"]["options"]
    assert options["device_name"] == "gfx90c"
    assert options["platform_name"] == "rusticl"


def test_a_foreign_interpreter_runs_its_framework_only(world):
    session = world.session(python="/venv/bin/python")
    world.run(
        request("a:"),
        request("b:", runner=Runner.NUMPY),
        request("c:", runner=Runner.STREAM),
        request("d:", runner=Runner.OPENCL, device_id="opencl:0:0"),
        session=session,
    )
    pythons = [python for _, python, _ in world.commands]
    assert pythons == ["/venv/bin/python", "/venv/bin/python", None, None]


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_a_kernel_that_ends_its_child_takes_nothing_else_with_it(world):
    measurements = world.run("a:", "b:crash", "c:", "d:unsupported", "e:")
    assert outcomes(measurements) == {
        "a:": Outcome.COMPLETED,
        "b:crash": Outcome.CRASHED,
        "c:": Outcome.COMPLETED,
        "d:unsupported": Outcome.UNSUPPORTED,
        "e:": Outcome.COMPLETED,
    }
    assert len(world.children()) == 2
    assert "SIGSEGV" in next(r.message for r in measurements.failed if r.request.id == "b:crash")


def test_a_kernel_that_hangs_is_timed_out_and_the_rest_goes_on(world):
    session = world.session(deadlines=Deadlines(start_s=20, stage_s=0.3, silence_s=0.3))
    measurements = world.run("a:hang", "b:", session=session)
    assert outcomes(measurements) == {"a:hang": Outcome.TIMED_OUT, "b:": Outcome.COMPLETED}


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_a_group_is_given_up_after_three_deaths_and_the_next_goes_on(world):
    names = [f"{letter}:crash" for letter in "abcde"]
    measurements = world.run(*names, request("z:", threads=1))
    found = outcomes(measurements)
    assert [found[name] for name in names] == [Outcome.CRASHED] * 3 + [Outcome.SKIPPED] * 2
    assert found["z:"] is Outcome.COMPLETED
    assert len(world.children()) == 4


def test_a_child_that_cannot_begin_is_not_started_again(world):
    broken = (Setting(name="DL_BROKEN", value="1"),)
    measurements = world.run(request("a:", settings=broken), request("b:", settings=broken))
    assert set(outcomes(measurements).values()) == {Outcome.CRASHED}
    assert len(world.children()) == 1


@pytest.mark.parametrize(
    ("name", "outcome", "words"),
    [
        ("a:nonsense", Outcome.PROTOCOL_ERROR, "no sense"),
        ("a:forgotten", Outcome.PROTOCOL_ERROR, "without a word"),
        ("a:odd_failure", Outcome.FAILED, "no reason"),
        ("a:unsupported", Outcome.UNSUPPORTED, "cannot"),
    ],
)
def test_answers_that_are_no_figures(world, name, outcome, words):
    measurements = world.run(name, "b:")
    failed = measurements.failed[0]
    assert (failed.request.id, failed.outcome) == (name, outcome)
    assert words in failed.message
    assert outcomes(measurements)["b:"] is Outcome.COMPLETED


def test_second_and_foreign_answers_are_ignored(world):
    measurements = world.run("a:twice", "b:foreign")
    assert [m.values_s for m in measurements.measured] == [(0.1, 0.11)] * 2


def test_cancelling_answers_everything(world):
    token = CancelToken()

    def cancel_at_second(event):
        if isinstance(event, KernelStarted) and event.request.id.startswith("b"):
            token.cancel()

    measurements = world.run(
        "a:", "b:cancelled", "c:", request("d:", threads=1), cancel=token, on_event=cancel_at_second
    )
    assert outcomes(measurements) == {
        "a:": Outcome.COMPLETED,
        "b:cancelled": Outcome.CANCELLED,
        "c:": Outcome.CANCELLED,
        "d:": Outcome.CANCELLED,
    }
    assert len(world.children()) == 1


class Clock:
    """Stands still until it is put forward."""

    now = 0.0

    def __call__(self):
        return self.now


def spending(clock, seconds):
    """Return a listener that puts the clock forward with each kernel that is over."""

    def on_event(event):
        if isinstance(event, KernelFinished):
            clock.now += seconds

    return on_event


def test_what_does_not_fit_into_the_budget_is_skipped(world):
    clock = Clock()
    measurements = world.run(
        "a:",
        request("b:", threads=1),
        session=world.session(clock=clock),
        budget_s=10.0,
        on_event=spending(clock, 10.0),
    )
    assert outcomes(measurements) == {"a:": Outcome.COMPLETED, "b:": Outcome.SKIPPED}
    assert 0 < world.children()[0]["request"]["budget_s"] < 10.0


def test_a_child_is_given_less_than_its_limit_so_that_it_can_end_by_itself(world):
    world.run("a:", session=world.session(clock=Clock()), budget_s=30.0)
    assert world.children()[0]["request"]["budget_s"] == pytest.approx(28.2)


def test_each_device_has_its_own_budget(world):
    clock = Clock()
    measurements = world.run(
        request("a:"),
        request("b:", threads=1),
        request("c:", runner=Runner.OPENCL, device_id="opencl:0:0"),
        request("d:", runner=Runner.NUMPY, device_id="other"),
        session=world.session(clock=clock),
        budget_s={"cpu": 5.0, "opencl:0:0": 5.0},
        on_event=spending(clock, 5.0),
    )
    assert outcomes(measurements) == {
        "a:": Outcome.COMPLETED,
        "b:": Outcome.SKIPPED,
        "c:": Outcome.COMPLETED,
        "d:": Outcome.COMPLETED,
    }
    budgets = [child["request"]["budget_s"] for child in world.children()]
    # What has little time or is cheap comes first; a device without a limit has none.
    assert [budget is None for budget in budgets] == [False, True, False]


def test_warnings_of_the_machine_and_of_a_kernel_that_became_slower(world, profile):
    power = dataclasses.replace(profile.power, on_battery=True)
    session = world.session(profile=dataclasses.replace(profile, power=power))
    assert StabilityWarning.ON_BATTERY in world.run("a:", session=session).warnings


def test_nothing_to_do_is_done_at_once(world):
    assert world.run().results == ()


def test_ids_must_differ(world):
    with pytest.raises(ValueError, match="same id"):
        world.run("a:", "a:")


def test_a_part_of_the_time_is_kept_for_settings_and_the_last_look_at_the_clock(world):
    world.run("a:", request("b:", threads=1), budget_s=100.0)
    first, *_, last = (child["request"]["budget_s"] for child in world.children())
    # A second and a twentieth of it all for each turn of the setting, a second for the default.
    assert 60.0 < first < 0.941 * (100.0 - 2 * (1.0 + 5.0) - 2 * (1.0 + 5.0))
    assert last <= 95.0
