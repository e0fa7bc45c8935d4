"""Short cells of the explained tables: each is there, and each phrase has its translation."""

import re

import pytest

from advisor.i18n import translator_for
from advisor.recommend.instructions import kind_of, of_system, pieces_of
from advisor.report.explained_cells import CELLS
from advisor.report.said import said, said_list
from tests.helpers.bundled import bundled_knowledge

ZH = translator_for("zh_CN")
HAN = re.compile(r"[\u4e00-\u9fff]")
WORD = re.compile(r"(?<![\w./=:+-])[a-z]{2,}(?![\w./=+-])")


@pytest.fixture(scope="module")
def texts():
    knowledge = bundled_knowledge()
    found = {row.simd for row in knowledge.cpu_isa if row.simd}
    found |= {row.architecture for row in knowledge.gpu_families}
    for row in knowledge.past_systems:
        found |= {row.role, row.status, row.ended, row.successor, row.advice}
    for fact in knowledge.options:
        found |= {fact.risks, fact.effect_basis}
        pieces = [of_system(piece)[1] for piece in pieces_of(fact.how)]
        found |= {piece for piece in pieces if kind_of(piece) == "text"}
    return {text for text in found if text}


def test_each_cell_stands_in_a_table(texts):
    pieces = {piece for text in texts for piece in text.split("; ")}
    unused = [cell for cell in CELLS if cell not in texts | pieces and "{" not in cell]
    assert not unused


def test_phrases_are_chinese_and_names_stay(texts):
    left = {t for t in texts if WORD.search(t) and not HAN.search(said_list(t, ZH))}
    # Commands and names that look like words.
    assert {text for text in left if "against" not in text} <= {
        "Intel OpenMP: KMP_AFFINITY=granularity=fine,compact,1,0 KMP_BLOCKTIME=1",
        "sudo apt install libtcmalloc-minimal4", "winml sys --list-ep", "rocm examine",
        'device="mps"', "ct.convert(model, compute_units=ct.ComputeUnit.ALL)",
        "NEON 2x128, dotprod, fp16", "GCN 1.1 (Sea Islands APU), gfx700 (kaveri)",
        "Midgard/Bifrost/Valhall/5th gen",
    }  # fmt: skip
    assert said("AVX2", ZH) == "AVX2"
    assert said("active; OpenVINO 2026.4.1", ZH) == "仍在维护；OpenVINO 2026.4.1"
