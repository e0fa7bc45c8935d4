"""The text of every reason and caveat. Codes become sentences here and nowhere else.

A code may have several sentences: the first whose placeholders are all among the parameters is
taken. Parameters are formatted by the unit in their name: `_s`, `_h` or `hours`, `_x`, `usd`,
`_bytes`, `_percent`.
"""

import string

from advisor.format import format_bytes, format_duration, format_factor, format_number, format_usd
from advisor.i18n import N_, Translator
from advisor.model.recommendation import Caveat, Parameter, Reason, ReasonCode

_R = ReasonCode
