"""Compares our figures with those of peers on this machine: `python -m tests.peers`.

Both run in turn on the same device and driver. Exit code 3: a peer is not installed; 1: a side
gave no figure. Meant for a quiet machine; the load is printed.
"""

import argparse
import json
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from advisor.knowledge.store import load_knowledge
from probes.machine.collect import collect_profile
from probes.machine.reader import SystemReader
from tests.peers import contests
from tests.peers.drivers import devices_of, find_drivers
from tests.peers.duel import Contest, PeerFailed, PeerMissing, Row, run_contest

EXIT_FAILED, EXIT_MISSING = 1, 3
WHATS = ("clpeak", "clblast", "cpu")


def parse(arguments: list[str]) -> argparse.Namespace:
    """Return the options."""
    parser = argparse.ArgumentParser(prog="python -m tests.peers", description=__doc__)
    parser.add_argument("--only", action="append", choices=WHATS, help="only this comparison")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument(
        "--icd",
        action="append",
        type=Path,
        default=[],
        metavar="PATH",
        help="a further OpenCL driver: its library, .icd file or folder of these",
    )
    parser.add_argument(
        "--driver", metavar="NAME", help="only OpenCL drivers with this in the name"
    )
    parser.add_argument("--clblast-client", metavar="PATH")
    parser.add_argument(
        "--python",
        action="append",
        default=[],
        metavar="PATH",
        help="a further interpreter whose libraries are tried",
    )
    parser.add_argument("--onednn", metavar="PATH", help="oneDNN's shared library (libdnnl)")
    parser.add_argument("--json", type=Path, metavar="FILE")
    return parser.parse_args(arguments)  # fmt: skip


def planned(options: argparse.Namespace, folder: Path) -> Iterator[Contest]:
    """Yield the comparisons that were asked for."""
    wanted = options.only or WHATS
    knowledge = load_knowledge()
    today = time.strftime("%Y-%m-%d")
    profile = collect_profile(SystemReader(), today=today, list_opencl=None)
    if "cpu" in wanted:
        yield contests.cpu_contest(
            profile, knowledge=knowledge, pythons=tuple(options.python), onednn=options.onednn
        )
    if not {"clpeak", "clblast"} & set(wanted):
        return
    for driver in find_drivers(folder, extra=tuple(options.icd)):
        if options.driver and options.driver not in driver.name:
            continue
        devices = devices_of(driver)
        if not devices:
            say(f"{driver.name}: no device")
        for device in devices:
            if "clpeak" in wanted:
                yield contests.clpeak_contest(profile, driver, device, knowledge=knowledge)
            if "clblast" in wanted:
                yield contests.clblast_contest(
                    profile, driver, device, knowledge=knowledge, client=options.clblast_client
                )


def say(text: str) -> None:
    """Write a line beside the table."""
    sys.stderr.write(text + "\n")
    sys.stderr.flush()


def line(row: Row) -> str:
    """Return a row of the table."""
    spread = f"{min(row.ratios):.2f}-{max(row.ratios):.2f}" if row.ratios else ""
    ours, theirs = statistics.median(row.ours), statistics.median(row.theirs)
    share = "      -" if row.share is None else f"{100 * row.share:5.0f} %"
    ratio = "-" if row.ratio is None else f"{row.ratio:.2f}"
    return (
        f"{row.device[:44]:44} {row.thing:18} {row.peer:26} {ours:8.1f} {theirs:8.1f} {row.unit:8}"
        f" {ratio:>6} ({spread:9}) {share}"
    )


def main(arguments: list[str]) -> int:
    """Run the comparisons, print the table, return the exit code."""
    options = parse(arguments)
    rows: list[Row] = []
    missing: list[str] = []
    failed: list[str] = []
    head = ("device", "what", "peer", "ours", "theirs", "unit", "ratio", "spread", "of peak")
    print("{:44} {:18} {:26} {:>8} {:>8} {:8} {:>6} ({:9}) {:>7}".format(*head))
    with tempfile.TemporaryDirectory(prefix="peers-") as folder:
        for contest in planned(options, Path(folder)):
            try:
                found = run_contest(contest, rounds=options.rounds)
            except PeerMissing as error:
                missing.append(f"{contest.peer}: {error}")
                continue
            except PeerFailed as error:
                failed.append(f"{contest.device}: {error}")
                continue
            failed += [note for note in contest.notes if "no figure" in note]
            for row in found:
                rows.append(row)
                print(line(row), flush=True)
            for note in contest.notes:
                say(note)
    load = os.getloadavg()[0] if hasattr(os, "getloadavg") else None
    say(f"load of the last minute: {load}, with {os.cpu_count()} CPUs")
    for note in dict.fromkeys((*missing, *failed)):
        say(note)
    if options.json:
        document = {
            "rounds": options.rounds, "load_average_1m": load, "missing": missing,
            "failed": failed, "rows": [row.as_json() for row in rows],
        }  # fmt: skip
        options.json.write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    if missing:
        return EXIT_MISSING
    return EXIT_FAILED if failed else 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
