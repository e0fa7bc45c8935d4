"""Published groups as rows of our dataset: what `dl-advisor data pull` reads.

Leaves to others: which groups there are (`aggregates`), checking the rows (`advisor.share.pull`).
"""

import hashlib

from advisor.knowledge.rows import dump_rows
from advisor.model.machine import DeviceKind
from advisor.model.published import Comparability, PublishedResult, ResultPhase
from advisor.model.quantity import Precision
from advisor.share.collector.aggregates import Aggregate
from advisor.share.community import COMMUNITY, note_of, workload_of

SOURCE = "collector of DL Advisor"


def export_csv(aggregates: tuple[Aggregate, ...], *, year: int) -> str:
    """Return the public dataset as CSV."""
    return dump_rows([row_of(aggregate, year=year) for aggregate in aggregates], PublishedResult)


def row_of(aggregate: Aggregate, *, year: int) -> PublishedResult:
    """Return a group as a published result."""
    series = aggregate.series
    work = workload_of(series.kernel)
    is_step = work.phase is not ResultPhase.KERNEL
    metrics = {"flop/s": "rate", "B/s": "bandwidth", "s": "step_time"}
    return PublishedResult(
        id=f"{COMMUNITY}-{_digest(aggregate)}",
        study=COMMUNITY,
        year=year,
        phase=work.phase,
        workload=work.name,
        batch_size=work.batch_size,
        precision=Precision(series.precision),
        framework=series.framework,
        framework_version=series.framework_version,
        backend=series.backend,
        build=None,
        device=series.device,
        device_kind=DeviceKind(series.device_kind),
        threads=series.threads,
        n_devices=1,
        metric=metrics[series.unit],
        value=aggregate.median,
        unit=series.unit,
        parameters=None,
        multiply_adds_per_sample=None,
        comparability=Comparability.UNKNOWN
        if series.device.startswith("unlisted ")
        else Comparability.COMPARABLE,
        source=SOURCE,
        note=note_of(
            direction=None if is_step else series.direction,
            detail=work.detail,
            n=aggregate.n,
            low=aggregate.low,
            high=aggregate.high,
            system=series.system or None,
            device_threads=series.device_threads,
        ),
    )


def _digest(aggregate: Aggregate) -> str:
    words = repr((aggregate.series, aggregate.is_general))
    return hashlib.sha256(words.encode()).hexdigest()[:16]
