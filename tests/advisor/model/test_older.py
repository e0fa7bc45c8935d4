"""Files of older versions read as those of now."""

import dataclasses

import pytest

from advisor.model.codec import dump_document, load_document
from advisor.model.older import as_written_now
from advisor.model.option import Option
from advisor.recommend.cloud_steps import cloud_steps
from advisor.recommend.offers import cloud_option
from tests.advisor.recommend.builders import a_gpu_offer

OFFER = a_gpu_offer(vendor="salad", instance_type="1x-T4-16g/spot", region="any")


@pytest.mark.parametrize(
    ("old", "now"),
    [
        ("salad 1x-T4-16g/spot, spot", "salad 1x-T4-16g, spot"),
        ("salad 1x-4090-24g/spot (RTX 4090), spot", "salad 1x-4090-24g (RTX 4090), spot"),
        ("salad 1x-T4-16g/spot, eu, spot", "salad 1x-T4-16g, eu, spot"),
        ("salad 1x-T4-16g/spot in any, spot", "salad 1x-T4-16g in any, spot"),
        ("choose 1x-T4-16g/spot (interruptible) with", "choose 1x-T4-16g (interruptible) with"),
        ("cloud:salad:1x-T4-16g/spot:any:spot", "cloud:salad:1x-T4-16g/spot:any:spot"),
        ("1x-T4-16g/spot", "1x-T4-16g/spot"),
        ("https://example.org/spot, and more", "https://example.org/spot, and more"),
    ],
)
def test_the_form_stands_once(old, now):
    assert as_written_now({"a": [old, 1, None]}, text=old) == {"a": [now, 1, None]}


def test_an_old_file_is_read_as_it_would_be_written_now():
    option = cloud_option(OFFER, is_spot=True)
    old = dataclasses.replace(option, title="salad 1x-T4-16g/spot, spot")
    assert load_document(dump_document(old), Option) == option


def test_what_is_written_now_stays():
    option = cloud_option(OFFER, is_spot=True)
    steps = cloud_steps(option, hours=1.0, disk_gib=50)
    texts = [option.title, option.id, OFFER.instance_type, *(step.content for step in steps)]
    assert as_written_now(texts, text=" ".join(texts)) == texts
