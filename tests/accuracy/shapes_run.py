"""`python -m tests.accuracy shapes FILE`: time random shapes here; `--solve`: bundle what follows.

The machine must be otherwise idle. A run that is cut short goes on where it stopped.
"""

import argparse
from pathlib import Path

from advisor.model.instructions import Library
from advisor.predict.shape_factor import bundled_file, pack
from tests.accuracy.live import begin_here, remarks
from tests.accuracy.live_file import Recording
from tests.accuracy.shapes import record_shapes
from tests.accuracy.shapes_drawn import DRAWS
from tests.accuracy.shapes_fit import curves, fit_curves, summary, timed_shapes


def run_shapes(arguments: list[str]) -> int:
    """Record the shapes that are missing, or solve their factors."""
    parser = argparse.ArgumentParser(prog="python -m tests.accuracy shapes", description=__doc__)
    parser.add_argument(
        "file", type=Path, nargs="+",
        help="the recording, made or continued (.json.gz); several are solved together",
    )  # fmt: skip
    parser.add_argument(
        "--draw", choices=list(DRAWS), default="all", help="which shapes, each in its own recording"
    )
    parser.add_argument(
        "--library", type=Library, choices=list(Library), default=Library.ONEDNN,
        help="what computes TensorFlow's kernels",
    )  # fmt: skip
    parser.add_argument("--solve", action="store_true", help="time nothing, write the factors")
    options = parser.parse_args(arguments)
    recordings = [Recording(file) for file in options.file]
    if options.solve:
        fitted = fit_curves(timed_shapes(recordings))
        Path(str(bundled_file(options.library))).write_bytes(pack(curves(fitted)))
        print(summary(fitted, options.library))
        return 0
    if len(recordings) > 1:
        parser.error("shapes are timed into one recording at a time")
    recording = recordings[0]
    begin_here(recording)
    for name in record_shapes(recording, library=options.library, draw=options.draw):
        unit = recording.units[name]
        print(f"{name} {unit['seconds']:.0f} s{remarks(unit)}")
    return 0
