"""Notes of published studies and data sheets are read in the user's language."""

import re

import pytest

from advisor.i18n import translator_for
from advisor.report.said import said_note, said_work
from advisor.report.study_notes import REMARKS, WORKS
from advisor.share.community import note_of
from tests.helpers.bundled import bundled_knowledge

EN, ZH = translator_for("en"), translator_for("zh_CN")
# A remark without two plain words beside each other is a name, a product or a number.
_PROSE = re.compile(r"(?<![\w./-])[a-z]+,? [a-z]{2,}(?![\w./-])")


@pytest.mark.parametrize(
    ("note", "words"),
    [
        ("forward, published as 7.9 ms", "前向，发表值为 7.9 ms"),
        ("input gradient, published as 1 ms; 224x224", "输入梯度，发表值为 1 ms；224x224"),
        ("8 CU, 720 MHz reported; driver 1912.11 (HSA1.1,LC)",
         "8 CU，报告 720 MHz；驱动程序 1912.11 (HSA1.1,LC)"),
        ("memory: Up to DDR5 4800 MT/s Up to DDR4 3200 MT/s",
         "内存：最高 DDR5 4800 MT/s，最高 DDR4 3200 MT/s"),
        ('heading "M1 Pro (2E+8P+16GPU+32GB) mlx: 0.2.0"',
         "标题“M1 Pro (2E+8P+16GPU+32GB) mlx: 0.2.0”"),
        ("AWS p3.2xlarge", "AWS p3.2xlarge"),
        ("", ""),
    ],
)  # fmt: skip
def test_a_note_is_read_remark_by_remark(note, words):
    assert said_note(note, ZH) == words
    assert said_note(note, EN) == note


def test_every_form_of_a_remark_has_a_translation_of_its_own():
    for forms, read in ((REMARKS, said_note), (WORKS, said_work)):
        for form in forms:
            text = re.sub(r"\{(\w+)\}", r"X\1X", form)
            assert read(text, ZH) != text, form


def test_no_remark_of_the_tables_is_left_in_english():
    knowledge = bundled_knowledge()
    notes = {row.note for row in (*knowledge.published, *knowledge.devices) if row.note}
    remarks = {remark for note in notes for remark in note.split("; ")}
    assert len(notes) > 2000
    left = {
        remark for remark in remarks if _PROSE.search(remark) and said_note(remark, ZH) == remark
    }
    assert left <= {"1 NVidia 2080 RTX (dev box)"}


def test_the_note_of_a_community_row_is_read_too():
    note = note_of(
        direction="weight gradient", detail="input 64", n=7, low=1.5, high=2e12,
        system="linux", device_threads=8,
    )  # fmt: skip
    assert said_note(note, ZH) == (
        "权重梯度；社区 7 份上传的中位数，中间一半为 1.5 至 2e+12；输入 64；linux；8 个 CPU 线程"
    )


@pytest.mark.parametrize(
    ("work", "words"),
    [
        ("clpeak fp32 mad peak", "clpeak fp32 乘加峰值"),
        ("clpeak global memory read", "clpeak 全局内存读取"),
        ("bidaf on squad", "bidaf（squad）"),
        ("resnet-50", "resnet-50"),
    ],
)
def test_a_work_keeps_the_names_of_networks(work, words):
    assert said_work(work, ZH) == words
    assert said_work(work, EN) == work
