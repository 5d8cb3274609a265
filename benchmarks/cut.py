"""Find where to cut a text of a million characters, beside segmenting all before: python benchmarks/cut.py.

Then elide texts that are one character of a million code points, or look so, to a thousand tokens.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

import regex

from benchmarks.timing import alternate, table
from contracts.text.cut import elide, utf8_bytes
from contracts.text.grapheme import boundary, boundary_utf8

SIZE = 1_000_000
TEXTS = {
    "ASCII": "The quick brown fox, then; ",
    "French": "Où est né l’été déjà passé ? ",
    "Vietnamese, decomposed": "Tie\u0302\u0301ng Vie\u0323\u0302t co\u0301 da\u0302\u0301u. ",
    "Hindi": "क्षत्रिय ने हिन्दी में लिखा। ",
    "Japanese": "これは日本語の文章です。",
    "Korean, jamo": "\u1112\u1161\u11ab\u1100\u1173\u11af ",
    "Arabic": "هذا نصٌّ عربيّ مُشَكَّل. ",
    "Thai": "ภาษาไทยน้ำใจ ",
    "families and flags": "👩‍👩‍👧‍👦🇫🇷🇧🇷👨🏽‍💻 ",
}
HUGE = {
    "marks on a letter": "a" + "\u0301" * SIZE,
    "emoji joined": "👩" + "\u200d👩" * (SIZE // 2),
    "conjuncts": "क" + "\u094dक" * (SIZE // 2),
    "flags": "🇩" * SIZE,
    "line ends": "\r\n" * (SIZE // 2),
}
BUDGET = 1_000  # tokens
CLUSTER = regex.compile(r"\X")
SLOW = 5_000  # a place that segmenting reaches in a few milliseconds


def segmented(text: str, limit: int) -> int:
    """The last boundary, by segmenting all that stands before."""
    end = 0
    for match in CLUSTER.finditer(text, 0, limit + 64):
        if match.end() > limit:
            break
        end = match.end()
    return end


def at(find: Callable[[str, int], int], text: str, places: Sequence[int]) -> None:
    """Find each place."""
    for place in places:
        find(text, place)


def in_bytes(data: bytes, places: Sequence[int]) -> None:
    """Find each place in bytes."""
    for place in places:
        boundary_utf8(data, place)


def huge() -> list[list[str]]:
    """Elide each huge text; rows of milliseconds, calls of the counter, and the longest text it was shown."""
    rows = []
    for name, text in HUGE.items():
        shown: list[int] = []

        def tokens(part: str, shown: list[int] = shown) -> int:
            shown.append(len(part))
            return (utf8_bytes(part) + 3) // 4

        kept = elide(text, BUDGET, tokens)
        calls, longest = len(shown), max(shown)
        took = alternate({"elide": partial(elide, text, BUDGET, tokens)})
        rows.append([name, f"{took['elide'] * 1e3:.1f}", str(calls), str(longest), str(len(kept))])
    return rows


def main() -> None:
    """Print microseconds a cut, and insist that each is right."""
    rows = []
    for name, piece in TEXTS.items():
        text = (piece * (SIZE // len(piece) + 1))[:SIZE]
        data = text.encode()
        places = range(SIZE // 2, SIZE // 2 + 1_000)
        byte_places = range(len(data) // 2, len(data) // 2 + 1_000)
        for place in range(SLOW, SLOW + 50):
            if boundary(text, place) != segmented(text, place):
                raise SystemExit(f"{name}: cut at {place} is wrong")
        took = alternate(
            {
                "text": partial(at, boundary, text, places),
                "bytes": partial(in_bytes, data, byte_places),
                "segmented": partial(at, segmented, text, [SLOW]),
            }
        )
        ours, utf8 = took["text"] / len(places) * 1e6, took["bytes"] / len(places) * 1e6
        whole = took["segmented"] * SIZE / 2 / SLOW * 1e6
        rows.append([name, f"{ours:.2f}", f"{utf8:.2f}", f"{whole:,.0f}", f"{utf8_bytes(piece) / len(piece):.1f}"])
    print(
        table(
            ["script", "in text, µs", "in UTF-8, µs", r"`\X` up to there, µs (extrapolated)", "bytes a character"], rows
        )
    )
    print()
    print(table(["a million of", "elided, ms", "calls of the counter", "characters shown at most", "kept"], huge()))


if __name__ == "__main__":
    main()
