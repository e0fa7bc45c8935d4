"""Steps say nothing twice in a row; nothing that is to be copied is lost."""

from advisor.model.recommendation import Step
from advisor.report.steps import told_once


def step(caption, content, kind="text"):
    return Step(kind=kind, caption=caption, content=content)


def test_a_caption_that_was_just_said_is_left_out():
    steps = (
        step("The option", "export A=1", "shell"),
        step("Once it runs there", "Half precision"),
        step("Half precision", "autocast", "python"),
        step("Half precision", "look at the values"),
        step("Source", "https://example.org", "url"),
        step("Once it runs there", "Both libraries"),
    )
    told = tuple(told_once(steps, title="The option"))
    assert [each.caption for each in told] == [
        "", "Once it runs there", "", "", "Source", "Once it runs there",
    ]  # fmt: skip
    assert [(each.kind, each.content) for each in told] == [
        (each.kind, each.content) for each in steps
    ]
