"""What is tried where."""

import dataclasses
import json

import pytest

from advisor.errors import InputError
from advisor.model.machine import (
    OsFamily,
)
from advisor.model.measurement import Setting
from advisor.model.option import Option, OptionKind
from advisor.model.quantity import Interval, Precision
from advisor.model.trial import (
    DataKind,
    Jit,
    Runner,
    TrialData,
    TrialResult,
    TrialSetup,
    TrialVerdict,
)
from advisor.recommend.steps import steps_for
from advisor.trial.apply import Form, snippet
from advisor.trial.plan import TrialFacts, choose_trials, combine, list_pairs, list_trials
from tests.helpers.bundled import bundled_knowledge
from tests.helpers.trial_machines import FACTS, SOURCE, environment, ids, profile


def test_the_baseline_is_first_and_changes_nothing():
    first = list_trials(profile(), SOURCE, facts=FACTS)[0]
    assert first == TrialSetup(id="now", title=first.title, option_id="stay")


def test_bfloat16_only_where_the_processor_has_it():
    assert "bfloat16" in ids(profile())
    assert "bfloat16" not in ids(profile(flags=("avx2",)))
    half = dataclasses.replace(SOURCE, precision=Precision.BFLOAT16)
    assert "bfloat16" not in ids(profile(), half)


def test_number_formats_are_set_as_the_advice_says():
    options = {fact.id: fact for fact in bundled_knowledge().options}
    setups = list_trials(profile(), SOURCE, facts=FACTS, options=options.values())
    mixed = next(setup for setup in setups if setup.id == "bfloat16")
    advised = Option(id="x", kind=OptionKind.PRECISION, title="x", fact=options["bf16-cpu-tf"])
    steps = steps_for(advised, profile=profile(), hours=1.0)
    told = [step.content for step in steps if step.kind != "url"]
    assert told
    assert [line.removeprefix("# ") for line in snippet(mixed, Form.PATCH).splitlines()] == told
    xla = next(setup for setup in setups if setup.id == "xla")
    assert combine(mixed, xla).recipe == mixed.recipe
    assert xla.recipe == ()


def test_kernels_made_for_the_processor_come_first_where_they_are_left_off():
    assert ids(profile(flags=("avx2",)))[:2] == ["now", "onednn-on"]


def test_what_gains_most_comes_first_and_what_seldom_gains_last():
    other = environment("venv", "torch")
    order = ids(profile(), environment=other, with_batches=True)
    assert order[:3] == ["now", "bfloat16", "pytorch-bfloat16"]
    assert [name for name in order if not name.startswith("batch-")][-1] == "onednn-off"
    assert order[-1].startswith("batch-")
    # Half of the cores may be better where there are many.
    few, many = ids(profile(cores=2, logical=2)), ids(profile(cores=32, logical=32))
    assert few.index("threads-half") > few.index("xla")
    assert many.index("threads-half") < many.index("xla")


@pytest.mark.parametrize("wrapper", ["{}", '{{"class_name": "Bidirectional", "layer": {}}}'])
def test_xla_comes_early_where_the_network_goes_through_time(wrapper):
    order = {}
    for layer in ("LSTM", "GRU", "Dense"):
        entry = json.loads(wrapper.format(f'{{"class_name": "{layer}"}}'))
        config = json.dumps({"class_name": "Sequential", "config": {"layers": [entry]}})
        order[layer] = ids(profile(), dataclasses.replace(SOURCE, model_json=config))
    assert order["LSTM"] == order["GRU"]
    assert order["LSTM"][:3] == ["now", "bfloat16", "xla"]
    assert order["Dense"].index("xla") > order["Dense"].index("malloc-keep")
    assert "xla" in ids(profile(), dataclasses.replace(SOURCE, model_json=None))


@pytest.mark.parametrize(
    ("layer", "option_id"),
    [("LSTM", "xla-recurrent"), ("Custom>GRU", "xla-recurrent"), ("Conv2D", "xla-cpu")],
)
def test_xla_belongs_to_the_row_for_such_networks(layer, option_id):
    config = json.dumps({"class_name": "Functional", "config": {"class_name": layer}})
    source = dataclasses.replace(SOURCE, model_json=config)
    found = list_trials(profile(), source, facts=TrialFacts())
    assert next(setup for setup in found if setup.id == "xla").option_id == option_id


