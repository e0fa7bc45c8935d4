"""Reads the fields of workers' messages that more than one part takes.

Leaves to others: the form of messages (`probes.bench.protocol`).
"""

from collections.abc import Mapping

from advisor.model.measurement import SoftwareStack
from probes.bench.exits import plain_reason


def parse_times(data: object) -> tuple[float, ...]:
    """Return positive seconds; an empty tuple when there is anything else among them."""
    if not isinstance(data, list):
        return ()
    times = [x for x in data if isinstance(x, int | float) and not isinstance(x, bool) and x > 0]
    return tuple(float(x) for x in times) if len(times) == len(data) else ()


def parse_stack(data: object) -> SoftwareStack | None:
    """Return the software that a worker says it runs; None when it does not say."""
    if not isinstance(data, Mapping) or not isinstance(data.get("framework"), str):
        return None
    rest = {
        name: plain_reason(data[name]) if isinstance(data.get(name), str) else None
        for name in ("framework_version", "backend", "backend_version")
    }
    return SoftwareStack(framework=plain_reason(data["framework"]), **rest)
