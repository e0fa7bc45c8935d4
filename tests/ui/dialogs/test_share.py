"""Nothing leaves but what is shown, to the server that is shown, after the user has agreed."""

import dataclasses
import threading

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog

from advisor.share.outbox import KeptState, Outbox
from advisor.share.upload import parse_upload
from tests.advisor.share.builders import machine, measured
from tests.advisor.share.servers import Collector, RecordingServer, free_port
from tests.ui.advice_values import an_advice
from ui import dataset
from ui.dialogs.share import ShareDialog
from ui.presenters.share import ShareEvent, SharePresenter
from ui.settings import keep_last
from ui.share_settings import SHARE_SERVER, keep_setting, read_setting, settings_file, share_folder

OK = (201, {}, b'{"state":"accepted","detail":"accepted"}')
GONE = (204, {}, b"")


@pytest.fixture
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


@pytest.fixture
def make(qtbot, tr):
    made = []

    def build():
        presenter = SharePresenter()
        dialog = ShareDialog(presenter, translator=tr)
        qtbot.addWidget(dialog)
        made.append(presenter)
        dialog.show()
        settle(qtbot, presenter)
        return dialog, presenter

    yield build
    for presenter in made:
        assert presenter.wait(20.0)


def settle(qtbot, presenter):
    qtbot.waitUntil(lambda: not presenter.state.is_busy, timeout=30_000)


def set_server(dialog, presenter, qtbot, url):
    dialog.server.selectAll()
    dialog.server.setText("")
    qtbot.keyClicks(dialog.server, url)
    dialog.server_button.click()
    settle(qtbot, presenter)


def send(dialog, presenter, qtbot):
    dialog.agree_box.click()
    dialog.send_button.click()
    assert presenter.state.is_busy
    settle(qtbot, presenter)


def test_without_a_server_nothing_can_be_sent(a_run, make):
    dialog, _presenter = make()
    assert "No server is set" in dialog.status.text()
    assert dialog.preview.toPlainText()
    assert not dialog.agree_box.isEnabled()
    assert not dialog.send_button.isEnabled()
    assert not settings_file().exists()
    assert not share_folder().exists()


def test_what_is_shown_is_what_is_sent_and_only_after_agreeing(a_run, make, server, qtbot):
    dialog, presenter = make()
    set_server(dialog, presenter, qtbot, f"{server.url}/")
    assert read_setting(SHARE_SERVER) == server.url
    assert dialog.server.text() == server.url
    assert dialog.agree_box.isEnabled()
    assert not dialog.send_button.isEnabled()
    shown = dialog.preview.toPlainText()
    dialog.lines_box.click()
    assert dialog.preview.toPlainText().count("\n") > 10
    assert server.requests == []
    send(dialog, presenter, qtbot)
    ((method, _path, _headers, body),) = server.requests
    assert method == "PUT"
    assert body == shown.encode("ascii")
    assert parse_upload(body) == presenter.state.upload
    assert dialog.status.text() == "Sent: accepted"
    assert not dialog.agree_box.isChecked()
    assert dialog.table.model().index(0, 1).data() == "sent"


def test_words_say_what_is_in_it_and_what_is_not(a_run, make, server):
    dialog, presenter = make()
    text = dialog.text.text()
    assert f"kernels ({len(presenter.state.upload.figures)})" in text
    assert "Not in it: your name" in text


def test_rare_hardware_is_pointed_out(make, tr):
    profile = machine(brand="Nobody's Own CPU 1")
    keep_last(dataclasses.replace(an_advice(), profile=profile, measurements=measured()))
    dialog, presenter = make()
    assert presenter.state.upload.devices[0].is_rare
    assert "it may be recognised" in dialog.text.text()


def test_the_same_is_not_sent_twice(a_run, make, server, qtbot):
    keep_setting(SHARE_SERVER, server.url)
    dialog, presenter = make()
    send(dialog, presenter, qtbot)
    send(dialog, presenter, qtbot)
    assert "shared already" in dialog.status.text()
    assert dialog.status.property("failed") is True
    assert len(server.requests) == 1


def test_each_upload_can_be_deleted(a_run, make, server, qtbot):
    keep_setting(SHARE_SERVER, server.url)
    dialog, presenter = make()
    send(dialog, presenter, qtbot)
    token = presenter.state.uploads[0].token
    assert not dialog.delete_button.isEnabled()
    dialog.table.choose_row(0)
    assert dialog.delete_button.isEnabled()
    server.answers[:] = [GONE]
    dialog.delete_button.click()
    settle(qtbot, presenter)
    method, _path, headers, _body = server.requests[1]
    assert (method, headers["Authorization"]) == ("DELETE", f"Bearer {token}")
    assert presenter.state.uploads[0].state is KeptState.DELETED
    assert "has deleted it" in dialog.status.text()
    assert not dialog.delete_button.isEnabled()


