from probes.machine.amd_topology import parse_node, read_topology

GPU = "simd_count 32\nsimd_per_cu 4\ndevice_id 4879\nlocation_id 8\nmax_engine_clk_fcompute 720\n"


def test_a_gpu_node():
    node = parse_node(GPU)
    assert node is not None
    assert (node.device_id, node.compute_units, node.max_mhz) == ("130f", 8, 720.0)
    assert node.matches("0000:00:01.0", device_id="130f")
    assert not node.matches("0000:01:00.0", device_id="130f")
    assert not node.matches("0000:00:01.0", device_id="1304")


def test_cpu_nodes_and_damaged_ones_are_no_gpus():
    assert parse_node("cpu_cores_count 4\ndevice_id 0\n") is None
    assert parse_node("device_id 99999999\n") is None
    assert parse_node(None) is None
    damaged = parse_node("device_id 1\nsimd_count 4\nsimd_per_cu 0\nmax_engine_clk_fcompute 1\n")
    assert damaged is not None
    assert (damaged.compute_units, damaged.max_mhz) == (None, None)


def test_nodes_are_read_from_their_folder(make_machine):
    folder = "/sys/class/kfd/kfd/topology/nodes"
    reader = make_machine({f"{folder}/0/properties": "device_id 0", f"{folder}/1/properties": GPU})
    assert [node.device_id for node in read_topology(reader)] == ["130f"]
    assert read_topology(make_machine({})) == ()
