"""The whole recommendation on the bundled facts: machines, jobs and wishes of real users."""

import dataclasses
from pathlib import Path

import pytest

from advisor.errors import InputError
from advisor.model.codec import decode, encode, load_document
from advisor.model.machine import DeviceKind, MachineProfile, OsFamily
from advisor.model.option import OptionKind
from advisor.model.quantity import Phase
from advisor.model.recommendation import Objective, Preferences, ReasonCode, Recommendation
from advisor.model.workload import Job
from advisor.network.load import bundled_workload
from advisor.recommend.options import list_options
from advisor.recommend.recommend import recommend
from tests.advisor.recommend.builders import (
    TODAY,
    a_cpu,
    a_fact,
    a_gpu,
    a_profile,
    an_environment,
    an_os,
)
from tests.helpers.bundled import bundled_knowledge, index_of

STUDIES = frozenset({"so-non-nvidia-2017", "minimaxir-2017-07"})
A10 = Path(__file__).parents[2] / "data" / "machines" / "a10-7850k" / "profile.json"


@pytest.fixture(scope="module")
def all_facts():
    return bundled_knowledge()


@pytest.fixture(scope="module")
def knowledge(all_facts):
    """All facts but the published results that most tests do not need: they take time."""
    rows = tuple(row for row in all_facts.published if row.study in STUDIES)
    return dataclasses.replace(all_facts, published=rows)


@pytest.fixture(scope="module")
def kaveri():
    return load_document(A10.read_text(encoding="utf-8"), MachineProfile)


def zen4_laptop():
    return a_profile(
        cpu=a_cpu(
            brand="AMD Ryzen 7 7840U w/ Radeon 780M Graphics",
            microarchitecture="zen4",
            isa_features=("avx", "avx2", "fma", "avx512f", "avx512_vnni", "avx512_bf16"),
            n_physical_cores=8,
            n_logical_cpus=16,
            usable_cpus=16,
            base_mhz=3300.0,
            max_mhz=5100.0,
        ),
        graphics=(
            a_gpu(name="Phoenix1 [Radeon 780M]", pci_device_id="15bf", kernel_driver="amdgpu"),
        ),
    )


def advise(knowledge, profile, network="cifar10-deep-cnn", *, job=None, **wishes):
    return recommend(
        profile,
        None,
        bundled_workload(network, job=job or Job(), networks=knowledge.networks),
        Preferences(**wishes),
        knowledge,
        today=TODAY,
        app_version="1.0",
        index=index_of(knowledge),
    )


def kinds(advice):
    return [row.option.kind for row in advice.ranked]


# --- the APU of the founding question -----------------------------------------------------------


@pytest.fixture(scope="module")
def kaveri_advice(all_facts, kaveri):
    return advise(all_facts, kaveri)


def test_s0_2_the_first_is_a_cpu_option(kaveri_advice):
    first = kaveri_advice.ranked[0].option
    assert first.device_id == "cpu"
    assert first.kind in (OptionKind.STAY, OptionKind.BUILD, OptionKind.RUNTIME_SETTINGS)


def test_s0_2_no_opencl_and_no_igpu_option_is_ranked_or_hinted(kaveri_advice):
    entries = [*kaveri_advice.ranked, *kaveri_advice.hints]
    assert OptionKind.LOCAL_DEVICE not in [entry.option.kind for entry in entries]
    titles = " ".join(entry.option.title for entry in entries).lower()
    for word in ("opencl", "sycl", "plaidml", "rocm"):
        assert word not in titles


def test_s0_2_the_igpu_is_to_be_avoided_by_the_published_times(kaveri_advice):
    (igpu,) = [
        entry for entry in kaveri_advice.avoid if entry.option.kind is OptionKind.LOCAL_DEVICE
    ]
    assert igpu.reasons[0].code is ReasonCode.PUBLISHED_SLOWER
    cited = " ".join(evidence.statement for evidence in igpu.evidence)
    assert "1100 s" in cited
    assert "5800 s" in cited
    assert igpu.speedup.mid == pytest.approx(1100 / 5800)


def test_the_family_of_the_igpu_is_refused_with_its_advice(kaveri_advice):
    (rejection,) = [r for r in kaveri_advice.rejected if r.option_id == "device:gpu0"]
    assert rejection.reasons[0].code is ReasonCode.FRAMEWORK_DOES_NOT_RUN
    advice = {p.name: p.value for p in rejection.reasons[0].parameters}["advice"]
    assert "CPU" in advice


