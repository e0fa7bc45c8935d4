"""Talking to a collector: one upload, one deletion, and nothing besides.

TLS is verified, redirects are not followed, no password of `.netrc`, no cookie and no version of
anything is sent: what leaves is the body that the preview shows, its id, and our name. A proxy of
the environment is used as everywhere else, but never for an address of this very machine.
Leaves to others: what is sent (`advisor.share.anonymise`), keeping it (`advisor.share.outbox`).
"""

import json
import random
import time
from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import urlsplit

import requests

from advisor.errors import AdvisorError, InputError
from advisor.knowledge.refresh.fetch import check_address, host_of
from advisor.knowledge.refresh.sources import PriceError

TRIES = 3
_PAUSE_S = 1.0
# A server that asks for more patience is asked again another day.
_MOST_PAUSE_S = 30.0
_CONNECT_S = 10.0
_READ_S = 30.0
_MOST_ANSWER = 64 * 1024
_PASSING = frozenset({408, 429, 500, 502, 503, 504})
_LOOPBACK = ("127.0.0.1", "::1", "localhost")


class ShareError(AdvisorError, OSError):
    """The server could not be asked, or gave no answer; sending again later may help."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """An answer: HTTP status, and what it says in one line."""

    status: int
    detail: str

    @property
    def is_stored(self) -> bool:
        """Whether the server has it now."""
        return self.status in (200, 201, 202)


def check_server(url: str) -> str:
    """Return the address of a server without a slash at its end.

    Raises:
        InputError: for anything but https, this very machine excepted, and for passwords in it.
    """
    try:
        parts = urlsplit(url)
        check_address(url)
    except PriceError:
        raise InputError(f"{url}: the server's address must begin with https://") from None
    except ValueError:
        raise InputError(f"{url}: is no address of a server: https://NAME") from None
    if "@" in parts.netloc or parts.query or parts.fragment:
        raise InputError("the server's address must be plain: no password, no ? and no #")
    return url.rstrip("/")


def send_upload(
    server: str,
    *,
    upload_id: str,
    body: bytes,
    sleep: Callable[[float], None] = time.sleep,
) -> Reply:
    """Send an upload, again after a while where that may help; twice the same counts once.

    Raises:
        ShareError: when the server cannot be reached or has no time.
    """
    url = f"{check_server(server)}/v1/uploads/{upload_id}"
    headers = {"Content-Type": "application/json"}
    return _persistently("PUT", url, headers=headers, body=body, sleep=sleep)


def delete_upload(server: str, *, token: str, sleep: Callable[[float], None] = time.sleep) -> Reply:
    """Ask for the deletion of the upload of a token.

    Raises:
        ShareError: when the server cannot be reached or has no time.
    """
    url = f"{check_server(server)}/v1/uploads"
    headers = {"Authorization": f"Bearer {token}"}
    return _persistently("DELETE", url, headers=headers, body=None, sleep=sleep)


def _persistently(
    method: str,
    url: str,
    *,
    headers: dict[str, str],
    body: bytes | None,
    sleep: Callable[[float], None],
) -> Reply:
    problem = "not asked"
    for attempt in range(TRIES):
        pause = _PAUSE_S * 2.0**attempt * random.uniform(0.5, 1.5)  # noqa: S311 - spreads load
        try:
            reply, wait_s = _once(method, url, headers=headers, body=body)
        except requests.RequestException as error:
            problem = _reason(error)
        else:
            if reply.status not in _PASSING:
                return reply
            problem = f"HTTP {reply.status}: {reply.detail}"
            pause = max(pause, wait_s)
        if attempt + 1 == TRIES or pause > _MOST_PAUSE_S:
            break
        sleep(pause)
    raise ShareError(f"{host_of(url)}: {problem}")


def _once(
    method: str, url: str, *, headers: dict[str, str], body: bytes | None
) -> tuple[Reply, float]:
    with requests.Session() as session:
        # Without this, `requests` sends the password that `.netrc` has for the host.
        session.trust_env = False
        session.headers.clear()
        is_here = urlsplit(url).hostname in _LOOPBACK
        proxies = {} if is_here else requests.utils.get_environ_proxies(url, no_proxy=None)
        answer = session.request(
            method,
            url,
            data=body,
            headers={"User-Agent": "dl-advisor", "Accept": "application/json", **headers},
            timeout=(_CONNECT_S, _READ_S),
            allow_redirects=False,
            proxies=proxies,
            stream=True,
        )
        with answer:
            text = answer.raw.read(_MOST_ANSWER, decode_content=False)
            wait = answer.headers.get("Retry-After", "")
            reply = Reply(status=answer.status_code, detail=_detail(text, answer.status_code))
            return reply, float(wait) if wait.isdecimal() and len(wait) < 9 else 0.0


def _detail(text: bytes, status: int) -> str:
    """Return what an answer says, as one printable line."""
    try:
        told = json.loads(text)["detail"]
    except (ValueError, KeyError, TypeError, RecursionError):
        told = None
    words = " ".join(str(told).split()) if told else f"HTTP {status}"
    return "".join(c for c in words if c.isprintable())[:300]


def _reason(error: requests.RequestException) -> str:
    words = (
        (requests.exceptions.SSLError, "its certificate is not accepted"),
        (requests.exceptions.ProxyError, "the proxy does not answer"),
        (requests.exceptions.ConnectTimeout, "no connection in time"),
        (requests.exceptions.Timeout, "no answer in time"),
        (requests.exceptions.ConnectionError, "no connection"),
    )
    return next((text for kind, text in words if isinstance(error, kind)), type(error).__name__)
