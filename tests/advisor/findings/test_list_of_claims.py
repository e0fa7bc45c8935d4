"""Every checkable claim of the founding studies has its test; the others are open.

The verdicts stand in the bundled findings. A claim that is OK or PART must follow from the
product's own functions on the bundled figures; one that is NO must not; one that is OPEN has no
figures, so that nothing may be claimed.
"""

import re
from pathlib import Path

OPEN = {"S0-7", "S1-5", "S1-12", "S1-14", "S1-16", "S3-1", "S3-2", "S3-3"}


def test_every_finding_has_its_test_or_is_open(knowledge):
    asked = {
        found.replace("_", "-").upper()
        for path in Path(__file__).parent.glob("test_*.py")
        for name in re.findall(r"^def (test_\w+)", path.read_text(encoding="utf-8"), re.M)
        for found in re.findall(r"s\d_\d+(?=_)", name)
    }
    checkable = {f.id for f in knowledge.findings if f.verdict != "OPEN"}
    assert checkable <= asked
    assert len(checkable) == 32


def test_open_findings_are_listed_as_open(knowledge):
    assert {f.id for f in knowledge.findings if f.verdict == "OPEN"} == OPEN
    assert {f.verdict for f in knowledge.findings} == {"OK", "PART", "NO", "OPEN"}
