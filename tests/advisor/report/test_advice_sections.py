"""Sections of an advice: what is to be done is told so that it can be read at a glance."""

import pytest

from advisor.i18n import translator_for
from advisor.model.recommendation import Step
from advisor.report.advice_sections import _steps


def told(*steps, language="en"):
    blocks = _steps(steps, translator_for(language), title="Rent a machine")
    return [(block.text, block.style) for block in blocks]


@pytest.mark.parametrize(
    ("language", "line"),
    [
        ("en", "Watch: nvidia-smi, and the log of the job."),
        ("zh_CN", "查看：nvidia-smi，以及任务的日志。"),
    ],
)
def test_a_step_in_words_stands_with_its_caption(language, line):
    step = Step(kind="text", caption="Watch", content="nvidia-smi, and the log of the job.")
    assert told(step, language=language) == [(line, "body")]


def test_a_command_stands_below_its_caption():
    step = Step(kind="shell", caption="Look", content="nvidia-smi")
    assert told(step) == [("Look", "body"), ("nvidia-smi", "code")]


def test_a_caption_with_a_colon_stands_above_its_sentence():
    caption = "Save after each epoch: the machine may be taken away"
    step = Step(kind="text", caption=caption, content="Copy them.")
    assert told(step) == [(caption, "body"), ("Copy them.", "body")]
