"""Whether figures with the window open are those without: `python -m tests.window_cost`.

Walks the same short run in turn with the real window on a virtual screen, its live page open, and
without any window, and prints for each headline the ratio of the times (above 1: slower with the
window). Meant for a quiet machine. Exit code 1: they differ by more than 1 % in the median.
Needs Xvfb; Linux only.
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import psutil

from advisor.model.codec import dump_document, load_document
from advisor.model.measurement import BenchmarkRequest, MeasurementSet
from tests.ui.screen import ROOT, virtual_screen

ALLOWED = 0.01
LONGEST_S = 120.0
POLL_MS = 1000
# What is timed: a part of the headlines, such that a pair takes less than a minute. Of OpenCL
# devices the first one, known by its headline product.
SHORT = (
    "clock/clock-vector/",
    "numpy/gemm-m1024",
    "stream/stream-triad",
    "keras/gemm-m1024",
    "keras/conv-n8c128",
    "keras/lstm-b32t20",
    "keras/gemm-m512n512k512/forward/reference",
)
OPENCL_GEMM = "/gemm-m1024n1024k1024/forward"
Times = dict[str, float]


def short_plan(requests: Sequence[BenchmarkRequest]) -> tuple[BenchmarkRequest, ...]:
    """Return the part of a plan that is timed here."""
    shown = [r for r in requests if r.role in ("headline", "reference")]
    opencl = [r for r in shown if r.id.startswith("opencl/") and r.id.endswith(OPENCL_GEMM)]
    return tuple(r for r in shown if r.id.startswith(SHORT) or r in opencl[:1])


def ratios(with_window: Times, without: Times) -> Times:
    """Return the ratio of each headline that both have."""
    return {name: with_window[name] / s for name, s in without.items() if name in with_window}


def summary(pairs: Sequence[Times]) -> tuple[list[str], float]:
    """Return the lines of the table, and the median of all ratios."""
    lines = []
    for name in pairs[0]:
        values = [pair[name] for pair in pairs if name in pair]
        each = " ".join(f"{value:.3f}" for value in values)
        lines.append(f"{name[:60]:60} {statistics.median(values):.3f}  {each}")
    middle = statistics.median(value for pair in pairs for value in pair.values())
    middles = " ".join(f"{statistics.median(pair.values()):.3f}" for pair in pairs)
    lines.append(f"{'median of all headlines':60} {middle:.3f}  {middles}")
    return lines, middle


# The side of the child.


def shorten(out: Path) -> None:
    """Make the program of this process take the short plan, and write down what it measured."""
    from probes.bench import plan as plans
    from probes.bench import session

    whole, run = plans.plan, session.Session.run

    def run_and_keep(self: session.Session, *args: object, **more: object) -> MeasurementSet:
        found = run(self, *args, **more)  # type: ignore[arg-type]
        part = out.with_suffix(".part")
        part.write_text(dump_document(found), encoding="utf-8")
        part.rename(out)
        return found

    plans.plan = lambda profile, **more: short_plan(whole(profile, **more))
    session.Session.run = run_and_keep  # type: ignore[assignment,method-assign]


def child(side: str, out: Path) -> int:
    """Walk the line once, with a window or without."""
    shorten(out)
    if side == "plain":
        from probes.bench.process import CancelToken
        from ui.journey import JourneyRequest, walk

        walk(JourneyRequest(), on_event=lambda _event: None, cancel=CancelToken())
        return 0
    from PySide6.QtCore import QTimer

    from ui import app

    def drive(window: Any) -> None:
        timer = QTimer(window)
        timer.timeout.connect(lambda: window.close() if out.exists() else None)
        timer.start(POLL_MS)
        window.show_page("measure")
        QTimer.singleShot(POLL_MS, window.page("start").advise_button.click)

    return app.run(on_window=drive)


# The side of the parent.


def one_run(side: str, *, display: str, home: Path) -> tuple[Times, tuple[str, ...]]:
    """Return the headlines of one run in seconds, and its warnings."""
    out = home / "measured.json"
    out.unlink(missing_ok=True)
    environment = {**os.environ, "DISPLAY": display, "QT_QPA_PLATFORM": "xcb", "HOME": str(home)}
    for name in ("XDG_CACHE_HOME", "XDG_CONFIG_HOME", "XDG_DATA_HOME"):
        environment[name] = str(home / name)
    command = [sys.executable, "-m", "tests.window_cost", "--side", side, "--out", str(out)]
    done = subprocess.run(
        command, env=environment, cwd=ROOT, timeout=LONGEST_S, check=False, capture_output=True
    )
    if not out.exists():
        raise SystemExit(f"{side}: no figures\n" + done.stderr.decode("utf-8", "replace")[-2000:])
    found = load_document(out.read_text(encoding="utf-8"), MeasurementSet)
    times = {m.request.id: m.figure_s for m in found.measured if m.request.role == "headline"}
    return times, tuple(warning.value for warning in found.warnings)


def parse(arguments: Sequence[str]) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.window_cost", description=__doc__)
    parser.add_argument("--pairs", type=int, default=5)
    parser.add_argument("--side", choices=("window", "plain"), help=argparse.SUPPRESS)
    parser.add_argument("--out", type=Path, help=argparse.SUPPRESS)
    return parser.parse_args(arguments)


def main(arguments: Sequence[str]) -> int:
    asked = parse(arguments)
    if asked.side:
        return child(asked.side, asked.out)
    pairs = []
    with virtual_screen() as display, tempfile.TemporaryDirectory() as folder:
        # What devices run best is found in a run that does not count.
        one_run("plain", display=display, home=Path(folder))
        for number in range(asked.pairs):
            order = ("window", "plain") if number % 2 == 0 else ("plain", "window")
            both = {s: one_run(s, display=display, home=Path(folder)) for s in order}
            pairs.append(ratios(both["window"][0], both["plain"][0]))
            told = sorted({word for _, warnings in both.values() for word in warnings})
            middle = statistics.median(pairs[-1].values())
            print(f"pair {number + 1}: {middle:.3f}, warnings: {told or 'none'}", flush=True)
    lines, middle = summary(pairs)
    print("\n".join(lines))
    print(f"load of the last minute: {os.getloadavg()[0]:.1f}, with {psutil.cpu_count()} CPUs")
    return 0 if abs(middle - 1.0) <= ALLOWED else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
