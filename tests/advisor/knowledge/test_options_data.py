import collections
import re

import archspec.cpu
import pytest

from advisor.knowledge.conditions import parse_condition
from advisor.model.machine import OsFamily
from advisor.model.option import Advice, OptionKind
from advisor.model.quantity import Phase
from advisor.predict.changed_job import mixed_format
from tests.helpers.bundled import bundled_knowledge

EVIDENCE_CLASSES = {
    "measured",
    "third_party_measured",
    "vendor_claim",
    "arithmetic",
    "none_found",
}


@pytest.fixture(scope="module")
def knowledge():
    return bundled_knowledge()


@pytest.fixture(scope="module")
def options(knowledge):
    return {fact.id: fact for fact in knowledge.options}


def test_all_options_of_the_table_are_there(options):
    assert len(options) == 105


def test_every_condition_is_in_the_language(options):
    for fact in options.values():
        for text in fact.excluded_when:
            parse_condition(text)


def test_figures_come_in_pairs_are_ordered_and_have_a_source(options):
    for fact in options.values():
        assert (fact.effect_low is None) == (fact.effect_high is None), fact.id
        if fact.effect_low is not None:
            assert 0.0 < fact.effect_low <= fact.effect_high, fact.id
            assert fact.effect_basis, fact.id
            assert fact.effect_source, fact.id
            assert fact.evidence_class != "none_found", fact.id


def test_every_option_has_source_date_and_known_words(options):
    for fact in options.values():
        assert fact.source, fact.id
        assert re.fullmatch(r"\d{4}-\d{2}-\d{2}", fact.verified_on), fact.id
        assert fact.confidence in {"high", "medium", "low"}, fact.id
        assert fact.evidence_class in EVIDENCE_CLASSES, fact.id
        assert set(fact.phases) <= {phase.value for phase in Phase}, fact.id
        assert fact.phases, fact.id
        assert set(fact.systems) <= {family.value for family in OsFamily}, fact.id


def test_titles_are_short_sentences_without_repetition(options):
    titles = [fact.title for fact in options.values()]
    assert len(set(titles)) == len(titles)
    for title in titles:
        assert title[0].isupper(), title
        assert len(title) <= 100, title
        assert not title.endswith("."), title


def test_what_is_to_be_avoided_says_so_in_its_title(options):
    for fact in options.values():
        says_no = fact.title.startswith("Do not ")
        assert says_no == (fact.advice is Advice.AVOID), fact.id


def test_figures_of_things_to_avoid_are_not_gains(options):
    measured = [f for f in options.values() if f.advice is Advice.AVOID and f.effect_low]
    assert len(measured) >= 6
    for fact in measured:
        assert fact.effect_low <= 1.0, fact.id
        assert fact.effect_high <= 1.05, fact.id


def test_gpu_families_of_an_option_exist_and_fit_its_vendor(knowledge, options):
    families = {family.id: family for family in knowledge.gpu_families}
    for fact in options.values():
        for name in fact.gpu_architectures:
            assert name in families, (fact.id, name)
            if fact.gpu_vendor is not None:
                assert families[name].vendor.lower() == fact.gpu_vendor, (fact.id, name)


def test_only_families_that_can_train_are_offered_for_training(knowledge, options):
    families = {family.id: family for family in knowledge.gpu_families}
    for name in ("pytorch-rocm-official", "pytorch-xpu"):
        for family in options[name].gpu_architectures:
            assert families[family].linux_training == "official", (name, family)
    for family in options["xpu-not-irisxe"].gpu_architectures:
        assert families[family].linux_training != "official", family


def test_kinds_are_spread_over_all_but_staying(options):
    kinds = collections.Counter(fact.kind for fact in options.values())
    assert set(kinds) == set(OptionKind) - {OptionKind.STAY}


def test_what_the_software_does_by_itself_is_never_ranked_as_a_gain(options):
    for name, condition in (
        ("tf-onednn-on", "onednn_by_default"),
        ("pi-threads", "already_default"),
        ("fp16-arm", "already_default"),
    ):
        names = {parse_condition(text).name for text in options[name].excluded_when}
        assert condition in names, name
    assert "depends_on_code" in options["no-eager"].excluded_when


