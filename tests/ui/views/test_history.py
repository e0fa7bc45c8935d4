"""The history page with its presenter: read, chosen, compared, opened, exported, deleted."""

import csv
import dataclasses
import json

import pytest
from PySide6.QtCore import Qt
from PySide6.QtWidgets import QFileDialog, QMessageBox

from advisor.model.codec import load_document
from advisor.model.machine import OsFamily
from advisor.model.quantity import Phase
from advisor.model.recommendation import Recommendation
from advisor.model.trial import TrialReport, TrialVerdict
from tests.ui.advice_values import an_advice, cancelled_after
from tests.ui.history_values import SOURCE, damage, keep, keep_step, keep_trial, measured_advice
from ui.files import write_document
from ui.history.store import History
from ui.models.history_diff import Diff
from ui.models.history_entries import EntryKind
from ui.models.rows import CellRole
from ui.presenters.history import HistoryPresenter, HistoryStage, HistoryState
from ui.settings import advices_folder, trials_file
from ui.theme_choice import Theme, show_theme
from ui.views.history import HistoryView


@pytest.fixture
def presenter(qtbot, tr):
    made = HistoryPresenter(translator=tr)
    yield made
    assert made.wait(5.0)


@pytest.fixture
def view(qtbot, tr, presenter):
    page = HistoryView(translator=tr, system=OsFamily.LINUX)
    qtbot.addWidget(page)
    page.shown.connect(presenter.read)
    page.entries_chosen.connect(presenter.choose)
    page.open_requested.connect(presenter.open_file)
    page.csv_requested.connect(presenter.save_csv_to)
    page.json_requested.connect(presenter.save_json_to)
    page.delete_requested.connect(presenter.delete)
    presenter.state_changed.connect(page.show_state)
    page.resize(1000, 650)
    return page


def settled(presenter):
    state = presenter.state
    return state.stage in (HistoryStage.READY, HistoryStage.EMPTY) and not state.is_answering


def read(view, presenter, qtbot):
    view.show()
    qtbot.waitUntil(lambda: settled(presenter), timeout=10_000)


def choose(view, presenter, qtbot, *rows):
    model = view.table.selectionModel()
    model.clearSelection()
    for row in rows:
        flags = model.SelectionFlag.Select | model.SelectionFlag.Rows
        model.select(view.table.model().index(row, 0), flags)
    wanted = {presenter.state.entries[row].id for row in rows}
    qtbot.waitUntil(
        lambda: set(presenter.state.chosen) == wanted and settled(presenter), timeout=10_000
    )


def cell(table, row, column, role=Qt.ItemDataRole.DisplayRole):
    return table.model().index(row, column).data(role)


def test_nothing_yet_leads_to_the_start(view, presenter, qtbot):
    read(view, presenter, qtbot)
    assert presenter.state.stage is HistoryStage.EMPTY
    assert view.message.title.text() == "Nothing was advised yet"
    assert not view.csv_button.isEnabled()
    with qtbot.waitSignal(view.page_requested) as told:
        view.start_button.click()
    assert told.args == ["start"]


def test_advice_trials_and_damaged_files_are_rows_newest_first(view, presenter, qtbot):
    keep(measured_advice(time_s=0.01))
    keep_trial()
    damage()
    read(view, presenter, qtbot)
    kinds = [entry.kind for entry in presenter.state.entries]
    assert kinds == [EntryKind.DAMAGED, EntryKind.TRIAL, EntryKind.ADVICE]
    assert "not JSON" in cell(view.table, 0, 3)
    assert cell(view.table, 1, 1) == "A small net"
    assert cell(view.table, 1, 3).startswith("Compile with XLA: 2")
    assert cell(view.table, 2, 3) == an_advice().ranked[0].option.title
    assert cell(view.table, 2, 2) == an_advice().profile.cpu.brand
    for row, of_what in enumerate(("", "one step", "whole job")):
        assert cell(view.table, row, 4, CellRole.DETAIL) == of_what
    choose(view, presenter, qtbot, 0)
    assert "not JSON" in view.hint.text()
    assert not view.json_button.isEnabled()


def test_a_cancelled_run_is_marked_in_the_list_and_in_its_csv(view, presenter, qtbot, tmp_path):
    keep(an_advice(measurements=cancelled_after(3, n_asked=12)), days=1)
    keep(measured_advice(time_s=0.01))
    read(view, presenter, qtbot)
    title = an_advice().ranked[0].option.title
    assert [cell(view.table, row, 3) for row in (0, 1)] == [f"Cancelled run: {title}", title]
    assert [entry.is_cancelled for entry in presenter.state.entries] == [True, False]
    presenter.save_csv_to(str(tmp_path / "list.csv"))
    qtbot.waitUntil((tmp_path / "list.csv").is_file, timeout=10_000)
    qtbot.waitUntil(lambda: settled(presenter), timeout=10_000)
    told = list(csv.DictReader((tmp_path / "list.csv").read_text(encoding="utf-8").splitlines()))
    assert [row["best"] for row in told] == [f"Cancelled run: {title}", title]


