"""Texts that come inside typed values, in the user's language.

Titles, steps, evidence and the like are English in the values and in saved files. Here they are
looked up: as they stand, else by the form of the sentence (`advisor.report.sentences`), else they
stay as they are, as a name or a command does.
Leaves to others: sentences that are made for the user alone (`Translator` itself).
"""

import functools
import re
import string

from advisor.i18n import Translator
from advisor.model.quantity import Source
from advisor.report.lines import LINES
from advisor.report.sentences import SENTENCES

_PAST_WORDS = " ; "


@functools.cache
def _forms() -> tuple[tuple[str, re.Pattern[str]], ...]:
    """Return each form with placeholders and what finds it, the form of most words first."""
    forms = []
    for form in (*SENTENCES, *LINES):
        parts = list(string.Formatter().parse(form))
        if any(name for _text, name, _spec, _conversion in parts):
            pattern = "".join(
                re.escape(text) + (f"(?P<{name}>.+?)" if name else "")
                for text, name, _spec, _conversion in parts
            )
            words = sum(len(text) for text, _name, _spec, _conversion in parts)
            forms.append((words, form, re.compile(pattern, re.DOTALL)))
    return tuple((form, pattern) for _words, form, pattern in sorted(forms, key=lambda f: -f[0]))


def said(text: str, tr: Translator) -> str:
    """Return a text of a value in the user's language, where it has a translation."""
    if tr.language == "en" or not text:
        return text
    found = tr(text)
    if found != text:
        return found
    for form, pattern in _forms():
        match = pattern.fullmatch(text)
        if match is not None:
            return tr(form, **{name: said(part, tr) for name, part in match.groupdict().items()})
    return text


def said_line(text: str, tr: Translator) -> str:
    """Return a line of an error: names of files or servers may stand before its sentences."""
    first, sign, rest = text.partition("; ")
    for start in (0, *(colon.end() for colon in re.finditer(": ", first))):
        found = said(text[start:], tr)
        if found != text[start:]:
            return text[:start] + found
    return f"{said_line(first, tr)}; {said_line(rest, tr)}" if sign else text


def said_pieces(text: str, tr: Translator) -> str:
    """Return instructions of a table, each of which is looked up by itself."""
    return _PAST_WORDS.join(said(piece.strip(), tr) for piece in text.split(_PAST_WORDS))


def said_title(title: str, tr: Translator) -> str:
    """Return the title of an option, which may be several put together."""
    return " + ".join(said(part, tr) for part in title.split(" + "))


def source_text(source: Source, tr: Translator) -> str:
    """Return where a figure stands: title, date where there is one, reference.

    The titles of published works stay as they were published.
    """
    date = f", {source.date}" if source.date else ""
    return f"{said(source.title, tr)}{date}: {said(source.reference, tr)}"
