"""`python -m tests.accuracy live FILE`: measure what predictions are judged by, on this machine.

The machine must be otherwise idle. A run that is cut short goes on where it stopped.
"""

import argparse
import platform
import time
from pathlib import Path

from probes.machine.collect import collect_profile
from probes.machine.reader import SystemReader
from tests.accuracy.live_file import Recording
from tests.accuracy.live_networks import live_networks
from tests.accuracy.live_units import FIRST, Unit, is_essential, is_variant, tasks
from ui.journey import app_version, today


def run_live(arguments: list[str]) -> int:
    """Record what is missing, as far as the time reaches."""
    parser = argparse.ArgumentParser(prog="python -m tests.accuracy live", description=__doc__)
    parser.add_argument("file", type=Path, help="the recording, made or continued (.json.gz)")
    parser.add_argument("--minutes", type=float, default=35.0, help="begin nothing after these")
    parser.add_argument("--only", nargs="*", metavar="NETWORK", help="no other networks")
    parser.add_argument(
        "--unseen", action="store_true", help="the networks that nothing was fitted with, alone"
    )
    part = parser.add_mutually_exclusive_group()
    part.add_argument("--essential", action="store_true", help="float32 alone, no variants")
    part.add_argument(
        "--variants", action="store_true", help="bfloat16 and one thread, after a calibration"
    )
    parser.add_argument("--plan", action="store_true", help="print what would be done")
    parser.add_argument(
        "--redo-above", type=float, metavar="SHARE",
        help="measure again what was measured while others used more of the CPUs than this",
    )  # fmt: skip
    options = parser.parse_args(arguments)
    names = {network.name for network in live_networks()}
    if unknown := sorted(set(options.only or ()) - names):
        parser.error(f"no network is called {unknown[0]!r}; there are: {', '.join(sorted(names))}")
    return _record(options)


def begin_here(recording: Recording) -> None:
    """Note this machine and the software in a recording that has none yet."""
    profile = collect_profile(SystemReader(), today=today(), list_opencl=None)
    recording.begin(profile, {"app": app_version(), "python": platform.python_version()})


def _record(options: argparse.Namespace) -> int:
    networks = tuple(
        n
        for n in live_networks()
        if (n.name in options.only if options.only else n.is_unseen == options.unseen)
    )
    recording = Recording(options.file)
    if options.redo_above is not None:
        recording.forget_busy(options.redo_above)
    begin_here(recording)
    profile = recording.profile
    wanted = [task for task in tasks(profile, networks) if task.name not in recording.units]
    if options.essential:
        wanted = [t for t in wanted if is_essential(t.name)]
    if options.variants:
        wanted = [t for t in wanted if is_variant(t.name) or t.name == FIRST]
    ends_at = time.monotonic() + 60.0 * options.minutes
    for at, task in enumerate(wanted):
        if options.plan:
            print(task.name)
            continue
        if time.monotonic() >= ends_at:
            print(f"the time is used up; {len(wanted) - at} units are left, run it again")
            return 1
        unit = task.run()
        recording.put(task.name, unit)
        print(f"{at + 1}/{len(wanted)} {task.name} {unit['seconds']:.1f} s{remarks(unit)}")
    return 0


def remarks(unit: Unit) -> str:
    """Return what else there is to say of a unit: load, reference, failures."""
    others = unit["load"].get("others")
    text = f", others used {others:.0%}" if others else ""
    reference = unit.get("reference")
    if reference and reference.get("values_s"):
        text += f", reference {1e3 * min(reference['values_s']):.2f} ms"
    failed = [case["message"] for case in unit.get("cases", ()) if "message" in case]
    failed += [unit["message"]] if unit.get("message") else []
    return text + "".join(f"\n  failed: {message}" for message in failed)