def test_one_is_read_again_and_can_be_shown_as_the_advice(view, presenter, qtbot):
    keep(measured_advice(time_s=0.01))
    keep_trial()
    read(view, presenter, qtbot)
    choose(view, presenter, qtbot, 1)
    assert view.answers.currentWidget() is view.card
    assert view.card.title.text() == an_advice().ranked[0].option.title
    with qtbot.waitSignal(view.advice_requested) as told:
        view.advice_button.click()
    assert told.args == [measured_advice(time_s=0.01)]
    choose(view, presenter, qtbot, 0)
    assert view.answers.currentWidget() is view.browser
    assert "Tried on A small net" in view.browser.toPlainText()
    assert not view.advice_button.isEnabled()


def test_two_are_compared_the_older_one_before(view, presenter, qtbot):
    keep(measured_advice(time_s=0.02), days=0)
    keep(measured_advice(time_s=0.01, n=2), days=1)
    read(view, presenter, qtbot)
    choose(view, presenter, qtbot, 0, 1)
    diff = presenter.state.answer
    assert isinstance(diff, Diff)
    kernels = [row for row in diff.rows if row.request is not None]
    assert [row.factor for row in kernels] == [pytest.approx(2.0)] * 2
    assert view.answers.currentWidget().isAncestorOf(view.diff_table)
    assert cell(view.diff_table, 2, 1).endswith("FLOP/s")
    assert cell(view.diff_table, 2, 3) == "2×"
    assert cell(view.diff_table, 2, 4) == "faster"
    assert "2 faster, 0 slower, 2 as before, 0 unclear" in view.diff_text.text()
    assert "another 1 figures" in view.diff_text.text()


def test_less_than_five_percent_is_a_tie(view, presenter, qtbot):
    keep(measured_advice(time_s=0.0104), days=0)
    keep(measured_advice(time_s=0.01), days=1)
    read(view, presenter, qtbot)
    choose(view, presenter, qtbot, 0, 1)
    assert {row.change.value for row in presenter.state.answer.rows} == {"tie"}


def test_two_trials_are_compared_setting_by_setting(view, presenter, qtbot):
    keep_trial(xla_s=0.05)
    keep_trial(xla_s=0.025)
    read(view, presenter, qtbot)
    choose(view, presenter, qtbot, 0, 1)
    factors = {row.result.setup.id: row.factor for row in presenter.state.answer.rows}
    assert factors["now"] == pytest.approx(1.0)
    assert max(factors["xla"], 1 / factors["xla"]) == pytest.approx(2.0, rel=0.01)


def test_what_cannot_be_compared_says_so(view, presenter, qtbot):
    keep(measured_advice(time_s=0.01))
    keep_trial()
    keep_trial(source=dataclasses.replace(SOURCE, phase=Phase.INFERENCE))
    read(view, presenter, qtbot)
    choose(view, presenter, qtbot, 0, 1)
    assert "different networks or jobs" in view.hint.text()
    choose(view, presenter, qtbot, 1, 2)
    assert "cannot be compared" in view.hint.text()
    choose(view, presenter, qtbot, 0, 1, 2)
    assert "two to compare" in view.hint.text()


def test_a_trial_that_was_broken_off_is_still_readable(view, presenter, qtbot):
    keep_trial(is_broken_off=True)
    read(view, presenter, qtbot)
    (entry,) = presenter.state.entries
    assert [r.verdict for r in entry.report.results] == [TrialVerdict.BASELINE]
    assert cell(view.table, 0, 3) == "nothing surely faster"


def test_a_saved_file_is_opened_from_anywhere(view, presenter, qtbot, tmp_path, monkeypatch):
    path = tmp_path / "mine.json"
    write_document(str(path), an_advice())
    read(view, presenter, qtbot)
    monkeypatch.setattr(QFileDialog, "getOpenFileName", lambda *_words: (str(path), ""))
    view.open_button.click()
    qtbot.waitUntil(lambda: presenter.state.answer is not None, timeout=10_000)
    assert view.card.title.text() == an_advice().ranked[0].option.title
    assert "opened from a file" in view.table.model().index(0, 0).data(257)
    assert not view.delete_button.isEnabled()
    assert not advices_folder().exists()


@pytest.mark.parametrize("text", ["{", "[]", '{"schema_version": 1, "kind": "Workload"}'])
def test_a_foreign_file_is_refused_in_one_line(view, presenter, qtbot, tmp_path, text):
    path = tmp_path / "other.json"
    path.write_text(text)
    read(view, presenter, qtbot)
    with qtbot.waitSignal(presenter.refused, timeout=5000) as told:
        presenter.open_file(str(path))
    assert len(told.args[0].splitlines()) == 1
    assert presenter.state.entries == ()


