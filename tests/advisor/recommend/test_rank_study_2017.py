"""The ranking picks what the founding study of cloud processors (2017-07) found."""

import csv
import math
from pathlib import Path

import pytest

from advisor.model.recommendation import Objective, Preferences
from advisor.recommend.rank import (
    Candidate,
    rank,
)
from tests.advisor.recommend.builders import (
    a_cloud_option,
    a_cost,
    a_prediction,
    an_offer,
    exactly,
    replace,
)
from tests.advisor.recommend.candidates import NO_EFFORT, order

RUNS = Path(__file__).parent / "minimaxir_2017_07.csv"


def study_rows():
    with RUNS.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def study_candidate(name, *, seconds, usd):
    offer = an_offer(vendor="gcp", instance_type=name, region="us")
    option = replace(a_cloud_option(offer, is_spot=True), id=name)
    return Candidate(
        option=option,
        prediction=a_prediction(name, hours=seconds / 3600.0),
        cost=a_cost(usd),
        effort=NO_EFFORT,
        redone_s=exactly(0.0),
    )


def study_candidates(network, *, with_gpu=False, price_factor=1.0):
    rows = [row for row in study_rows() if row["network"] == network]
    return [
        study_candidate(
            row["configuration"],
            seconds=float(row["total_s"]),
            usd=float(row["total_s"])
            / 3600.0
            * float(row["usd_per_hour"])
            * (1.0 if row["configuration"] == "k80" else price_factor),
        )
        for row in rows
        if with_gpu or row["configuration"] != "k80"
    ]


NETWORKS = sorted({row["network"] for row in study_rows()})


def geometric_mean(values):
    return math.exp(sum(math.log(value) for value in values) / len(values))


def geometric_candidates():
    rows = study_rows()
    base = {row["network"]: float(row["total_s"]) for row in rows if row["configuration"] == "k80"}
    configurations = {row["configuration"]: float(row["usd_per_hour"]) for row in rows}
    made = []
    for name, usd_per_hour in configurations.items():
        if name == "k80":
            continue
        relative = geometric_mean(
            [
                float(row["total_s"]) / base[row["network"]]
                for row in rows
                if row["configuration"] == name
            ]
        )
        hours = relative  # a job that takes the K80 one hour
        made.append(study_candidate(name, seconds=hours * 3600.0, usd=hours * usd_per_hour))
    return made


def test_seven_networks_in_nine_configurations():
    assert len(NETWORKS) == 7
    assert all(len(study_candidates(name, with_gpu=True)) == 9 for name in NETWORKS)


def test_s2_7_balanced_picks_16_vcpus_compiled_in_the_geometric_mean():
    ranking = rank(geometric_candidates(), preferences=Preferences())
    first = ranking.placed[0]
    assert first.candidate.option.id == "n1-highcpu-16 compiled"
    assert first.candidate.effective_s / 3600.0 == pytest.approx(1.393, abs=0.001)
    # It is the fastest of the eight as well.
    assert order(geometric_candidates(), Objective.FASTEST)[0] == "n1-highcpu-16 compiled"


def test_s2_7_balanced_picks_16_vcpus_compiled_for_five_networks_and_8_for_the_lstms():
    winners = {name: order(study_candidates(name))[0] for name in NETWORKS}
    assert sorted(winners.values()).count("n1-highcpu-16 compiled") == 5
    others = {name for name, winner in winners.items() if winner != "n1-highcpu-16 compiled"}
    assert others == {"imdb_bidirectional_lstm", "lstm_text_generation"}
    assert {winners[name] for name in others} == {"n1-highcpu-8 compiled"}


@pytest.mark.parametrize("network", NETWORKS)
def test_s2_8_cheapest_picks_8_vcpus_compiled(network):
    ids = order(study_candidates(network, with_gpu=True), Objective.CHEAPEST)
    assert ids[0] == "n1-highcpu-8 compiled"


def test_s2_3_fastest_for_the_cnn_is_the_gpu():
    assert order(study_candidates("mnist_cnn", with_gpu=True), Objective.FASTEST)[0] == "k80"


@pytest.mark.parametrize("network", NETWORKS)
def test_s2_6_never_64_vcpus(network):
    for objective in Objective:
        assert "64" not in order(study_candidates(network), objective)[0]


def test_s2_10_at_ordinary_prices_the_gpu_is_cheapest_for_cnns_and_fasttext():
    cheapest = {
        name: order(study_candidates(name, with_gpu=True, price_factor=5.0), Objective.CHEAPEST)[0]
        for name in NETWORKS
    }
    for name in ("mnist_cnn", "cifar10_cnn", "imdb_fasttext"):
        assert cheapest[name] == "k80"
    for name in ("mnist_mlp", "imdb_bidirectional_lstm", "lstm_text_generation"):
        assert cheapest[name] == "n1-highcpu-8 compiled"
