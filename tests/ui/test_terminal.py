"""Standard output is filled as wide as it is, in what its encoding can say."""

import io
import os
import subprocess
import sys
from pathlib import Path

import pytest

from ui.terminal import MAX_WIDTH, MIN_WIDTH, PIPED_WIDTH, output_width, user_translator

ROOT = Path(__file__).resolve().parents[2]


@pytest.mark.parametrize(
    ("columns", "width"), [("100", 100), ("500", MAX_WIDTH), ("7", MIN_WIDTH), ("", PIPED_WIDTH)]
)
def test_width_follows_the_terminal_within_bounds(monkeypatch, columns, width):
    monkeypatch.setenv("COLUMNS", columns)
    monkeypatch.setattr(sys, "__stdout__", None)
    assert output_width() == width


@pytest.mark.parametrize(("columns", "encoding"), [("80", "ascii"), ("120", "utf-8")])
def test_advice_fits_the_terminal(columns, encoding):
    arguments = ["recommend", "mnist-mlp", "--no-cloud"]
    environment = {**os.environ, "COLUMNS": columns, "PYTHONIOENCODING": encoding}
    done = subprocess.run(
        [sys.executable, "-m", "ui", *arguments],
        cwd=ROOT, env=environment, capture_output=True, check=True, timeout=60,
    )  # fmt: skip
    lines = done.stdout.decode(encoding).splitlines()
    assert max(len(line) for line in lines if not line.startswith("    ")) <= int(columns)
    assert not any("?" in line for line in lines)


@pytest.mark.parametrize(
    ("encoding", "language"),
    [("utf-8", "zh_CN"), ("gbk", "zh_CN"), ("cp1252", "en"), ("ascii", "en"), ("cp437", "en")],
)
def test_a_terminal_without_chinese_signs_is_told_in_english(monkeypatch, encoding, language):
    monkeypatch.setenv("LC_ALL", "zh_CN.UTF-8")
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(io.BytesIO(), encoding=encoding))
    assert user_translator().language == language
