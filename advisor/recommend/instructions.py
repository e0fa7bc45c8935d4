"""The instructions of the options table: split, told apart by system, typed as a shell takes them.

A piece is a command only where a shell could run it as it stands; with a word of explanation in it
it is a sentence. Leaves to others: which instructions an option gets (`advisor.recommend.steps`).
"""

import ast
import re
import shlex

from advisor.model.machine import OsFamily

# How the table begins what is for one system alone.
_SYSTEMS = {
    "Linux: ": OsFamily.LINUX, "Windows: ": OsFamily.WINDOWS, "macOS: ": OsFamily.MACOS,
}  # fmt: skip
_ASSIGNED = re.compile(r"[A-Z][A-Z0-9_]*=.*")
_PROGRAMS = frozenset(
    {"apt", "bazel", "clinfo", "echo", "numactl", "pip", "py", "python", "python3", "sudo"}
)
_OF_ENVIRONMENT = "v/bin/"
_PYTHON_MARKS = re.compile(
    r"\b(?:keras\.|tf\.|torch\.|model[.=]|ov\.|ds\.|nncf\.|base\.|np\.|quantize_static\()"
)
# What is typed otherwise there: programs of a virtual environment, which the table calls "v".
# Windows' own PowerShell knows no "&&", its Python no "python3".
_ON_WINDOWS = (("v/bin/", "v\\Scripts\\"), (" && ", "; "), ("python3 -m", "py -m"))


def pieces_of(how: str) -> list[str]:
    """Split at " ; ", which the table writes between separate instructions."""
    return [piece.strip() for piece in how.split(" ; ") if piece.strip()]


def of_system(piece: str) -> tuple[OsFamily | None, str]:
    """Return the system that a piece is for, None for any, and the piece itself."""
    for name, system in _SYSTEMS.items():
        if piece.startswith(name):
            return system, piece.removeprefix(name)
    return None, piece


def kind_of(piece: str) -> str:
    """Return what a piece of instructions is: "shell", "python", else "text"."""
    if _is_command(piece):
        return "shell"
    if _PYTHON_MARKS.search(piece) and _is_python(piece):
        return "python"
    return "text"


def typed(piece: str, *, family: OsFamily) -> str:
    """Return a command as the shell of a system takes it: bash, or Windows' PowerShell."""
    values, command = _split_values(piece)
    if family is OsFamily.WINDOWS:
        for ours, theirs in _ON_WINDOWS:
            command = command.replace(ours, theirs)
        lines = [f'$env:{name} = "{value}"' for name, value in values]
        return "; ".join([*lines, command] if command else lines)
    if values and not command:
        # Without "export" no program would see it.
        return "export " + " ".join(f"{name}={shlex.quote(value)}" for name, value in values)
    return piece


def _words(piece: str) -> list[str]:
    """Return the words and signs of a command, none where no shell would read it."""
    try:
        return list(shlex.shlex(piece, posix=True, punctuation_chars=True))
    except ValueError:
        return []


def _split_values(piece: str) -> tuple[list[tuple[str, str]], str]:
    """Return the variables that a command sets for itself, and the rest of it."""
    rest, values = piece.removeprefix("export "), []
    if rest == piece and not _ASSIGNED.match(rest):
        return [], piece
    while match := re.match(r"([A-Z][A-Z0-9_]*)=(\"[^\"]*\"|'[^']*'|\S*)\s*", rest):
        values.append((match[1], match[2].strip("\"'")))
        rest = rest[match.end() :]
    return values, rest


def _is_command(piece: str) -> bool:
    words = _words(piece)
    # Brackets begin a remark, and so does what stands between signs for something else.
    if not words or {"(", ")", "<"} & set(words):
        return False
    _values, command = _split_values(piece)
    first = command.split()[:1]
    if not first:
        return True
    if piece.startswith("export "):
        return False
    return first[0] in _PROGRAMS or first[0].startswith(_OF_ENVIRONMENT)


def _is_python(piece: str) -> bool:
    # What opens a block has its body on the next line.
    try:
        ast.parse(f"{piece} ..." if piece.endswith(":") else piece)
    except SyntaxError:
        return False
    return True
