"""`share`, `data pull` and `collector` as a user meets them."""

import dataclasses
import io
import json
import sys

import pytest

from advisor.i18n import translator_for
from advisor.model.codec import dump_document, load_document
from advisor.model.quantity import Basis
from advisor.model.recommendation import Recommendation
from advisor.share.collector.series import figures_of
from advisor.share.outbox import KeptUpload
from advisor.share.upload import parse_upload
from tests.advisor.recommend.test_tried import TRIALS, WORKLOAD
from tests.advisor.share.builders import machine, measured
from tests.advisor.share.servers import Collector, RecordingServer
from tests.ui.advice_values import an_advice
from ui import dataset
from ui.cli import run
from ui.models.share_rows import content_text
from ui.settings import keep_last, own_rows_folder
from ui.share_settings import settings_file, share_folder

OK = (201, {}, b'{"state":"accepted","detail":"accepted"}')


@pytest.fixture(autouse=True)
def a_run():
    """The last run was one of a known machine."""
    made = dataclasses.replace(an_advice(), profile=machine(), measurements=measured())
    keep_last(made)
    dataset.bundled_knowledge.cache_clear()
    yield made
    dataset.bundled_knowledge.cache_clear()


@pytest.fixture
def server():
    made = RecordingServer(OK)
    yield made
    made.close()


def kept():
    return [
        load_document(path.read_text(), KeptUpload)
        for path in sorted(share_folder().glob("*.upload.json"))
    ]


def test_a_preview_is_byte_for_byte_what_is_sent_and_sends_nothing(server, capsys, tmp_path):
    assert run(["share", "preview", "--server", server.url]) == 0
    shown = capsys.readouterr()
    assert "nothing was sent" in shown.err
    assert run(["share", "preview", "--out", str(tmp_path / "x.json")]) == 0
    assert server.requests == []
    assert not share_folder().exists()
    assert run(["share", "send", "--yes", "--server", server.url]) == 0
    ((_method, _path, _headers, body),) = server.requests
    assert body == shown.out.encode() == (tmp_path / "x.json").read_bytes()
    assert parse_upload(body).devices[0].name == "AMD Ryzen 5 5600G"


@pytest.mark.parametrize("words", [["send", "--yes"], ["send"]])
def test_there_is_no_server_by_default(capsys, words):
    assert run(["share", *words]) == 2
    assert capsys.readouterr().err.startswith("dl-advisor: no server is set")
    assert kept() == []


def test_the_server_is_a_setting(server, capsys):
    assert run(["share", "server"]) == 0
    assert "no server is set" in capsys.readouterr().out
    assert run(["share", "server", f"{server.url}/"]) == 0
    assert json.loads(settings_file().read_text()) == {"share_server": server.url}
    assert run(["share", "send", "--yes"]) == 0
    assert len(server.requests) == 1
    assert run(["share", "server", "none"]) == 0
    assert run(["share", "send", "--yes", "--again"]) == 2


@pytest.mark.parametrize("text", ["{", "[]", '{"share_server": 1}'])
def test_broken_settings_are_told_in_one_line(capsys, text):
    settings_file().parent.mkdir(parents=True, exist_ok=True)
    settings_file().write_text(text)
    assert run(["share", "send", "--yes"]) == 2
    assert capsys.readouterr().err.count("\n") == 1


def test_an_address_without_tls_is_refused(capsys):
    assert run(["share", "server", "http://example.org"]) == 2
    assert "https" in capsys.readouterr().err
    assert not settings_file().exists()


class _Terminal(io.StringIO):
    def isatty(self):
        return True


@pytest.mark.parametrize(("answer", "n"), [("y\n", 1), ("\n", 0), ("n\n", 0), ("", 0)])
def test_it_is_asked_before_sending(server, monkeypatch, answer, n):
    monkeypatch.setattr(sys, "stdin", _Terminal(answer))
    assert run(["share", "send", "--server", server.url]) == 0
    assert len(server.requests) == n
    assert len(kept()) == n


