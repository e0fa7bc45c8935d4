"""The network and the job as a report tells them."""

from advisor.i18n import translator_for
from advisor.model.kernel import UnknownShape
from advisor.model.quantity import Phase
from advisor.model.recommendation import Preferences
from advisor.model.report import Facts
from advisor.report.method_sections import workload_section
from tests.advisor.network.networks_data import built, layer, sequential
from tests.advisor.recommend.builders import a_workload

TR = translator_for("en")


def facts(workload, **wanted):
    section = workload_section(workload, Preferences(**wanted), TR)
    (found,) = (b for b in section.blocks if isinstance(b, Facts))
    return dict(found.rows)


def test_training_has_epochs_and_an_optimizer():
    told = facts(a_workload())
    assert "20 epochs" in told["Job"]
    assert told["Precision, optimizer"] == "float32, rmsprop"


def test_inference_has_neither():
    told = facts(a_workload(phase=Phase.INFERENCE, samples=1000, epochs=1))
    assert told["Job"].endswith("1,000 samples: 32 steps")
    assert told["Precision"] == "float32"
    assert "Precision, optimizer" not in told


def test_figures_of_a_network_with_a_layer_that_is_not_known_are_the_least():
    custom = built(sequential((9,), layer("Custom>Magic", name="odd"), layer("Dense", units=2)))
    assert any(isinstance(operator.shape, UnknownShape) for operator in custom.operators)
    told = facts(a_workload(operators=custom.operators, parameters=20))
    for name in ("Parameters", "Multiply-adds per sample", "Memory needed"):
        assert told[name].startswith("at least ")
    assert facts(a_workload(parameters=20))["Parameters"] == "20"


def test_the_limits_that_are_set_are_listed():
    free = "the best balance of time, money and effort"
    assert facts(a_workload())["Wanted"] == free
    told = facts(a_workload(), max_usd=20.0, allows_cloud=False, electricity_usd_per_kwh=0.3)
    assert told["Wanted"] == f"{free} · at most 20.00 USD · no renting · electricity at 0.3 USD/kWh"
