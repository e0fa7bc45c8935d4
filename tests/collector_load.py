"""Load on a real collector: clients that retry while server and database are killed and restarted.

python -m tests.collector_load [--uploads 100000] [--clients 50] [--kills 10]
                               [--database sqlite|postgresql]

Each client sends one upload after the other over its own connection and repeats what was not
answered; one in fifty is sent again although it was answered. At the end the database itself is
asked: every upload once, every figure once. Exit code 1 when one is lost or doubled.

Two times are told of each upload: of the request that was answered, by a server that lived, and
from its first request on until it was stored, with all that passed while something was down. All
share the same cores: what else the machine does is in both.
"""

import argparse
import asyncio
import dataclasses
import os
import random
import secrets
import sys
import tempfile
import time
from pathlib import Path

from sqlalchemy import func, select

from advisor.knowledge.store import load_knowledge
from advisor.model.machine import DeviceKind
from advisor.share.collector.database import database_url, open_database
from advisor.share.collector.tables import FigureRow, UploadRow
from advisor.share.upload import canonical_bytes, id_of
from tests.advisor.share.builders import upload, with_device
from tests.advisor.share.servers import Collector, Postgres

AGAIN = 0.02
FIGURES = 12
ANSWER_S = 30.0


def make_bodies(knowledge, *, count: int) -> list[bytes]:
    """Return bodies of a usual size: 12 figures each, of many devices."""
    rng = random.Random(8)
    first = upload(knowledge)
    cpus = [
        spec.device
        for spec in knowledge.devices
        if spec.kind is DeviceKind.CPU and (spec.peak_fp32_flop_per_s or 0.0) > 5e11
    ]
    sizes = ("512", "1024", "2048", "4096", "768", "1536", "640", "896", "1280", "1792", "384")
    bodies = []
    for number in range(count):
        gemms = [
            dataclasses.replace(
                first.figures[0],
                kernel=f"gemm m{size} n{size} k{size} NN",
                value=float(f"{300e9 * rng.uniform(0.8, 1.2):.4g}"),
            )
            for size in sizes
        ]
        named = with_device(first, name=cpus[number % len(cpus)], vendor=None)
        bodies.append(
            canonical_bytes(dataclasses.replace(named, figures=(*gemms, first.figures[1])))
        )
    return bodies


class Progress:
    """What the clients have done so far."""

    def __init__(self, n_uploads: int) -> None:
        self.tokens = iter([secrets.token_urlsafe(32) for _ in range(n_uploads)])
        self.sent: list[str] = []
        self.answer_s: list[float] = []
        self.until_stored_s: list[float] = []
        self.n_retries = 0
        self.n_repeated = 0
        self.statuses: dict[int, int] = {}


