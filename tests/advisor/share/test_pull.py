"""Published medians become rows of the user's own folder, or nothing changes."""

import dataclasses
import datetime as dt

import pytest

from advisor.compare.kernels import compare_kernels
from advisor.errors import InputError
from advisor.knowledge.rows import dump_rows
from advisor.knowledge.user_folder import add_user_folder
from advisor.model.published import Comparability, PublishedResult
from advisor.share.client import ShareError
from advisor.share.collector.aggregates import Figures, aggregates_of
from advisor.share.collector.export import export_csv
from advisor.share.collector.series import figures_of
from advisor.share.pull import FILE, pull
from tests.advisor.share.builders import machine, measured, upload, with_device
from tests.advisor.share.servers import RecordingServer, needs_openssl

TODAY = dt.date(2026, 11, 22)


def _export(made) -> str:
    figures = {}
    for number in range(7):
        for series, value in figures_of(made).items():
            found = figures.setdefault(series, Figures())
            found.uploads.append(number)
            found.values.append(value * (1.0 + 0.01 * number))
    return export_csv(aggregates_of(figures, least=5), year=2026)


def _rows(knowledge):
    from advisor.knowledge.rows import parse_rows

    return parse_rows(_export(upload(knowledge)), PublishedResult, file="x")


@pytest.fixture
def serve(tmp_path, vocabulary):
    made = []

    def pulled(text, *, status=200):
        data = text if isinstance(text, bytes) else text.encode()
        made.append(RecordingServer((status, {}, data)))
        return pull(made[-1].url, folder=tmp_path, today=TODAY, vocabulary=vocabulary, total_s=5.0)

    yield pulled
    for server in made:
        server.close()


def test_pulled_rows_are_used_and_marked(serve, knowledge, tmp_path):
    pulled = serve(_export(upload(knowledge)))
    assert (pulled.n_rows, pulled.n_uploads) == (2, 14)
    more = add_user_folder(knowledge, folder=tmp_path, today=TODAY)
    assert more.skipped == ()
    own = [row for row in more.published if row.study == "community"]
    assert len(own) == 2
    gemm = next(row for row in own if row.workload.startswith("gemm"))
    assert gemm.value == pytest.approx(310.5e9, rel=1e-3)
    assert gemm.note.startswith("community median of 7 uploads, middle half 3.06e+11 to 3.151e+11")
    assert gemm.source == "community results of 127.0.0.1, pulled 2026-11-22"


def test_the_same_machine_sees_the_median_of_others(serve, knowledge, tmp_path):
    serve(_export(upload(knowledge)))
    more = add_user_folder(knowledge, folder=tmp_path, today=TODAY)
    comparison = compare_kernels(machine(), measured(), more)
    sources = [
        (result.device, result.source.title)
        for group in comparison.groups
        for result in group.results
    ]
    assert ("AMD Ryzen 5 5600G", "community") in sources


def test_unlisted_hardware_is_not_offered_as_comparable(serve, knowledge, tmp_path):
    made = with_device(upload(knowledge), name="unlisted CPU, AMD, zen3")
    serve(_export(made))
    rows = add_user_folder(knowledge, folder=tmp_path, today=TODAY).published
    own = [row for row in rows if row.study == "community"]
    assert {row.comparability for row in own} == {Comparability.UNKNOWN}


def test_an_empty_list_is_fine_before_the_first_group(serve):
    assert serve(export_csv((), year=2026)).n_rows == 0


@pytest.mark.parametrize(
    "change",
    [
        {"study": "babelstream"},
        {"id": "babelstream-0001"},
        {"note": None},
        {"note": "buy at https://frodo.example"},
        {"note": "community median of 4 uploads, middle half 1 to 2"},
        {"device": "Frodo's Machine"},
        {"workload": "<script>"},
        {"framework": "frodo"},
        {"backend": "frodo"},
        {"framework_version": "1.2.3.4"},
        {"year": 2030},
        {"unit": "s"},
        {"value": -1.0},
        {"n_devices": 0},
    ],
)
def test_one_foreign_value_leaves_everything_as_it_was(serve, knowledge, tmp_path, change):
    first, second = _rows(knowledge)
    serve(dump_rows([first, second], PublishedResult))
    before = (tmp_path / FILE).read_bytes()
    bad = dataclasses.replace(first, **change)
    with pytest.raises(ShareError, match="row 1"):
        serve(dump_rows([bad, second], PublishedResult))
    assert (tmp_path / FILE).read_bytes() == before


def test_a_row_twice_is_refused(serve, knowledge):
    first, _second = _rows(knowledge)
    with pytest.raises(ShareError, match="id: not one of its own"):
        serve(dump_rows([first, first], PublishedResult))


def test_a_list_that_lost_most_of_its_rows_is_not_believed(serve, knowledge, tmp_path):
    serve(dump_rows(_rows(knowledge), PublishedResult))
    before = (tmp_path / FILE).read_bytes()
    with pytest.raises(ShareError, match="0 rows where 2 were"):
        serve(export_csv((), year=2026))
    assert (tmp_path / FILE).read_bytes() == before


@pytest.mark.parametrize("text", [b"", b"<html>", b"\xff\xfe", b"id,study\n1,2\n"])
def test_an_answer_that_is_no_table(serve, tmp_path, text):
    with pytest.raises(ShareError):
        serve(text)
    assert not (tmp_path / FILE).exists()


def test_a_server_without_a_list(serve):
    with pytest.raises(ShareError, match="HTTP 404"):
        serve(b"", status=404)


def test_only_https_is_asked(tmp_path, vocabulary):
    with pytest.raises(InputError, match="https"):
        pull("http://example.org", folder=tmp_path, today=TODAY, vocabulary=vocabulary)


@needs_openssl
def test_figures_of_a_server_that_nobody_vouches_for_are_not_taken(tmp_path, knowledge, vocabulary):
    server = RecordingServer((200, {}, _export(upload(knowledge)).encode()))
    try:
        server.speak_tls(tmp_path)
        with pytest.raises(ShareError, match="certificate"):
            pull(server.url, folder=tmp_path, today=TODAY, vocabulary=vocabulary, total_s=5.0)
    finally:
        server.close()
    assert server.requests == []
    assert not (tmp_path / "published").exists()


def test_a_folder_that_cannot_be_written(serve, knowledge, tmp_path):
    (tmp_path / "published").write_text("")
    with pytest.raises(ShareError, match="cannot be written"):
        serve(_export(upload(knowledge)))
