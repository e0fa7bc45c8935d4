"""Standard output is filled as wide as it is, in what its encoding can say."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from ui.terminal import MAX_WIDTH, MIN_WIDTH, PIPED_WIDTH, output_width

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
