import json

import pytest

from advisor.errors import InputError, NetworkFileError
from advisor.network.bundled import bundled_config_text, find_network
from advisor.network.load import bundled_network
from tests.advisor.network.networks_data import DATA, NETWORKS

# Million parameters and billion multiply-adds that others print for the same networks.
PUBLISHED = {
    "resnet-50": (25.6, 3.86),
    "vgg16": (138.4, 15.47),
    "vgg19": (143.7, 19.63),
    "mobilenet": (4.3, 0.569),
    "mobilenetv2": (3.5, 0.300),
    "mobilenetv3small": (2.55, 0.056),
    "mobilenetv3large": (5.5, 0.217),
    "inceptionv3": (23.9, 5.71),
    "xception": (22.9, 8.36),
    "inceptionresnetv2": (55.9, 13.2),
    "densenet121": (8.1, 2.83),
    "nasnetmobile": (5.3, 0.564),
    "efficientnetb0": (5.3, 0.39),
    "convnexttiny": (28.6, 4.46),
}

# Exact figures of the tables behind the founding studies (trainable parameters, multiply-adds).
STUDIES = {
    "fcn-s": (117_997_696, 117_964_800),
    "alexnet-s": (62_378_344, 1_135_256_096),
    "fcn-r": (14_205_962, 14_198_784),
    "alexnet-r": (85_098, 10_732_160),
    "resnet-56": (853_018, 125_485_696),
    "lstm-ptb": (6_180_624, 32 * 3_608_576),
    "mnist-mlp": (669_706, 668_672),
    "mnist-cnn": (1_199_882, 11_992_448),
    "cifar10-deep-cnn": (1_250_858, 20_741_120),
    "imdb-bidirectional-lstm": (2_658_945, 9_830_528),
}


@pytest.mark.parametrize("facts", NETWORKS, ids=lambda facts: facts.name)
def test_every_bundled_network_has_the_counts_of_its_row(facts):
    network = bundled_network(facts.name, networks=NETWORKS)
    assert network.parameters == facts.parameters
    assert network.multiply_adds_per_sample == facts.multiply_adds_per_sample
    assert network.notes == ()


@pytest.mark.parametrize("name", STUDIES)
def test_networks_of_the_studies_have_their_figures(name):
    network = bundled_network(name, networks=NETWORKS)
    assert (network.trainable_parameters, network.multiply_adds_per_sample) == STUDIES[name]


@pytest.mark.parametrize("name", PUBLISHED)
def test_known_networks_have_their_published_size(name):
    millions, billions = PUBLISHED[name]
    network = bundled_network(name, networks=NETWORKS)
    assert network.parameters / 1e6 == pytest.approx(millions, rel=0.02)
    assert network.multiply_adds_per_sample / 1e9 == pytest.approx(billions, rel=0.015)


def test_fasttext_is_its_table_and_one_neuron():
    network = bundled_network("imdb-fasttext", networks=NETWORKS)
    vocabulary, rest = divmod(network.parameters - 51, 50)
    assert (vocabulary, rest) == (1_200_000, 0)


def test_rows_and_files_belong_together():
    files = {path.name.partition(".json")[0] for path in DATA.glob("*.json*")}
    assert files == {facts.name for facts in NETWORKS}


def test_files_leave_number_formats_and_initialisers_to_whoever_runs_them():
    for facts in NETWORKS:
        text = bundled_config_text(facts.name)
        assert "initializer" not in text
        assert "dtype" not in text
        assert json.loads(text)["class_name"] in ("Sequential", "Functional")


@pytest.mark.parametrize("name", ["ResNet-50", "resnet50", "RESNET_50", "resnet-50"])
def test_a_network_is_found_by_any_of_its_names(name):
    assert find_network(name, networks=NETWORKS).name == "resnet-50"


def test_no_name_means_two_networks():
    seen = {}
    for facts in NETWORKS:
        for name in {facts.name, facts.title, *facts.aliases}:
            key = "".join(letter for letter in name.lower() if letter.isalnum())
            assert seen.setdefault(key, facts.name) == facts.name


def test_an_unknown_name_lists_what_comes_close_in_one_line():
    with pytest.raises(InputError, match="did you mean mobilenetv2") as caught:
        find_network("mobilenetv22", networks=NETWORKS)
    assert "\n" not in str(caught.value)
    assert "dl-advisor networks" in str(caught.value)


def test_a_name_like_no_other_gets_no_guess():
    with pytest.raises(InputError) as caught:
        find_network("qqqq", networks=NETWORKS)
    assert "did you mean" not in str(caught.value)


def test_a_missing_file_is_named():
    with pytest.raises(NetworkFileError, match=r"'nowhere' is missing"):
        bundled_config_text("nowhere")
