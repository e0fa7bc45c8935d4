"""Which language the user reads: what was chosen, else that of the system, else English.

Leaves to others: the messages (`advisor.i18n`), Qt's own words (`ui.translators`).
"""

import contextlib
import locale
import os

from advisor.i18n import LANGUAGES, Translator, translator_for
from ui.kept_words import keep_word, kept_word

# Name of the choice.
LANGUAGE = "language"
# Names of the languages in themselves: whoever reads one finds it.
LANGUAGE_NAMES = {"en": "English", "zh_CN": "简体中文"}
_VARIABLES = ("LC_ALL", "LC_MESSAGES", "LANG")


def keep_language(language: str) -> None:
    """Keep the language for later."""
    keep_word(LANGUAGE, language)


def chosen_language() -> str:
    """Return the kept language, else the system's where we have it, else "en"."""
    kept = kept_word(LANGUAGE)
    return kept if kept in LANGUAGES else language_of(_system_locale())


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