def test_a_server_that_does_not_answer_costs_one_line_and_the_upload_waits(
    a_run, make, qtbot, monkeypatch
):
    monkeypatch.setattr("advisor.share.client.TRIES", 1)
    url = f"http://127.0.0.1:{free_port()}"
    keep_setting(SHARE_SERVER, url)
    dialog, presenter = make()
    send(dialog, presenter, qtbot)
    assert presenter.state.event is ShareEvent.NOT_SENT
    assert dialog.status.text() == (
        "Not sent, it is kept and can be sent again: 127.0.0.1: no connection"
    )
    (kept,) = Outbox(share_folder()).uploads()
    assert kept.state is KeptState.WAITING
    assert dialog.table.model().index(0, 1).data() == "waits"
    assert not dialog.waiting_button.isVisible()


def test_what_waits_is_sent_when_told_to(a_run, make, server, qtbot):
    keep_setting(SHARE_SERVER, server.url)
    Outbox(share_folder()).prepare(b'{"old":1}', server=server.url, on="2026-11-01")
    dialog, presenter = make()
    assert dialog.waiting_button.isVisible()
    dialog.waiting_button.click()
    settle(qtbot, presenter)
    assert [body for *_rest, body in server.requests] == [b'{"old":1}']
    assert not dialog.waiting_button.isVisible()


@pytest.mark.parametrize(
    ("url", "words"),
    [
        ("http://example.org", "https"),
        ("https://me:secret@example.org", "password"),
        ("nonsense", "https"),
    ],
)
def test_a_bad_address_is_refused_in_one_line(a_run, make, qtbot, url, words):
    dialog, presenter = make()
    set_server(dialog, presenter, qtbot, url)
    assert words in dialog.status.text()
    assert len(dialog.status.text().splitlines()) == 1
    assert not settings_file().exists()
    assert not dialog.agree_box.isEnabled()


def test_an_address_that_is_not_kept_yet_takes_the_consent_back(a_run, make, server, qtbot):
    keep_setting(SHARE_SERVER, server.url)
    dialog, presenter = make()
    dialog.agree_box.click()
    assert dialog.send_button.isEnabled()
    qtbot.keyClicks(dialog.server, "/other")
    assert not dialog.agree_box.isChecked()
    assert not dialog.send_button.isEnabled()
    set_server(dialog, presenter, qtbot, "")
    assert read_setting(SHARE_SERVER) is None


@pytest.mark.parametrize("has_last", [False, True])
def test_nothing_to_share_says_why(make, has_last):
    if has_last:
        keep_last(dataclasses.replace(an_advice(), measurements=None))
    dialog, _presenter = make()
    assert dialog.text.text().startswith("There is nothing to share")
    assert dialog.preview.toPlainText() == ""
    assert not dialog.save_button.isEnabled()


def test_the_bytes_are_saved(a_run, make, qtbot, tmp_path, monkeypatch):
    dialog, presenter = make()
    path = tmp_path / "out.json"
    monkeypatch.setattr(QFileDialog, "getSaveFileName", lambda *_words: (str(path), ""))
    with qtbot.waitSignal(presenter.saved, timeout=5000):
        dialog.save_button.click()
    assert path.read_bytes() == presenter.state.body.encode()
    monkeypatch.setattr(
        QFileDialog, "getSaveFileName", lambda *_words: (str(tmp_path / "no" / "x"), "")
    )
    dialog.save_button.click()
    settle(qtbot, presenter)
    assert dialog.status.text().startswith("Not done: ")


def test_a_damaged_outbox_is_told_in_one_line(a_run, make):
    share_folder().mkdir(parents=True)
    (share_folder() / "x.upload.json").write_text("{")
    dialog, presenter = make()
    assert presenter.state.event is ShareEvent.FAILED
    assert "cannot be read" in dialog.status.text()


def test_the_window_answers_while_a_server_keeps_silent(a_run, make, qtbot):
    gate = threading.Event()
    slow = RecordingServer(OK)
    real = slow._server.RequestHandlerClass._answer
    slow._server.RequestHandlerClass.do_PUT = lambda self: (gate.wait(10), real(self))
    try:
        keep_setting(SHARE_SERVER, slow.url)
        dialog, presenter = make()
        dialog.agree_box.click()
        dialog.send_button.click()
        assert dialog.status.text() == "Sending …"
        assert not dialog.send_button.isEnabled()
        qtbot.wait(100)
        dialog.close()
        gate.set()
        settle(qtbot, presenter)
        assert presenter.state.event is ShareEvent.SENT
    finally:
        gate.set()
        slow.close()


def test_from_consent_to_deletion_with_a_real_server(a_run, make, qtbot, tmp_path):
    with Collector(tmp_path / "c.sqlite", folder=tmp_path) as collector:
        keep_setting(SHARE_SERVER, collector.url)
        dialog, presenter = make()
        send(dialog, presenter, qtbot)
        assert presenter.state.event is ShareEvent.SENT
        dialog.table.choose_row(0)
        dialog.delete_button.click()
        settle(qtbot, presenter)
        assert presenter.state.event is ShareEvent.DELETED


def test_enter_in_the_address_keeps_it_and_sends_nothing(a_run, make, server, qtbot):
    dialog, presenter = make()
    qtbot.keyClicks(dialog.server, server.url)
    qtbot.keyClick(dialog.server, Qt.Key.Key_Return)
    settle(qtbot, presenter)
    assert read_setting(SHARE_SERVER) == server.url
    assert server.requests == []
    assert dialog.isVisible()