def test_nobody_to_ask_sends_nothing(server, monkeypatch, capsys):
    monkeypatch.setattr(sys, "stdin", io.StringIO("y\n"))
    assert run(["share", "send", "--server", server.url]) == 2
    assert "--yes" in capsys.readouterr().err
    assert server.requests == []


def test_the_same_is_not_sent_twice_by_mistake(server, capsys):
    words = ["share", "send", "--yes", "--server", server.url]
    assert run(words) == 0
    assert run(words) == 2
    assert "shared already" in capsys.readouterr().err
    assert run([*words, "--again"]) == 0
    assert len({request[1] for request in server.requests}) == 2


def test_what_could_not_be_sent_is_kept_and_sent_later(capsys, monkeypatch):
    monkeypatch.setattr("advisor.share.client._PAUSE_S", 0.01)
    away = RecordingServer((503, {}, b'{"detail":"later"}'))
    words = ["share", "send", "--yes", "--server", away.url]
    assert run(words) == 3
    (waiting,) = kept()
    assert (waiting.state.value, waiting.tries) == ("waiting", 1)
    assert run(["share", "send", "--waiting"]) == 0  # not yet due
    assert "nothing waits" in capsys.readouterr().err
    away.answers = [OK]
    assert run(words) == 0  # asked for in person: now
    away.close()
    (sent,) = kept()
    assert (sent.id, sent.state.value) == (waiting.id, "sent")
    assert len({request[1] for request in away.requests}) == 1
    log = (share_folder() / "log.jsonl").read_text().splitlines()
    assert [json.loads(line)["event"] for line in log] == [
        "sending", "not sent", "sending", "sent",
    ]  # fmt: skip


@pytest.mark.parametrize(
    ("status", "code", "state"), [(202, 0, "quarantined"), (422, 3, "refused"), (410, 3, "deleted")]
)
def test_what_the_server_says_is_kept(status, code, state, capsys):
    server = RecordingServer((status, {}, b'{"detail":"because"}'))
    assert run(["share", "send", "--yes", "--server", server.url]) == code
    server.close()
    assert "because" in capsys.readouterr().err
    assert kept()[0].state.value == state
    assert run(["share", "list"]) == 0
    assert state in capsys.readouterr().out


@pytest.mark.parametrize("word", ["", "zzz", "0"])
def test_only_what_was_sent_can_be_deleted(capsys, word):
    assert run(["share", "delete", word]) == 2
    assert "share list" in capsys.readouterr().err


def test_a_deletion_that_fails_keeps_the_token(server, capsys):
    assert run(["share", "send", "--yes", "--server", server.url]) == 0
    server.answers = [(401, {}, b'{"detail":"no"}')]
    assert run(["share", "delete", "all"]) == 3
    assert kept()[0].token
    server.answers = [(204, {}, b"")]
    assert run(["share", "delete", kept()[0].id[:12]]) == 0
    assert (kept()[0].token, kept()[0].state.value) == ("", "deleted")
    assert run(["share", "delete", "all"]) == 0
    assert len([r for r in server.requests if r[0] == "DELETE"]) == 2


def test_nothing_measured_is_nothing_to_share(a_run, server, capsys, tmp_path):
    path = tmp_path / "r.json"
    path.write_text(dump_document(dataclasses.replace(a_run, measurements=None)))
    assert run(["share", "preview", "--recommendation", str(path)]) == 2
    assert "nothing was measured" in capsys.readouterr().err
    assert load_document(path.read_text(), Recommendation).measurements is None