def test_bfloat16_without_instructions_is_a_warning_only_for_cpus_without(options):
    warning = options["avoid-bf16-no-hw"]
    advised = options["bf16-cpu-tf"]
    excluded = [parse_condition(text) for text in warning.excluded_when]
    assert [c.name for c in excluded] == ["isa_has"]
    assert set(advised.isa_any) <= set(excluded[0].values)
    assert warning.effect_high < 1.0 < advised.effect_high


@pytest.mark.parametrize(
    ("name", "low", "high"),
    [
        # Own measurements of 2026-11-21, ms per step before and after.
        ("xla-cpu", 81.8 / 161.9, None),
        ("xla-recurrent", 21.7 / 23.7, None),
        ("keras-backend-jax-cpu", 21.7 / 571.0, 39.7 / 59.4),
        ("keras-backend-torch-cpu", 21.7 / 83.2, 450.0 / 780.7),
        # Of 2026-11-25, the middle of two runs each.
        ("keras-backend-torch-groups", 41.6 / 32.0, 737.4 / 79.8),
        ("groups-as-depthwise", 13.66 / 5.62, 125.9 / 15.5),
        # Of 2026-11-29, by turns.
        ("dense-without-time-distributed", 12.0 / 11.8, 62.4 / 9.3),
        ("tf-onednn-on", 28.8 / 21.7, 1068.6 / 450.0),
        ("bf16-cpu-tf", 21.7 / 29.2, 81.8 / 47.2),
        ("channels-last", 233.9 / 214.3, 24.8 / 20.9),
        ("jemalloc", 181.6 / 252.8, None),
        ("openvino-cpu-f32", 37.7 / 28.3, 24.8 / 13.7),
        ("openvino-int8", 13.7 / 3.6, 24.8 / 3.6),
        ("ort-cpu", 20.9 / 14.9, 24.8 / 14.9),
        ("ort-int8", 15.2 / 4.5, 15.2 / 4.5),
        ("smaller-model", 170.6 / 36.7, 442.9 / 36.7),
        ("transfer-frozen", 139.4 / 36.7, 139.4 / 36.7),
        ("batch-size", 36.7 / 28.5, 36.8 / 15.0),
        ("avoid-bf16-no-hw", 307.9 / 6653.9, 37.7 / 165.0),
        ("tf-onednn-avx-only", 247.1 / 302.3, 1709.1 / 1005.1),
    ],
)
def test_effects_follow_from_the_measured_times(options, name, low, high):
    fact = options[name]
    assert fact.evidence_class == "measured"
    assert fact.effect_low == pytest.approx(low, rel=0.05)
    if high is not None:
        assert fact.effect_high == pytest.approx(high, rel=0.05)


def test_settings_have_names_that_a_shell_accepts(options):
    n_settings = 0
    for fact in options.values():
        for setting in fact.environment:
            n_settings += 1
            assert re.fullmatch(r"[A-Z][A-Z0-9_]*", setting.name), fact.id
            assert setting.value, fact.id
    assert n_settings > 15


def test_no_text_points_to_where_the_figures_were_gathered(knowledge):
    rows = (*knowledge.options, *knowledge.past_systems, *knowledge.gpu_families)
    for row in (*rows, *knowledge.cpu_isa, *knowledge.free_tiers):
        assert not re.search(r"\bseed|this folder|measured_local|\.\./", str(row)), row


def test_no_text_is_a_note_to_the_makers(knowledge):
    note = re.compile(
        r"from memory|not (?:re-)?checked|never suggest|warn users|probe:|read here|not a typo"
        r"|low confidence|no figure (?:was )?(?:found|taken)|statement found|untested\)",
        re.IGNORECASE,
    )
    for row in (*knowledge.options, *knowledge.past_systems, *knowledge.gpu_families):
        texts = {name: getattr(row, name) for name in row.__dataclass_fields__ if name != "source"}
        for name, text in texts.items():
            found = note.search(str(text))
            assert found is None, (row, name, found)


def test_past_systems_say_what_to_take_instead(knowledge):
    assert len(knowledge.past_systems) == 92
    dead = [row for row in knowledge.past_systems if row.status.startswith("retired")]
    assert len(dead) >= 15
    for row in knowledge.past_systems:
        assert row.advice, row.name
        assert row.source, row.name
    for row in dead:
        assert row.successor, row.name


