"""Takes the product's messages out of the sources and compiles their translations.

    python tools/translations.py update     # sources -> resources/locale/*/LC_MESSAGES/*.po
    python tools/translations.py compile    # .po -> .mo, which the product reads
    python tools/translations.py check      # nothing missing, placeholders alike, .mo as the .po

Messages are marked with `N_` where they are defined (`advisor.i18n`). A translation is written
in the .po file by hand.
"""

import csv
import datetime as dt
import io
import re
import string
import sys
from collections.abc import Iterator
from pathlib import Path

from babel.messages.catalog import Catalog, Message
from babel.messages.extract import extract_from_dir
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

ROOT = Path(__file__).resolve().parent.parent
LOCALE = ROOT / "resources" / "locale"
PACKAGES = ("advisor", "probes", "ui")
DOMAIN = "dl-advisor"
WIDTH = 96
# Instructions for one system alone begin with its name, which is not shown.
SYSTEM = re.compile(r"^(?:Linux|Windows|macOS): ")
KEYWORDS = {"N_": None, "NP_": ((1, "c"), 2)}
# Columns with words for people. Names, commands and references stay as they are.
TABLES = {
    "options/options.csv": ("title", "how", "effect_basis", "risks"),
    "options/past_systems.csv": ("role", "status", "ended", "successor", "advice"),
    "networks/networks.csv": ("note",),
    "hardware/gpu_families.csv": (
        "linux_training_route", "linux_inference_route", "windows_training_route",
        "windows_inference_route", "opencl_linux", "advice", "caveats",
    ),
    "hardware/cpu_isa.csv": ("tensorflow_wheel_runs", "bf16_advice", "int8_advice", "note"),
}  # fmt: skip
# Two plain words beside each other are language; a name or a command has none.
PROSE = re.compile(r"(?<![\w=./-])[a-z]+,? [a-z]{2,}(?![\w=./-])")
# In the tables of hardware one word may be a verdict ("avoid"); names of software are none.
WORDED_TABLES = ("hardware/gpu_families.csv", "hardware/cpu_isa.csv")
WORD = re.compile(r"(?<![\w=./\[-])(?!(?:ncnn|rusticl|tinygrad|torch)\b)[a-z]{2,}(?![\w=./-])")
_NO_DATE = dt.datetime(2000, 1, 1, tzinfo=dt.UTC)
COMMAND = re.compile(r"(\S+=\S+ )*(pip|(sudo )?apt|bazel|echo|rocm|winml) [^();]*")


def extracted() -> Catalog:
    """Return every message of the sources, each with the files where it stands."""
    catalog = Catalog(project="DL Advisor", charset="utf-8")
    for package in PACKAGES:
        found = extract_from_dir(
            ROOT / package, method_map=[("**.py", "python")], keywords=KEYWORDS
        )
        for name, _line, message, _comments, context in found:
            if message:
                place = [(f"{package}/{Path(name).as_posix()}", 0)]
                catalog.add(message, locations=place, context=context)
    for name, text in table_texts():
        catalog.add(text, locations=[(f"resources/data/{name}", 0)])
    return catalog


def table_texts() -> Iterator[tuple[str, str]]:
    """Yield the sentences of the tables that the product shows, each with its file."""
    for name, columns in TABLES.items():
        with (ROOT / "resources" / "data" / name).open(encoding="utf-8", newline="") as stream:
            for row in csv.DictReader(stream):
                for column in columns:
                    pieces = [row[column]]
                    if column == "how":
                        pieces = [SYSTEM.sub("", p.strip()) for p in row[column].split(" ; ")]
                    yield from (
                        (name, p.strip())
                        for p in pieces
                        if column == "title"
                        or is_prose(p.strip())
                        or (name in WORDED_TABLES and WORD.search(p))
                    )


def is_prose(text: str) -> bool:
    """Whether a text is language and no bare command."""
    return PROSE.search(text) is not None and COMMAND.fullmatch(text) is None


def po_files() -> Iterator[Path]:
    """Yield the translations that there are."""
    yield from sorted(LOCALE.glob(f"*/LC_MESSAGES/{DOMAIN}.po"))


