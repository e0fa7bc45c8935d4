"""Running real workers that misbehave."""

import os
import sys
import threading
import time
from pathlib import Path

import pytest

from advisor.model.measurement import Outcome, Setting
from probes.bench import process
from probes.bench.process import (
    CancelToken,
    Deadlines,
    Left,
    WorkerCommand,
    WorkerVerdict,
    run_worker,
    work,
)

WORKER = Path(__file__).parents[2] / "data" / "workers" / "misbehave.py"
PATIENT = Deadlines(start_s=20.0, stage_s=20.0, silence_s=20.0)
needs_posix = pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")


def n_descriptors() -> int:
    folder = Path("/proc/self/fd")
    return len(list(folder.iterdir())) if folder.exists() else 0


@pytest.fixture(autouse=True)
def _nothing_is_left():
    before = set(threading.enumerate())
    descriptors = n_descriptors()
    yield
    assert set(threading.enumerate()) <= before
    assert n_descriptors() <= descriptors


def command(how: str, *, settings=()) -> WorkerCommand:
    return WorkerCommand(argv=(sys.executable, "-S", str(WORKER), how), environment=settings)


def run(how: str, *, request=None, settings=(), **more) -> WorkerVerdict:
    more.setdefault("deadlines", PATIENT)
    return run_worker(command(how, settings=settings), request or {}, **more)