def test_the_list_and_a_result_are_exported(view, presenter, qtbot, tmp_path, monkeypatch):
    keep(measured_advice(time_s=0.01))
    keep_trial()
    read(view, presenter, qtbot)
    for kind, row in (("csv", 0), ("json", 1), ("json", 0)):
        choose(view, presenter, qtbot, row)
        path = tmp_path / f"out{row}.{kind}"
        monkeypatch.setattr(
            QFileDialog, "getSaveFileName", lambda *_words, path=path: (str(path), "")
        )
        with qtbot.waitSignal(presenter.saved, timeout=5000):
            getattr(view, f"{kind}_button").click()
    with (tmp_path / "out0.csv").open(newline="", encoding="utf-8") as stream:
        rows = list(csv.DictReader(stream))
    assert [row["kind"] for row in rows] == ["trial", "advice"]
    assert float(rows[1]["time_s"]) == an_advice().ranked[0].prediction.total_s.mid
    written = load_document((tmp_path / "out1.json").read_text(), Recommendation)
    assert written == measured_advice(time_s=0.01)
    report = load_document((tmp_path / "out0.json").read_text(), TrialReport)
    assert report == presenter.state.entries[0].report
    with qtbot.waitSignal(presenter.refused, timeout=5000):
        presenter.save_csv_to(str(tmp_path / "no" / "folder.csv"))


def test_deleting_asks_first(view, presenter, qtbot, monkeypatch):
    path = keep(measured_advice(time_s=0.01))
    keep_trial()
    keep_trial()
    read(view, presenter, qtbot)
    answers: dict = {}  # nothing is said: Enter is pressed in passing
    monkeypatch.setattr(QMessageBox, "question", lambda *words: answers.get("say", words[-1]))
    choose(view, presenter, qtbot, 2)
    view.delete_button.click()
    assert path.is_file()
    answers["say"] = QMessageBox.StandardButton.Yes
    view.delete_button.click()
    qtbot.waitUntil(lambda: len(presenter.state.entries) == 2, timeout=5000)
    assert not path.exists()
    kept = presenter.state.entries[1].id
    choose(view, presenter, qtbot, 0)
    view.delete_button.click()
    qtbot.waitUntil(lambda: len(presenter.state.entries) == 1, timeout=5000)
    with History(trials_file()) as history:
        assert {row.search.key for row in history.rows()} == {kept}


def test_many_are_shown_as_they_are_read(view, presenter, qtbot):
    for day in range(45):
        keep(measured_advice(time_s=0.01 + day / 1000), days=-day)
    counts = []
    presenter.state_changed.connect(lambda state: counts.append(len(state.entries)))
    read(view, presenter, qtbot)
    assert counts[-1] == 45
    assert {20, 40} <= set(counts)
    keep(measured_advice(time_s=9.0), days=1)
    presenter.read()
    qtbot.waitUntil(lambda: len(presenter.state.entries) == 46, timeout=5000)


def test_a_folder_that_cannot_be_read_fails_in_one_line(qtbot, tr, tmp_path):
    def folder():
        class Broken:
            def glob(self, _pattern):
                raise PermissionError(13, "Permission denied")

        return Broken()

    presenter = HistoryPresenter(translator=tr, folder=folder)
    page = HistoryView(translator=tr, system=OsFamily.LINUX)
    qtbot.addWidget(page)
    presenter.state_changed.connect(page.show_state)
    page.show()
    presenter.read()
    qtbot.waitUntil(lambda: presenter.state.stage is HistoryStage.FAILED, timeout=5000)
    assert "Permission denied" in page.message.text.text()
    assert presenter.wait(5.0)


def test_a_damaged_trial_is_one_row(view, presenter, qtbot):
    key = keep_trial()
    with History(trials_file()) as history:
        history._database.execute("UPDATE search SET phase = 'flying' WHERE key = ?", (key,))
    keep_trial(source=dataclasses.replace(SOURCE, batch_size=16))
    read(view, presenter, qtbot)
    assert {e.kind for e in presenter.state.entries} == {EntryKind.DAMAGED, EntryKind.TRIAL}
    assert json.dumps([entry.problem for entry in presenter.state.entries]).count("flying") == 1
    presenter.delete(key)
    qtbot.waitUntil(lambda: len(presenter.state.entries) == 1, timeout=5000)
    with History(trials_file()) as history:
        assert key not in {row.search.key for row in history.rows()}


