"""The series that figures of an upload belong to: what may be averaged together.

Leaves to others: storing them (`store`), publishing them (`aggregates`).
"""

import dataclasses
import hashlib
from dataclasses import dataclass

from advisor.model.kernel import Direction
from advisor.share.upload import SharedFigure, SharedStep, Upload


@dataclass(frozen=True, slots=True, kw_only=True)
class Series:
    """What figures of one kind have in common; the columns of `tables.SeriesRow`."""

    device: str
    device_kind: str
    kernel: str
    direction: str
    precision: str
    unit: str
    framework: str | None
    framework_version: str | None
    backend: str | None
    threads: int | None
    system: str
    device_threads: int | None

    @property
    def general(self) -> tuple[str | None, ...]:
        """What is left when versions, threads and systems are thrown together."""
        return (
            *(self.device, self.device_kind, self.kernel, self.direction, self.precision),
            *(self.unit, self.framework),
        )


def key_of(series: Series) -> str:
    """Return the hash that a series is found by."""
    words = (str(getattr(series, field.name)) for field in dataclasses.fields(series))
    return hashlib.sha256("\x1f".join(words).encode()).hexdigest()[:32]


def figures_of(upload: Upload) -> dict[Series, float]:
    """Return the steady figures of an upload, at most one for each series: the first."""
    found: dict[Series, float] = {}
    for figure in upload.figures:
        if figure.is_steady:
            found.setdefault(_of_figure(figure, upload), figure.value)
    for step in upload.steps:
        if step.measured_s is not None:
            found.setdefault(_of_step(step, upload), step.measured_s)
    return found


def _of_figure(figure: SharedFigure, upload: Upload) -> Series:
    device = upload.devices[figure.device]
    return Series(
        device=device.name,
        device_kind=device.kind.value,
        kernel=figure.kernel,
        direction=figure.direction.value,
        precision=figure.precision.value,
        unit=figure.unit,
        framework=figure.framework,
        framework_version=figure.framework_version,
        backend=figure.backend,
        threads=figure.threads,
        system=upload.system.family.value,
        device_threads=device.threads,
    )


def step_name(step: SharedStep) -> str:
    """Return the name under which steps of a network are kept."""
    return f"step {step.network} {step.phase.value} b{step.batch_size}"


def _of_step(step: SharedStep, upload: Upload) -> Series:
    device = upload.devices[0]
    return Series(
        device=device.name,
        device_kind=device.kind.value,
        kernel=step_name(step),
        direction=Direction.FORWARD.value,
        precision=step.precision.value,
        unit="s",
        framework="keras",
        framework_version=None,
        backend=None,
        threads=None,
        system=upload.system.family.value,
        device_threads=device.threads,
    )
