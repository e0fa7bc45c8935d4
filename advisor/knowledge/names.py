"""Spellings of device names reduced to the words that identify a product.

Drivers, operating systems and people spell one product in many ways: "(R)", "(TM)", "CPU @
1.80GHz", "with Radeon Graphics", "8-Core Processor", bus names in brackets. What is left after
dropping those is compared word by word, so that "5600G" is never "5600".
Leaves to others: which rows are searched (`advisor.knowledge.lookup`).
"""

import functools
import re
from dataclasses import dataclass

from advisor.model.machine import DeviceKind

Words = frozenset[str]

_MARKS = re.compile(r"\((?:r|tm|c)\)|[®™©]")
_CLOCK = re.compile(r"@.*$")
_GENERATION = re.compile(r"\b\d+(?:st|nd|rd|th) gen(?:eration)?\b")
_REVISION = re.compile(r"\brev(?:ision)? ?\d[\d.]*\b")
_CORES = re.compile(r"\b(?:\d+|dual|triple|quad|six|eight|twelve|sixteen)-cores?\b")
_COMPUTE_CORES = re.compile(r",? *\d+ compute cores.*$")
_RADEON_PART = re.compile(r"[ ,]+(?:with |w/ ?)?radeon\b(.*)$")
_MEMORY = re.compile(r"\b(\d+) ?gi?b\b")
_GLUED_MODEL = re.compile(r"\b(gtx|rtx|rx|gt|hd|uhd|vega|arc|pi|ryzen|titan)(\d)")
_GLUED_SUFFIX = re.compile(r"(\d{3,4})(ti|super|xtx|xt|gre)\b")
# A card's number alone, as people say it: "3060 laptop", "1080 ti", "6700xt".
_BARE_NUMBER = re.compile(
    r"(?:nvidia |geforce |amd |radeon )*(\d{3,4}(?: ?(?:ti|super|xtx|xt|gre|mobile))*)"
)
_SERIES = ("gtx", "rtx", "rx")
_BRACKETS = re.compile(r"\[([^\]]*)\]")
_PARENTHESES = re.compile(r"\([^)]*\)")
# In parentheses these tell products apart, everything else there is a remark.
_TELLING = re.compile(r"\([^)]*\b(?:mobile|laptop|max-q|maxwell|pascal|\d+ ?gi?b)\b[^)]*\)")
_WORD = re.compile(r"[a-z0-9+]+")

_SYNONYMS = (
    ("advanced micro devices, inc.", "amd"),
    ("[amd/ati]", "amd"),
    ("[amd]", "amd"),
    ("laptop gpu", "mobile"),
    (" laptop", " mobile"),
    ("gforce", "geforce"),
    ("gefroce", "geforce"),
    ("rizen", "ryzen"),
    ("ryzon", "ryzen"),
    ("redeon", "radeon"),
    ("readon", "radeon"),
    ("thread ripper", "threadripper"),
    ("rasberry", "raspberry"),
    ("raspberrypi", "raspberry pi"),
    ("raspi", "raspberry pi"),
    ("rpi", "raspberry pi "),
    ("3 model b plus", "3 model b+"),
)
_VENDOR_WORDS = {
    "amd": "AMD",
    "ati": "AMD",
    "radeon": "AMD",
    "ryzen": "AMD",
    "epyc": "AMD",
    "intel": "Intel",
    "iris": "Intel",
    "uhd": "Intel",
    "xeon": "Intel",
    "nvidia": "NVIDIA",
    "geforce": "NVIDIA",
    "quadro": "NVIDIA",
    "tesla": "NVIDIA",
}
# Words that say nothing about which product of a vendor it is.
_NOISE = frozenset(
    (
        *("amd", "ati", "intel", "nvidia", "apple", "geforce", "tesla", "radeon"),
        *("advanced", "micro", "devices", "corporation", "corp", "inc"),
        *("cpu", "gpu", "igpu", "apu", "graphics", "processor", "processors", "core", "cores"),
        *("series", "family", "device", "controller", "vga", "compatible", "and", "tm"),
    )
)


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """A name as the words that identify a product.

    Attributes:
        words: sets of words, any of which may match: with and without what stands in
            parentheses, and what stands in brackets alone.
        vendor: vendor that the name betrays, None when it does not.
    """

    words: tuple[Words, ...]
    vendor: str | None


@functools.lru_cache(maxsize=8192)
def read_name(name: str, kind: DeviceKind) -> Reading:
    """Return the identifying words of a name, read as that of a device of a kind."""
    text = _MARKS.sub(" ", name.lower())
    for spelling, meaning in _SYNONYMS:
        text = text.replace(spelling, meaning)
    text = _REVISION.sub(" ", _GENERATION.sub(" ", text))
    vendor = _vendor(text)
    texts = _cpu_texts(text) if kind is DeviceKind.CPU else _other_texts(text)
    words = []
    for variant in texts:
        found = _words(variant)
        if found and found not in words:
            words.append(found)
    return Reading(words=tuple(words), vendor=vendor)


def _cpu_texts(text: str) -> tuple[str, ...]:
    """Return the spellings of a processor: its graphics, clock and core count do not name it."""
    text = _CLOCK.sub(" ", text)
    text = _COMPUTE_CORES.sub(" ", text)
    text = _CORES.sub(" ", _RADEON_PART.sub(" ", text))
    return text, _PARENTHESES.sub(" ", text)


def _other_texts(text: str) -> tuple[str, ...]:
    """Return the spellings of a GPU or NPU; of "CPU w/ Radeon 780M" the latter part is one."""
    text = _GLUED_SUFFIX.sub(r"\1 \2", _COMPUTE_CORES.sub(" ", text))
    texts = [text, *_BRACKETS.findall(text)]
    if not _TELLING.search(text):
        texts.append(_PARENTHESES.sub(" ", text))
    if bare := _BARE_NUMBER.fullmatch(" ".join(text.split())):
        texts += [f"{series} {bare.group(1)}" for series in _SERIES]
    if re.match(r"\s*(?:amd |radeon )*vega (?:56|64)\b", text):
        texts.append(text.replace("vega", "rx vega"))
    part = re.search(r"(?:with|w/) ?radeon\b(.*)$", text)
    if part:
        texts.append("radeon " + part.group(1))
    return tuple(texts)


def _vendor(text: str) -> str | None:
    vendors = {_VENDOR_WORDS[word] for word in _WORD.findall(text) if word in _VENDOR_WORDS}
    return vendors.pop() if len(vendors) == 1 else None


def _words(text: str) -> Words:
    text = _MEMORY.sub(r"\1gb", text)
    text = _GLUED_MODEL.sub(r"\1 \2", text)
    return frozenset(word for word in _WORD.findall(text) if word not in _NOISE)
