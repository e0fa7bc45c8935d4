"""One answer over HTTP, whole and within limits, or a `PriceError` of one line.

TLS is verified, redirects stay on their host, nothing of the user's is sent (no cookies, no
`.netrc`), the size is limited after unpacking, and time by `Watch`.
Leaves to others: which addresses (`sources`), what the answer means (`parse_*`).
"""

import hashlib
import ipaddress
import zlib
from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import SplitResult, urljoin, urlsplit

import requests
import urllib3

from advisor.knowledge.refresh.sources import MIB, Cancelled, GoneError, Limits, PriceError
from advisor.knowledge.refresh.watch import Watch, WatchedAdapter

_REDIRECTS = frozenset({301, 302, 303, 307, 308})
_GONE = frozenset({403, 404, 410})
# Asking these again may help; everything else is answered the same again.
_PASSING = frozenset({408, 429, 500, 502, 503, 504})
_PIECE = 64 * 1024
_PORTS = {"http": 80, "https": 443}
_TROUBLES = (requests.RequestException, urllib3.exceptions.HTTPError, OSError, zlib.error)


class _PassingError(PriceError):
    """A failure that a second try may not meet."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Download:
    """An answer.

    Attributes:
        body: None when the server says that it is the one we have (`etag`).
        sha256: of the body, "" without one.
    """

    url: str
    body: bytes | None
    etag: str | None
    sha256: str


class Fetcher:
    """Fetches within the limits of one vendor.

    Args:
        watch: running clock of the vendor.
        limits: sizes and times.
        user_agent: name and version of the app.
        on_bytes: told the host and the bytes of its answer so far.
    """

    def __init__(
        self,
        watch: Watch,
        *,
        limits: Limits,
        user_agent: str,
        on_bytes: Callable[[str, int], None],
    ) -> None:
        self._watch = watch
        self._limits = limits
        self._on_bytes = on_bytes
        self._session = requests.Session()
        self._session.mount("https://", WatchedAdapter(watch))
        self._session.mount("http://", WatchedAdapter(watch))
        self._session.headers.update({"User-Agent": user_agent, "Accept-Encoding": "gzip"})
        # Without this, `requests` sends the password that `.netrc` has for the host.
        self._session.auth = _no_password

    def close(self) -> None:
        """Let go of all connections."""
        self._session.close()

    def fetch(self, url: str, *, etag: str | None = None) -> Download:
        """Return the answer of an address.

        Raises:
            PriceError: when there is none that is whole and within the limits.
            Cancelled: when the user asked to stop.
        """
        for attempt in range(1, self._limits.tries + 1):
            if attempt > 1:
                self._watch.pause(self._limits.pause_s)
            try:
                return self._fetch_once(url, etag)
            except _PassingError:
                self._raise_if_over(url)
                if attempt == self._limits.tries:
                    raise
        raise PriceError(f"{host_of(url)}: not asked")

    def _fetch_once(self, url: str, etag: str | None) -> Download:
        try:
            return self._follow(url, etag)
        except _TROUBLES as error:
            self._raise_if_over(url)
            raise _PassingError(f"{host_of(url)}: {_reason(error)}") from None

    def _raise_if_over(self, url: str) -> None:
        self._watch.check()
        if self._watch.is_cancelled:
            raise Cancelled("cancelled")
        if self._watch.is_late:
            raise PriceError(f"{host_of(url)}: not done within {self._limits.total_s:g} s")

    def _follow(self, url: str, etag: str | None) -> Download:
        target = url
        for _ in range(self._limits.max_redirects + 1):
            check_address(target)
            self._raise_if_over(url)
            answer = self._get(target, etag)
            with answer:
                if answer.status_code not in _REDIRECTS:
                    return self._read(answer, url)
                place = urljoin(target, answer.headers.get("Location", ""))
            if not is_same_host(url, place):
                raise PriceError(f"{host_of(url)}: sends us to another host, {host_of(place)}")
            target = place
        raise PriceError(f"{host_of(url)}: more than {self._limits.max_redirects} redirects")

    def _get(self, url: str, etag: str | None) -> requests.Response:
        left = max(0.01, self._watch.left_s())
        return self._session.get(
            url,
            headers={"If-None-Match": etag} if etag else None,
            timeout=(min(self._limits.connect_s, left), min(self._limits.read_s, left)),
            stream=True,
            allow_redirects=False,
        )

    def _read(self, answer: requests.Response, url: str) -> Download:
        status, host = answer.status_code, host_of(url)
        if status in _GONE:
            raise GoneError(f"{host}: nothing there (HTTP {status})")
        if status in _PASSING:
            raise _PassingError(f"{host}: HTTP {status}")
        new_etag = answer.headers.get("ETag")
        if status == requests.codes.not_modified:
            return Download(url=url, body=None, etag=new_etag, sha256="")
        if status != requests.codes.ok:
            raise PriceError(f"{host}: HTTP {status}")
        body = self._body(answer, host)
        return Download(url=url, body=body, etag=new_etag, sha256=hashlib.sha256(body).hexdigest())

    def _body(self, answer: requests.Response, host: str) -> bytes:
        encoding = answer.headers.get("Content-Encoding", "identity").lower()
        if encoding not in ("gzip", "identity", ""):
            raise PriceError(f"{host}: unexpected packing {encoding!r}")
        unpack = zlib.decompressobj(16 + zlib.MAX_WBITS) if encoding == "gzip" else None
        limit = self._limits.max_bytes
        body = bytearray()
        n_raw = 0
        while piece := answer.raw.read1(_PIECE, decode_content=False):
            n_raw += len(piece)
            # One byte more than allowed is enough to know that it is too much.
            room = limit + 1 - len(body)
            body += piece if unpack is None else unpack.decompress(piece, max(1, room))
            if len(body) > limit or n_raw > limit:
                raise PriceError(f"{host}: the answer is larger than {limit / MIB:g} MiB")
            self._on_bytes(host, len(body))
            self._raise_if_over(host)
        self._raise_if_over(host)
        expected = answer.headers.get("Content-Length", "")
        is_cut = expected.isdigit() and n_raw != int(expected)
        if is_cut or (unpack is not None and not unpack.eof):
            raise _PassingError(f"{host}: the answer broke off after {n_raw} bytes")
        return bytes(body)


def _no_password(request: requests.PreparedRequest) -> requests.PreparedRequest:
    return request


def host_of(url: str) -> str:
    """Return the host of an address, for messages."""
    return urlsplit(url).hostname or url


def is_same_host(url: str, other: str) -> bool:
    """Return whether two addresses have the same scheme, host and port."""
    return _place(urlsplit(url)) == _place(urlsplit(other))


def _place(parts: SplitResult) -> tuple[str, str, int | None]:
    try:
        port = parts.port
    except ValueError:
        port = -1
    return parts.scheme, parts.hostname or "", port or _PORTS.get(parts.scheme)


def check_address(url: str) -> None:
    """Refuse addresses without TLS, but for this very machine.

    Raises:
        PriceError: naming the address.
    """
    parts = urlsplit(url)
    if parts.scheme == "https" and parts.hostname:
        return
    if parts.scheme != "http" or not _is_loopback(parts.hostname or ""):
        raise PriceError(f"{url}: only https addresses are asked")


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def _reason(error: BaseException) -> str:
    """Return what went wrong, without the addresses of objects and the nesting of the library."""
    words = (
        (requests.exceptions.SSLError, "its certificate is not accepted"),
        (requests.exceptions.ConnectTimeout, "no connection in time"),
        (requests.exceptions.Timeout, "no answer in time"),
        (urllib3.exceptions.TimeoutError, "no answer in time"),
        (requests.exceptions.ProxyError, "the proxy does not answer"),
        (urllib3.exceptions.IncompleteRead, "the answer broke off"),
        (requests.exceptions.ChunkedEncodingError, "the answer broke off"),
        (urllib3.exceptions.ProtocolError, "the connection broke off"),
        (zlib.error, "the packing is broken"),
    )
    for kind, text in words:
        if isinstance(error, kind):
            return text
    if isinstance(error, requests.ConnectionError):
        return "no connection"
    return type(error).__name__
