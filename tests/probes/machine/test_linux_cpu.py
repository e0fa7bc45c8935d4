from probes.machine.linux_cpu import collect_cpu, read_board

CPU = "/sys/devices/system/cpu"


def test_cores_of_the_topology_where_cpuinfo_has_none(make_machine):
    files = {"/proc/cpuinfo": ""}
    for number in range(4):
        topology = f"{CPU}/cpu{number}/topology"
        files[f"{topology}/physical_package_id"] = str(number // 2)
        files[f"{topology}/thread_siblings_list"] = "0-1" if number < 2 else "2-3"
    cpu = collect_cpu(make_machine(files, machine="ppc64le", logical_cpus=4))
    assert (cpu.n_packages, cpu.n_physical_cores, cpu.n_logical_cpus) == (2, 2, 4)
    assert cpu.brand == "unknown ppc64le"


def test_damaged_cache_files_are_left_out(make_machine):
    files = {}
    for index, (level, size) in enumerate([("1", "32K"), ("x", "1K"), ("2", "-1"), ("9", "1K")]):
        files[f"{CPU}/cpu0/cache/index{index}/level"] = level
        files[f"{CPU}/cpu0/cache/index{index}/size"] = size
    caches = collect_cpu(make_machine(files)).caches
    assert [(c.level, c.size_bytes, c.shared_by, c.kind) for c in caches] == [
        (1, 32768, None, "unified")
    ]


def test_the_highest_clock_is_that_of_the_fastest_cores(make_machine):
    files = {
        f"{CPU}/cpufreq/policy0/cpuinfo_max_freq": "4700000",
        f"{CPU}/cpufreq/policy8/cpuinfo_max_freq": "3500000",
        f"{CPU}/cpufreq/policy9/cpuinfo_max_freq": "0",
        f"{CPU}/cpufreq/policy0/base_frequency": "2100000",
    }
    cpu = collect_cpu(make_machine(files))
    assert (cpu.base_mhz, cpu.max_mhz) == (2100.0, 4700.0)


def test_without_scaling_the_clock_seen_is_the_nominal_one(make_machine):
    text = "processor : 0\nvendor_id : x\nflags : fpu\ncpu MHz : 2596.1\n"
    cpu = collect_cpu(make_machine({"/proc/cpuinfo": text}))
    assert (cpu.base_mhz, cpu.max_mhz) == (2596.1, None)


def test_affinity_and_numa(make_machine):
    files = {"/sys/devices/system/node/online": "0-3"}
    cpu = collect_cpu(make_machine(files, affinity=3, logical_cpus=8))
    assert (cpu.usable_cpus, cpu.n_numa_nodes, cpu.n_logical_cpus) == (3, 4, 8)


def test_a_board_has_a_name(make_machine):
    reader = make_machine({"/proc/device-tree/model": "Raspberry Pi 4 Model B\0"})
    assert read_board(reader) == "Raspberry Pi 4 Model B"
    assert read_board(make_machine({})) is None
