"""The text of every reason and caveat. Codes become sentences here and nowhere else.

A code may have several sentences: the first one whose placeholders are all among the parameters
is taken. Numbers are formatted by the unit in their name: `_s`, `hours`, `_x`, `usd`, `_bytes`,
`_fraction`.
Leaves to others: the sentences (`advisor.report.reason_sentences`), when a reason applies
(`advisor.recommend`).
"""

import dataclasses
import functools
import re
import string
from collections.abc import Iterable, Sequence

from advisor.format import (
    format_bytes,
    format_count,
    format_duration,
    format_factor,
    format_number,
    format_percent,
    format_usd,
)
from advisor.i18n import N_, Translator
from advisor.model.device_names import opencl_name
from advisor.model.machine import MachineProfile
from advisor.model.measurement import MeasurementSet, StabilityWarning
from advisor.model.recommendation import Caveat, Parameter, Reason, Recommendation
from advisor.report.conditions_text import condition_text
from advisor.report.names import SYSTEMS, WARNINGS
from advisor.report.reason_sentences import CAVEATS, REASONS
from advisor.report.said import said_title

# oneDNN, bfloat16 and tf.data stay as they are written.
_PLAIN_WORD = re.compile(r"[a-z]+(?=[ ,]|$)")

# Caveats about what to take, not about how long something takes.
_OF_CHOICE = frozenset(
    {
        "nothing_within_limits", "nothing_fits", "only_other_jobs", "first_takes_long",
        "first_uncertain", "first_may_exceed_budget", "first_may_exceed_deadline",
        "electricity_decides", "electricity_not_counted", "pays_in_longer_jobs",
        "price_is_not_availability",
        "purchase_price_not_of_today", "opencl_device_is_cpu", "condition_unknown",
        "prices_older_than_90_days", "spot_prices_older_than_7_days",
    }
)  # fmt: skip
# Caveats that name a section, and their form for a report without it.
_WHERE_NO_REASONS_STAND = {"some_failed": "some_failed_elsewhere"}


@functools.cache
def _placeholders(message: str) -> frozenset[str]:
    return frozenset(name for _, name, _, _ in string.Formatter().parse(message) if name)


def _word(value: str, name: str, tr: Translator) -> str:
    if name == "condition":
        return condition_text(value, tr)
    if name == "warning":
        return tr(WARNINGS[StabilityWarning(value)])
    if name in ("system", "needed_systems"):
        return ", ".join(SYSTEMS.get(each, each) for each in value.split(", "))
    return said_title(value, tr).replace(" | ", ", ")


def _value(parameter: Parameter, tr: Translator) -> str:
    value, name = parameter.value, parameter.name
    if isinstance(value, str):
        return _word(value, name, tr)
    if name == "samples":
        return format_count(round(value))
    if name.endswith("_s"):
        return format_duration(value, tr)
    if name.endswith("hours"):
        return format_duration(value * 3600, tr)
    for ending, formatter in (
        ("_x", format_factor),
        ("usd", format_usd),
        ("_bytes", format_bytes),
        ("_fraction", format_percent),
    ):
        if name.endswith(ending):
            return formatter(value)
    return format_number(value)


def _text(
    messages: tuple[str, ...], parameters: tuple[Parameter, ...], tr: Translator
) -> str | None:
    values = {parameter.name: _value(parameter, tr) for parameter in parameters}
    if values.get("low_x") == values.get("high_x"):
        values.pop("high_x", None)
    for message in messages:
        if _placeholders(message) <= values.keys():
            return tr(message, **values)
    return None


def reason_text(reason: Reason, tr: Translator) -> str:
    """Return the sentence of a reason, without full stop."""
    text = _text(REASONS[reason.code], reason.parameters, tr)
    return text if text is not None else tr(REASONS[reason.code][-1])


def reasons_text(reasons: Iterable[Reason], tr: Translator) -> str:
    """Return reasons as sentences one after another."""
    return sentences_text((reason_text(reason, tr) for reason in reasons), tr)


def sentences_text(texts: Iterable[str], tr: Translator) -> str:
    """Return texts as sentences one after another; Chinese has no space between them."""
    return between(tr).join(_stopped(sentence_start(text), tr) for text in texts)


def clauses_text(texts: Sequence[str], tr: Translator) -> str:
    """Return what goes on after a colon: a clause, then sentences, without the last full stop."""
    clause = [_stopped(text, tr) for text in texts[:1]]
    return between(tr).join((*clause, sentences_text(texts[1:], tr))).rstrip(".。 ")


def _stopped(text: str, tr: Translator) -> str:
    return tr(N_("{text}."), text=text.rstrip(".。"))


def between(tr: Translator) -> str:
    """Return what stands between two sentences; Chinese has no space there."""
    return "" if tr.language.startswith("zh") else " "


def sentence_start(text: str) -> str:
    """Return a sentence with a capital letter, unless it begins with a name or with code."""
    return text[0].upper() + text[1:] if _PLAIN_WORD.match(text) else text


def caveat_text(caveat: Caveat, tr: Translator) -> str:
    """Return the sentences of a caveat; a code without a text shows itself and its values."""
    text = _text(CAVEATS.get(caveat.code, ()), caveat.parameters, tr)
    if text is not None:
        return text
    values = ", ".join(f"{p.name} {_value(p, tr)}" for p in caveat.parameters)
    return f"{caveat.code.replace('_', ' ')}: {values}" if values else caveat.code


def caveat_texts(advice: Recommendation, tr: Translator) -> list[str]:
    """Return what the reader must know before acting; devices go by the name people know."""
    return [_known(each, advice.profile, tr) for each in advice.caveats]


def _known(caveat: Caveat, profile: MachineProfile, tr: Translator) -> str:
    names = {device.name: opencl_name(device, profile) for device in profile.opencl}
    parameters = tuple(
        dataclasses.replace(each, value=names.get(str(each.value), each.value))
        if each.name == "device"
        else each
        for each in caveat.parameters
    )
    return caveat_text(dataclasses.replace(caveat, parameters=parameters), tr)


def grave_text(advice: Recommendation, tr: Translator) -> str:
    """Return the caveats without which no time of an advice may be read, a line each."""
    codes = (
        "memory_too_small", "tensorflow_needs_avx", "tensorflow_has_no_build", "only_other_jobs",
    )  # fmt: skip
    return "\n".join(_caveats_of(advice, codes, tr))


def timing_texts(advice: Recommendation, tr: Translator) -> list[str]:
    """Return what there is to know before a time is believed, nothing of prices and ranks."""
    kept = tuple(
        dataclasses.replace(each, code=_WHERE_NO_REASONS_STAND.get(each.code, each.code))
        for each in advice.caveats
        if each.code not in _OF_CHOICE
    )
    return caveat_texts(dataclasses.replace(advice, caveats=kept), tr)


def trial_text(advice: Recommendation, tr: Translator) -> str:
    """Return which earlier trial an advice takes in or leaves out, "" where there is none."""
    return between(tr).join(_caveats_of(advice, ("trial_taken", "trial_not_taken"), tr))


def _caveats_of(advice: Recommendation, codes: tuple[str, ...], tr: Translator) -> list[str]:
    return [caveat_text(each, tr) for each in advice.caveats if each.code in codes]


def cancelled_text(measurements: MeasurementSet | None, tr: Translator) -> str:
    """Return how much a cancelled run has measured, "" of one that came to its end."""
    if measurements is None or not measurements.is_cancelled:
        return ""
    n_measured, n_asked = len(measurements.measured), len(measurements.results)
    return tr(CAVEATS["run_cancelled"][0], n_measured=n_measured, n_asked=n_asked)