def test_what_was_tried_stands_beside_what_was_predicted(a_run, capsys):
    tried = dataclasses.replace(a_run, workload=WORKLOAD, trials=TRIALS)
    keep_last(tried)
    assert run(["share", "preview"]) == 0
    upload = parse_upload(capsys.readouterr().out.encode())
    (step,) = upload.steps
    assert (step.network, step.measured_s) == ("mnist-cnn", 0.1)
    assert step.basis is not Basis.MEASURED
    assert step.low_s <= step.mid_s <= step.high_s
    assert "what they took when tried (1)" in content_text(upload, translator_for("en"))
    (key,) = (series for series in figures_of(upload) if series.kernel.startswith("step "))
    assert key.kernel == f"step mnist-cnn training b{WORKLOAD.batch_size}"

    keep_last(dataclasses.replace(tried, workload=dataclasses.replace(WORKLOAD, network="frodo")))
    assert run(["share", "preview"]) == 0
    shown = capsys.readouterr().out
    assert "frodo" not in shown
    assert parse_upload(shown.encode()).steps == ()


def test_rare_hardware_is_pointed_out(a_run, capsys):
    keep_last(dataclasses.replace(a_run, profile=machine(brand="Frodo 9000")))
    assert run(["share", "preview"]) == 0
    shown = capsys.readouterr()
    assert "unlisted CPU, AMD, zen3" in shown.err
    assert "Frodo" not in shown.out + shown.err


def test_pull_needs_a_server(capsys):
    assert run(["data", "pull"]) == 2
    assert "no server is set" in capsys.readouterr().err
    assert run(["data", "validate", "https://example.org"]) == 2


def test_from_sending_to_comparing_with_a_real_server(a_run, tmp_path, capsys):
    with Collector(tmp_path / "c.sqlite", folder=tmp_path) as collector:
        for number in range(5):
            others = measured(factor=0.8 + 0.05 * number)
            keep_last(dataclasses.replace(a_run, measurements=others))
            assert run(["share", "send", "--yes", "--server", collector.url]) == 0
        assert run(["data", "pull", collector.url]) == 0
        assert "2 rows" in capsys.readouterr().err
        keep_last(a_run)
        assert (own_rows_folder() / "published" / "community.csv").is_file()
        assert run(["compare"]) == 0
        told = " ".join(capsys.readouterr().out.split())
        assert "same machine, others' m" in told
        assert "271 GFLOP/s" in told  # the median of 0.8 to 1.0 times 301.5
        assert "community median of 5 uploads" in told
        assert run(["share", "delete", "all"]) == 0
        assert run(["data", "pull", collector.url]) == 2  # two rows became none


def test_without_its_libraries_the_collector_says_how_to_get_them(capsys, monkeypatch):
    monkeypatch.setitem(sys.modules, "uvicorn", None)
    monkeypatch.delitem(sys.modules, "advisor.share.collector.serve", raising=False)
    assert run(["collector", "serve"]) == 2
    error = capsys.readouterr().err
    assert "needs uvicorn: in the sources, run python3 start.py collector serve" in error
    assert error.count("\n") == 1


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["--database", "mysql://x/y"], "only SQLite and PostgreSQL"),
        (["--database", "://"], "neither a file nor a URL"),
        (["--database", "/nonexistent/x.sqlite"], "cannot be used"),
        (["--database", "postgresql://x@127.0.0.1:1/x"], "cannot be used"),
        (["--least-group", "4"], "least to hide in"),
        (["--days-kept", "0"], "at least 1"),
        (["--port", "70000"], "not a port"),
        (["--port", "x"], "not a whole number"),
    ],
)
def test_a_collector_that_cannot_start_says_why_in_one_line(capsys, words, why):
    assert run(["collector", "serve", *words]) == 2
    shown = capsys.readouterr().err
    assert why in shown
    assert shown.count("\n") == 1


def test_tables_can_be_made_without_serving(tmp_path):
    path = tmp_path / "c.sqlite"
    assert run(["collector", "migrate", "--database", str(path)]) == 0
    assert run(["collector", "migrate", "--database", str(path)]) == 0
    assert path.stat().st_size > 0


def test_an_empty_list_is_told(capsys):
    assert run(["share", "list"]) == 0
    told = capsys.readouterr()
    assert told.out == ""
    assert "nothing was sent from here, and nothing waits to be sent" in told.err
