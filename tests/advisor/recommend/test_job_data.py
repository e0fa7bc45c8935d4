"""The data set of a job: its size, its way, its disk."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from advisor.model.recommendation import Preferences
from advisor.recommend.job_data import SYSTEM_GIB, UPLOAD_BYTE_PER_S, JobData, job_data
from tests.advisor.recommend.builders import GIB, a_workload


def test_samples_times_bytes_of_a_sample():
    images = job_data(a_workload(samples=1000, input_elements_per_sample=150_528), Preferences())
    assert images == JobData(size_bytes=150_528_000.0, is_stated=False)
    words = job_data(a_workload(samples=1000, input_elements_per_sample=80), Preferences())
    assert words.size_bytes == 320_000.0


def test_what_the_user_says_counts():
    data = job_data(a_workload(), Preferences(data_bytes=5 * 10**9))
    assert data == JobData(size_bytes=5e9, is_stated=True)
    assert data.upload_s == pytest.approx(1000.0)


def test_no_data_needs_no_way_but_a_disk_for_the_system():
    data = job_data(a_workload(), Preferences(data_bytes=0))
    assert data.upload_s == 0.0
    assert data.disk_gib == SYSTEM_GIB


@given(st.integers(0, 10**13), st.integers(0, 10**12))
def test_more_data_never_need_less(size, more):
    small, large = (JobData(size_bytes=float(n), is_stated=True) for n in (size, size + more))
    assert large.disk_gib >= small.disk_gib >= SYSTEM_GIB + 2 * size / GIB
    assert large.upload_s >= small.upload_s == size / UPLOAD_BYTE_PER_S
