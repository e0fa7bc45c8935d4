import pytest

from probes.machine.cgroup import parse_cfs, parse_cpu_max, read_cpu_quota, read_memory_limit

V1 = "4:memory:/docker/abc\n2:cpu,cpuacct:/docker/abc\n0::/\n"


def test_the_lowest_limit_on_the_way_to_the_root_holds(make_machine):
    reader = make_machine(
        {
            "/proc/self/cgroup": "0::/user.slice/app.scope\n",
            "/sys/fs/cgroup/user.slice/app.scope/cpu.max": "max 100000\n",
            "/sys/fs/cgroup/user.slice/cpu.max": "250000 100000\n",
            "/sys/fs/cgroup/user.slice/app.scope/memory.max": "max\n",
            "/sys/fs/cgroup/user.slice/memory.max": "2147483648\n",
        }
    )
    assert read_cpu_quota(reader) == 2.5
    assert read_memory_limit(reader) == 2147483648


def test_version_1_of_a_container_is_mounted_at_its_own_root(make_machine):
    reader = make_machine(
        {
            "/proc/self/cgroup": V1,
            "/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us": "150000\n",
            "/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us": "100000\n",
            "/sys/fs/cgroup/memory/memory.limit_in_bytes": "1073741824\n",
        }
    )
    assert read_cpu_quota(reader) == 1.5
    assert read_memory_limit(reader) == 1073741824


def test_version_1_without_limits(make_machine):
    reader = make_machine(
        {
            "/proc/self/cgroup": V1,
            "/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_quota_us": "-1\n",
            "/sys/fs/cgroup/cpu,cpuacct/cpu.cfs_period_us": "100000\n",
            "/sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n",
        }
    )
    assert read_cpu_quota(reader) is None
    assert read_memory_limit(reader) is None


@pytest.mark.parametrize("text", ["max 100000", "", "x y", "-5 100000", "100000 0", "1 99999999"])
def test_no_limit_or_nonsense_is_none(text):
    assert parse_cpu_max(text) is None


def test_the_period_has_a_default():
    assert parse_cpu_max("50000") == 0.5
    assert parse_cfs(None, period="100000") is None
