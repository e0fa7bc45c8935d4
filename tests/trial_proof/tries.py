"""The app's own tries: each in a process as the user starts it, its report as JSON, its time."""

import json
import os
import subprocess
import sys
import time
from pathlib import Path

from advisor.model.codec import load_document
from advisor.model.trial import TrialReport, TrialSetup, TrialVerdict
from tests.trial_proof.jobs import ROOT, Proof, job_of, write_json
from ui.try_run import Searcher, SearchRequest

REPEATS_WITHIN = 0.03
_SAME_SHARE = 0.95


def app_environment(folder: Path) -> dict[str, str]:
    """Return the variables of an app that keeps all it writes in a folder."""
    folder.mkdir(parents=True, exist_ok=True)
    names = ("XDG_DATA_HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME", "TMPDIR")
    return {**os.environ, **dict.fromkeys(names, str(folder.resolve()))}


def app_try(proof: Proof, words: list[str], report: Path) -> tuple[TrialReport, float]:
    """Run `dl-advisor try` and return its report and how long it took from start to end."""
    report.parent.mkdir(parents=True, exist_ok=True)
    report.unlink(missing_ok=True)
    command = [sys.executable, "-m", "ui", "try", *words, "--json", str(report.resolve())]
    began = time.monotonic()
    done = subprocess.run(
        command,
        cwd=ROOT,
        env=app_environment(proof.out / "app"),
        stdout=subprocess.DEVNULL,
        check=False,
    )
    spent_s = time.monotonic() - began
    if not report.exists():
        raise SystemExit(f"{' '.join(command)} ended with {done.returncode} and gave no report")
    return load_document(report.read_text(encoding="utf-8"), TrialReport), spent_s


def try_file(proof: Proof, network: str) -> Path:
    """Return where the report of a try of all settings is kept."""
    return proof.out / f"try-{network}.json"


def try_all(proof: Proof) -> int:
    """Try all settings of each network; return 1 when one takes two minutes or more."""
    times = {}
    for network in proof.networks:
        words = [*proof.words(network), "--all"]
        report, times[network] = app_try(proof, words, try_file(proof, network))
        best = report.best
        name = "nothing" if best is None else best.setup.id
        print(f"{network:20} {times[network]:6.1f} s  best: {name}", flush=True)
    write_json(proof.out / "try-times.json", times)
    return int(max(times.values()) >= 120.0)


def repeat(proof: Proof, count: int) -> int:
    """Try the same settings again and again; return 1 when figures differ by over 3 %."""
    code = 0
    options = ["--option", "bfloat16", "--option", "malloc-keep", "--minutes", str(proof.minutes)]
    for network in proof.networks:
        speeds: dict[str, list[float]] = {}
        for at in range(count):
            report, _s = app_try(
                proof, [network, *options], proof.out / f"repeat-{network}-{at}.json"
            )
            for result in report.results:
                if result.speedup is not None:
                    speeds.setdefault(result.setup.id, []).append(result.speedup.mid)
        write_json(proof.out / f"repeat-{network}.json", speeds)
        for name, values in speeds.items():
            spread = max(values) / min(values) - 1.0
            text = " ".join(f"{value:.3f}" for value in values)
            print(f"{network:20} {name:14} {text}  largest/smallest {100 * spread:+.1f} %")
            code |= int(spread > REPEATS_WITHIN or len(values) < count)
        if not speeds:
            print(f"{network:20} no figure in the time: give more minutes")
            code = 1
    return code


def same(proof: Proof, count: int) -> int:
    """Try a setting that changes nothing; return 1 when it is too often called a difference."""
    code = 0
    for network in proof.networks:
        job = job_of(proof, network)
        twin = TrialSetup(id="same", title="The same again")
        verdicts = []
        for _ in range(count):
            request = SearchRequest(
                source=job.source,
                setups=(job.setups[0], twin),
                budget_s=60.0 * proof.minutes,
            )
            report = Searcher(request, today="2000-01-01").go(job.profile)
            verdicts.append(report.results[1].verdict)
            speed = report.results[1].speedup
            shown = "-" if speed is None else f"{speed.mid:.3f}"
            print(f"{network:20} {verdicts[-1].value:14} {shown} {report.duration_s:5.0f} s",
                  flush=True)  # fmt: skip
        n_right = verdicts.count(TrialVerdict.NO_DIFFERENCE)
        print(f"{network:20} no difference in {n_right} of {count}")
        write_json(proof.out / f"same-{network}.json", [v.value for v in verdicts])
        code |= int(n_right < _SAME_SHARE * count)
    return code


def read_times(proof: Proof) -> dict[str, float]:
    """Return how long each try of all settings took."""
    path = proof.out / "try-times.json"
    found = json.loads(path.read_text(encoding="utf-8")) if path.exists() else {}
    return {str(name): float(value) for name, value in found.items()}
