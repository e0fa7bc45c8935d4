"""Runs one worker under deadlines and says what became of it. Never raises for what it does.

Leaves to others: what is asked of the worker (`probes.bench.plan`, `probes.bench.session`) and
the pipes (`probes.bench.child`).
"""

import os
import time
from collections.abc import Callable, Generator, Mapping
from dataclasses import dataclass
from typing import Any

from advisor.model.measurement import Outcome
from probes.bench.cancel import CancelToken, followed_by
from probes.bench.child import Child, Exited, Item, OutputEnded, Received, Violated
from probes.bench.commands import WorkerCommand
from probes.bench.environment import child_environment, temporary_place
from probes.bench.exits import describe_exit, last_words, plain_reason
from probes.bench.folders import worker_folder
from probes.bench.protocol import EVENT_TYPES, FINAL_TYPES, PROTOCOL_VERSION, Message

__all__ = [
    "CancelToken",
    "Deadlines",
    "Left",
    "Steps",
    "WorkerCommand",
    "WorkerVerdict",
    "run_worker",
    "work",
]

CANCEL_GRACE_S = 2.0
TERMINATE_GRACE_S = 2.0
# Time a worker has to go after its last message; tearing down a framework may hang.
EXIT_GRACE_S = 2.0
# Time for the rest of the output to arrive after the worker has gone.
DRAIN_S = 0.3
_POLL_S = 0.1
# Larger ones are faults that the system tells.
_MOST_STATUS = 256

# Stages in which a worker is silent for long: a framework loads, or compiles.
LOADING_STAGES = frozenset({"import"})
SLOW_STAGES = frozenset({"prepare", "warm_up"})

