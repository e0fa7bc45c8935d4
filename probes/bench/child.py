"""A running child process: its pipes, its process group, its end.

Everything the child does arrives as an `Item` in one queue. Nothing here blocks for ever: on
POSIX the threads that serve the pipes can be woken, so a grandchild that keeps a pipe open
holds nobody up.
Leaves to others: deadlines and verdicts (`probes.bench.process`).
"""

import contextlib
import os
import queue
import selectors
import signal
import subprocess
import sys
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from probes.bench.protocol import (
    LineSplitter,
    Message,
    ProtocolError,
    encode_message,
    parse_message,
)
from probes.bench.strays import MARK, kill_strays, new_mark

STDERR_TAIL_BYTES = 16 * 1024
_READ_BYTES = 64 * 1024
_MAX_QUEUED_ITEMS = 1024
_REAP_S = 5.0
_JOIN_S = 2.0
_DRAIN_S = 0.2
_IS_WINDOWS = sys.platform == "win32"


@dataclass(frozen=True, slots=True, kw_only=True)
class Received:
    """The child sent a message."""

    message: Message


@dataclass(frozen=True, slots=True, kw_only=True)
class Violated:
    """The child wrote what is no message; nothing after it is read."""

    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class OutputEnded:
    """The child closed its output; `has_rest`: in the middle of a line."""

    has_rest: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Exited:
    """The child process itself has ended (others of its group may live)."""


Item = Received | Violated | OutputEnded | Exited


def _group_options() -> dict[str, Any]:
    if sys.platform == "win32":
        flags = subprocess.CREATE_NEW_PROCESS_GROUP | subprocess.CREATE_NO_WINDOW
        return {"creationflags": flags}
    return {"start_new_session": True}


