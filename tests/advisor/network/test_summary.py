import pytest

from advisor.errors import InputError, NetworkFileError
from advisor.network.bundled import bundled_config_text
from advisor.network.keras_config import network_from_config
from advisor.network.load import bundled_network
from advisor.network.summary import format_summary, network_table, shape_text, summarise
from tests.advisor.network.networks_data import NETWORKS, functional, layer


def test_rows_add_up_to_the_network():
    network = bundled_network("resnet-56", networks=NETWORKS)
    summary = summarise(network)
    assert sum(row.parameters for row in summary.rows) == summary.parameters == 857_082
    assert sum(row.trainable_parameters for row in summary.rows) == 853_018
    assert sum(row.multiply_adds for row in summary.rows) == summary.multiply_adds_per_sample
    assert summary.inputs == ("32 x 32 x 3",)


def test_a_row_has_name_type_shape_and_counts():
    row = summarise(bundled_network("mnist-cnn", networks=NETWORKS)).rows[0]
    assert (row.layer_type, row.output, row.parameters) == ("Conv2D", "26 x 26 x 32", 320)
    assert row.multiply_adds == 26 * 26 * 32 * 9


def test_rows_do_not_depend_on_the_batch():
    one = bundled_network("mnist-cnn", networks=NETWORKS, batch_size=1)
    many = bundled_network("mnist-cnn", networks=NETWORKS, batch_size=64)
    assert summarise(one) == summarise(many)


def test_the_table_is_aligned_and_totalled():
    lines = network_table("MNIST CNN", networks=NETWORKS).splitlines()
    assert lines[0] == "mnist-cnn: input 28 x 28 x 1"
    assert lines[-1].split() == ["Total", "1,199,882", "11,992,448"]
    assert len({len(line) for line in lines[3:-2]}) == 1


def test_a_file_of_ones_own_has_the_same_table(tmp_path):
    path = tmp_path / "own.json"
    path.write_text(bundled_config_text("mnist-cnn"), encoding="utf-8")
    own, bundled = (network_table(name, networks=NETWORKS) for name in (path, "mnist-cnn"))
    assert own.splitlines()[0] == "own.json: input 28 x 28 x 1"
    assert own.splitlines()[1:] == bundled.splitlines()[1:]
    with pytest.raises(NetworkFileError, match=r"missing\.onnx: "):
        network_table(tmp_path / "missing.onnx", networks=NETWORKS)


def test_shared_layers_are_marked_and_notes_follow():
    config = functional({"feed": (9,)}, {"d": (layer("Odd"), ["feed"])}, ["d"])
    config["config"]["layers"][1]["inbound_nodes"].append([["d", 0, 0, {}]])
    config["config"]["output_layers"] = [["d", 1, 0]]
    text = format_summary(summarise(network_from_config(config, name="n", batch_size=1)))
    assert "(shared)" in text
    assert "not known" in text.splitlines()[-1]


def test_an_unknown_network_has_no_table():
    with pytest.raises(InputError, match="no bundled network"):
        network_table("nothing like it", networks=NETWORKS)


def test_shapes_as_text():
    assert shape_text((56, 56, 64)) == "56 x 56 x 64"
    assert shape_text(()) == "scalar"
