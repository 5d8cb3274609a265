"""What a relay is given to carry to the provider: a text in which damage shows, and a tool with awkward numbers."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from contracts.text.canary import CANARY

if TYPE_CHECKING:
    from collections.abc import Iterator

# Written as escapes, as an editor shows none of them and may take some away.
_LINES = (
    CANARY,
    "a skin tone and a sign: \U0001f937\U0001f3fd\u200d\u2640\ufe0f",
    "a joiner that keeps letters apart: \u0645\u06cc\u200c\u062e\u0648\u0627\u0647\u0645",
    "parts of a syllable: \u1112\u1161\u11ab",
    "marks of direction: \u200e\u200f, a soft hyphen: co\u00adop, a mark of order: \ufeff.",
    "a line of another kind:\u2028blanks: 10\u00a0km\u3000\tand\r\nthe end of a line",
    "escapes that are text: \\u00e9 \\n %C3%A9 &eacute; <b>",
    "blanks at the end  ",
)
TEXT = "\n".join(_LINES)
LONG_BYTES = 256 * 1024  # below the 1 MiB that nginx takes, above what buffers of 64 KiB and limits of 100 kB hold
# A whole number that a double does not hold, and a fraction that no float of four bytes does.
_NUMBERS = {"minimum": 0.1, "maximum": 2**53 + 1}


def prompt(word: str, *, is_long: bool) -> str:
    """Give the text of a question; `word` stands at its beginning, by which the provider knows it again."""
    text = f"Say hello. What follows is there for the wire alone. ({word})\n{TEXT}"
    if not is_long:
        return text
    times = LONG_BYTES // len(TEXT.encode())
    return "\n".join((text, *(f"{number}: {TEXT}" for number in range(times + 1))))


def harden(body: Any) -> None:
    """Give every tool in a body another parameter, with a text and numbers that are easily damaged."""
    for properties in tuple(_properties(body)):
        kind = next(iter(properties.values()))["type"]
        number = "NUMBER" if kind.isupper() else "number"
        properties["width"] = {"type": number, "description": f"Gr\u00f6\u00dfe: {CANARY}", **_NUMBERS}


def _properties(value: Any) -> Iterator[dict[str, Any]]:
    inner = value.values() if isinstance(value, dict) else value if isinstance(value, list) else ()
    for one in inner:
        yield from _properties(one)
    if isinstance(value, dict) and isinstance(value.get("properties"), dict):
        yield value["properties"]
