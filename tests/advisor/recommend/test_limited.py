"""What the limits refuse is told by the nearest of its kind, not one by one."""

import pytest

from advisor.model.machine import Chassis, Power
from advisor.model.option import OptionKind
from advisor.model.recommendation import Preferences, ReasonCode
from advisor.model.workload import Job
from advisor.network.load import bundled_workload
from advisor.recommend.recommend import recommend
from tests.advisor.recommend.builders import GIB, TODAY, a_profile
from tests.helpers.bundled import bundled_index, bundled_knowledge


def test_cards_that_come_too_late_are_one_line_with_the_soonest():
    desktop = a_profile(
        chassis=Chassis.DESKTOP, power=Power(on_battery=None, governor=None, has_battery=False)
    )
    facts = bundled_knowledge()
    work = bundled_workload("resnet-50", job=Job(epochs=90), networks=facts.networks)
    late, free = (
        recommend(
            desktop, None, work, Preferences(deadline_h=hours, allows_cloud=False),
            facts, today=TODAY, app_version="1.0", index=bundled_index(),
        )
        for hours in (48.0, None)
    )  # fmt: skip
    n_cards = sum(row.option.purchase is not None for row in free.ranked)
    assert n_cards > 1
    over = [
        each
        for each in late.rejected
        if each.option_id.startswith("buy:") and each.reasons[0].code is ReasonCode.OVER_DEADLINE
    ]
    assert [each.option_id for each in over] == ["buy:over_deadline"]
    told = {p.name: p.value for p in over[0].reasons[0].parameters}
    assert told["n_offers"] >= n_cards
    soonest_h = min(row.done_s for row in free.ranked if row.option.purchase is not None) / 3600.0
    assert told["hours"] <= soonest_h


@pytest.mark.parametrize(("batch_size", "is_told"), [(32, True), (256, False)])
def test_a_free_notebook_whose_gpu_has_no_room_for_the_job_is_none(batch_size, is_told):
    facts = bundled_knowledge()
    work = bundled_workload("vgg19", job=Job(batch_size=batch_size), networks=facts.networks)
    advice = recommend(
        a_profile(), None, work, Preferences(), facts, today=TODAY, app_version="1.0",
        index=bundled_index(),
    )  # fmt: skip
    free = {o.id for o in facts.options if o.kind is OptionKind.FREE_TIER}
    assert free
    assert (free <= {hint.option.id for hint in advice.hints}) == is_told
    refused = {each.option_id: each.reasons[0] for each in advice.rejected}
    assert (free <= refused.keys()) != is_told
    for name in free & refused.keys():
        assert refused[name].code is ReasonCode.MEMORY_TOO_SMALL
        needed, available = (p.value for p in refused[name].parameters)
        assert needed > available == 16 * GIB