def read(path: Path) -> Catalog:
    """Return a translation."""
    with path.open("rb") as stream:
        return read_po(stream, locale=path.parent.parent.name, charset="utf-8")


def as_po(catalog: Catalog) -> bytes:
    """Return a translation as the text of its file, without dates and persons."""
    catalog.header_comment = "# Messages of DL Advisor."
    catalog.fuzzy = False
    stream = io.BytesIO()
    write_po(
        stream, catalog, width=WIDTH, omit_header=False, sort_output=True, include_lineno=False,
        ignore_obsolete=True,
    )  # fmt: skip
    lines = stream.getvalue().split(b"\n")
    left_out = tuple(
        f'"{name}'.encode()
        for name in (
            "POT-Creation-Date", "PO-Revision-Date", "Generated-By", "Report-Msgid-Bugs-To",
            "Last-Translator", "Language-Team", "Project-Id-Version",
        )
    )  # fmt: skip
    return b"\n".join(line for line in lines if not line.startswith(left_out))


def as_mo(catalog: Catalog) -> bytes:
    """Return a translation as the product reads it; the same bytes at any time."""
    catalog.creation_date = catalog.revision_date = _NO_DATE
    stream = io.BytesIO()
    write_mo(stream, catalog)
    return stream.getvalue()


def update() -> int:
    """Bring every translation up to the sources; new messages stand there empty."""
    template = extracted()
    for path in po_files():
        catalog = read(path)
        catalog.update(template, no_fuzzy_matching=True)
        path.write_bytes(as_po(catalog))
        count = sum(1 for _ in untranslated(catalog))
        sys.stdout.write(f"{path.relative_to(ROOT)}: {count} to translate\n")
    return 0


def compile_all() -> int:
    """Write the files that the product reads."""
    for path in po_files():
        path.with_suffix(".mo").write_bytes(as_mo(read(path)))
    return 0


def messages(catalog: Catalog) -> Iterator[Message]:
    """Yield the messages of a catalogue without its header."""
    yield from (message for message in catalog if message.id)


def untranslated(catalog: Catalog) -> Iterator[Message]:
    """Yield what has no translation yet."""
    yield from (m for m in messages(catalog) if not m.string or m.fuzzy)


def key(message: Message) -> str:
    """Return what tells a message from others: its meaning, where one is named, and itself."""
    return f"{message.context}: {message.id}" if message.context else str(message.id)


def placeholders(text: str) -> set[str]:
    """Return the names in braces."""
    return {name for _text, name, _spec, _conversion in string.Formatter().parse(text) if name}


def keys(text: str) -> int:
    """Return how many letters of a label are reached with Alt."""
    return text.replace("&&", "").replace("& ", "").count("&")


def faults() -> Iterator[str]:
    """Yield one line for each thing that is wrong with a translation."""
    wanted = {key(message) for message in messages(extracted())}
    for path in po_files():
        catalog, name = read(path), path.relative_to(ROOT)
        known = {key(message) for message in messages(catalog)}
        yield from (f"{name}: not there: {text!r}" for text in sorted(wanted - known))
        yield from (f"{name}: not used any more: {text!r}" for text in sorted(known - wanted))
        yield from (f"{name}: not translated: {m.id!r}" for m in untranslated(catalog))
        for message in messages(catalog):
            if message.string and placeholders(str(message.id)) != placeholders(
                str(message.string)
            ):
                yield f"{name}: other placeholders: {message.id!r}"
            if message.string and keys(str(message.id)) != keys(str(message.string)):
                yield f"{name}: another number of keys (&): {message.id!r}"
        compiled = path.with_suffix(".mo")
        if not compiled.is_file() or compiled.read_bytes() != as_mo(catalog):
            yield f"{name}: the compiled file is not up to date: run this tool with `compile`"


def check() -> int:
    """Tell what is wrong; the exit code is 1 when something is."""
    found = list(faults())
    for fault in found:
        sys.stdout.write(f"{fault}\n")
    return 1 if found else 0


if __name__ == "__main__":
    COMMANDS = {"update": update, "compile": compile_all, "check": check}
    if len(sys.argv) != 2 or sys.argv[1] not in COMMANDS:
        sys.exit(__doc__)
    sys.exit(COMMANDS[sys.argv[1]]())