def is_running(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    stat = Path(f"/proc/{pid}/stat")
    return not stat.exists() or stat.read_text().rpartition(")")[2].split()[0] != "Z"


def test_a_good_worker_gets_its_request_and_gives_its_result():
    events = []
    verdict = run("echo", request={"kernels": ["é"]}, on_event=events.append)
    assert verdict.outcome is Outcome.COMPLETED
    assert verdict.message == ""
    assert verdict.result["request"] == {"kernels": ["é"], "type": "run", "protocol": 1}
    assert [event["type"] for event in events] == ["hello", "log"]


def test_each_worker_has_a_folder_of_its_own_that_is_removed():
    folders = []
    for _ in range(2):
        run("echo", on_event=lambda event: folders.append(event.get("folder")))
    first, second = [folder for folder in folders if folder]
    assert first != second
    assert Path(first) != Path.cwd()
    assert not Path(first).exists()


def test_the_environment_is_what_was_allowed_and_what_was_set(monkeypatch):
    monkeypatch.setenv("DL_STRAY", "1")
    monkeypatch.setenv("LC_TEST", "kept")
    seen = []
    run(
        "echo",
        settings=(Setting(name="DL_THREADS", value="3"),),
        on_event=lambda event: seen.append(event.get("environment")),
    )
    environment = next(entry for entry in seen if entry)
    assert environment["DL_THREADS"] == "3"
    assert environment["LC_TEST"] == "kept"
    assert "DL_STRAY" not in environment


@pytest.mark.parametrize(
    ("how", "outcome", "words"),
    [
        ("exit_0", Outcome.PROTOCOL_ERROR, "without a result"),
        ("exit_3", Outcome.CRASHED, "exit status 3: the reason"),
        ("half_a_line", Outcome.PROTOCOL_ERROR, "middle of a line"),
        ("not_json", Outcome.PROTOCOL_ERROR, "no message"),
        ("invalid_utf8", Outcome.PROTOCOL_ERROR, "no message"),
        ("not_a_number", Outcome.PROTOCOL_ERROR, "NaN"),
        ("infinite", Outcome.PROTOCOL_ERROR, "not finite"),
        ("wrong_version", Outcome.PROTOCOL_ERROR, "999"),
        ("no_hello", Outcome.PROTOCOL_ERROR, "expected 'hello'"),
        ("two_results", Outcome.PROTOCOL_ERROR, "spoke on"),
        ("flood_stdout", Outcome.PROTOCOL_ERROR, "line of over"),
        ("closes_output", Outcome.PROTOCOL_ERROR, "closed its output"),
        ("error", Outcome.UNSUPPORTED, "no such device"),
        ("odd_error", Outcome.FAILED, "no reason"),
        pytest.param("abort", Outcome.CRASHED, "SIGABRT", marks=needs_posix),
        pytest.param("segfault", Outcome.CRASHED, "SIGSEGV", marks=needs_posix),
        pytest.param("illegal", Outcome.CRASHED, "instruction", marks=needs_posix),
        pytest.param("killed", Outcome.OUT_OF_MEMORY, "memory ran out", marks=needs_posix),
    ],
)
def test_the_verdict_on_a_worker_that_ends_badly(how, outcome, words):
    verdict = run(how)
    assert (verdict.outcome, verdict.result) == (outcome, None)
    assert words in verdict.message


def test_the_tail_of_standard_error_is_kept_and_bounded():
    assert run("exit_3").stderr_tail == "the reason\n"
    verdict = run("flood_stderr")
    assert verdict.outcome is Outcome.COMPLETED
    assert verdict.stderr_tail.endswith("the end\n")
    assert len(verdict.stderr_tail) <= 16 * 1024


def test_a_flood_of_messages_is_taken_and_in_order():
    indices = []
    verdict = run("flood_messages", on_event=lambda event: indices.append(event.get("index")))
    assert verdict.outcome is Outcome.COMPLETED
    assert indices == [None, *range(20_000)]


@pytest.mark.parametrize(
    ("how", "deadlines", "words"),
    [
        ("silent", Deadlines(start_s=0.2), "did not start"),
        ("hang", Deadlines(silence_s=0.2), "nothing was heard"),
        ("half_a_line_stays", Deadlines(silence_s=0.2), "nothing was heard"),
        ("endless_messages", Deadlines(budget_s=0.5), "did not end within 0.5 s"),
    ],
)
def test_a_deadline_ends_the_worker(how, deadlines, words):
    started = time.monotonic()
    verdict = run(how, deadlines=deadlines)
    assert verdict.outcome is Outcome.TIMED_OUT
    assert words in verdict.message
    assert time.monotonic() - started < 5.0


def test_a_stage_that_compiles_may_be_silent_for_longer():
    assert run("slow_stage", deadlines=Deadlines(silence_s=0.1)).outcome is Outcome.COMPLETED
    verdict = run("slow_stage", deadlines=Deadlines(silence_s=0.1, stage_s=0.1))
    assert verdict.outcome is Outcome.TIMED_OUT


def test_a_worker_that_does_not_go_after_its_result_is_ended(monkeypatch):
    monkeypatch.setattr(process, "EXIT_GRACE_S", 0.2)
    verdict = run("hang_after_result")
    assert verdict.outcome is Outcome.COMPLETED
    assert verdict.result["ok"] is True


@needs_posix
def test_a_grandchild_that_keeps_the_output_open_is_ended_too():
    pids = []
    verdict = run("grandchild", on_event=lambda event: pids.append(event.get("pid")))
    assert verdict.outcome is Outcome.PROTOCOL_ERROR
    deadline = time.monotonic() + 5
    while is_running(pids[-1]) and time.monotonic() < deadline:
        time.sleep(0.01)
    assert not is_running(pids[-1])


@needs_posix
def test_a_grandchild_that_left_the_group_holds_nobody_up():
    started = time.monotonic()
    verdict = run("escaped_grandchild")
    assert verdict.outcome is Outcome.CRASHED
    assert time.monotonic() - started < 2.5


def cancelling(token: CancelToken):
    return lambda event: token.cancel() if event["type"] == "stage" else None


def test_a_worker_that_obeys_is_cancelled_at_once():
    token = CancelToken()
    verdict = run("obeys_cancel", cancel=token, on_event=cancelling(token))
    assert (verdict.outcome, verdict.message) == (Outcome.CANCELLED, "cancelled")


@needs_posix
@pytest.mark.parametrize(
    ("how", "words"), [("obeys_sigterm", "cancelled"), ("ignores_sigterm", "had to be killed")]
)
def test_a_worker_that_does_not_listen_is_ended(monkeypatch, how, words):
    monkeypatch.setattr(process, "CANCEL_GRACE_S", 0.1)
    monkeypatch.setattr(process, "TERMINATE_GRACE_S", 0.2)
    token = CancelToken()
    verdict = run(how, cancel=token, on_event=cancelling(token))
    assert verdict.outcome is Outcome.CANCELLED
    assert words in verdict.message


def test_a_worker_that_does_not_listen_is_not_waited_for_when_it_is_urgent():
    token = CancelToken()
    started = time.monotonic()

    def on_event(message):
        if message["type"] == "stage":
            token.cancel()
            assert token.hurry()

    verdict = run("ignores_sigterm", on_event=on_event, cancel=token)
    assert time.monotonic() - started < process.CANCEL_GRACE_S
    assert (verdict.outcome, verdict.message) == (
        Outcome.CANCELLED,
        "cancelled; the worker had to be killed",
    )


def test_what_the_callback_raises_comes_through_and_ends_the_worker():
    pids = []

    def refuse(event):
        pids.append(event.get("pid"))
        raise RuntimeError("no")

    with pytest.raises(RuntimeError, match="no"):
        run("hang", on_event=refuse)


def test_a_request_larger_than_the_pipe_to_a_worker_that_never_reads():
    verdict = run("never_reads", request={"text": "x" * 1_000_000})
    assert verdict.outcome is Outcome.COMPLETED


def test_a_program_that_is_not_there_fails_with_a_sentence(tmp_path):
    missing = str(tmp_path / "python")
    verdict = run_worker(WorkerCommand(argv=(missing,)), {}, deadlines=PATIENT)
    assert verdict.outcome is Outcome.FAILED
    assert missing in verdict.message


def rests_of(how, *, act=lambda: None, left=None, **more):
    """Run a worker with rests; return its verdict and how often it rested."""
    more.setdefault("deadlines", PATIENT)
    steps, n_rests = work(command(how), {}, **more), 0
    try:
        next(steps)
        while True:
            n_rests += 1
            act()
            steps.send(left)
    except StopIteration as stop:
        return stop.value, n_rests


def test_something_else_is_done_while_the_worker_rests_and_it_goes_on():
    acts, seen = [], []
    hasty = Deadlines(start_s=20.0, stage_s=0.3, silence_s=0.3, budget_s=1.0)

    def act():
        # Longer than the worker may be silent: it is not its fault.
        time.sleep(1.1)
        acts.append(run("echo").outcome)

    verdict, n_rests = rests_of(
        "rests", act=act, deadlines=hasty, rest_every_s=0.0, on_event=seen.append
    )
    assert verdict.result["heard"] == ["pause", "resume"]
    assert (n_rests, acts) == (1, [Outcome.COMPLETED])
    assert "paused" not in [event.get("stage") for event in seen]


def test_a_worker_that_rested_has_the_time_that_it_is_given_then():
    left = Left(limit_s=5.0, budget_s=4.0)
    verdict, _ = rests_of("rests", rest_every_s=0.0, left=left)
    assert verdict.result["told"] == {"type": "resume", "budget_s": 4.0}
    verdict, _ = rests_of("rests", rest_every_s=0.0, left=Left(limit_s=0.0, budget_s=0.0))
    assert verdict.outcome is Outcome.TIMED_OUT


def test_a_worker_may_rest_without_being_asked():
    assert rests_of("rests_unasked")[1] == 1
    assert run("rests_unasked").outcome is Outcome.COMPLETED


def test_a_worker_that_rests_is_ended_when_nobody_lets_it_go_on():
    steps = work(command("rests_unasked"), {}, deadlines=PATIENT)
    next(steps)
    steps.close()


@pytest.mark.parametrize(
    ("stage", "seconds"), [("import", 90.0), ("prepare", 20.0), ("timing", 10.0), (None, 10.0)]
)
def test_only_an_import_may_be_silent_for_long(stage, seconds):
    deadlines = Deadlines(import_s=90.0, stage_s=20.0, silence_s=10.0)
    assert deadlines.silence_in(stage) == seconds
    assert Deadlines(stage_s=20.0).silence_in("import") == 20.0