class Child:
    """A child process in a group of its own; a context manager that leaves nothing behind.

    What it starts in other groups is ended with it, unless that drops its environment.

    Raises:
        OSError: when the program cannot be started.
    """

    def __init__(self, argv: Sequence[str], *, environment: Mapping[str, str], folder: str) -> None:
        self._mark = new_mark()
        self._process = subprocess.Popen(
            list(argv),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=folder,
            env={**environment, MARK: self._mark},
            bufsize=0,
            **_group_options(),
        )
        self._items: queue.Queue[Item] = queue.Queue(_MAX_QUEUED_ITEMS)
        self._outbox: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        self._stderr = bytearray()
        self._is_closing = threading.Event()
        self._wake_read, self._wake_write = os.pipe()
        self._error_reader = threading.Thread(target=self._read_errors, daemon=True)
        targets = (self._read_output, self._write_input, self._await_exit)
        self._threads = [threading.Thread(target=target, daemon=True) for target in targets]
        self._threads.append(self._error_reader)
        for thread in self._threads:
            thread.start()

    def __enter__(self) -> "Child":
        """Return itself."""
        return self

    def __exit__(self, *_details: object) -> None:
        """End the child."""
        self.close()

    @property
    def pid(self) -> int:
        """Number of the process, also of its group."""
        return self._process.pid

    @property
    def stderr_tail(self) -> str:
        """The last that the child wrote to standard error."""
        return bytes(self._stderr).decode(errors="replace")

    def send(self, message: Mapping[str, Any]) -> None:
        """Queue a message for the child; never waits for it to be read."""
        self._outbox.put(encode_message(message))

    def next_item(self, *, timeout_s: float) -> Item | None:
        """Return what the child did next, None when nothing happened in time."""
        try:
            return self._items.get(timeout=max(timeout_s, 0.001))
        except queue.Empty:
            return None

    def terminate(self) -> None:
        """Ask the operating system to end the group; it may be ignored (not on Windows)."""
        if _IS_WINDOWS:
            self._process.terminate()
        else:
            self._signal_group(signal.SIGTERM)

    def kill(self) -> None:
        """End the whole group, whatever it is doing."""
        if sys.platform == "win32":
            # WORKAROUND: only taskkill reaches the children of the child.
            subprocess.run(
                ["taskkill", "/T", "/F", "/PID", str(self.pid)],  # noqa: S607 - a system tool
                capture_output=True,
                check=False,
                timeout=_REAP_S,
            )
            self._process.kill()
        else:
            self._signal_group(signal.SIGKILL)

    def close(self) -> int | None:
        """Kill what is left of the group and return the exit status, None if it cannot die."""
        if not self._is_closing.is_set():
            self.kill()
            kill_strays(self._mark)
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(timeout=_REAP_S)
                # What the dead have written is read, unless somebody else keeps the pipe open.
                self._error_reader.join(_DRAIN_S)
            self._is_closing.set()
            self._outbox.put(None)
            os.write(self._wake_write, b"x")
            if self._process.returncode is None:
                return None  # in an uninterruptible call of a driver: it is left to the system
            for thread in self._threads:
                thread.join(_JOIN_S)
            self._close_files()
        return self._process.returncode

    def _close_files(self) -> None:
        for stream in (self._process.stdin, self._process.stdout, self._process.stderr):
            if stream is not None:
                stream.close()
        os.close(self._wake_read)
        os.close(self._wake_write)

    def _signal_group(self, number: int) -> None:
        # The leader is not reaped before the group was signalled, so the number is still ours.
        if self._process.returncode is None:
            # Everybody may have ended; macOS refuses to signal the dead.
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(self.pid, number)

    def _put(self, item: Item) -> None:
        while not self._is_closing.is_set():
            try:
                self._items.put(item, timeout=0.1)
            except queue.Full:
                continue
            return

    def _wait_for(self, descriptor: int, event: int) -> bool:
        """Return True when the descriptor is ready, False when the child is being closed."""
        if _IS_WINDOWS:
            return not self._is_closing.is_set()
        with selectors.DefaultSelector() as selector:
            selector.register(descriptor, event)
            selector.register(self._wake_read, selectors.EVENT_READ)
            selector.select()
        return not self._is_closing.is_set()

    def _read(self, descriptor: int) -> bytes:
        """Return some bytes, none at the end of the stream or when the child is being closed."""
        if not self._wait_for(descriptor, selectors.EVENT_READ):
            return b""
        try:
            return os.read(descriptor, _READ_BYTES)
        except OSError:
            return b""

    def _read_output(self) -> None:
        assert self._process.stdout is not None
        splitter = LineSplitter()
        while chunk := self._read(self._process.stdout.fileno()):
            try:
                for line in splitter.feed(chunk):
                    self._put(Received(message=parse_message(line)))
            except ProtocolError as error:
                self._put(Violated(text=str(error)))
                return
        self._put(OutputEnded(has_rest=splitter.has_rest))

    def _read_errors(self) -> None:
        assert self._process.stderr is not None
        while chunk := self._read(self._process.stderr.fileno()):
            self._stderr += chunk
            del self._stderr[:-STDERR_TAIL_BYTES]

    def _write_input(self) -> None:
        assert self._process.stdin is not None
        descriptor = self._process.stdin.fileno()
        if not _IS_WINDOWS:
            os.set_blocking(descriptor, False)
        while (line := self._outbox.get()) is not None:
            rest = memoryview(line)
            while rest:
                if not self._wait_for(descriptor, selectors.EVENT_WRITE):
                    return
                try:
                    rest = rest[os.write(descriptor, rest) :]
                except BlockingIOError:
                    continue
                except OSError:
                    return  # nobody reads any more; the exit of the child tells why

    def _await_exit(self) -> None:
        if hasattr(os, "waitid"):
            # Without reaping: the number of the group must stay ours until it was signalled.
            with contextlib.suppress(ChildProcessError):  # reaped first: it was killed
                os.waitid(os.P_PID, self.pid, os.WEXITED | os.WNOWAIT)
        else:
            self._process.wait()
        self._put(Exited())