def test_a_file_of_trials_of_a_newer_version_is_one_row_and_stays(view, presenter, qtbot):
    keep_trial()
    with History(trials_file()) as history:
        history._database.execute("PRAGMA user_version = 99")
    read(view, presenter, qtbot)
    (entry,) = presenter.state.entries
    assert "newer DL Advisor" in entry.problem
    with qtbot.waitSignal(presenter.refused, timeout=5000):
        presenter.delete(entry.id)
    assert trials_file().is_file()


def test_a_history_that_cannot_be_read_can_be_read_again(view, presenter, qtbot):
    view.show_state(HistoryState(stage=HistoryStage.FAILED, message="permission denied"))
    assert view.message.text.text() == "permission denied"
    assert not view.start_button.isVisible()
    with qtbot.waitSignal(view.shown):
        view.again_button.click()
    qtbot.waitUntil(lambda: settled(presenter), timeout=10_000)


def delete(view, presenter, qtbot, row, monkeypatch):
    monkeypatch.setattr(QMessageBox, "question", lambda *_words: QMessageBox.StandardButton.Yes)
    left = len(presenter.state.entries) - 1
    choose(view, presenter, qtbot, row)
    assert view.delete_button.isEnabled()
    view.delete_button.click()
    qtbot.waitUntil(lambda: len(presenter.state.entries) <= left, timeout=5000)


def test_a_step_as_predicted_and_as_run_is_a_row_and_can_be_read(view, presenter, qtbot, tmp_path):
    step = keep_step(keep_trial())
    read(view, presenter, qtbot)
    assert [e.kind for e in presenter.state.entries] == [EntryKind.OWN_STEP, EntryKind.TRIAL]
    cells = [cell(view.table, 0, column) for column in range(5)]
    assert cells == ["2026-11-22", "A small net", "A CPU", "100 ms predicted, 110 ms run", "110 ms"]
    assert view.table.model().index(0, 3).data(257) == "one step, training, batch 8"
    choose(view, presenter, qtbot, 0)
    assert presenter.state.answer == step
    for word in ("2026-11-22", "net (training, batch 8, float32)", "100 ms", "110 ms"):
        assert word in view.hint.text()
    assert not view.json_button.isEnabled()
    choose(view, presenter, qtbot, 0, 1)
    assert "choose it alone" in view.hint.text()
    with qtbot.waitSignal(presenter.saved, timeout=5000):
        presenter.save_csv_to(str(tmp_path / "list.csv"))
    row, trial = csv.DictReader((tmp_path / "list.csv").read_text(encoding="utf-8").splitlines())
    assert (row["kind"], row["phase"], row["batch_size"]) == ("own_step", "training", "8")
    assert (row["predicted_s"], row["time_s"]) == ("0.1", "0.11")
    assert (trial["kind"], trial["batch_size"], trial["predicted_s"]) == ("trial", "8", "")


def test_a_step_is_deleted_alone_and_with_its_trial(view, presenter, qtbot, monkeypatch):
    first, second = keep_trial(), keep_trial()
    keep_step(first)
    keep_step(second, measured_s=0.12)
    read(view, presenter, qtbot)
    delete(view, presenter, qtbot, 0, monkeypatch)
    with History(trials_file()) as history:
        assert [row.search.key for row in history.own_step_rows()] == [first]
        assert {row.search.key for row in history.rows()} == {first, second}
    ids = [entry.id for entry in presenter.state.entries]
    delete(view, presenter, qtbot, ids.index(first), monkeypatch)
    assert [entry.id for entry in presenter.state.entries] == [second]
    with History(trials_file()) as history:
        assert history.own_step_rows() == ()


def test_a_damaged_step_is_one_row_and_can_be_deleted(view, presenter, qtbot, monkeypatch):
    key = keep_trial()
    keep_step(key)
    with History(trials_file()) as history:
        history._database.execute("UPDATE own_step SET step = '{'")
    read(view, presenter, qtbot)
    kinds = [entry.kind for entry in presenter.state.entries]
    assert sorted(kinds) == [EntryKind.DAMAGED, EntryKind.TRIAL]
    row = kinds.index(EntryKind.DAMAGED)
    assert "cannot be read: delete it" in cell(view.table, row, 3)
    delete(view, presenter, qtbot, row, monkeypatch)
    assert [entry.id for entry in presenter.state.entries] == [key]


def test_a_trial_is_drawn_again_in_the_colours_of_another_theme(view, presenter, qtbot, qapp):
    keep_trial()
    read(view, presenter, qtbot)
    choose(view, presenter, qtbot, 0)
    light = view.browser.toHtml()
    show_theme(Theme.DARK, qapp)
    try:
        qtbot.waitUntil(lambda: view.browser.toHtml() != light, timeout=5000)
        assert "Tried on A small net" in view.browser.toPlainText()
    finally:
        show_theme(Theme.SYSTEM, qapp)
