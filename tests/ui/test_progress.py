"""Progress in a terminal."""

import dataclasses
import io
import signal

import pytest

from advisor.i18n import translator_for
from advisor.model.kernel import Direction, PeakShape
from advisor.model.measurement import BenchmarkRequest, FailedMeasurement, Outcome, Runner
from advisor.model.quantity import Precision
from probes.bench.events import KernelFinished
from tests.ui.advice_values import a_measurement, an_advice
from ui import journey
from ui.journey import ProvisionalReady
from ui.progress import TerminalProgress, probed_machine


def failed(n, message):
    request = BenchmarkRequest(
        id=str(n),
        role="calibration",
        runner=Runner.KERAS,
        device_id="cpu",
        shape=PeakShape(width=n),
        direction=Direction.FORWARD,
        precision=Precision.FLOAT32,
    )
    result = FailedMeasurement(request=request, outcome=Outcome.CRASHED, message=message)
    return KernelFinished(result=result, n_done=n, n_total=3)


def test_a_reason_is_told_once():
    stream = io.StringIO()
    progress = TerminalProgress(stream)
    for n, message in enumerate(["SIGILL", "SIGILL", "SIGSEGV"], start=1):
        progress.show(failed(n, message))
    lines = stream.getvalue().splitlines()
    assert [line.rpartition(": ")[2] for line in lines] == ["SIGILL", "SIGSEGV"]


def test_the_job_is_told_before_the_first_guess():
    stream = io.StringIO()
    advice = an_advice()
    TerminalProgress(stream).show(ProvisionalReady(recommendation=advice))
    job, guess = stream.getvalue().splitlines()
    assert job.startswith(f"This job: {advice.workload.title} · ")
    assert guess.startswith("First guess")
    stream = io.StringIO()
    TerminalProgress(stream).show(ProvisionalReady(recommendation=an_advice(ranked=())))
    assert stream.getvalue().splitlines() == [job]


def test_a_file_hears_now_and_then_that_something_is_done(monkeypatch):
    now = [100.0]
    monkeypatch.setattr("ui.progress.time.monotonic", lambda: now[0])
    stream = io.StringIO()
    progress = TerminalProgress(stream)
    told = []
    for n, measured in enumerate(map(a_measurement, range(8)), start=1):
        request = dataclasses.replace(measured.request, role="calibration")
        calibrated = dataclasses.replace(measured, request=request)
        now[0] += 4.0
        progress.show(KernelFinished(result=calibrated, n_done=n, n_total=8))
        told.append(len(stream.getvalue().splitlines()))
    assert told == [0, 0, 1, 1, 1, 2, 2, 2]
    assert stream.getvalue().startswith("[  3/8]   12 s  ")


@pytest.mark.usefixtures("answers_signals")
def test_ctrl_c_twice_does_not_wait_and_thrice_gives_up():
    stream = io.StringIO()
    with TerminalProgress(stream) as progress, progress.cancel.followed():
        signal.raise_signal(signal.SIGINT)
        assert progress.cancel.is_cancelled
        assert not progress.cancel.is_urgent
        signal.raise_signal(signal.SIGINT)
        assert progress.cancel.is_urgent
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
    assert stream.getvalue() == "cancelling: what was measured is kept\n"


@pytest.mark.usefixtures("answers_signals")
def test_ctrl_c_twice_where_nothing_is_measured_gives_up():
    with TerminalProgress(io.StringIO()) as progress:
        signal.raise_signal(signal.SIGINT)
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)
    assert progress.cancel.is_cancelled


def test_a_reason_is_told_in_the_language_of_the_user(monkeypatch):
    monkeypatch.setattr("ui.progress.user_translator", lambda: translator_for("zh_CN"))
    stream = io.StringIO()
    TerminalProgress(stream).show(failed(1, "the worker did not end within 29.4 s"))
    assert "29.4" in stream.getvalue()
    assert "the worker" not in stream.getvalue()


class Terminal(io.StringIO):
    """A stream that calls itself a terminal."""

    def isatty(self):
        return True


def test_a_terminal_says_that_drivers_are_asked_until_they_answered(monkeypatch):
    stream = Terminal()
    monkeypatch.setattr("sys.stderr", stream)
    seen = []

    def answer():
        seen.append(stream.getvalue())
        return an_advice().profile

    monkeypatch.setattr(journey, "probe_machine", answer)
    assert probed_machine() == an_advice().profile
    assert "asking this machine" in seen[0].lower()
    assert stream.getvalue() == seen[0] + "\r\x1b[K", "nothing of it stays"


def test_a_file_hears_nothing_of_it(monkeypatch):
    stream = io.StringIO()
    monkeypatch.setattr("sys.stderr", stream)
    monkeypatch.setattr(journey, "probe_machine", lambda: an_advice().profile)
    probed_machine()
    assert stream.getvalue() == ""
