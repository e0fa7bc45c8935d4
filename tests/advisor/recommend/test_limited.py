"""What the limits refuse is told by the nearest of its kind, not one by one."""

from advisor.model.machine import Chassis, Power
from advisor.model.recommendation import Preferences, ReasonCode
from advisor.model.workload import Job
from advisor.network.load import bundled_workload
from advisor.recommend.recommend import recommend
from tests.advisor.recommend.builders import TODAY, a_profile
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
