"""The proof of `try`: its winners against hours of measuring, its figures against themselves.

python -m tests.trial_proof measure-all [--minutes 12]   every setting in turn, goes on where it was
python -m tests.trial_proof try                          the app's own `try --all`, with its time
python -m tests.trial_proof compare                      regret, time and verdicts of both
python -m tests.trial_proof repeat N [--minutes 2]       the same try N times
python -m tests.trial_proof same N [--minutes 1]         a setting that changes nothing, N times
python -m tests.trial_proof kills N                      kill -9 of parent or child N times

Each prints a table, writes JSON into `--out` and ends with 1 when what is asked does not hold.
Timings mean something on a quiet machine only.
"""

import argparse
from pathlib import Path

from tests.trial_proof.all_settings import measure_all
from tests.trial_proof.jobs import NETWORKS, Proof
from tests.trial_proof.kills import kills
from tests.trial_proof.tries import repeat, same, try_all
from tests.trial_proof.verdicts import compare

_MINUTES = {"measure-all": 12.0, "repeat": 2.0, "same": 1.0}


def main() -> int:
    """Do what the words ask for."""
    parser = argparse.ArgumentParser(
        prog="tests.trial_proof",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument(
        "what", choices=("measure-all", "try", "compare", "repeat", "same", "kills")
    )
    parser.add_argument("count", nargs="?", type=int, default=0)
    parser.add_argument("--network", action="append", choices=NETWORKS)
    parser.add_argument("--python", help="another interpreter with JAX, PyTorch, ...")
    parser.add_argument("--minutes", type=float)
    parser.add_argument("--out", type=Path, default=Path("build/trial-proof"))
    words = parser.parse_args()
    proof = Proof(
        networks=tuple(words.network or NETWORKS),
        python=words.python,
        out=words.out,
        minutes=words.minutes or _MINUTES.get(words.what, 2.0),
    )
    proof.out.mkdir(parents=True, exist_ok=True)
    plain = {"measure-all": measure_all, "try": try_all, "compare": compare}
    counted = {"repeat": repeat, "same": same, "kills": kills}
    if words.what in plain:
        return plain[words.what](proof)
    if words.count < 1:
        parser.error(f"{words.what} needs a number of times")
    return counted[words.what](proof, words.count)


if __name__ == "__main__":
    raise SystemExit(main())
