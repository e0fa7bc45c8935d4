"""Submit, see it published after the fifth, delete, gone: against a real server and database."""

import json
import secrets

import pytest
import requests

from advisor.share.client import delete_upload, send_upload
from advisor.share.upload import canonical_bytes, id_of
from tests.advisor.share.builders import upload, with_device, with_figure
from tests.advisor.share.servers import Collector, Postgres, postgres_folder


@pytest.fixture(scope="module")
def postgres():
    if postgres_folder() is None:
        pytest.skip("PostgreSQL is not installed")
    server = Postgres().start()
    yield server
    server.remove()


@pytest.fixture(scope="module", params=["sqlite", "postgresql"])
def database(request, tmp_path_factory):
    if request.param == "sqlite":
        return tmp_path_factory.mktemp("db") / "collector.sqlite"
    return request.getfixturevalue("postgres").make_database("collector")


@pytest.fixture(scope="module")
def server(database, tmp_path_factory):
    folder = tmp_path_factory.mktemp("log")
    with Collector(database, folder=folder) as made:
        yield made
    text = made.log.read_text()
    assert "127.0.0.1" not in text.replace("http://127.0.0.1", "")
    assert all(json.loads(line)["event"] for line in text.splitlines())


def put(server, body, *, token=None, upload_id=None, **headers):
    name = upload_id or id_of(token or secrets.token_urlsafe(32))
    sent = {"Content-Type": "application/json", **headers}
    return requests.put(f"{server.url}/v1/uploads/{name}", data=body, headers=sent, timeout=20)


def published(server, **query):
    return requests.get(f"{server.url}/v1/aggregates", params=query, timeout=20).json()


def test_five_are_published_one_is_deleted_four_are_not(server, knowledge):
    tokens = [secrets.token_urlsafe(32) for _ in range(5)]
    for number, token in enumerate(tokens):
        assert published(server, kernel="stream triad") == []
        body = canonical_bytes(upload(knowledge, factor=1.0 + 0.01 * number))
        for _ in range(2):  # the same twice counts once
            reply = send_upload(server.url, upload_id=id_of(token), body=body)
            assert reply.is_stored
    (group,) = published(server, device="AMD Ryzen 5 5600G", kernel="stream triad")
    assert (group["n"], group["median"], group["unit"]) == (5, 30.6e9, "B/s")
    assert group["low"] < group["median"] < group["high"]

    wrong = delete_upload(server.url, token=secrets.token_urlsafe(32))
    assert len(published(server, kernel="stream triad")) == 1
    right = delete_upload(server.url, token=tokens[0])
    assert wrong == right  # a guesser learns nothing
    assert published(server, kernel="stream triad") == []
    late = send_upload(server.url, upload_id=id_of(tokens[0]), body=canonical_bytes(
        upload(knowledge)
    ))  # fmt: skip
    assert late.status == 410
    assert published(server, kernel="stream triad") == []
    for token in tokens[1:]:
        assert delete_upload(server.url, token=token).status == 204


def test_another_body_under_the_same_id_is_refused(server, knowledge):
    token = secrets.token_urlsafe(32)
    first, second = (canonical_bytes(upload(knowledge, factor=f)) for f in (1.0, 1.1))
    assert put(server, first, token=token).status_code == 201
    assert put(server, first, token=token).status_code == 200
    reply = put(server, second, token=token)
    assert (reply.status_code, reply.json()) == (409, {"detail": "another upload has this id"})
    delete_upload(server.url, token=token)


def test_what_cannot_be_is_quarantined_with_the_reason(server, knowledge):
    body = canonical_bytes(with_figure(upload(knowledge), value=9e13))
    replies = [put(server, body) for _ in range(6)]
    assert {reply.status_code for reply in replies} == {202}
    assert "above the bound" in replies[0].json()["detail"]
    assert published(server) == []


def test_small_groups_are_thrown_together(server, knowledge):
    made = [with_device(upload(knowledge), threads=threads) for threads in (4, 4, 4, 6, 6)]
    tokens = [secrets.token_urlsafe(32) for _ in made]
    for one, token in zip(made, tokens, strict=True):
        assert put(server, canonical_bytes(one), token=token).status_code == 201
    groups = published(server, kernel="stream triad")
    assert [(g["n"], g["is_general"], g["device_threads"]) for g in groups] == [(5, True, None)]
    for token in tokens:
        delete_upload(server.url, token=token)


def test_the_export_is_cc0_and_of_our_columns(server, knowledge):
    reply = requests.get(f"{server.url}/v1/aggregates.csv", timeout=20)
    assert reply.status_code == 200
    assert "publicdomain/zero" in reply.headers["Link"]
    assert reply.text.startswith("id,study,year,phase,workload,")


