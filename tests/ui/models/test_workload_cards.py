"""What the layers add up to is what the card says of the whole network."""

import pytest

from ui import dataset
from ui.journey import JourneyRequest, load_job
from ui.models.workload_cards import LAYER_HEADS, LAYER_TIPS, layer_rows, layers


@pytest.mark.parametrize("name", ["mobilenet", "mnist-cnn"])
def test_the_layers_add_up_to_the_multiply_adds_of_the_network(name, tr):
    workload = load_job(JourneyRequest(network=name), dataset.bundled_knowledge())
    found = layers(workload, tr)
    whole = sum(layer.multiply_adds for layer in found)
    assert whole == pytest.approx(workload.multiply_adds_per_sample, rel=0.001)
    rows = layer_rows(workload, tr)
    assert sum(row[2].value for row in rows) == pytest.approx(1.0)
    idle = [row for row in rows if row[1].text in ("Dropout", "MaxPooling2D", "ReLU")]
    assert idle
    assert {row[4].value for row in idle} == {0.0}
    # It moves data, which takes time: it has no flop, not a little.
    assert {row[2].text for row in idle} == {"0 %"}


def test_the_head_of_a_share_says_what_it_is_of(tr):
    assert LAYER_HEADS[2] == "Share of flop"
    assert "takes its time all the same" in LAYER_TIPS[2]