def test_avoid_is_sorted_by_harm_with_the_unknown_last(kaveri_advice):
    factors = [
        float("inf") if entry.speedup is None else entry.speedup.mid
        for entry in kaveri_advice.avoid
    ]
    assert factors == sorted(factors)
    assert len(factors) >= 4


@pytest.mark.parametrize(("regions", "is_ranked"), [((), True), (("no-such-region",), False)])
def test_that_one_can_rent_interruptible_machines_is_no_hint_where_one_is_ranked(
    knowledge, kaveri, regions, is_ranked
):
    advice = advise(knowledge, kaveri, job=Job(epochs=500), regions=regions)
    assert any(row.option.is_spot for row in advice.ranked) is is_ranked
    assert ("spot" in [hint.option.id for hint in advice.hints]) is not is_ranked


def test_the_free_gpus_are_hinted_with_the_hours_they_would_take(kaveri_advice):
    free = [h for h in kaveri_advice.hints if h.option.kind is OptionKind.FREE_TIER]
    assert free
    for hint in free:
        values = {p.name: p.value for p in hint.reasons[0].parameters}
        assert hint.reasons[0].code is ReasonCode.FASTER_THAN_NOW
        assert values["device"] == "T4"
        assert 0.0 < values["hours"] < kaveri_advice.baseline.total_s.mid / 3600.0


def test_s0_7_training_never_yields_something_for_inference_only(kaveri_advice):
    for entry in (*kaveri_advice.ranked, *kaveri_advice.hints, *kaveri_advice.avoid):
        if entry.option.fact is not None:
            assert "training" in entry.option.fact.phases


def test_s0_1_a_build_for_the_processor_is_advised_first_where_it_gains(knowledge, kaveri):
    build = a_fact(id="build-avx", kind=OptionKind.BUILD, effect_low=1.4, effect_high=2.0)
    facts = dataclasses.replace(knowledge, options=(build,))
    advice = advise(facts, kaveri, job=Job(epochs=2000), allows_cloud=False, allows_buying=False)
    first = advice.ranked[0]
    assert first.option.id == "build-avx"
    saved = 1.0 - 1.0 / first.speedup.mid
    assert 0.3 <= saved <= 0.5


# --- what a table must hold ---------------------------------------------------------------------


def test_best_of_each_way_is_shown(knowledge):
    advice = advise(knowledge, zen4_laptop(), "resnet-50", job=Job(epochs=1))
    assert {OptionKind.STAY, OptionKind.CLOUD} <= set(kinds(advice))


def test_a_card_of_unknown_price_is_told_and_never_ranked(knowledge):
    often = advise(knowledge, zen4_laptop(), "resnet-50", use_h_per_week=100.0)
    rarely = advise(knowledge, zen4_laptop(), "mnist-mlp")
    for advice in (often, rarely):
        for row in advice.ranked:
            assert row.option.purchase is None or row.cost.total_usd is not None
        assert {row.option.is_spot for row in advice.ranked} == {True, False}
        assert advice.n_offers_considered > 5000
    assert [e.option_id for e in rarely.rejected].count("buy:not_worth") == 1
    order = list(OptionKind)
    places = [order.index(hint.option.kind) for hint in often.hints]
    assert places == sorted(places)
    assert 8 <= len(often.ranked) <= 12
    assert 5 <= len(rarely.ranked) < 8  # an account takes longer than this job


def test_every_row_is_explained_and_priced(knowledge):
    advice = advise(knowledge, zen4_laptop(), "resnet-50", job=Job(epochs=1))
    for row in advice.ranked:
        assert row.reasons
        assert row.cost.total_usd is not None or row.cost.missing
        assert row.score == sum(part.value for part in row.score_parts)
        if row.option.kind is not OptionKind.STAY:
            assert row.steps
        if row.option.kind is OptionKind.CLOUD:
            assert any(step.caption.startswith("Stop") for step in row.steps)
            assert row.cost.price_date is not None
            assert row.cost.sources


def test_ranks_never_fall_and_ties_share_theirs(knowledge):
    for objective in Objective:
        ranked = advise(knowledge, zen4_laptop(), objective=objective).ranked
        ranks = [row.rank for row in ranked]
        assert ranks[0] == 1
        assert ranks == sorted(ranks)
        for row in ranked:
            twins = {r.option.id for r in ranked if r.rank == row.rank} - {row.option.id}
            assert set(row.tied_with) == twins


def test_a_short_job_is_not_sent_to_rent(knowledge):
    advice = advise(knowledge, zen4_laptop(), "mnist-mlp")
    assert advice.baseline.total_s.mid < 3600.0
    assert advice.ranked[0].option.device_id == "cpu"


