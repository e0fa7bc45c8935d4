"""Text in columns of a terminal: how wide it is, broken into lines, cut with a sign, padded.

Chinese, Japanese and Korean characters take two columns, combining marks none. Nothing is lost
silently: what is broken goes on in the next line, what is cut ends in "…".
Leaves to others: what is laid out (`advisor.report.text`).
"""

import re
import unicodedata
from collections.abc import Iterable, Iterator

ELLIPSIS = "…"
# Characters that stand for others where an encoding cannot say them.
_PLAIN = str.maketrans(
    {
        "±": "+/-", "–": "-", "—": "-", "−": "-", "×": "x", "…": "...", "µ": "u", "μ": "u",
        "→": "->", "≤": "<=", "≥": ">=", "≈": "~", "’": "'", "‘": "'", "“": '"', "”": '"',
        "°": " deg", "²": "^2", "³": "^3", "·": "*", "•": "*", "®": "(R)", "™": "(TM)",
        "\N{NO-BREAK SPACE}": " ", "\N{NARROW NO-BREAK SPACE}": " ",
    }
)  # fmt: skip
_WIDE = "WF"
# What begins no line, and what ends none.
_CLOSING, _OPENING = (
    frozenset("，。、；：！？）》」』】〉”’…％,.;:!?)]}%"),
    frozenset("（《「『【〈“‘([{"),
)
# Units as `advisor.format` writes them.
_NUMBER_AND_UNIT = re.compile(
    r"(?<=\d) (?=(?:%|µs|ms|s|min|h|d|years?|USD|[KMGT]?i?B|[kMGT]?(?:B|FLOP|OP)/s|[kMG]?Hz)(?!\w))"
)
# The dash of a span ends a line, and begins none.
_DASH = re.compile(r" (?=– )")
_UNBROKEN = "\N{NO-BREAK SPACE}"
_SPACES = " \t\r\f\v"
# A longer word is broken where it can be (a path, an address, the name of an offer).
LONG_WORD = 14
_JOINT = re.compile(r"(?<=[\w)][-/_:,@=+×|.])(?=\w)(?<!\d[.,])|(?<=//)(?=\w)")
_BREAK = re.compile(f"[{_SPACES}]+")
# All but the tabulator and the line feed; the C1 characters steer some terminals too.
_STEERING = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")


def display_width(text: str) -> int:
    """Return the columns that a text takes."""
    return len(text) if text.isascii() else sum(map(_char_width, text))


def is_wide(text: str) -> bool:
    """Whether a text has characters that take two columns."""
    return not text.isascii() and any(_char_width(character) > 1 for character in text)


def _char_width(character: str) -> int:
    if unicodedata.combining(character):
        return 0
    return 2 if unicodedata.east_asian_width(character) in _WIDE else 1


def plain_text(text: str, *, encoding: str) -> str:
    """Return a text as far as an encoding can say it: "1.8×" is "1.8x" in ASCII.

    Accents are dropped where they must be; only what has no plain spelling becomes "?". Characters
    that steer a terminal are shown, not sent: a file may hold any.
    """
    text = _STEERING.sub(lambda found: f"\\x{ord(found[0]):02x}", text)
    if text.isascii():
        return text
    return "".join(_plain_character(character, encoding) for character in text)


def _plain_character(character: str, encoding: str) -> str:
    for spelling in (character, character.translate(_PLAIN)):
        if _is_encodable(spelling, encoding):
            return spelling
    stripped = "".join(
        part
        for part in unicodedata.normalize("NFKD", character)
        if not unicodedata.combining(part) and _is_encodable(part, encoding)
    )
    return stripped or "?"


def _is_encodable(text: str, encoding: str) -> bool:
    try:
        text.encode(encoding)
    except UnicodeEncodeError:
        return False
    return True


def pad(text: str, width: int, *, is_right: bool = False) -> str:
    """Return a text filled with spaces to a width in columns."""
    filling = " " * max(0, width - display_width(text))
    return filling + text if is_right else text + filling


def shorten(text: str, width: int, *, sign: str = ELLIPSIS) -> str:
    """Return a text of at most `width` columns, cut with a sign where it is longer."""
    if display_width(text) <= width:
        return text
    head, _ = _cut(text, max(1, width - display_width(sign)))
    return head.rstrip() + sign


def _cut(text: str, width: int) -> tuple[str, str]:
    """Split off what fits a width, at least one character."""
    taken = 0
    for position, character in enumerate(text):
        taken += _char_width(character)
        if taken > width and position:
            return text[:position], text[position:]
    return text, ""


def _joints(word: str) -> list[str]:
    """Return the parts of a word between which it is broken rather than within them."""
    return [part for part in _JOINT.split(word) if part]


def _broken(word: str, width: int) -> tuple[str, str]:
    """Split off what fits a width, at a joint of the word where one lies there."""
    head = ""
    for part in _joints(word):
        if display_width(head + part) > width:
            break
        head += part
    return (head, word[len(head) :]) if head else _cut(word, width)


