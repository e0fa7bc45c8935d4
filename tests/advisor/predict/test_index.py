"""What is derived from the facts once is what is derived from them each time."""

import dataclasses

from advisor.knowledge.store import load_knowledge
from advisor.model.quantity import Phase, Precision
from advisor.predict.anchors import matching_anchors
from advisor.predict.ceilings import fit_ceilings
from advisor.predict.context import PredictionContext
from advisor.predict.index import knowledge_index
from advisor.predict.published import thread_sweeps
from tests.advisor.predict.builders import knowledge, profile, published, small_cnn


def test_the_index_holds_what_the_facts_say():
    facts = load_knowledge()
    index = knowledge_index(facts)
    assert index.sweeps == thread_sweeps(facts, framework="TensorFlow")
    assert len(index.cloud.machines) < len(facts.offers)
    for phase in Phase:
        for precision in Precision:
            found = matching_anchors(facts, phase=phase, precision=precision)
            assert index.anchors.get((phase, precision), ()) == found
    assert sum(map(len, index.anchors.values())) > 100


def test_no_facts_no_index():
    index = knowledge_index(knowledge())
    assert (index.cloud.machines, index.sweeps, dict(index.anchors)) == ((), (), {})


def test_a_given_index_is_used_and_changes_nothing():
    facts = knowledge(published=(published(device="RTX Test", value=1.0),))
    machine = profile()
    made = PredictionContext(
        profile=machine,
        ceilings=fit_ceilings(machine, None, facts),
        measurements=None,
        workload=small_cnn(),
        knowledge=facts,
    )
    index = knowledge_index(facts)
    given = dataclasses.replace(made, index=index)
    assert given.cloud is index.cloud
    assert given.law == made.law
    assert given.anchors == made.anchors
    assert given.network_rows == made.network_rows
