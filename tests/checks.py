"""Every check of the project, in order, each in its own process; the first failure ends it.

python3 start.py test            everything but slow tests
python3 start.py test --slow     slow tests too
python3 start.py test WORDS ...  WORDS go to pytest; the other checks are left out
"""

import os
import subprocess
import sys
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


def run(name: str, command: list[object]) -> int:
    """Run one check from the root of the project and say how it went."""
    began = time.monotonic()
    environment = {**os.environ, "QT_QPA_PLATFORM": "offscreen", "PYTHONUTF8": "1"}
    code = subprocess.run(
        [str(word) for word in command], cwd=ROOT, env=environment, check=False
    ).returncode
    verdict = "passed" if code == 0 else f"FAILED ({code})"
    print(f"== {name}: {verdict} in {time.monotonic() - began:.1f} s", flush=True)
    return code


def main(arguments: list[str]) -> int:
    """Run what the arguments ask for; return the first exit code that is not 0."""
    pytest = [sys.executable, "-P", "-m", "pytest"]
    if arguments and arguments != ["--slow"]:
        return run("tests", [*pytest, *arguments])
    for name, command in CHECKS:
        code = run(name, list(command))
        if code:
            return code
    selection = [] if arguments else ["-m", "not slow"]
    return run("tests", [*pytest, "-q", *selection])


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
