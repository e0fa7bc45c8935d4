"""Real servers for the tests: the collector in a process of its own, PostgreSQL in a folder."""

import contextlib
import http.server
import os
import pwd
import shutil
import socket
import ssl
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

import pytest
import requests

needs_openssl = pytest.mark.skipif(
    shutil.which("openssl") is None, reason="needs openssl to make a certificate"
)
ROOT = Path(__file__).resolve().parents[3]
_START_S = 60.0
_PLAIN = {"LC_ALL": "C", "PATH": "/usr/bin:/bin"}


def free_port() -> int:
    with socket.socket() as sock:
        sock.bind(("127.0.0.1", 0))
        return sock.getsockname()[1]


class Collector:
    """`dl-advisor collector serve` on this machine; restarted on the same port and database."""

    def __init__(
        self, database, *, folder: Path, words=("--uploads-per-hour", "0"), python=sys.executable
    ):
        self.port = free_port()
        self.url = f"http://127.0.0.1:{self.port}"
        self.log = folder / f"collector-{self.port}.log"
        self._words = [
            *(str(python), "-P", "-m", "ui", "collector", "serve"),
            *("--database", str(database), "--port", str(self.port), "--published-seconds", "0"),
            *words,
        ]
        self._process = None

    def start(self):
        with self.log.open("ab") as stream:
            self._process = subprocess.Popen(
                self._words, cwd=ROOT, stdin=subprocess.DEVNULL, stdout=stream, stderr=stream,
                env={**os.environ, "PYTHONPATH": str(ROOT)},
            )  # fmt: skip
        until = time.monotonic() + _START_S
        while time.monotonic() < until:
            if self._process.poll() is not None:
                raise RuntimeError(self.log.read_text()[-2000:])
            with contextlib.suppress(requests.RequestException):
                if requests.get(f"{self.url}/v1/health", timeout=2).status_code == 200:
                    return self
            time.sleep(0.05)
        raise RuntimeError(f"the collector does not start: {self.log.read_text()[-2000:]}")

    def kill(self):
        self._process.kill()
        self._process.wait()

    def stop(self):
        if self._process is not None and self._process.poll() is None:
            self._process.terminate()
            try:
                self._process.wait(20)
            except subprocess.TimeoutExpired:
                self.kill()

    def __enter__(self):
        return self.start()

    def __exit__(self, *_words):
        self.stop()


def postgres_folder() -> Path | None:
    """Return the folder of PostgreSQL's programs, None when there is none to start."""
    found = sorted(Path("/usr/lib/postgresql").glob("*/bin/initdb"))
    if not found:
        return None
    if os.geteuid() == 0:
        with contextlib.suppress(KeyError):
            pwd.getpwnam("postgres")
            return found[-1].parent
        return None
    return found[-1].parent


class Postgres:
    """A PostgreSQL of our own in a new folder, never as root."""

    def __init__(self):
        self._programs = postgres_folder()
        self._folder = Path(tempfile.mkdtemp(prefix="dl-advisor-pg-"))
        self._user = "postgres" if os.geteuid() == 0 else None
        if self._user:
            shutil.chown(self._folder, self._user)
        self.port = free_port()
        self._process = None
        self._run(
            "initdb", "-D", self._folder / "data", "-A", "trust", "-U", "tester", "-E", "UTF8"
        )

    def _run(self, program, *words):
        subprocess.run(
            [self._programs / program, *map(str, words)], cwd=self._folder, user=self._user,
            check=True, capture_output=True, timeout=60, env=_PLAIN,
        )  # fmt: skip

    def start(self):
        with (self._folder / "log").open("ab") as stream:
            self._process = subprocess.Popen(
                [
                    *(self._programs / "postgres", "-D", self._folder / "data", "-p"),
                    *(str(self.port), "-h", "127.0.0.1", "-k", self._folder),
                ],
                cwd=self._folder, user=self._user, stdin=subprocess.DEVNULL, stdout=stream,
                stderr=stream, env=_PLAIN,
            )  # fmt: skip
        until = time.monotonic() + _START_S
        while time.monotonic() < until:
            with contextlib.suppress(subprocess.CalledProcessError):
                self._run("psql", *self._to("postgres"), "-c", "SELECT 1")
                return self
            time.sleep(0.05)
        raise RuntimeError((self._folder / "log").read_text()[-2000:])

    def _to(self, name):
        return ("-h", "127.0.0.1", "-p", self.port, "-U", "tester", "-d", name)

    def make_database(self, name) -> str:
        self._run("psql", *self._to("postgres"), "-c", f'CREATE DATABASE "{name}"')
        return f"postgresql://tester@127.0.0.1:{self.port}/{name}"

    def kill(self):
        """End the server at once and its children with it, as a crash does."""
        self._process.kill()
        self._process.wait()
        with contextlib.suppress(FileNotFoundError):
            (self._folder / "data" / "postmaster.pid").unlink()

    def stop(self):
        if self._process is not None and self._process.poll() is None:
            self._process.terminate()
            with contextlib.suppress(subprocess.TimeoutExpired):
                self._process.wait(10)
            self._process.kill()
            self._process.wait()

    def remove(self):
        self.stop()
        shutil.rmtree(self._folder, ignore_errors=True)


class RecordingServer:
    """Keeps every byte that a client sends it, and answers as told: (status, headers, body)."""

    def __init__(self, *answers):
        self.received = b""
        self.requests = []
        self.answers = list(answers)
        outer = self

        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def _answer(self):
                length = int(self.headers.get("Content-Length", "0"))
                body = self.rfile.read(length)
                outer.requests.append((self.command, self.path, dict(self.headers), body))
                outer.received += self.raw_requestline + bytes(self.headers) + body
                status, headers, text = (
                    outer.answers.pop(0) if len(outer.answers) > 1 else outer.answers[0]
                )
                self.send_response(status)
                for name, value in {"Content-Length": str(len(text)), **headers}.items():
                    self.send_header(name, value)
                self.end_headers()
                self.wfile.write(text)

            do_GET = do_PUT = do_DELETE = do_POST = _answer

            def log_message(self, *_words):
                """Say nothing."""

        self._server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._server.daemon_threads = True
        self.url = f"http://127.0.0.1:{self._server.server_address[1]}"
        self._thread = threading.Thread(
            target=self._server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True
        )
        self._thread.start()

    def speak_tls(self, folder: Path) -> None:
        """Answer over TLS from now on, with a certificate that nobody vouches for."""
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-days", "2",
             "-subj", "/CN=localhost", "-keyout", folder / "key", "-out", folder / "cert"],
            check=True, capture_output=True,
        )  # fmt: skip
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(folder / "cert", folder / "key")
        self._server.socket = context.wrap_socket(self._server.socket, server_side=True)
        self._server.handle_error = lambda *_words: None
        self.url = self.url.replace("http://127.0.0.1", "https://localhost")

    def close(self):
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()
