"""What is derived from the facts once is what is derived from them each time."""

import dataclasses

from advisor.model.quantity import Precision
from advisor.predict.anchors import anchors_of, gpu_device
from advisor.predict.index import knowledge_index
from advisor.predict.published import thread_sweeps
from tests.advisor.predict.builders import device, knowledge, prediction_context, published
from tests.helpers.bundled import bundled_knowledge


def test_the_index_holds_what_the_facts_say():
    facts = bundled_knowledge()
    index = knowledge_index(facts)
    assert index.sweeps == thread_sweeps(facts, framework="TensorFlow")
    assert len(index.cloud.machines) < len(facts.offers)
    assert index.anchors.anchors == anchors_of(facts)
    assert len(index.anchors.anchors) > 2000


def test_no_facts_no_index():
    index = knowledge_index(knowledge())
    assert (index.cloud.machines, index.sweeps, index.anchors.anchors) == ((), (), ())


def test_a_given_index_is_used_and_changes_nothing():
    spec = device("RTX Test", peak=20e12, bandwidth=600e9)
    facts = knowledge(published=(published(device="RTX Test", value=1.0),), devices=(spec,))
    made = prediction_context(facts=facts)
    index = knowledge_index(facts)
    given = dataclasses.replace(made, index=index)
    assert given.cloud is index.cloud
    assert given.law == made.law
    precision = Precision.FLOAT32
    found = gpu_device(spec, precision=precision)
    assert found is not None
    assert given.nearby[precision].on(found) == made.nearby[precision].on(found) is not None
    assert given.batch_rows == made.batch_rows
