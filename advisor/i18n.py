"""Translation of the product's own text.

`advisor` has no current language: it is passed a `Translator`.
Text is marked where it is defined with `N_` and translated where it is shown. Whole sentences
with named placeholders; numbers come formatted (`advisor.format`). A word of two meanings is
marked with `NP_`, which names the one that is meant.
Leaves to others: Qt's own buttons (`ui.translators`).
"""

import functools
import gettext
import importlib.resources
from dataclasses import dataclass

LANGUAGES = ("en", "zh_CN")
DOMAIN = "dl-advisor"
# Between the meaning of a message and the message, as catalogues write it.
_OF = "\x04"


def N_(message: str) -> str:  # noqa: N802 - the name that gettext tools look for
    """Mark a message for translation and return it unchanged."""
    return message


def NP_(context: str, message: str) -> str:  # noqa: N802 - as above
    """Mark a message of more than one meaning with the one that is meant here."""
    return f"{context}{_OF}{message}"


@dataclass(frozen=True, slots=True)
class Translator:
    """Turns our messages into one language.

    Attributes:
        language: "en" or a name of `LANGUAGES`.
        catalogue: the messages; English has none.
    """

    language: str
    catalogue: gettext.NullTranslations

    def __call__(self, message: str, /, **values: object) -> str:
        """Return the translated message with its named placeholders filled."""
        text = self.catalogue.gettext(message).rpartition(_OF)[2] if message else ""
        return text.format(**values) if values else text


@functools.cache
def translator_for(language: str) -> Translator:
    """Return the translator of a language; English where there is no catalogue for it."""
    path = importlib.resources.files("resources").joinpath(
        "locale", language, "LC_MESSAGES", f"{DOMAIN}.mo"
    )
    if language in LANGUAGES and path.is_file():
        with path.open("rb") as stream:
            return Translator(language, gettext.GNUTranslations(stream))
    return Translator("en", gettext.NullTranslations())
