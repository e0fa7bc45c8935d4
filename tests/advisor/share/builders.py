"""Machines, measurements and uploads for the tests of sharing."""

import dataclasses

from advisor.model.kernel import GemmShape, StreamShape
from advisor.model.measurement import MeasurementSet
from advisor.model.quantity import Precision
from advisor.share.anonymise import anonymise
from advisor.share.upload import Upload
from tests.advisor.predict.builders import measure, profile

BRAND = "AMD Ryzen 5 5600G with Radeon Graphics"
GEMM = GemmShape(m=1024, n=1024, k=1024)


def machine(**more):
    return profile(**{"brand": BRAND, "cores": 6, **more})


def measured(*, factor: float = 1.0) -> MeasurementSet:
    """Return two headlines as such a machine gives them: 300 Gflop/s and 30 GB/s."""
    seconds = 2 * 1024**3 / 300e9 / factor
    results = (
        measure(GEMM, (seconds, seconds * 1.01, seconds * 0.99), role="headline"),
        measure(StreamShape(op="triad", elements=10**7), 12 * 10**7 / 30e9 / factor),
        measure(GEMM, seconds, role="replay"),
    )
    return MeasurementSet(measured_on="2026-11-21", duration_s=1.0, results=results)


def upload(knowledge, *, factor: float = 1.0, **more) -> Upload:
    made = anonymise(
        machine(),
        measured(factor=factor),
        knowledge=knowledge,
        app_version="1.2.3",
        month="2026-11",
    )
    return dataclasses.replace(made, **more)


def with_figure(made: Upload, **more) -> Upload:
    """Return the upload with its first figure changed."""
    first = dataclasses.replace(made.figures[0], **more)
    return dataclasses.replace(made, figures=(first, *made.figures[1:]))


def with_device(made: Upload, **more) -> Upload:
    """Return the upload with its first device changed."""
    first = dataclasses.replace(made.devices[0], **more)
    return dataclasses.replace(made, devices=(first, *made.devices[1:]))


FLOAT32 = Precision.FLOAT32
