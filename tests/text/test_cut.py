"""Text is cut at grapheme boundaries, and only the place of the cut is looked at."""

from __future__ import annotations

import subprocess
import sys
from bisect import bisect_right

import pytest
import regex
from hypothesis import given, settings
from hypothesis import strategies as st

from contracts.text.cut import boundary, cut
from tests.text.samples import honest

PIECES = [
    "a", "é", "e\u0301", "字", "\r\n", "\r", "\n", "\u200d", "👩‍👩‍👧‍👦", "👨🏽‍💻", "🇫🇷", "🇧🇷",
    "🇨", "❤️‍🔥", "1️⃣", "🙂", "©", "©\u200d", "각",
    "\u1100", "\u1161", "\u11a8", "क्ष", "क्", "ष", "त्रि", "ক্ষ", "ക്ഷ", "\u094d", "ि",
    "\u0941", "क्\u0941ष", "\u0600", "\u0600١", "Z͑ͫ̓ͪ", "ำ", "กำ",
    "\ud83d", "🏴\U000e0067\U000e0062\U000e007f", "\u0bcd", "ཀྵ", " ", "\u00ad", "\u0903", "\U0001f3fd",
]  # fmt: skip
TEXT = st.lists(st.sampled_from(PIECES), min_size=1, max_size=14).map("".join)


def true_boundaries(text: str) -> list[int]:
    return [0, *(match.end() for match in regex.finditer(r"\X", text))]


@settings(deadline=None)
@given(TEXT | st.text(max_size=20))
def test_every_cut_is_the_last_boundary_of_the_whole_text_s_segmentation(text: str) -> None:
    boundaries = true_boundaries(text)
    for limit in range(len(text) + 2):
        assert boundary(text, limit) == boundaries[bisect_right(boundaries, limit) - 1], (text, limit)


@pytest.mark.parametrize(("language", "sentence"), honest())
def test_a_sentence_is_cut_right_everywhere(language: str, sentence: str) -> None:
    boundaries = true_boundaries(sentence)
    for limit in range(len(sentence)):
        assert cut(sentence, limit) == sentence[: boundaries[bisect_right(boundaries, limit) - 1]], language


@pytest.mark.parametrize(
    ("text", "limit", "left"),
    [
        ("naïve", 3, "naï"),
        ("e\u0301t", 1, ""),
        ("👩‍👩‍👧‍👦!", 3, ""),
        ("ok 👩‍👩‍👧‍👦!", 5, "ok "),
        ("🇫🇷🇧🇷🇨🇭", 3, "🇫🇷"),
        ("🇫🇷🇧🇷🇨🇭", 4, "🇫🇷🇧🇷"),
        ("a\r\nb", 2, "a"),
        ("क्षत्रिय", 3, "क्ष"),
        ("é", -1, ""),
        ("é", 0, ""),
        ("é", 9, "é"),
    ],
)
def test_a_cut_never_goes_through_what_is_read_as_one_character(text: str, limit: int, left: str) -> None:
    assert cut(text, limit) == left


def test_ascii_and_western_text_is_cut_without_importing_regex() -> None:
    program = "import sys; from contracts.text.cut import cut; print(cut('Crème brûlée', 7), 'regex' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-X", "utf8", "-c", program], capture_output=True, encoding="utf-8", check=True
    )
    assert done.stdout.strip() == "Crème b False"