def test_threads_follow_the_cores():
    by_id = {setup.id: setup for setup in list_trials(profile(), SOURCE, facts=FACTS)}
    assert by_id["threads-physical"].intra_threads == 4
    assert by_id["threads-half"].intra_threads == 2
    assert by_id["one-pool"].intra_threads == 8
    assert by_id["pin-cores"].cpus == (0, 2, 4, 6)
    alone = ids(profile(cores=1, logical=1), facts=TrialFacts())
    assert not {"threads-physical", "threads-half", "one-pool", "pin-cores"} & set(alone)


def test_kernels_of_the_other_kind_are_tried():
    assert "onednn-off" in ids(profile())
    assert "onednn-off" in ids(profile(flags=("avx2",), family=OsFamily.WINDOWS))
    assert "onednn-on" in ids(profile(flags=("avx2",)))
    assert not {"onednn-on", "onednn-off"} & set(ids(profile(family=OsFamily.MACOS)))


def test_memory_settings_need_their_library():
    facts = TrialFacts(allocators=(Setting(name="tcmalloc", value="/usr/lib/x.so"),))
    found = list_trials(profile(), SOURCE, facts=facts)
    preload = next(s for s in found if s.id == "tcmalloc").settings
    assert preload == (Setting(name="LD_PRELOAD", value="/usr/lib/x.so"),)
    assert not {"malloc-keep", "huge-pages"} & {s.id for s in found}


def test_the_pipeline_is_tried_on_own_data_only():
    data = TrialData(kind=DataKind.NPZ, path="/x.npz")
    found = ids(profile(), dataclasses.replace(SOURCE, data=data))
    assert {"data-cache", "data-prefetch", "data-cache-prefetch"} <= set(found)
    assert not [name for name in ids(profile()) if name.startswith("data")]


def test_other_batches_only_when_asked():
    found = ids(profile(), with_batches=True)
    assert {"batch-16", "batch-64", "batch-128"} <= set(found)
    assert "batch-64" not in ids(profile())
    one = dataclasses.replace(SOURCE, batch_size=1)
    assert "batch-1" not in ids(profile(), one, with_batches=True)


def test_choosing_by_either_name():
    setups = list_trials(profile(), SOURCE, facts=FACTS)
    assert [s.id for s in choose_trials(setups, ["bf16-cpu-tf", "xla"])] == [
        "now",
        "bfloat16",
        "xla",
    ]
    with pytest.raises(InputError, match="nonsense"):
        choose_trials(setups, ["nonsense"])


def test_pairs_of_the_faster_that_do_not_set_the_same():
    def result(name, mid, verdict=TrialVerdict.FASTER, **setup):
        return TrialResult(
            setup=TrialSetup(id=name, title=name, **setup),
            verdict=verdict,
            speedup=Interval(low=mid, mid=mid, high=mid),
        )

    malloc = (Setting(name="M", value="0"),)
    results = [
        result("bf16", 1.4, precision=Precision.BFLOAT16),
        result("malloc", 1.2, settings=malloc),
        result("half", 1.1, intra_threads=2),
        result("one", 1.3, intra_threads=4),
        result("xla", 0.5, TrialVerdict.SLOWER),
        result("big", 2.0, batch_size=64),
    ]
    pairs = list_pairs(results)
    assert [p.id for p in pairs] == ["bf16+one", "bf16+malloc", "bf16+half", "one+malloc"]
    assert pairs[1].settings == malloc
    assert pairs[1].precision is Precision.BFLOAT16
    assert pairs[1].parts == ("bf16", "malloc")
    same = TrialSetup(id="m2", title="", settings=malloc)
    assert combine(same, dataclasses.replace(same, id="m3")) is None


def test_a_pair_that_is_there_by_another_name_is_not_tried_twice():
    half = {"precision": Precision.BFLOAT16, "recipe": ("x",)}
    setups = [
        TrialSetup(id="bf16", title="", **half),
        TrialSetup(id="torch", title="", runner=Runner.TORCH),
        TrialSetup(id="torch-bf16", title="", option_id="o", runner=Runner.TORCH, **half),
    ]
    speedup = Interval(low=1.2, mid=1.2, high=1.2)
    results = [
        TrialResult(setup=setup, verdict=TrialVerdict.FASTER, speedup=speedup) for setup in setups
    ]
    assert list_pairs(results) == ()
    assert [pair.id for pair in list_pairs(results[:2])] == ["bf16+torch"]


def test_two_frameworks_are_no_pair():
    one = TrialSetup(id="a", title="", runner=Runner.TORCH)
    other = TrialSetup(id="b", title="", runner=Runner.ONNXRUNTIME)
    assert combine(one, other) is None
    assert combine(one, TrialSetup(id="c", title="", intra_threads=1)).runner is Runner.TORCH
    assert combine(one, TrialSetup(id="d", title="", jit=Jit.ON)) is None
