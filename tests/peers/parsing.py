"""What the peers print: clpeak's sections and the table of CLBlast's client."""

import re
from dataclasses import dataclass

BANDWIDTH = "Global memory bandwidth (GBPS)"
COMPUTE = "Single-precision compute (GFLOPS)"

_PLATFORM = re.compile(r"^\s*Platform: (.+?)\s*$")
_DEVICE = re.compile(r"^\s*Device: (.+?)\s*$")
_SECTION = re.compile(r"^\s+(\S.*\((?:GBPS|GFLOPS|GIOPS|us)\))\s*$")
_FIGURE = re.compile(r"^\s+(\w+)\s*: ([0-9.]+(?:e[+-]?\d+)?)\s*$")
_FAILED = re.compile(r"fail|error", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class ClpeakDevice:
    """The figures of one device: section, label and value; `complaints` are lines of failures."""

    platform: str
    name: str
    figures: tuple[tuple[str, str, float], ...]
    complaints: tuple[str, ...] = ()

    def best(self, section: str) -> float | None:
        """Return the highest figure of a section, None when it has none."""
        found = [value for name, _label, value in self.figures if name == section]
        return max(found, default=None)


def parse_clpeak(text: str) -> tuple[ClpeakDevice, ...]:
    """Return the devices in clpeak's output, in order."""
    devices: list[ClpeakDevice] = []
    platform, section = "", ""
    for line in text.splitlines():
        if match := _PLATFORM.match(line):
            platform, section = match[1], ""
        elif match := _DEVICE.match(line):
            devices.append(ClpeakDevice(platform=platform, name=match[1], figures=()))
            section = ""
        elif match := _SECTION.match(line):
            section = match[1]
        elif devices:
            devices[-1] = _with_line(devices[-1], section, line)
    return tuple(devices)


def _with_line(device: ClpeakDevice, section: str, line: str) -> ClpeakDevice:
    figures, complaints = device.figures, device.complaints
    match = _FIGURE.match(line)
    if match and section:
        figures = (*figures, (section, match[1], float(match[2])))
    elif _FAILED.search(line):
        complaints = (*complaints, line.strip())
    return ClpeakDevice(
        platform=device.platform, name=device.name, figures=figures, complaints=complaints
    )


def parse_clblast(text: str) -> dict[tuple[int, int, int], float]:
    """Return GFLOP/s by m, n, k in the table of `clblast_client_xgemm`; empty without a table."""
    heads: list[str] = []
    found: dict[tuple[int, int, int], float] = {}
    for line in text.splitlines():
        cells = [cell.strip() for cell in line.split(";")]
        if "GFLOPS_1" in cells:
            heads = cells
        elif heads and len(cells) == len(heads):
            row = dict(zip(heads, cells, strict=True))
            try:
                key = (_count(row["m"]), _count(row["n"]), _count(row["k"]))
                found[key] = float(row["GFLOPS_1"])
            except ValueError:
                continue
    return found


def _count(text: str) -> int:
    """Return a number, which the client writes as "1K" or "2M" unless told not to."""
    factors = {"K": 1024, "M": 1024 * 1024}
    return int(text.rstrip("KM")) * factors.get(text[-1:], 1)
