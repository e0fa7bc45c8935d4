"""Going through kernels: each reported, whatever happens."""

import pytest
import worker_kernels
from worker_errors import UnsupportedKernel, WrongResult
from worker_protocol import Cancelled


class FakeChannel:
    def __init__(self, cancel_after=None):
        self.messages = []
        self.cancel_after = cancel_after

    def send(self, kind, **fields):
        self.messages.append((kind, fields))

    def check_cancelled(self):
        if self.cancel_after is not None and len(self.messages) >= self.cancel_after:
            raise Cancelled

    def of(self, kind):
        return [fields for name, fields in self.messages if name == kind]


class FakePrepared:
    def __init__(self, runner, error=None, seconds=0.01):
        self.runner = runner
        self.error = error
        self.seconds = seconds

    def check(self):
        if self.error is not None:
            raise self.error
        return "checked"

    def run(self, loops):
        return self.seconds * loops

    def close(self):
        self.runner.n_closed += 1


class FakeRunner:
    """Prepares kernels; those named in `errors` fail at their check, or at once."""

    def __init__(self, errors=(), at_once=()):
        self.errors = dict(errors)
        self.at_once = dict(at_once)
        self.n_closed = 0

    def prepare(self, kernel):
        if kernel["id"] in self.at_once:
            raise self.at_once[kernel["id"]]
        return FakePrepared(self, self.errors.get(kernel["id"]))


def kernels(*names):
    return {"kernels": [{"id": n, "min_value_s": 1e-9, "n_values": 3} for n in names]}


def run(runner, request, channel=None, **more):
    channel = channel or FakeChannel()
    worker_kernels.run_kernels(runner, request, channel, **more)
    return channel


def test_each_kernel_is_prepared_checked_timed_closed_and_reported():
    runner = FakeRunner()
    channel = run(runner, kernels("a", "b"))
    assert [(k, f["id"]) for k, f in channel.messages] == [
        ("stage", "a"), ("stage", "a"), ("value", "a"),
        ("stage", "b"), ("stage", "b"), ("value", "b"),
    ]  # fmt: skip
    value = channel.of("value")[0]
    assert value["values_s"] == pytest.approx([0.01] * 3)
    assert (value["loops"], value["check"]) == (1, "checked")
    assert value["lasted_s"] > 0
    assert runner.n_closed == 2


class ResourceExhaustedError(Exception):
    """Has the name that a framework's memory error has."""


@pytest.mark.parametrize(
    ("error", "outcome", "words"),
    [
        (UnsupportedKernel("no such kernel"), "unsupported", "no such kernel"),
        (WrongResult("off by 3"), "wrong_result", "off by 3"),
        (MemoryError(), "out_of_memory", "MemoryError"),
        (ResourceExhaustedError("OOM\nlong"), "out_of_memory", "ResourceExhaustedError: OOM"),
        (ZeroDivisionError("division"), "failed", "ZeroDivisionError: division"),
        (
            RuntimeError("clFinish failed: DEVICE_NOT_AVAILABLE"),
            "failed",
            "the device is not available any more: clFinish failed: DEVICE_NOT_AVAILABLE",
        ),
        (
            ValueError("{{node x}} These do not yet support dilation. [Op:Conv]"),
            "unsupported",
            "ValueError: These do not yet support dilation.",
        ),
        (
            ValueError("Graph execution error:\n\n  These do not yet support dilation."),
            "unsupported",
            "ValueError: These do not yet support dilation.",
        ),
    ],
)
def test_a_failing_kernel_is_reported_closed_and_the_next_one_runs(capsys, error, outcome, words):
    runner = FakeRunner(errors={"a": error})
    channel = run(runner, kernels("a", "b"))
    assert channel.of("kernel_failed") == [{"id": "a", "outcome": outcome, "message": words}]
    assert [value["id"] for value in channel.of("value")] == ["b"]
    assert runner.n_closed == 2
    assert type(error).__name__ in capsys.readouterr().err


def test_a_kernel_that_cannot_be_prepared_is_reported(capsys):
    channel = run(FakeRunner(at_once={"a": UnsupportedKernel("x")}), kernels("a"))
    assert channel.of("kernel_failed")[0]["outcome"] == "unsupported"
    capsys.readouterr()


def test_what_does_not_fit_into_the_budget_is_reported_as_skipped():
    now = iter([0.0, 0.5, 2.5])
    request = dict(kernels("a", "b", "c"), budget_s=2.0)
    channel = run(FakeRunner(), request, clock=lambda: next(now))
    assert [value["id"] for value in channel.of("value")] == ["a"]
    failed = channel.of("kernel_failed")
    assert [(f["id"], f["outcome"]) for f in failed] == [("b", "skipped"), ("c", "skipped")]
    assert "2 s" in failed[0]["message"]


def test_the_budget_counts_from_a_given_moment():
    channel = run(FakeRunner(), dict(kernels("a"), budget_s=2.0), started=0.0, clock=lambda: 3.0)
    assert channel.of("kernel_failed")[0]["outcome"] == "skipped"


def test_a_cancelled_run_stops_and_closes_the_kernel():
    runner = FakeRunner()
    with pytest.raises(Cancelled):
        run(runner, kernels("a", "b"), FakeChannel(cancel_after=2))
    assert runner.n_closed == 1


def test_long_values_are_told_as_they_come():
    runner = FakeRunner()
    runner.prepare = lambda kernel: FakePrepared(runner, seconds=0.7)
    channel = run(runner, kernels("a"))
    assert len(channel.of("progress")) == 3


def test_a_kernel_that_is_timed_for_long_tells_each_value_at_once(monkeypatch):
    clock = iter(x * 0.5 for x in range(1000))
    monkeypatch.setattr(worker_kernels.worker_timing.time_kernel, "__defaults__", (
        None, 1, lambda: next(clock), None,
    ))  # fmt: skip
    monkeypatch.setattr(worker_kernels.worker_timing.calibrate, "__defaults__", (
        1, lambda: next(clock),
    ))  # fmt: skip
    request = kernels("a")
    request["kernels"][0]["duration_s"] = 2.0
    channel = FakeChannel()
    worker_kernels.run_kernels(FakeRunner(), request, channel)
    told = channel.of("progress")
    assert len(told) == 4
    assert told[0] == {"id": "a", "value_s": 0.01, "loops": 1}
    (value,) = channel.of("value")
    assert value["values_s"] == [entry["value_s"] for entry in told]


def test_the_check_is_told_before_the_values():
    channel = FakeChannel()
    worker_kernels.run_kernels(FakeRunner(), kernels("a"), channel)
    stages = {fields["stage"]: fields for fields in channel.of("stage")}
    assert stages["warm_up"]["check"] == "checked"
