"""Texts that come inside typed values, in the user's language.

Titles, steps, evidence and the like are English in the values and in saved files. Here they are
looked up: as they stand, else by the form of the sentence (`advisor.report.sentences`), else they
stay as they are, as a name or a command does.
Leaves to others: sentences that are made for the user alone (`Translator` itself).
"""

import functools
import re
import string

from advisor.i18n import N_, Translator
from advisor.model.option import Option
from advisor.model.quantity import Source
from advisor.report.explained_cells import CELLS
from advisor.report.lines import LINES
from advisor.report.refusals import REFUSALS
from advisor.report.sentences import SENTENCES
from advisor.report.study_notes import REMARKS, WORKS

_PAST_WORDS = " ; "
_SAID = (*SENTENCES, *LINES, *REFUSALS, *CELLS)


@functools.cache
def _patterns(forms: tuple[str, ...]) -> tuple[tuple[str, re.Pattern[str]], ...]:
    """Return each form with placeholders and what finds it, the form of most words first."""
    found = []
    for form in forms:
        parts = list(string.Formatter().parse(form))
        if any(name for _text, name, _spec, _conversion in parts):
            pattern = "".join(
                re.escape(text) + (f"(?P<{name}>.+?)" if name else "")
                for text, name, _spec, _conversion in parts
            )
            words = sum(len(text) for text, _name, _spec, _conversion in parts)
            found.append((words, form, re.compile(pattern, re.DOTALL)))
    return tuple((form, pattern) for _words, form, pattern in sorted(found, key=lambda f: -f[0]))


def said(text: str, tr: Translator) -> str:
    """Return a text of a value in the user's language, where it has a translation."""
    return _said_in(_SAID, text, tr)


def _said_in(forms: tuple[str, ...], text: str, tr: Translator) -> str:
    """Return a text in the user's language by one of these forms, its parts likewise."""
    if tr.language == "en" or not text:
        return text
    found = tr(text)
    if found != text:
        return found
    for form, pattern in _patterns(forms):
        match = pattern.fullmatch(text)
        if match is not None:
            parts = match.groupdict().items()
            return tr(form, **{name: _said_in(forms, part, tr) for name, part in parts})
    return text


def said_note(note: str, tr: Translator) -> str:
    """Return what a study says of a figure; what others named stays as they named it."""
    remarks = (_said_in(REMARKS, remark, tr) for remark in note.split("; "))
    return tr(N_("; ")).join(remarks)


def said_work(work: str, tr: Translator) -> str:
    """Return what was timed, as it was published: names of networks stay."""
    return _said_in(WORKS, work, tr)


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


def said_list(text: str, tr: Translator) -> str:
    """Return a text, or where it has no translation the pieces of a list, each by itself."""
    found = tr(text)
    return found if found != text else "; ".join(said(piece, tr) for piece in text.split("; "))


def said_title(title: str, tr: Translator) -> str:
    """Return the title of an option, which may be several put together."""
    return " + ".join(said(part, tr) for part in title.split(" + "))


def said_deed(option: Option, tr: Translator) -> str:
    """Return what to do where an option is told by itself: the name of an offer is no deed."""
    title = said_title(option.title, tr)
    if option.offer is not None:
        return tr(N_("Rent {title}"), title=title)
    return title if option.purchase is None else tr(N_("Buy {title}"), title=title)


def source_text(source: Source, tr: Translator) -> str:
    """Return where a figure stands: title, date where there is one, reference.

    The titles of published works stay as they were published.
    """
    date = f", {source.date}" if source.date else ""
    return f"{said_list(source.title, tr)}{date}: {said_list(source.reference, tr)}"
