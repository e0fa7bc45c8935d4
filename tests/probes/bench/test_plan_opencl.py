"""What is timed on an OpenCL device."""

import dataclasses

from advisor.model.kernel import StreamShape, TransferShape
from advisor.model.quantity import Precision
from probes.bench.plan_opencl import opencl_rows


def test_what_is_missed_most_comes_first(profile):
    tiers = [want.row.tier for want in opencl_rows(profile.opencl[0], is_thorough=False)]
    assert tiers == sorted(tiers)


def test_only_a_thorough_run_has_the_rows_that_are_thorough(profile):
    device = profile.opencl[0]
    quick = opencl_rows(device, is_thorough=False)
    assert not [want for want in quick if want.row.is_thorough]
    thorough = opencl_rows(device, is_thorough=True)
    assert len(thorough) > len(quick)
    assert Precision.FLOAT16 in {want.precision for want in thorough}


def test_arrays_fit_a_weak_device(profile):
    weak = dataclasses.replace(
        profile.opencl[0], max_alloc_bytes=16 << 20, global_mem_bytes=256 << 20
    )
    shapes = [want.row.shape for want in opencl_rows(weak, is_thorough=True)]
    assert {s.elements for s in shapes if isinstance(s, StreamShape)} == {4 << 20}
    assert not [s for s in shapes if isinstance(s, TransferShape)]
