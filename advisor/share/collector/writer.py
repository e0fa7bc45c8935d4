"""One thread that stores what all requests bring, as many as wait in one transaction.

A commit costs the same for one upload as for a hundred. An upload is answered only after the
commit that holds it.
Leaves to others: what is stored (`store`), the requests (`app`).
"""

import asyncio
import queue
import threading
from collections.abc import Sequence
from dataclasses import dataclass

from sqlalchemy import Connection, Engine
from sqlalchemy.exc import SQLAlchemyError

from advisor.errors import AdvisorError
from advisor.share.collector.log import log
from advisor.share.collector.series import Series
from advisor.share.collector.store import Answer, NewUpload, add_uploads

MOST_WAITING = 2000
MOST_AT_ONCE = 200
# Series that are remembered; a server that meets more begins anew.
_MOST_KNOWN = 200_000


class StorageError(AdvisorError, OSError):
    """The database did not take it; whether it did is not known, so that it must be sent again."""


@dataclass(frozen=True, slots=True)
class _Job:
    upload: NewUpload
    loop: asyncio.AbstractEventLoop
    future: asyncio.Future[Answer]


class Writer:
    """Stores uploads; `start` before the first, `stop` after the last."""

    def __init__(self, engine: Engine) -> None:
        self._engine = engine
        self._jobs: queue.Queue[_Job | None] = queue.Queue(MOST_WAITING)
        self._known: dict[Series, int] = {}
        self._connection: Connection | None = None
        self._thread = threading.Thread(target=self._work, name="collector-writer", daemon=True)

    def start(self) -> None:
        """Begin to work."""
        self._thread.start()

    def stop(self) -> None:
        """Store what waits, and end."""
        self._jobs.put(None)
        self._thread.join()

    async def add(self, upload: NewUpload) -> Answer:
        """Return what became of an upload, once that is certain.

        Raises:
            StorageError: when the database does not answer, or too much waits for it.
        """
        loop = asyncio.get_running_loop()
        future: asyncio.Future[Answer] = loop.create_future()
        try:
            self._jobs.put_nowait(_Job(upload, loop, future))
        except queue.Full:
            raise StorageError("too many uploads wait") from None
        return await future

    def _work(self) -> None:
        is_open = True
        while is_open:
            jobs, is_open = self._next_jobs()
            if jobs:
                self._store(jobs)
        self._let_go()

    def _next_jobs(self) -> tuple[list[_Job], bool]:
        """Wait for a job and return it with all that wait too; False after the last."""
        jobs: list[_Job] = []
        job = self._jobs.get()
        while job is not None:
            jobs.append(job)
            if len(jobs) >= MOST_AT_ONCE:
                return jobs, True
            try:
                job = self._jobs.get_nowait()
            except queue.Empty:
                return jobs, True
        return jobs, False

    def _store(self, jobs: list[_Job]) -> None:
        uploads = [job.upload for job in jobs]
        try:
            if self._connection is None:
                self._connection = self._engine.connect()
            with self._connection.begin():
                answers, fresh = add_uploads(self._connection, uploads, known=self._known)
        except (SQLAlchemyError, OSError) as error:
            self._let_go()
            log("storage_failed", error=type(error).__name__, uploads=len(jobs))
            _tell_all(jobs, [StorageError("the database does not answer")] * len(jobs))
            return
        if len(self._known) > _MOST_KNOWN:
            self._known.clear()
        self._known.update(fresh)
        _tell_all(jobs, answers)
        counts = {answer.value: answers.count(answer) for answer in set(answers)}
        log("stored", **counts)

    def _let_go(self) -> None:
        """Forget a connection that may be broken, and what was read through it."""
        connection, self._connection = self._connection, None
        self._known.clear()
        if connection is not None:
            try:
                connection.invalidate()
                connection.close()
            except (SQLAlchemyError, OSError):
                pass


def _tell_all(jobs: list[_Job], answers: Sequence[Answer | StorageError]) -> None:
    by_loop: dict[asyncio.AbstractEventLoop, list[tuple[_Job, Answer | StorageError]]] = {}
    for job, answer in zip(jobs, answers, strict=True):
        by_loop.setdefault(job.loop, []).append((job, answer))
    for loop, pairs in by_loop.items():
        try:
            loop.call_soon_threadsafe(_tell, pairs)
        except RuntimeError:
            log("nobody_waits", uploads=len(pairs))


def _tell(pairs: list[tuple[_Job, Answer | StorageError]]) -> None:
    for job, answer in pairs:
        if job.future.done():
            continue
        if isinstance(answer, StorageError):
            job.future.set_exception(answer)
        else:
            job.future.set_result(answer)