def test_a_job_of_weeks_is_rented_under_balanced_and_stays_without_the_cloud(knowledge, all_facts):
    advice = advise(knowledge, zen4_laptop(), "resnet-50", job=Job(epochs=90))
    first = advice.ranked[0]
    assert first.option.kind is OptionKind.CLOUD
    assert first.reasons[0].code is ReasonCode.CHEAPEST_WITHIN
    # Without the published results of a T4 a free one would be told slower than now.
    alone = advise(
        all_facts, zen4_laptop(), "resnet-50", job=Job(epochs=90), allows_cloud=False,
        allows_buying=False,
    )  # fmt: skip
    kinds = {entry.option.kind for entry in (*alone.ranked, *alone.hints)}
    assert {OptionKind.CLOUD, OptionKind.BUY}.isdisjoint(kinds)
    # What is free is not rented.
    assert OptionKind.FREE_TIER in kinds
    assert OptionKind.FREE_TIER not in {entry.option.kind for entry in alone.ranked}
    codes = {r.reasons[0].code for r in alone.rejected}
    assert {ReasonCode.CLOUD_NOT_ALLOWED, ReasonCode.BUYING_NOT_ALLOWED} <= codes
    assert alone.n_offers_considered == 0


def test_a_smaller_network_is_never_first(knowledge):
    advice = advise(knowledge, zen4_laptop(), "resnet-50", job=Job(epochs=90))
    places = [
        place for place, row in enumerate(advice.ranked)
        if any(reason.code is ReasonCode.CHANGES_THE_NETWORK for reason in row.reasons)
    ]  # fmt: skip
    assert places
    assert min(places) > 0


def test_regions_narrow_the_offers(knowledge):
    advice = advise(knowledge, zen4_laptop(), "resnet-50", regions=("eu-central",))
    rented = [row.option.offer.region for row in advice.ranked if row.option.offer is not None]
    assert rented
    assert all(region.startswith("eu-central") for region in rented)
    codes = {r.reasons[0].code for r in advice.rejected}
    assert ReasonCode.REGION_NOT_CHOSEN in codes


def test_a_budget_of_nothing_leaves_what_is_free(knowledge):
    advice = advise(knowledge, zen4_laptop(), "resnet-50", max_usd=0.0)
    assert all(row.cost.total_usd.mid == 0.0 for row in advice.ranked)
    over = [r for r in advice.rejected if r.option_id == "cloud:over_budget"]
    assert len(over) == 1
    values = {p.name: p.value for p in over[0].reasons[0].parameters}
    assert values["n_offers"] > 10
    assert values["usd"] > values["limit_usd"] == 0.0
    assert over[0].title.count(",") >= 1  # the nearest machine by its name


def test_an_impossible_deadline_ranks_nothing_and_says_so(knowledge):
    advice = advise(knowledge, zen4_laptop(), "resnet-50", job=Job(epochs=90), deadline_h=0.001)
    assert advice.ranked == ()
    assert "nothing_within_limits" in {entry.code for entry in advice.caveats}
    assert any(r.reasons[0].code is ReasonCode.OVER_DEADLINE for r in advice.rejected)


def test_electricity_makes_staying_cost(knowledge):
    advice = advise(knowledge, zen4_laptop(), electricity_usd_per_kwh=0.3)
    stay = next(row for row in advice.ranked if row.option.kind is OptionKind.STAY)
    assert stay.cost.total_usd.mid > 0.0
    assert "electricity_not_counted" not in {entry.code for entry in advice.caveats}


def test_inference_gets_rows_for_inference(knowledge):
    job = Job(phase=Phase.INFERENCE, samples=10_000_000)
    advice = advise(knowledge, zen4_laptop(), "resnet-50", job=job)
    for entry in (*advice.ranked, *advice.hints):
        if entry.option.fact is not None:
            assert "inference" in entry.option.fact.phases
    assert any(hint.option.id == "ncnn-vulkan-igpu" for hint in advice.hints) or any(
        row.option.id == "ncnn-vulkan-igpu" for row in advice.ranked
    )


def test_a_card_in_the_machine_is_an_option(all_facts):
    card = a_gpu(
        kind=DeviceKind.DGPU, name="NVIDIA GeForce RTX 3060 12 GB", vendor="NVIDIA",
        pci_vendor_id="10de", pci_device_id="2504", kernel_driver="nvidia",
    )  # fmt: skip
    profile = dataclasses.replace(zen4_laptop(), graphics=(card,))
    advice = advise(all_facts, profile, "resnet-50", job=Job(epochs=1), allows_cloud=False)
    own = next(row for row in advice.ranked if row.option.kind is OptionKind.LOCAL_DEVICE)
    assert own.speedup.mid > 2.0
    assert own.rank == 1
    assert "CUDA" in own.steps[0].content


