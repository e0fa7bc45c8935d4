"""Names of architectures tell what the data know of them, in any spelling; unknown ones nothing."""

import pytest

from advisor.compare.architectures import architecture_names, architectures_of
from advisor.compare.explain import close_names, explain
from advisor.i18n import translator_for
from advisor.model.codec import dump_document, load_document
from advisor.model.explanation import Explanation
from advisor.model.machine import DeviceKind
from advisor.report.explain_sections import build_explanation_report
from advisor.report.text import render_text
from tests.advisor.recommend.builders import a_profile
from tests.helpers.bundled import bundled_knowledge


@pytest.fixture(scope="module")
def knowledge():
    return bundled_knowledge()


@pytest.mark.parametrize(
    ("asked", "row"),
    [
        ("zen3", "Zen 3"),
        ("Zen 3", "Zen 3"),
        ("zen+", "Zen / Zen+"),
        ("kabylake", "Skylake / Kaby / Coffee / Comet Lake client"),
        ("Comet Lake", "Skylake / Kaby / Coffee / Comet Lake client"),
        ("sapphire rapids", "Sapphire / Emerald Rapids"),
        ("Redwood Cove", "Meteor Lake (Redwood Cove)"),
        ("cortex a55", "Cortex-A53 / A55"),
        ("skylake-x", "Skylake-SP/X"),
        ("neoverse_n1", "Neoverse N1"),
    ],
)
def test_processors_are_found_by_any_spelling(knowledge, asked, row):
    found = architectures_of(asked, knowledge=knowledge)
    assert row in {device.isa.microarchitecture for device in found if device.isa is not None}
    assert all(device.kind is DeviceKind.CPU for device in found)


@pytest.mark.parametrize(
    ("asked", "family", "member"),
    [
        ("rdna2", "amd-rdna2-dgpu", "AMD Radeon RX 6600"),
        ("RDNA 2.0", "amd-rdna2-dgpu", "AMD Radeon RX 6600"),
        ("ada", "nvidia-turing-plus", "NVIDIA GeForce RTX 4060"),
        ("Ampere", "nvidia-turing-plus", "NVIDIA A100 PCIe 40 GB"),
        ("gfx1030", "amd-rdna2-dgpu", None),
        ("xe-hpg", "intel-arc-dgpu", None),
    ],
)
def test_gpus_are_found_with_what_runs_on_them(knowledge, asked, family, member):
    found = {d.family.id: d for d in architectures_of(asked, knowledge=knowledge) if d.family}
    assert family in found
    assert member is None or member in found[family].members


@pytest.mark.parametrize("asked", ["", "lake", "core", "zen9", "rdna", "kubernetes", "??"])
def test_what_is_not_the_name_of_one_finds_nothing(knowledge, asked):
    assert architectures_of(asked, knowledge=knowledge) == ()


def test_a_part_of_a_name_leaves_no_number_out(knowledge):
    names = {device.name for device in architectures_of("zen", knowledge=knowledge)}
    assert names == {"Zen / Zen+"}


def test_servers_and_desktops_of_one_name_stay_apart(knowledge):
    found = {
        device.name: device.members for device in architectures_of("skylake", knowledge=knowledge)
    }
    assert "Intel Core i7-6700" in found["Skylake / Kaby / Coffee / Comet Lake client"]
    assert "Intel Xeon Gold 6148" in found["Skylake-SP/X"]


def test_every_name_that_is_offered_can_be_asked(knowledge):
    names = architecture_names(knowledge)
    assert {"Zen 3", "RDNA 2.0", "Skylake"} <= set(names)
    assert [name for name in names if not architectures_of(name, knowledge=knowledge)] == []


def test_near_names_of_architectures_are_offered(knowledge):
    assert "Zen 3" in close_names("zen9", knowledge=knowledge)
    assert "RDNA 2.0" in close_names("rdna", knowledge=knowledge)


def test_an_explanation_says_years_products_and_survives_json(knowledge):
    found = explain("zen3", profile=a_profile(), knowledge=knowledge)
    text = render_text(build_explanation_report(found, translator_for("en")))
    assert "2020-2024" in text
    assert "AMD Ryzen 5 5600X" in text
    assert "and 2 more" in text
    assert load_document(dump_document(found), Explanation) == found


def test_a_product_is_not_taken_for_its_architecture(knowledge):
    (device, *_) = explain("ryzen 5 5600x", profile=a_profile(), knowledge=knowledge).devices
    assert device.spec is not None
    assert not device.is_architecture
