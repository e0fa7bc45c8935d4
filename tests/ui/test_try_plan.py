"""What runs are kept under: the same for the window and the command line, new for other code."""

import dataclasses

import pytest

from advisor.model.machine import Environment, InstalledFramework
from advisor.model.quantity import Phase
from advisor.model.trial import CodeReference, TrialSource
from ui import journey
from ui.try_plan import search_row, setups_for


@pytest.fixture(scope="module")
def profile():
    return journey.probe_machine(with_opencl=False)


SOURCE = TrialSource(name="n", title="N", phase=Phase.TRAINING, batch_size=8, model_json="{}")
OTHER = Environment(
    kind="named",
    python="/other/bin/python",
    version="3.11.0",
    frameworks=(
        InstalledFramework(name="keras", version="3"),
        InstalledFramework(name="jax", version="1"),
    ),
)


def test_the_same_job_is_the_same_search(profile):
    assert search_row(profile, SOURCE) == search_row(profile, dataclasses.replace(SOURCE))
    other = dataclasses.replace(SOURCE, batch_size=16)
    assert search_row(profile, SOURCE).key != search_row(profile, other).key
    assert search_row(profile, SOURCE).key != search_row(profile, SOURCE, environment=OTHER).key


def test_a_changed_file_of_the_user_begins_a_new_search(profile, tmp_path):
    path = tmp_path / "net.py"
    path.write_text("a = 1")
    code = CodeReference(path=str(path), function="build_model")
    source = dataclasses.replace(SOURCE, model_json=None, code=code)
    before = search_row(profile, source).key
    assert search_row(profile, source).key == before
    path.write_text("a = 2")
    assert search_row(profile, source).key != before


def test_batch_sizes_and_another_python_are_tried_when_asked(profile):
    few = [setup.id for setup in setups_for(profile, SOURCE)]
    many = [s.id for s in setups_for(profile, SOURCE, environment=OTHER, with_batches=True)]
    assert few[0] == many[0] == "now"
    assert set(many) - set(few) == {"batch-4", "batch-16", "batch-32", "backend-jax"}
