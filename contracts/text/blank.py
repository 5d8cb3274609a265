"""Text of which a reader sees nothing: white space, control characters, and what Unicode has no glyph for."""

from __future__ import annotations

import re

# White space, controls, and Default_Ignorable_Code_Point of Unicode's DerivedCoreProperties: zero-width spaces and
# joiners, marks of direction, a byte order mark, fillers, variation selectors, tags. U+06DD formats, but is seen.
_BLANK = re.compile(
    "[\\s\x00-\x1f\x7f-\x9f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f"
    "\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]*"
)


def is_blank(text: str) -> bool:
    """Tell whether a reader sees nothing of a text; of an empty one as well."""
    return _BLANK.fullmatch(text) is not None