def unbroken(text: str) -> str:
    """Return a text in which no number is parted from its unit."""
    return _NUMBER_AND_UNIT.sub(_UNBROKEN, text)


def parts(text: str) -> list[str]:
    """Return the parts of a text between which a line may end, each number with its unit."""
    return [piece for piece, _ in _pieces(text)]


def least_parts(text: str) -> list[str]:
    """Return the parts of a text that are broken last of all: words, of long ones their parts."""
    words = (word for piece in parts(text) for word in _parted(piece))
    return [
        part
        for word in words
        for part in ([word] if display_width(word) <= LONG_WORD else _joints(word))
    ]


def spans(text: str) -> list[tuple[int, int]]:
    """Return where the parts of a text stand between which a line may end: begins and ends."""
    found = []
    begin = 0
    for piece, _ in _pieces(text):
        while text[begin] in _SPACES:
            begin += 1
        found.append((begin, begin + len(piece)))
        begin += len(piece)
    return found


def shorter_spans(text: str, begin: int, end: int) -> list[tuple[int, int]]:
    """Return the parts of a part that has no room in a line: numbers and units, words, letters.

    It is itself no longer among them.
    """
    for split in (_parted, _joints, list):
        pieces = split(text[begin:end])
        if len(pieces) > 1:
            break
    found = []
    for piece in pieces:
        begin = text.index(piece, begin)
        found.append((begin, begin + len(piece)))
        begin += len(piece)
    return found


def longest_word(text: str, *, has_units: bool = False) -> int:
    """Return the columns of the longest part of a text that should not be broken.

    Long words are broken at their joints. With `has_units` a number and its unit are one part;
    where there is no room they are two.
    """
    pieces = (piece for piece, _ in _pieces(text))
    parts = (part for piece in pieces for part in ([piece] if has_units else _parted(piece)))
    return max(map(_longest_part, parts), default=0)


def _longest_part(word: str) -> int:
    """Return the columns of a word, of a long one those of its longest part."""
    width = display_width(word)
    return width if width <= LONG_WORD else max(map(display_width, _joints(word)))


def _parted(piece: str) -> list[str]:
    return piece.split(_UNBROKEN)


def wrap(text: str, width: int, *, breaks_words: bool = True) -> list[str]:
    """Return the lines of a text of at most `width` columns; always at least one line.

    Line ends of the text stay; others stand between words, after the hyphen of a compound and
    between wide characters, never between a number and its unit or before a sign that closes; a
    word longer than a line is broken only where `breaks_words`, at its joints while it can be.
    """
    return [
        line
        for part in text.split("\n")
        for line in _wrapped(part, width, breaks_words=breaks_words)
    ]


def _wrapped(text: str, width: int, *, breaks_words: bool) -> list[str]:
    lines = [""]
    for piece, glue in _fitting(text, width):
        gap = glue if lines[-1] else ""
        if display_width(lines[-1] + gap + piece) <= width:
            lines[-1] += gap + piece
            continue
        rest = piece
        while breaks_words and display_width(rest) > width:
            head, rest = _broken(rest, width)
            _next_line(lines, head)
        _next_line(lines, rest)
    return lines


def _fitting(text: str, width: int) -> Iterator[tuple[str, str]]:
    """Yield the pieces of a text; where a number and its unit need more than a line, each alone."""
    for piece, glue in _pieces(text):
        words = [piece] if display_width(piece) <= width else _parted(piece)
        for number, word in enumerate(words):
            yield word.replace(_UNBROKEN, " "), " " if number else glue


def _next_line(lines: list[str], text: str) -> None:
    if lines[-1]:
        lines.append(text)
    else:
        lines[-1] = text


def _pieces(text: str) -> Iterator[tuple[str, str]]:
    """Yield what lies between two places for a break, with what joins it to the one before."""
    for word in _BREAK.split(_DASH.sub(_UNBROKEN, unbroken(text)).strip(_SPACES)):
        glue = " "
        for part in re.split(r"(?<=[^\W\d_]{2}-)(?=[^\W\d_])", word):
            for piece in _signs_attached(_wide_apart(part)):
                yield piece, glue
                glue = ""


def _signs_attached(pieces: Iterable[str]) -> Iterator[str]:
    """Yield pieces of a word, signs that begin or end no line together with their neighbours."""
    held = ""
    for piece in pieces:
        if held and not (piece[0] in _CLOSING or held[-1] in _OPENING):
            yield held
            held = ""
        held += piece
    if held:
        yield held


def _wide_apart(word: str) -> Iterator[str]:
    if word.isascii():
        yield word
        return
    narrow = ""
    for character in word:
        if _char_width(character) < 2:
            narrow += character
            continue
        if narrow:
            yield narrow
        narrow = ""
        yield character
    if narrow:
        yield narrow
