"""The data set that goes to a rented machine: how large it is, how long it travels, what disk.

The size is the user's own figure, or is reckoned from the samples. Only the data set is counted:
code is small, and the network that comes back has its own line.
Leaves to others: what disk and time cost (`advisor.recommend.rent_cost`).
"""

import math
from dataclasses import dataclass

from advisor.model.recommendation import Preferences
from advisor.model.workload import Workload

# Assumptions, each told where it is used. Images and sounds lie on disk as bytes; short samples
# (rows of a table, words) as 32-bit numbers.
BYTES_PER_VALUE, BYTES_PER_SHORT_VALUE = 1, 4
SHORT_SAMPLE_VALUES = 1024
# A usual line at home or in an office, in the direction away from the user.
UPLOAD_BYTE_PER_S = 5e6
# System, driver and framework on the disk of a rented machine.
SYSTEM_GIB = 24
# Data sets arrive packed and are unpacked beside the package.
COPIES_ON_DISK = 2
# Disks are rented in steps.
DISK_STEP_GIB = 8

_GIB = 1024**3


@dataclass(frozen=True, slots=True, kw_only=True)
class JobData:
    """The data set of a job. `is_stated`: the user said its size."""

    size_bytes: float
    is_stated: bool

    @property
    def upload_s(self) -> float:
        """Seconds to bring it to a rented machine."""
        return self.size_bytes / UPLOAD_BYTE_PER_S

    @property
    def disk_gib(self) -> int:
        """GiB of disk that hold it twice beside the system, in steps."""
        needed = SYSTEM_GIB + COPIES_ON_DISK * self.size_bytes / _GIB
        return math.ceil(needed / DISK_STEP_GIB) * DISK_STEP_GIB


def job_data(workload: Workload, preferences: Preferences) -> JobData:
    """Return the size of a job's data set: as stated, else samples x bytes of a sample."""
    if preferences.data_bytes is not None:
        return JobData(size_bytes=float(preferences.data_bytes), is_stated=True)
    values = workload.input_elements_per_sample
    per_value = BYTES_PER_SHORT_VALUE if values < SHORT_SAMPLE_VALUES else BYTES_PER_VALUE
    return JobData(size_bytes=float(workload.samples * values * per_value), is_stated=False)
