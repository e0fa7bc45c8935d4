"""Texts inside values are found in the catalogue, as they stand or by the form of the sentence."""

import re

import pytest

from advisor.i18n import translator_for
from advisor.model.option import Option, OptionKind
from advisor.model.quantity import Source
from advisor.model.recommendation import Objective, Preferences
from advisor.model.workload import Job
from advisor.network.load import bundled_workload
from advisor.recommend.recommend import recommend
from advisor.report.build import build_report
from advisor.report.lines import LINES
from advisor.report.said import (
    said,
    said_deed,
    said_line,
    said_pieces,
    said_title,
    source_text,
)
from advisor.report.sentences import SENTENCES
from advisor.report.text import render_text
from tests.advisor.recommend.builders import TODAY, a_profile, a_spec, an_offer
from tests.helpers.bundled import bundled_knowledge

EN, ZH = translator_for("en"), translator_for("zh_CN")
# Language, and neither a command, a name nor a title as it was published.
_ENGLISH = re.compile(r"(?<![\w./=-])(?:[a-z]{3,},? ){3,}[a-z]{3,}(?![\w./=-])")
_KEPT = ("pip install", "gcloud compute", "sky ", "StackOverflow question")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("Leave everything as it is", "保持现状"),
        ("gcp n4-highcpu-4, europe-west1, spot", "gcp n4-highcpu-4，europe-west1，竞价"),
        ("32 GiB while the machine runs", "机器运行期间 32 GiB"),
        ("disk price of aws", "aws 的磁盘价格"),
        ("42 s at 0.3 USD/h, price of 2025-01-01, 690 days old",
         "42 s，0.3 USD/h，2025-01-01 的价格（690 天前）"),
        ("over 1,000 years at 0.3 USD/h, price of 2025-01-01",
         "超过 1,000 年，0.3 USD/h，2025-01-01 的价格"),
        ("own measurement of 2026-11-21 on a server VM with AMD Zen 5",
         "2026-11-21 的自行测量，采用 AMD Zen 5 的服务器虚拟机"),
        ("export OMP_NUM_THREADS=8", "export OMP_NUM_THREADS=8"),
        ("the worker was ended: it used more than 3.5 GiB of memory",
         "工作进程已被终止：它使用了超过 3.5 GiB 内存"),
        ("without Keras a layer Lambda like this is not tried",
         "不经 Keras 时，不试用这样的 Lambda 层"),
        ("the worker accessed memory that is not its own (SIGSEGV)",
         "工作进程访问了不属于自己的内存（SIGSEGV）"),
        ("OSError: libtorch.so: cannot open", "OSError: libtorch.so: cannot open"),
        ("", ""),
    ],
)  # fmt: skip
def test_said(text, words):
    assert said(text, ZH) == words
    assert said(text, EN) == text


def test_parts_of_a_title_and_pieces_of_instructions_are_looked_up_apart():
    assert said_title("Leave everything as it is + Take a smaller network", ZH) == (
        "保持现状 + 采用较小的网络"
    )
    assert said_pieces("export A=1 ; use the CPU", ZH) == "export A=1 ; 使用 CPU"


def test_a_source_keeps_the_title_of_a_publication():
    own = Source(title="data sheet", reference="hardware/cpu_isa.csv")
    paper = Source(title="A study of networks", reference="example.org", date="2024")
    assert source_text(own, ZH) == "规格表: hardware/cpu_isa.csv"
    assert source_text(paper, ZH) == "A study of networks, 2024: example.org"


def test_an_error_is_told_with_the_name_of_its_file():
    line = "/tmp/a b: c.keras: not a .keras file: it is not a zip archive, or is cut off"
    assert said_line(line, ZH) == "/tmp/a b: c.keras: 不是 .keras 文件：不是 zip 归档，或不完整"
    assert said_line(line, EN) == line
    assert said_line("who knows: what", ZH) == "who knows: what"
    assert said_line("a.example: no connection; b.example: HTTP 500", ZH) == (
        "a.example: 无法连接; b.example: HTTP 500"
    )


def test_every_form_finds_what_is_written_in_it():
    for form in (*SENTENCES, *LINES):
        text = re.sub(r"\{(\w+)\}", r"X\1X", form)
        assert said(text, ZH) != text, form


def test_all_titles_of_options_are_translated():
    for fact in bundled_knowledge().options:
        assert said(fact.title, ZH) != fact.title


@pytest.mark.parametrize("objective", [Objective.CHEAPEST, Objective.FASTEST])
def test_a_whole_advice_has_no_english_sentence_in_chinese(objective):
    knowledge = bundled_knowledge()
    workload = bundled_workload("resnet-50", job=Job(), networks=knowledge.networks)
    advice = recommend(
        a_profile(),
        None,
        workload,
        Preferences(objective=objective),
        knowledge,
        today=TODAY,
        app_version="1",
    )
    text = render_text(build_report(advice, ZH), width=10_000)
    found = [
        line
        for line in text.splitlines()
        if _ENGLISH.search(line) and not any(kept in line for kept in _KEPT)
    ]
    assert not found


@pytest.mark.parametrize(
    ("kind", "parts", "words"),
    [
        (OptionKind.CLOUD, {"offer": an_offer()}, ("Rent a title", "租用 a title")),
        (OptionKind.BUY, {"purchase": a_spec()}, ("Buy a title", "购买 a title")),
        (OptionKind.STAY, {}, ("a title", "a title")),
    ],
)
def test_an_offer_is_told_as_a_deed(kind, parts, words):
    option = Option(id="x", title="a title", kind=kind, **parts)
    assert (said_deed(option, EN), said_deed(option, ZH)) == words


def test_what_the_system_says_of_a_file_is_told_in_the_language_of_the_user():
    line = "/full/a.pdf: cannot be written: No space left on device: choose another place"
    assert said_line(line, ZH) == "/full/a.pdf: 无法写入：磁盘空间已满：请选择其他位置"
