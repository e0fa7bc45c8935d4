"""Which language the user reads: what was chosen, else that of the system, else English.

Leaves to others: the messages (`advisor.i18n`), Qt's own words (`ui.translators`).
"""

import contextlib
import locale
import os
from pathlib import Path

import platformdirs

from advisor.errors import InputError
from advisor.i18n import LANGUAGES, Translator, translator_for
from ui.files import write_bytes
from ui.settings import APP_NAME

# Names of the languages in themselves: whoever reads one finds it.
LANGUAGE_NAMES = {"en": "English", "zh_CN": "简体中文"}
_VARIABLES = ("LC_ALL", "LC_MESSAGES", "LANG")


def language_file() -> Path:
    """Return where the chosen language is kept."""
    return Path(platformdirs.user_config_dir(APP_NAME, appauthor=False)) / "language"


def keep_language(language: str) -> None:
    """Keep the language for later; a full or read-only disk must not cost the run."""
    with contextlib.suppress(OSError, InputError):
        language_file().parent.mkdir(parents=True, exist_ok=True)
        write_bytes(language_file(), f"{language}\n".encode())


def chosen_language() -> str:
    """Return the kept language, else the system's where we have it, else "en"."""
    with contextlib.suppress(OSError, UnicodeDecodeError):
        kept = language_file().read_text(encoding="utf-8").strip()
        if kept in LANGUAGES:
            return kept
    return language_of(_system_locale())


def language_of(name: str) -> str:
    """Return our language for the name of a locale ("zh_CN.UTF-8", "Chinese (Simplified)")."""
    word = name.replace("-", "_").lower()
    if word.startswith(("zh_tw", "zh_hk", "zh_hant", "chinese (traditional)", "chinese_taiwan")):
        return "en"
    return "zh_CN" if word.startswith(("zh", "chinese")) else "en"


def _system_locale() -> str:
    for name in _VARIABLES:
        value = os.environ.get(name)
        if value:
            return value
    with contextlib.suppress(ValueError):
        return locale.getlocale()[0] or ""
    return ""


def user_translator() -> Translator:
    """Return the translator of the user's language."""
    return translator_for(chosen_language())