def test_installed_distributions_are_found_among_past_systems(knowledge):
    aliases = {alias: row for row in knowledge.past_systems for alias in row.aliases}
    for name in ("plaidml", "cntk", "mxnet", "torch-directml", "intel-extension-for-pytorch"):
        assert aliases[name].status.split(";")[0] != "active", name
    assert aliases["tensorflow-cpu"].status.startswith("active")


def test_flags_of_the_compiler_are_those_of_the_one_that_is_there(options):
    # archspec has none for a processor that is newer than the compiler: Zen 4 before GCC 12.3.
    how = options["march-archspec"].how
    assert "$(gcc -dumpfullversion)" in how
    assert how.endswith("|| echo -march=native")
    with pytest.raises(archspec.cpu.UnsupportedMicroarchitecture):
        archspec.cpu.TARGETS["zen4"].optimization_flags("gcc", "12.2.0")


@pytest.mark.parametrize(
    ("name", "driver", "vendor"),
    [("rusticl", "radeonsi", "amd"), ("rusticl-intel", "iris", "intel")],
)
def test_rusticl_is_switched_on_by_the_driver_of_the_gpu(options, name, driver, vendor):
    fact = options[name]
    assert [(setting.name, setting.value) for setting in fact.environment] == [
        ("RUSTICL_ENABLE", driver)
    ]
    assert fact.how == f"RUSTICL_ENABLE={driver} clinfo"
    assert fact.excluded_when == (f"gpu_lacks:{vendor}", f"gpus_served:{vendor}")


@pytest.mark.parametrize(
    ("name", "condition"),
    [
        ("ipex", "arch:arm64|arm32"),
        ("ipex", "cpu_vendor:amd|arm|apple|qualcomm"),
        ("cloud-cpu-amx", "isa_has:amx_bf16|avx512_bf16|bf16"),
        ("buy-used-gpu", "gpu_vendor:nvidia"),
        ("buy-rdna", "gpu_vendor:nvidia"),
        ("buy-used-gpu", "has_served_card"),
        ("buy-rdna", "has_served_card"),
        ("bf16-cpu-torch", "short_format"),
        ("fpmath-bf16", "short_format"),
        # Keras computes no int8, and what was measured in float32 says nothing of it.
        ("tf-onednn-avx2", "precision:int8"),
        ("malloc-keep", "precision:int8"),
        ("openvino-cpu-f32", "precision:bfloat16|float16|int8"),
        ("ort-cpu", "precision:bfloat16|float16|int8"),
        # Where TensorFlow does not run there is nothing to stay with.
        ("keras-backend-torch-cpu", "no_tensorflow"),
        ("keras-backend-jax-cpu", "no_tensorflow"),
    ],
)
def test_nobody_is_told_what_is_not_for_the_machine_or_there_already(options, name, condition):
    assert condition in options[name].excluded_when


def test_instinct_cards_have_ways_to_all_frameworks_that_amd_builds_for_them(options):
    ways = {"pytorch-rocm-official", "jax-rocm", "tf-rocm-instinct"}
    for family in ("amd-cdna2", "amd-cdna3", "amd-cdna4"):
        for way in ways:
            assert family in options[way].gpu_architectures
        assert family not in options["tf-rocm"].gpu_architectures


def test_a_mixed_policy_is_for_jobs_without_a_short_format(options):
    mixed = [fact for fact in options.values() if mixed_format(fact) is not None]
    assert mixed
    assert all("short_format" in fact.excluded_when for fact in mixed)


def test_what_keras_and_tensorflow_alone_do_is_not_for_onnx_files(options):
    theirs = {
        fact.id
        for fact in options.values()
        if "KERAS_BACKEND" in str(fact.environment)
        or any(clause.startswith(("tensorflow", "keras")) for clause in _clauses(fact))
    }
    assert len(theirs) >= 14
    assert all("onnx_file" in options[name].excluded_when for name in theirs)


def _clauses(fact):
    return [clause.strip() for clause in (fact.min_versions or "").split(";")]