class Client:
    """One keep-alive connection."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._reader: asyncio.StreamReader | None = None
        self._writer: asyncio.StreamWriter | None = None

    async def put(self, name: str, body: bytes) -> int:
        """Send an upload and return the status."""
        if self._writer is None:
            self._reader, self._writer = await asyncio.open_connection("127.0.0.1", self._port)
        head = (
            f"PUT /v1/uploads/{name} HTTP/1.1\r\nHost: 127.0.0.1\r\n"
            f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
        )
        self._writer.write(head.encode() + body)
        headers = await self._reader.readuntil(b"\r\n\r\n")
        length = int(headers.lower().split(b"content-length:")[1].split(b"\r\n")[0])
        await self._reader.readexactly(length)
        return int(headers[9:12])

    def drop(self) -> None:
        """Forget the connection."""
        if self._writer is not None:
            self._writer.close()
        self._reader = self._writer = None


async def work(client: Client, progress: Progress, bodies: list[bytes]) -> None:
    """Send uploads until there are no more; each until it is stored."""
    for token in progress.tokens:
        name = id_of(token)
        body = bodies[len(progress.sent) % len(bodies)]
        progress.sent.append(name)
        began = time.perf_counter()
        await until_stored(client, progress, name, body)
        progress.until_stored_s.append(time.perf_counter() - began)
        if random.random() < AGAIN:
            progress.n_repeated += 1
            await until_stored(client, progress, name, body)
    client.drop()


async def until_stored(client: Client, progress: Progress, name: str, body: bytes) -> None:
    while True:
        began = time.perf_counter()
        try:
            async with asyncio.timeout(ANSWER_S):
                status = await client.put(name, body)
        except (OSError, asyncio.IncompleteReadError, TimeoutError):
            status = 0
            client.drop()
        progress.statuses[status] = progress.statuses.get(status, 0) + 1
        if status in (200, 201):
            progress.answer_s.append(time.perf_counter() - began)
            return
        if status not in (0, 503):
            raise RuntimeError(f"unexpected answer {status}")
        progress.n_retries += 1
        await asyncio.sleep(random.uniform(0.05, 0.2))


async def disturb(kills: int, progress: Progress, n_uploads: int, collector, postgres) -> None:
    """Kill server and database in turn, at equal distances, and start them again."""
    for number in range(kills):
        while len(progress.sent) < (number + 1) * n_uploads / (kills + 1):
            await asyncio.sleep(0.02)
        victim = postgres if postgres is not None and number % 2 else collector
        await asyncio.to_thread(victim.kill)
        await asyncio.to_thread(victim.start)


async def run(options, bodies, collector, postgres) -> tuple[Progress, float]:
    progress = Progress(options.uploads)
    began = time.perf_counter()
    async with asyncio.TaskGroup() as group:
        for _ in range(options.clients):
            group.create_task(work(Client(collector.port), progress, bodies))
        if options.kills:
            group.create_task(
                disturb(options.kills, progress, options.uploads, collector, postgres)
            )
    return progress, time.perf_counter() - began


def share(values: list[float], part: float) -> float:
    ordered = sorted(values)
    return 1e3 * ordered[min(len(ordered) - 1, int(part * len(ordered)))]


def stored(database: str) -> tuple[set[str], int, int]:
    """Return the ids in the database, and the rows of uploads and figures."""
    engine = open_database(database_url(database))
    with engine.connect() as connection:
        ids = set(connection.scalars(select(UploadRow.id)))
        n_uploads = connection.scalar(select(func.count()).select_from(UploadRow))
        n_figures = connection.scalar(select(func.count()).select_from(FigureRow))
    engine.dispose()
    return ids, n_uploads, n_figures


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="tests.collector_load", description=__doc__)
    parser.add_argument("--uploads", type=int, default=100_000)
    parser.add_argument("--clients", type=int, default=50)
    parser.add_argument("--kills", type=int, default=10)
    parser.add_argument("--database", choices=["sqlite", "postgresql"], default="sqlite")
    options = parser.parse_args(arguments)
    bodies = make_bodies(load_knowledge(), count=400)
    if hasattr(os, "getloadavg"):
        print(f"load before         {os.getloadavg()[0]:.2f} of other programs", flush=True)
    with tempfile.TemporaryDirectory(prefix="dl-advisor-load-") as folder:
        postgres = Postgres().start() if options.database == "postgresql" else None
        try:
            database = (
                postgres.make_database("load") if postgres else str(Path(folder) / "load.sqlite")
            )
            with Collector(database, folder=Path(folder)) as collector:
                progress, wall_s = asyncio.run(run(options, bodies, collector, postgres))
            ids, n_uploads, n_figures = stored(database)
        finally:
            if postgres:
                postgres.remove()
    return tell(options, progress, wall_s, ids, n_uploads, n_figures)


def tell(options, progress, wall_s, ids, n_uploads, n_figures) -> int:
    """Print the figures; return 1 when an upload is lost or doubled."""
    sent = set(progress.sent)
    lost, foreign = len(sent - ids), len(ids - sent)
    is_whole = (
        lost == 0
        and foreign == 0
        and n_uploads == len(sent) == options.uploads
        and n_figures == FIGURES * options.uploads
    )
    print(f"database            {options.database}, {os.cpu_count()} cores for all")
    print(
        f"client              {1e3 * time.process_time() / options.uploads:.3f} ms of CPU an upload"
    )
    clients = f"{options.clients} clients, {options.kills} kills"
    print(f"uploads             {options.uploads} by {clients}")
    print(f"wall                {wall_s:.1f} s, {options.uploads / wall_s:.0f} uploads/s")
    for part in (0.5, 0.95, 0.99, 1.0):
        name = f"p{100 * part:g}"
        print(
            f"{name:19} {share(progress.answer_s, part):.1f} ms for an answer of a living server, "
            f"{share(progress.until_stored_s, part):.1f} ms until stored, down times included"
        )
    print(f"answers             {dict(sorted(progress.statuses.items()))} (0: none)")
    print(f"retries             {progress.n_retries}, sent twice on purpose {progress.n_repeated}")
    print(f"stored              {n_uploads} uploads, {n_figures} figures; lost {lost}")
    print("none lost or doubled" if is_whole else "LOST OR DOUBLED")
    return 0 if is_whole else 1


if __name__ == "__main__":
    sys.exit(main())
