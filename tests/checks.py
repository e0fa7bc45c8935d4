"""Every check of the project, in order, each in its own process; the first failure ends it.

Groups of tests that need one processor and time nothing run beside each other, in two lanes, and
the slower ones of the other checks with them; then come those that are marked "alone"; then those
of the measuring, which wait most of their time, in two lanes of their own.

python3 start.py test            everything but slow tests
python3 start.py test --slow     slow tests too, one after the other
python3 start.py test WORDS ...  WORDS go to pytest; the other checks are left out
"""

import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BIN = Path(sys.executable).parent
CHECKS = (
    ("format", [BIN / "ruff", "format", "--check", "--quiet", "."]),
    ("lint", [BIN / "ruff", "check", "--quiet", "."]),
    ("layers", [BIN / "lint-imports"]),
)
TYPES = ("types", [BIN / "mypy"])
# Of several seconds each: they fill the lane that is free first.
SLOWER = (
    TYPES,
    ("data", [sys.executable, "-P", "-m", "advisor.knowledge.validate"]),
    ("translations", [sys.executable, "-P", "tools/translations.py", "check"]),
)
PYTEST = (sys.executable, "-P", "-m", "pytest")
# Real processes that mostly wait; half of the time is that of the trials and the budgets.
MEASURING = "tests/probes/bench"
HALF = (f"{MEASURING}/trials", f"{MEASURING}/test_fault_budget.py")
# The longest first, so that both lanes end together; what is not named follows as one group.
GROUPS = ("tests/ui", "tests/advisor", "tests/probes/workers", "tests/accuracy")
LANES = 2
_NOT_ALONE = ("-q", "-m", "not slow and not alone")


def others(folder: str = "tests") -> tuple[str, ...]:
    """Return what is in no group and does not measure, so that nothing is forgotten."""
    apart = (MEASURING, *GROUPS)
    found: list[str] = []
    for path in sorted((ROOT / folder).iterdir()):
        name = path.relative_to(ROOT).as_posix()
        if any(place.startswith(f"{name}/") for place in apart):
            found += others(name)
        elif name not in apart and _has_tests(path):
            found.append(name)
    return tuple(found)


def _has_tests(path: Path) -> bool:
    if path.is_dir():
        return any(path.rglob("test_*.py"))
    return path.name.startswith("test_")


def marked_alone() -> tuple[str, ...]:
    """Return the files with tests that are marked so: to load all files takes half a minute."""
    found = []
    for place in (*GROUPS, *others(), MEASURING):
        path = ROOT / place
        files = sorted(path.rglob("test_*.py")) if path.is_dir() else [path]
        found += [file for file in files if "mark.alone" in file.read_text(encoding="utf-8")]
    return tuple(file.relative_to(ROOT).as_posix() for file in found)


def environment() -> dict[str, str]:
    """Return the variables of all checks.

    Hundreds of tests start our own programs: each would be compiled anew where Python is told not
    to keep what it has compiled.
    """
    own = {"QT_QPA_PLATFORM": "offscreen", "PYTHONUTF8": "1", "PYTHONDONTWRITEBYTECODE": ""}
    return {**os.environ, **own}


def run(name: str, command: list[object]) -> int:
    """Run one check from the root of the project and say how it went."""
    began = time.monotonic()
    words = [str(word) for word in command]
    code = subprocess.run(words, cwd=ROOT, env=environment(), check=False).returncode
    return tell(name, code=code, began=began)


def tell(name: str, *, code: int, began: float) -> int:
    """Say how a check went; return its code."""
    verdict = "passed" if code == 0 else f"FAILED ({code})"
    print(f"== {name}: {verdict} in {time.monotonic() - began:.1f} s", flush=True)
    return code


def run_quietly(job: tuple[str, list[object]]) -> int:
    """Run one check beside others; show what it says when it has ended."""
    name, command = job
    began = time.monotonic()
    words = [str(word) for word in command]
    done = subprocess.run(
        words,
        cwd=ROOT, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False,
    )  # fmt: skip
    sys.stdout.write(done.stdout.decode("utf-8", "replace"))
    return tell(name, code=done.returncode, began=began)


def tests_of(*groups: tuple[str, ...]) -> list[tuple[str, list[object]]]:
    """Return the runs of groups of tests, those that are alone aside."""
    return [(f"tests, {group[0]}", [*PYTEST, *_NOT_ALONE, *group]) for group in groups]


def run_in_lanes(*jobs: tuple[str, list[object]]) -> int:
    """Run checks beside each other, in their order; return the first code that is not 0."""
    with ThreadPoolExecutor(LANES) as lanes:
        codes = list(lanes.map(run_quietly, jobs))
    return next((code for code in codes if code), 0)


def main(arguments: list[str]) -> int:
    """Run what the arguments ask for; return the first exit code that is not 0."""
    if arguments and arguments != ["--slow"]:
        return run("tests", [*PYTEST, *arguments])
    for name, command in CHECKS:
        code = run(name, list(command))
        if code:
            return code
    if arguments:
        codes = [run(name, list(command)) for name, command in SLOWER]
        return next((code for code in codes if code), 0) or run("tests", [*PYTEST, "-q"])
    began = time.monotonic()
    groups = [*((place,) for place in GROUPS), others()]
    rest = (MEASURING, *(f"--ignore={place}" for place in HALF))
    alone = ["-q", "-m", "not slow and alone", *marked_alone()]
    codes = [
        run_in_lanes(*tests_of(*groups), *SLOWER),
        run("tests that are alone", [*PYTEST, *alone]),
        run_in_lanes(*tests_of(HALF, rest)),
    ]
    code = next((code for code in codes if code), 0)
    return tell("tests", code=code, began=began)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
