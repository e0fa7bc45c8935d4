"""What leaves the machine when a user shares results: one frozen value, and its exact bytes.

Every text in it is one of an allow-list (`advisor.share.vocabulary`); nothing in it names a
person, a machine or a time of day.
Leaves to others: making it (`advisor.share.anonymise`), sending it (`advisor.share.client`).
"""

import hashlib
import json
from dataclasses import dataclass
from typing import Any

from advisor.errors import FormatError
from advisor.model.codec import decode, encode
from advisor.model.kernel import Direction
from advisor.model.machine import DeviceKind, OsFamily
from advisor.model.quantity import Basis, Phase, Precision

# 1: first version.
UPLOAD_VERSION = 1
# A whole upload is a few kB.
MAX_BYTES = 64 * 1024
MAX_DEVICES = 16
MAX_FIGURES = 128
MAX_STEPS = 16


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedSystem:
    """Operating system: family, name from a list or None, first number of its version or None."""

    family: OsFamily
    name: str | None
    major: int | None


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedDevice:
    """A device by its product.

    Attributes:
        name: canonical name of our device table, else "unlisted CPU, AMD, zen3".
        threads: of a CPU, the logical CPUs that may be used, rounded down to a usual number.
        n_packages: of a CPU, processors in the machine.
        driver: name of the OpenCL platform; driver_version: its first two numbers.
        is_rare: True where few people may have one like it.
    """

    name: str
    kind: DeviceKind
    vendor: str | None
    threads: int | None = None
    n_packages: int | None = None
    driver: str | None = None
    driver_version: str | None = None
    is_rare: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedFigure:
    """A kernel's rate.

    Attributes:
        device: position in `Upload.devices`.
        kernel: name that states the shape, as published kernels are named.
        threads: as asked for; None for the default of the stack.
        value: of the figure of the timed values (`Measurement.figure_s`), four digits; `unit` is
            "flop/s" or "B/s".
        spread: median absolute deviation / median.
        is_steady: False when the machine was disturbed.
    """

    device: int
    kernel: str
    direction: Direction
    precision: Precision
    framework: str
    framework_version: str | None
    backend: str | None
    backend_version: str | None
    threads: int | None
    value: float
    unit: str
    spread: float
    n_values: int
    is_steady: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class SharedStep:
    """A predicted step of a bundled network on device 0, in seconds, against the measured one."""

    network: str
    phase: Phase
    precision: Precision
    batch_size: int
    low_s: float
    mid_s: float
    high_s: float
    basis: Basis
    measured_s: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Upload:
    """One machine's results. `month` is "2026-11"; `memory_gib` is a tier (1, 2, 4, ...)."""

    version: int
    app_version: str
    month: str
    system: SharedSystem
    memory_gib: int | None
    devices: tuple[SharedDevice, ...]
    figures: tuple[SharedFigure, ...]
    steps: tuple[SharedStep, ...] = ()


def canonical_bytes(upload: Upload) -> bytes:
    """Return the bytes that are shown, kept and sent: sorted keys, no spaces, UTF-8."""
    text = json.dumps(
        encode(upload), sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False
    )
    return text.encode("ascii")


def _no_constant(name: str) -> float:
    raise FormatError(f"{name} is not a number")


def parse_json(data: bytes) -> Any:
    """Return what a JSON text says.

    Raises:
        FormatError: with what is wrong, in one line.
    """
    try:
        return json.loads(data.decode("utf-8"), parse_constant=_no_constant)
    except UnicodeDecodeError:
        raise FormatError("not UTF-8") from None
    except RecursionError:
        raise FormatError("nested too deeply") from None
    except FormatError:
        raise
    except ValueError as error:
        raise FormatError(f"not JSON: {error}") from None


def parse_upload(data: bytes) -> Upload:
    """Return the upload that a body stands for; its texts are not checked yet.

    Raises:
        FormatError: with what is wrong, in one line.
    """
    return upload_of(parse_json(data))


def upload_of(body: Any) -> Upload:
    """Return the upload of plain JSON data.

    Raises:
        FormatError: with the path of the first entry that does not fit.
    """
    upload: Upload = decode(body, Upload)
    return upload


def id_of(token: str) -> str:
    """Return the public name of an upload: the hash of the token that deletes it.

    The token is 256 random bits, so that a plain hash cannot be reversed by trying: a slow one
    would add nothing.
    """
    return hashlib.sha256(token.encode("ascii")).hexdigest()
