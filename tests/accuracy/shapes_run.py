"""`python -m tests.accuracy shapes FILE`: time random shapes here; `--solve`: bundle what follows.

The machine must be otherwise idle. A run that is cut short goes on where it stopped.
"""

import argparse
import platform
from pathlib import Path

from advisor.knowledge.store import DATA_FOLDER, PACKED_FOLDER
from advisor.model.instructions import Library
from advisor.predict.shape_factor import pack
from probes.machine.collect import collect_profile
from probes.machine.reader import SystemReader
from tests.accuracy.live_file import Recording
from tests.accuracy.shapes import record_shapes
from tests.accuracy.shapes_fit import curves, fit_curves, summary, timed_shapes
from ui.journey import app_version, today

_TARGET = Path(__file__).parents[2] / "resources" / DATA_FOLDER / PACKED_FOLDER


def run_shapes(arguments: list[str]) -> int:
    """Record the shapes that are missing, or solve their factors."""
    parser = argparse.ArgumentParser(prog="python -m tests.accuracy shapes", description=__doc__)
    parser.add_argument("file", type=Path, help="the recording, made or continued (.json.gz)")
    parser.add_argument(
        "--library", type=Library, choices=list(Library), default=Library.ONEDNN,
        help="what computes TensorFlow's kernels",
    )  # fmt: skip
    parser.add_argument("--solve", action="store_true", help="time nothing, write the factors")
    options = parser.parse_args(arguments)
    recording = Recording(options.file)
    if options.solve:
        fitted = fit_curves(timed_shapes(recording))
        target = _TARGET / f"shapes-{options.library}.bin"
        target.write_bytes(pack(curves(fitted)))
        print(summary(fitted, options.library))
        return 0
    profile = collect_profile(SystemReader(), today=today(), list_opencl=None)
    recording.begin(profile, {"app": app_version(), "python": platform.python_version()})
    for name in record_shapes(recording, library=options.library):
        unit = recording.units[name]
        print(f"{name} {unit['seconds']:.0f} s, others used {unit['load'].get('others', 0.0):.0%}")
    return 0