def test_the_gpu_of_a_mac_has_apples_route(all_facts):
    profile = a_profile(
        os=an_os(family=OsFamily.MACOS, name="macOS", architecture="arm64"),
        cpu=a_cpu(
            vendor="Apple", brand="Apple M2", microarchitecture="m2", isa_features=("neon", "bf16")
        ),
        graphics=(a_gpu(name="Apple M2", vendor="Apple", pci_vendor_id=None, pci_device_id=None),),
        environments=(an_environment(("torch", "2.13.0")),),
    )
    advice = advise(all_facts, profile, "resnet-50", job=Job(epochs=1))
    steps = [
        step
        for entry in (*advice.ranked, *advice.hints)
        if entry.option.id == "device:gpu0"
        for step in entry.steps
    ]
    assert any('device="mps"' in step.content for step in steps)
    assert "device:gpu0" not in {entry.option_id for entry in advice.rejected}


# --- a pure function ----------------------------------------------------------------------------


def test_the_same_inputs_give_the_same_advice(all_facts, kaveri, kaveri_advice):
    assert advise(all_facts, kaveri) == kaveri_advice


def test_the_order_of_the_facts_does_not_matter(all_facts, kaveri, kaveri_advice):
    turned = dataclasses.replace(
        all_facts,
        offers=tuple(reversed(all_facts.offers)),
        options=tuple(reversed(all_facts.options)),
    )
    again = advise(turned, kaveri)
    assert [row.option.id for row in again.ranked] == [
        row.option.id for row in kaveri_advice.ranked
    ]
    assert [row.score for row in again.ranked] == [row.score for row in kaveri_advice.ranked]


def test_the_recommendation_survives_json(kaveri_advice):
    assert decode(encode(kaveri_advice), Recommendation) == kaveri_advice


def test_dates_and_sources_are_carried(kaveri_advice):
    assert kaveri_advice.created_on == TODAY
    assert kaveri_advice.app_version == "1.0"
    assert {"offers", "options"} <= {entry.name for entry in kaveri_advice.data_dates}
    assert kaveri_advice.sources
    assert len(set(kaveri_advice.sources)) == len(kaveri_advice.sources)
    codes = {entry.code for entry in kaveri_advice.caveats}
    assert {"not_measured", "prices_older_than_90_days", "price_is_not_availability"} <= codes


@pytest.mark.parametrize("wishes", [{"max_usd": -5.0}, {"deadline_h": -1.0}, {"currency": "EUR"}])
def test_bad_wishes_are_refused(knowledge, kaveri, wishes):
    with pytest.raises(InputError) as caught:
        advise(knowledge, kaveri, **wishes)
    assert "\n" not in str(caught.value)


def test_a_bad_date_is_refused(knowledge, kaveri):
    workload = bundled_workload("mnist-mlp", job=Job(), networks=knowledge.networks)
    with pytest.raises(InputError, match="tomorrow"):
        recommend(
            kaveri, None, workload, Preferences(), knowledge, today="tomorrow", app_version="1"
        )


def test_thousands_of_offers_come_down_to_a_few_predictions(knowledge, kaveri):
    workload = bundled_workload("cifar10-deep-cnn", job=Job(), networks=knowledge.networks)
    listed = list_options(kaveri, workload, Preferences(), knowledge, today=TODAY)
    assert listed.n_offers_considered > 5000
    assert len(listed.options) < 200


@pytest.mark.parametrize("system", [OsFamily.LINUX, OsFamily.WINDOWS])
def test_a_card_that_needs_an_older_build_is_given_the_command_for_it(knowledge, system):
    card = a_gpu(
        kind=DeviceKind.DGPU, vendor="NVIDIA", name="NVIDIA GeForce GTX 970", pci_vendor_id="10de",
        pci_device_id="13c2", kernel_driver="nvidia", compute_units=13, max_mhz=1178.0,
    )  # fmt: skip
    profile = a_profile(graphics=(card,), os=an_os(family=system))
    advice = advise(knowledge, profile, "resnet-50", job=Job(phase=Phase.INFERENCE))
    of_card = [hint for hint in advice.hints if hint.option.device_id == "gpu0"]
    pinned = 'pip install "torch<2.15" --index-url https://download.pytorch.org/whl/cu126'
    (hint,) = [each for each in of_card if each.option.id == "torch-cuda12"]
    assert pinned in [step.content for step in hint.steps if step.kind == "shell"]
    assert "torch-cuda" not in {hint.option.id for hint in of_card}
