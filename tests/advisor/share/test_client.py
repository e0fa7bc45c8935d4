"""What goes over the wire, and what the client makes of each way a server may misbehave."""

import base64
import os

import pytest

from advisor.errors import InputError
from advisor.share.anonymise import anonymise
from advisor.share.client import ShareError, check_server, delete_upload, send_upload
from advisor.share.upload import canonical_bytes, id_of
from tests.advisor.predict.builders import opencl_device
from tests.advisor.share.builders import machine, measured
from tests.advisor.share.servers import RecordingServer, needs_openssl
from tests.advisor.share.test_anonymise import SECRETS, planted

OK = (201, {}, b'{"state":"accepted","detail":"accepted"}')
ID = id_of("token")


@pytest.fixture
def make_server():
    made = []

    def make(*answers):
        made.append(RecordingServer(*(answers or (OK,))))
        return made[-1]

    yield make
    for server in made:
        server.close()


def test_planted_secrets_never_reach_the_wire(knowledge, make_server, tmp_path, monkeypatch):
    """Names in the profile, the environment and `.netrc`; everything received is kept."""
    netrc = tmp_path / ".netrc"
    netrc.write_text("machine 127.0.0.1 login frodo password speak-friend\n")
    netrc.chmod(0o600)
    monkeypatch.setenv("HOME", str(tmp_path))
    monkeypatch.setenv("NETRC", str(netrc))
    monkeypatch.setenv("USER", "frodo")
    monkeypatch.setenv("HOSTNAME", "gandalf-laptop")
    server = make_server(OK, (204, {"Set-Cookie": "who=frodo"}, b""))
    made = anonymise(
        planted(machine(opencl=(opencl_device(),))), measured(), knowledge=knowledge,
        app_version="1.2.3", month="2026-11",
    )  # fmt: skip
    body = canonical_bytes(made)
    assert send_upload(server.url, upload_id=ID, body=body).is_stored
    assert delete_upload(server.url, token="t" * 43).status == 204
    assert send_upload(server.url, upload_id=ID, body=body).status == 204
    words = [*" ".join(SECRETS).split(), "speak-friend", os.uname().nodename, os.uname().release]
    words += [base64.b64encode(b"frodo:speak-friend").decode(), "who=", "python", "requests"]
    for word in words:
        assert word.encode() not in server.received
    command, path, headers, received = server.requests[0]
    assert (command, path, received) == ("PUT", f"/v1/uploads/{ID}", body)
    assert set(headers) == {
        *("Host", "User-Agent", "Accept", "Content-Type", "Content-Length", "Accept-Encoding"),
    }  # fmt: skip
    assert headers["User-Agent"] == "dl-advisor"
    assert "t" * 43 not in server.requests[0][2].values()


def test_no_proxy_of_the_environment_sees_this_very_machine(make_server, monkeypatch):
    proxy, server = make_server(), make_server()
    for name in ("http_proxy", "HTTP_PROXY", "all_proxy", "ALL_PROXY"):
        monkeypatch.setenv(name, proxy.url)
    assert send_upload(server.url, upload_id=ID, body=b"{}").is_stored
    assert proxy.requests == []


@pytest.mark.parametrize("status", [408, 429, 500, 502, 503, 504])
def test_what_passes_is_tried_again_with_the_same_bytes(make_server, status):
    server = make_server((status, {}, b"{}"), (status, {"Retry-After": "3"}, b""), OK)
    pauses = []
    assert send_upload(server.url, upload_id=ID, body=b"{}", sleep=pauses.append).is_stored
    assert len({request[1:2] + request[3:] for request in server.requests}) == 1
    assert 0.5 <= pauses[0] <= 1.5
    assert pauses[1] >= 3.0


@pytest.mark.parametrize("status", [301, 307, 400, 401, 404, 409, 410, 413, 422])
def test_what_stays_is_told_at_once_and_no_redirect_is_followed(make_server, status):
    other = make_server()
    server = make_server((status, {"Location": other.url}, b'{"detail":"two\\nlines \\u0007"}'))
    reply = send_upload(server.url, upload_id=ID, body=b"{}")
    detail = "two lines " if status >= 400 else f"HTTP {status}"
    assert (reply.status, reply.detail, reply.is_stored) == (status, detail, False)
    assert other.requests == []


def test_a_server_that_wants_more_patience_is_left_alone(make_server):
    server = make_server((429, {"Retry-After": "3600"}, b'{"detail":"too many"}'))
    with pytest.raises(ShareError, match="HTTP 429: too many"):
        send_upload(server.url, upload_id=ID, body=b"{}", sleep=pytest.fail)
    assert len(server.requests) == 1


def test_a_server_that_is_away(make_server):
    server = make_server()
    server.close()
    pauses = []
    with pytest.raises(ShareError, match=r"127\.0\.0\.1: no connection"):
        send_upload(server.url, upload_id=ID, body=b"{}", sleep=pauses.append)
    assert len(pauses) == 2
    make_server()


@pytest.mark.parametrize("text", [b"", b"<html>", b"[" * 9999, b'{"detail": null}', b"\xff" * 99])
def test_an_answer_of_nonsense_is_told_by_its_number(make_server, text):
    server = make_server((404, {}, text))
    assert send_upload(server.url, upload_id=ID, body=b"{}").detail == "HTTP 404"


@pytest.mark.parametrize(
    "url",
    [
        "http://example.org",
        "ftp://example.org",
        "example.org",
        "",
        "https://",
        "https://me:secret@example.org",
        "https://example.org/?q=1",
        "https://example.org/#x",
        "http://127.0.0.1.example.org",
    ],
)
def test_only_plain_https_addresses_are_asked(url):
    with pytest.raises(InputError):
        check_server(url)


def test_addresses_that_are_asked():
    assert check_server("https://example.org/share/") == "https://example.org/share"
    assert check_server("http://127.0.0.1:8470") == "http://127.0.0.1:8470"


@needs_openssl
def test_a_certificate_that_nobody_vouches_for_is_refused(make_server, tmp_path):
    server = make_server()
    server.speak_tls(tmp_path)
    with pytest.raises(ShareError, match="certificate is not accepted"):
        send_upload(server.url, upload_id=ID, body=b'{"secret":1}', sleep=lambda _s: None)
    assert server.requests == []
