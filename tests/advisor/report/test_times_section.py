"""How long the network takes on each option: the report of `predict`."""

import dataclasses

from advisor.i18n import translator_for
from advisor.model.quantity import Phase, Precision
from advisor.recommend.reasons import caveat
from advisor.report.build import build_times_report
from advisor.report.times_section import times_section
from tests.advisor.recommend.builders import a_cpu, a_profile
from tests.ui.advice_values import an_advice

ENGLISH = translator_for("en")


def table_of(advice):
    return times_section(advice, ENGLISH).blocks[0]


def test_this_machine_stands_first_then_each_option_by_its_time():
    advice = an_advice()
    table = table_of(advice)
    assert table.heads == ("Option", "Step", "Epoch", "Whole job", "Basis")
    assert table.rows[0][0] == "This machine as it is"
    others = [row for row in advice.ranked if row.option.id != advice.baseline.option_id]
    assert len(table.rows) == 1 + len(others) > 2
    by_time = sorted(others, key=lambda row: row.prediction.total_s.mid)
    assert [row[0] for row in table.rows[1:]] == [row.option.title for row in by_time]


def test_times_of_this_machine_say_what_it_has_to_do_first():
    advice = an_advice()
    advice = dataclasses.replace(
        advice,
        profile=a_profile(cpu=a_cpu(isa_features=("avx", "avx2"))),
        workload=dataclasses.replace(advice.workload, precision=Precision.BFLOAT16),
    )
    for ranked in (advice.ranked, ()):
        table = table_of(dataclasses.replace(advice, ranked=ranked))
        assert table.rows[0][0] == "This machine, computing in float32"


def test_what_there_is_to_know_of_the_times_stands_below_and_nothing_of_prices():
    told = (
        caveat("memory_too_small", needed_bytes=8e9, available_bytes=4e9, batch=2.0),
        caveat("job_assumed", samples=500.0, epochs=3.0),
        caveat("electricity_not_counted"),
        caveat("prices_older_than_90_days", days=100.0),
    )
    section = times_section(dataclasses.replace(an_advice(), caveats=told), ENGLISH)
    texts = [block.text for block in section.blocks[1:] if block.style != "note"]
    assert len(texts) == 2
    assert texts[0].startswith("The job needs")
    assert "500 samples and 3 epochs are assumed" in texts[1]


def test_inference_has_no_epochs():
    advice = an_advice()
    work = dataclasses.replace(advice.workload, phase=Phase.INFERENCE)
    table = table_of(dataclasses.replace(advice, workload=work))
    assert table.heads == ("Option", "Step", "Whole job", "Basis")
    assert {len(row) for row in table.rows} == {4}


def test_the_report_says_nothing_of_what_is_wanted_but_how_the_times_were_found():
    report = build_times_report(an_advice(), ENGLISH)
    assert "balance" not in report.subtitle
    assert [section.title for section in report.sections] == [
        "Predicted times",
        "How the times were found",
    ]


def test_a_section_that_is_not_there_is_not_named():
    advice = dataclasses.replace(an_advice(), caveats=(caveat("some_failed", n_failed=3.0),))
    texts = [block.text for block in times_section(advice, ENGLISH).blocks[1:]]
    assert "Kernels without a figure: 3; `recommend` tells the reasons." in texts
