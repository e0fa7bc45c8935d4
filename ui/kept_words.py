"""Choices of the user that are one word each: a file of its own for each in the user's settings.

Leaves to others: what the words mean (`ui.language`, `ui.theme_choice`).
"""

import contextlib
from pathlib import Path

import platformdirs

from advisor.errors import InputError
from ui.files import write_bytes
from ui.settings import APP_NAME


def word_file(choice: str) -> Path:
    """Return where a choice is kept."""
    return Path(platformdirs.user_config_dir(APP_NAME, appauthor=False)) / choice


def keep_word(choice: str, word: str) -> None:
    """Keep a word for later; a full or read-only disk must not cost the run."""
    with contextlib.suppress(OSError, InputError):
        word_file(choice).parent.mkdir(parents=True, exist_ok=True)
        write_bytes(word_file(choice), f"{word}\n".encode())


def kept_word(choice: str) -> str | None:
    """Return what was kept; None when there is nothing, or nothing that can be read."""
    with contextlib.suppress(OSError, UnicodeDecodeError):
        return word_file(choice).read_text(encoding="utf-8").strip()
    return None
