"""Every check of the project, in order, each in its own process; the first failure ends it.

Two halves of the tests, which need a processor each and time nothing, run beside each other; then
come those that are marked "alone", and those of the measuring itself.

python3 start.py test            everything but slow tests
python3 start.py test --slow     slow tests too, one after the other
python3 start.py test WORDS ...  WORDS go to pytest; the other checks are left out
"""

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BIN = Path(sys.executable).parent
CHECKS = (
    ("format", [BIN / "ruff", "format", "--check", "--quiet", "."]),
    ("lint", [BIN / "ruff", "check", "--quiet", "."]),
    ("types", [BIN / "mypy"]),
    ("layers", [BIN / "lint-imports"]),
    ("data", [sys.executable, "-P", "-m", "advisor.knowledge.validate"]),
    ("translations", [sys.executable, "-P", "tools/translations.py", "check"]),
)
PYTEST = (sys.executable, "-P", "-m", "pytest")
# What measures, or looks at the load of the machine, has it for itself.
ALONE = ("tests/probes",)
FIRST_HALF = ("tests/advisor", "tests/accuracy")
_NOT_ALONE = ("-q", "-m", "not slow and not alone")


def second_half() -> tuple[str, ...]:
    """Return what is in neither the first half nor alone, so that nothing is forgotten."""
    places = sorted(path for path in (ROOT / "tests").iterdir() if _has_tests(path))
    names = (path.relative_to(ROOT).as_posix() for path in places)
    return tuple(name for name in names if name not in (*ALONE, *FIRST_HALF))


def _has_tests(path: Path) -> bool:
    if path.is_dir():
        return any(path.rglob("test_*.py"))
    return path.name.startswith("test_")


def environment() -> dict[str, str]:
    """Return the variables of all checks."""
    return {**os.environ, "QT_QPA_PLATFORM": "offscreen", "PYTHONUTF8": "1"}


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


def run_halves() -> int:
    """Run both halves beside each other; the second shows what it says when it has ended."""
    began = time.monotonic()
    with tempfile.TemporaryFile() as said:
        second = subprocess.Popen(
            [*PYTEST, *_NOT_ALONE, *second_half()],
            cwd=ROOT, env=environment(), stdout=said, stderr=subprocess.STDOUT,
        )  # fmt: skip
        try:
            first = run("tests, first half", [*PYTEST, *_NOT_ALONE, *FIRST_HALF])
            code = second.wait()
        finally:
            second.kill()
            second.wait()
        said.seek(0)
        sys.stdout.write(said.read().decode("utf-8", "replace"))
    return tell("tests, second half", code=code, began=began) or first


def main(arguments: list[str]) -> int:
    """Run what the arguments ask for; return the first exit code that is not 0."""
    if arguments and arguments != ["--slow"]:
        return run("tests", [*PYTEST, *arguments])
    for name, command in CHECKS:
        code = run(name, list(command))
        if code:
            return code
    if arguments:
        return run("tests", [*PYTEST, "-q"])
    began = time.monotonic()
    alone = ["-q", "-m", "not slow and alone", *FIRST_HALF, *second_half()]
    codes = [
        run_halves(),
        run("tests that are alone", [*PYTEST, *alone]),
        run("tests of measuring", [*PYTEST, "-q", "-m", "not slow", *ALONE]),
    ]
    code = next((code for code in codes if code), 0)
    return tell("tests", code=code, began=began)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
