"""`python -m tests.accuracy`: errors against published results; `--write` renews the baseline.

`live FILE` measures on this machine; `recorded FILE` gives the errors of such a recording,
`across` those of one recorded machine predicted from another. `shapes FILE` times random shapes.
"""

import sys
from pathlib import Path

from advisor.knowledge.store import load_knowledge
from tests.accuracy.across import run_across
from tests.accuracy.live import run_live
from tests.accuracy.live_recorded import run_recorded
from tests.accuracy.offline import evaluate, summarise, to_json
from tests.accuracy.shapes_run import run_shapes

BASELINE = Path(__file__).with_name("baseline.json")


def main(arguments: list[str]) -> int:
    """Print the errors of each question, worst cases with `--worst`."""
    if arguments[:1] == ["live"]:
        return run_live(arguments[1:])
    if arguments[:1] == ["recorded"]:
        return run_recorded(arguments[1:])
    if arguments[:1] == ["across"]:
        return run_across(arguments[1:])
    if arguments[:1] == ["shapes"]:
        return run_shapes(arguments[1:])
    cases = evaluate(load_knowledge())
    text = to_json(summarise(cases))
    print(text, end="")
    if "--worst" in arguments:
        for case in sorted(cases, key=lambda c: -abs(c.log_error))[:40]:
            print(f"{case.log_error:+.2f} sd {case.log_sd} {case.question} {case.name}")
    if "--write" in arguments:
        BASELINE.write_text(text, encoding="utf-8")
    return 0


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1:]))