_ERROR_OUTCOMES = frozenset(
    {Outcome.FAILED, Outcome.UNSUPPORTED, Outcome.WRONG_RESULT, Outcome.OUT_OF_MEMORY}
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Deadlines:
    """Limits of a worker, in seconds.

    Attributes:
        start_s: from its start to `hello`.
        stage_s: silence in a stage that imports or compiles.
        silence_s: silence otherwise.
        budget_s: all together; None: no limit.
        import_s: silence while a framework is imported; None: as `stage_s`.
    """

    start_s: float = 30.0
    stage_s: float = 120.0
    silence_s: float = 30.0
    budget_s: float | None = None
    import_s: float | None = None

    def silence_in(self, stage: str | None) -> float:
        """Return how long a worker may be silent once it told a stage; None: anything else."""
        if stage in LOADING_STAGES and self.import_s is not None:
            return self.import_s
        return self.stage_s if stage in LOADING_STAGES | SLOW_STAGES else self.silence_s


@dataclass(frozen=True, slots=True, kw_only=True)
class Left:
    """The seconds that a worker that rested still has, from when it goes on.

    Attributes:
        limit_s: until it is ended.
        budget_s: what it is told.
    """

    limit_s: float
    budget_s: float


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkerVerdict:
    """What became of a worker.

    Attributes:
        result: its result message; None unless `outcome` is COMPLETED.
        message: one sentence for the user, "" when completed.
        stderr_tail: the last it wrote to standard error, for "details"; never uploaded.
    """

    outcome: Outcome
    result: Mapping[str, Any] | None
    message: str
    stderr_tail: str


# What a worker does, a step between two of its rests. A `Left` may be sent when it is to go on.
Steps = Generator[None, Left | None, WorkerVerdict]


@dataclass(frozen=True, slots=True)
class _End:
    outcome: Outcome
    message: str = ""
    result: Mapping[str, Any] | None = None
    has_status: bool = False


class _Watch:
    """Follows one child from its start to its end. Holds the state of one run."""

    def __init__(
        self,
        child: Child,
        *,
        deadlines: Deadlines,
        on_event: Callable[[Message], None] | None,
        cancel: CancelToken | None,
        rest_every_s: float | None,
    ) -> None:
        self._child = child
        self._deadlines = deadlines
        self._on_event = on_event
        self._cancel = cancel
        self._rest_every_s = rest_every_s
        self._budget_s = deadlines.budget_s
        self._counts_from = self._heard_at = self._went_on_at = time.monotonic()
        self._has_hello = False
        self._silence_s = deadlines.start_s
        self._grace_until: float | None = None
        self._was_terminated = False
        self._was_asked_to_rest = False
        self._is_resting = False

    def follow(self) -> Generator[None, Left | None, _End]:
        """Return how the child ended, or why it must be ended now; yield while it rests."""
        while True:
            end = self._follow_cancel() if self._is_cancelled() else self._check_deadlines()
            if end is None:
                self._ask_to_rest()
                item = self._child.next_item(timeout_s=_POLL_S)
                end = None if item is None else self._take(item)
            if end is not None:
                return end
            if self._is_resting:
                rests_from = time.monotonic()
                left = yield
                self._go_on(rests_from, left=left)

    def _ask_to_rest(self) -> None:
        if self._rest_every_s is None or self._was_asked_to_rest or not self._has_hello:
            return
        if time.monotonic() - self._went_on_at >= self._rest_every_s:
            self._child.send({"type": "pause"})
            self._was_asked_to_rest = True

    def _go_on(self, rests_from: float, *, left: Left | None) -> None:
        """Let the child go on; its rest does not count."""
        now = time.monotonic()
        if left is None:
            self._counts_from += now - rests_from
        else:
            self._counts_from, self._budget_s = now, left.limit_s
        self._heard_at = self._went_on_at = now
        self._is_resting = self._was_asked_to_rest = False
        told = {} if left is None else {"budget_s": left.budget_s}
        self._child.send({"type": "resume", **told})

    def _is_cancelled(self) -> bool:
        return self._cancel is not None and self._cancel.is_cancelled

    def _follow_cancel(self) -> _End | None:
        now = time.monotonic()
        if self._grace_until is None:
            self._child.send({"type": "cancel"})
            self._grace_until = now + CANCEL_GRACE_S
        is_over = now >= self._grace_until
        is_urgent = self._cancel is not None and self._cancel.is_urgent
        if is_urgent or (is_over and self._was_terminated):
            return _End(Outcome.CANCELLED, "cancelled; the worker had to be killed")
        if is_over:
            self._child.terminate()
            self._was_terminated = True
            self._grace_until = now + TERMINATE_GRACE_S
        return None

    def _check_deadlines(self) -> _End | None:
        now = time.monotonic()
        budget_s = self._budget_s
        if budget_s is not None and now - self._counts_from > budget_s:
            return _End(Outcome.TIMED_OUT, f"the worker did not end within {budget_s:.3g} s")
        if now - self._heard_at <= self._silence_s:
            return None
        if not self._has_hello:
            return _End(Outcome.TIMED_OUT, f"the worker did not start in {self._silence_s:.3g} s")
        return _End(
            Outcome.TIMED_OUT, f"nothing was heard of the worker for {self._silence_s:.3g} s"
        )

    def _take(self, item: Item) -> _End | None:
        if isinstance(item, Received):
            return self._take_message(item.message)
        if isinstance(item, Violated):
            return _End(Outcome.PROTOCOL_ERROR, item.text)
        return self._take_end(item)

    def _take_message(self, message: Message) -> _End | None:
        kind = message["type"]
        self._heard_at = time.monotonic()
        if not self._has_hello:
            version = message.get("protocol")
            if kind != "hello" or version != PROTOCOL_VERSION:
                return _End(
                    Outcome.PROTOCOL_ERROR,
                    f"the worker began with {kind!r} of protocol {version!r}, "
                    f"expected 'hello' of protocol {PROTOCOL_VERSION}",
                )
            self._has_hello = True
        if kind in FINAL_TYPES:
            return self._take_final(message)
        stage = message.get("stage") if kind == "stage" else None
        self._silence_s = self._deadlines.silence_in(stage if isinstance(stage, str) else None)
        if stage == "paused":
            self._is_resting = True
        elif kind in EVENT_TYPES and self._on_event is not None:
            self._on_event(message)
        return None

    def _take_final(self, message: Message) -> _End:
        if self._has_more_after_final():
            return _End(Outcome.PROTOCOL_ERROR, "the worker spoke on after its last message")
        kind = message["type"]
        if kind == "result":
            return _End(Outcome.COMPLETED, result=message)
        text = plain_reason(message.get("message")) or "the worker gave no reason"
        if kind == "cancelled":
            return _End(Outcome.CANCELLED, "cancelled")
        named = message.get("outcome")
        outcome = next((o for o in _ERROR_OUTCOMES if o == named), Outcome.FAILED)
        return _End(outcome, text)

    def _has_more_after_final(self) -> bool:
        """Wait until the child goes; True when it says anything before."""
        until = time.monotonic() + EXIT_GRACE_S
        while (rest := until - time.monotonic()) > 0:
            item = self._child.next_item(timeout_s=rest)
            if isinstance(item, Received | Violated):
                return True
            if isinstance(item, OutputEnded | Exited):
                return False
        return False

    def _take_end(self, item: OutputEnded | Exited) -> _End | None:
        """Judge a child that went without a last message."""
        if isinstance(item, Exited):
            return self._drain()
        until = time.monotonic() + DRAIN_S
        while (rest := until - time.monotonic()) > 0:
            if isinstance(self._child.next_item(timeout_s=rest), Exited):
                return self._gone(has_rest=item.has_rest)
        return _End(Outcome.PROTOCOL_ERROR, "the worker closed its output without a result")

    def _drain(self) -> _End:
        until = time.monotonic() + DRAIN_S
        while (rest := until - time.monotonic()) > 0:
            item = self._child.next_item(timeout_s=rest)
            if isinstance(item, OutputEnded):
                return self._gone(has_rest=item.has_rest)
            end = None if item is None else self._take(item)
            if end is not None:
                return end
        return self._gone(has_rest=False)

    def _gone(self, *, has_rest: bool) -> _End:
        status = self._child.close()
        if self._grace_until is not None:
            return _End(Outcome.CANCELLED, "cancelled")
        outcome, text = describe_exit(status or 0)
        if has_rest and outcome is Outcome.PROTOCOL_ERROR:
            text = "the worker ended in the middle of a line"
        return _End(outcome, text, has_status=0 < (status or 0) < _MOST_STATUS)


def work(
    command: WorkerCommand,
    request: Mapping[str, Any],
    *,
    deadlines: Deadlines,
    on_event: Callable[[Message], None] | None = None,
    cancel: CancelToken | None = None,
    rest_every_s: float | None = None,
) -> Steps:
    """Start a worker, give it its request, and return what became of it; yield while it rests.

    The worker runs in a new process group, in a fresh temporary folder that is removed, with an
    environment that holds little more than what `command` asks for. When this has returned, has
    raised or was closed, no process of the group and no thread is left.

    Args:
        command: how to start it.
        request: what the `run` message says besides its type and version; plain JSON data.
        deadlines: when to give up.
        on_event: called in this thread with each message but the last; what it raises ends
            the worker and comes through.
        cancel: ends the worker early: asked, after 2 s told, after 2 s more killed.
        rest_every_s: ask it to rest after so many seconds of work, again and again; None: it rests
            when it wants to.
    """
    with worker_folder() as folder:
        inherited = {**os.environ, **temporary_place(folder)}
        environment = child_environment(inherited, settings=command.environment)
        try:
            child = Child(command.argv, environment=environment, folder=folder)
        except OSError as error:
            text = f"cannot start {command.argv[0]}: {error.strerror or error}"
            return WorkerVerdict(outcome=Outcome.FAILED, result=None, message=text, stderr_tail="")
        watch = _Watch(
            child, deadlines=deadlines, on_event=on_event, cancel=cancel, rest_every_s=rest_every_s
        )
        with child, followed_by(cancel):
            child.send({**request, "type": "run", "protocol": PROTOCOL_VERSION})
            end = yield from watch.follow()
        # Read after the end, when everything that was written has arrived.
        tail = child.stderr_tail
        why = f": {words}" if end.has_status and (words := last_words(tail)) else ""
        return WorkerVerdict(
            outcome=end.outcome, result=end.result, message=end.message + why, stderr_tail=tail
        )


def run_worker(
    command: WorkerCommand,
    request: Mapping[str, Any],
    *,
    deadlines: Deadlines,
    on_event: Callable[[Message], None] | None = None,
    cancel: CancelToken | None = None,
) -> WorkerVerdict:
    """Do as `work`, without rests: a worker that wants one is told to go on at once."""
    steps = work(command, request, deadlines=deadlines, on_event=on_event, cancel=cancel)
    while True:
        try:
            next(steps)
        except StopIteration as stop:
            verdict: WorkerVerdict = stop.value
            return verdict