def test_health_says_how_it_is_run(server):
    assert requests.get(f"{server.url}/v1/health", timeout=20).json() == {
        "state": "ok", "days_kept": 180, "least_group": 5, "licence": "CC0-1.0",
    }  # fmt: skip


def _evil(knowledge, **figure):
    body = json.loads(canonical_bytes(upload(knowledge)))
    body["figures"][0].update(figure)
    return json.dumps(body).encode()


HTML = "<img src=x onerror=alert(1)>"
SQL = "'; DROP TABLE upload; --"


@pytest.mark.parametrize(
    ("change", "status", "why"),
    [
        (lambda k: b"x" * 10_000_000, 413, "at most 65536 bytes"),
        (lambda k: b"[" * 60_000, 400, "nested too deeply"),
        (lambda k: b'{"a":' * 300 + b"1" + b"}" * 300, 422, "unknown field"),
        (lambda k: b"", 400, "not JSON"),
        (lambda k: b"\xff\xfe\x00", 400, "not UTF-8"),
        (lambda k: b"null", 422, "expected an object"),
        (lambda k: _evil(k, value=float("nan")), 400, "NaN is not a number"),
        (lambda k: _evil(k, value=float("inf")), 400, "Infinity is not a number"),
        (lambda k: _evil(k, value="fast"), 422, "expected float"),
        (lambda k: _evil(k, value=True), 422, "expected float"),
        (lambda k: _evil(k, value=10**400), 422, ""),
        (lambda k: _evil(k, n_values=10**30), 422, "n_values"),
        (lambda k: _evil(k, device=10**30), 422, "device"),
        (lambda k: _evil(k, framework=HTML), 422, "framework: not in the list"),
        (lambda k: _evil(k, kernel=SQL), 422, "kernel: not a name that we give"),
        (lambda k: _evil(k, backend="x\x00y"), 422, "backend: not in the list"),
        (lambda k: _evil(k, host="gandalf"), 422, "unknown field"),
    ],
)
def test_fuzzed_bodies_are_refused_with_a_reason(server, knowledge, change, status, why):
    reply = put(server, change(knowledge))
    assert reply.status_code == status
    assert why in reply.json()["detail"]
    assert HTML not in reply.text
    assert SQL not in reply.text


def test_a_body_of_unknown_length_is_limited_too(server):
    def pieces():
        for _ in range(200):
            yield b" " * 1000

    assert put(server, pieces()).status_code == 413


@pytest.mark.parametrize(
    ("headers", "status"),
    [
        ({"Content-Type": "text/html"}, 415),
        ({"Content-Type": ""}, 415),
        ({"Content-Encoding": "gzip"}, 415),
    ],
)
def test_only_plain_json_is_read(server, knowledge, headers, status):
    body = canonical_bytes(upload(knowledge))
    assert put(server, body, **headers).status_code == status


@pytest.mark.parametrize("name", ["x", "A" * 64, "0" * 63, "0" * 65, "0" * 64 + "%0A"])
def test_only_a_hash_is_an_id(server, knowledge, name):
    assert put(server, canonical_bytes(upload(knowledge)), upload_id=name).status_code == 422


@pytest.mark.parametrize("word", [None, "", "Bearer", "Bearer x", "Basic " + "A" * 43, "Bearer é"])
def test_a_deletion_needs_a_token(server, word):
    headers = {} if word is None else {"Authorization": word.encode("latin-1")}
    reply = requests.delete(f"{server.url}/v1/uploads", headers=headers, timeout=20)
    assert reply.status_code == 401


def test_two_copies_share_one_database(server, database, knowledge, tmp_path):
    token = secrets.token_urlsafe(32)
    body = canonical_bytes(upload(knowledge))
    with Collector(database, folder=tmp_path) as other:
        assert put(server, body, token=token).status_code == 201
        assert put(other, body, token=token).status_code == 200
        delete_upload(other.url, token=token)
        assert put(server, body, token=token).status_code == 410


def test_the_rate_limit_tells_when_to_come_back(database, knowledge, tmp_path):
    body = canonical_bytes(upload(knowledge))
    tokens = [secrets.token_urlsafe(32) for _ in range(3)]
    words = ("--uploads-per-hour", "2")
    with Collector(database, folder=tmp_path, words=words) as made:
        replies = [put(made, body, token=token) for token in tokens]
        assert [reply.status_code for reply in replies] == [201, 201, 429]
        assert 0 < int(replies[2].headers["Retry-After"]) <= 3600
        for token in tokens:
            delete_upload(made.url, token=token)
