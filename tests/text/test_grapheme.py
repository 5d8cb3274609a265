"""Grapheme boundaries are found by looking only at the place that is asked for."""

from __future__ import annotations

import time
from bisect import bisect_left, bisect_right

import pytest
import regex
from hypothesis import given, settings
from hypothesis import strategies as st

from contracts.text.grapheme import boundary, boundary_after, boundary_utf8
from tests.text.samples import honest

PIECES = [
    "a", "é", "e\u0301", "字", "\r\n", "\r", "\n", "\u200d", "👩‍👩‍👧‍👦", "👨🏽‍💻", "🇫🇷", "🇧🇷",
    "🇨", "❤️‍🔥", "1️⃣", "🙂", "©", "©\u200d", "각",
    "\u1100", "\u1161", "\u11a8", "क्ष", "क्", "ष", "त्रि", "ক্ষ", "ക്ഷ", "\u094d", "ि",
    "\u0941", "क्\u0941ष", "\u0600", "\u0600١", "Z͑ͫ̓ͪ", "ำ", "กำ",
    "\ud83d", "🏴\U000e0067\U000e0062\U000e007f", "\u0bcd", "ཀྵ", " ", "\u00ad", "\u0903", "\U0001f3fd",
]  # fmt: skip
TEXT = st.lists(st.sampled_from(PIECES), min_size=1, max_size=14).map("".join)

# A character of each kind that UAX 29 knows, alone, so that any may stand beside any.
KINDS = (
    "a é字©\u0301\u0300\ufe0f\u200d\u200c\u00ad\r\n\u0600\U000110bd\ud83d\udc69👩\U0001f3fd🇫🇷\U000e0067\u0903\u0941ำ"
    "\u1100\u1161\u11a8각가कष\u093c\u094dকক\u09cdക\u0d4dက\u1039ក\u17d2ཀ\u0f90か\u3099"
)
# Few of them in each text, so that chains of any two or three become long: longer than a window of bytes.
CHAINS = st.lists(st.sampled_from(KINDS), min_size=1, max_size=5).flatmap(
    lambda kinds: st.lists(st.sampled_from(kinds), min_size=1, max_size=90).map("".join)
)


def true_boundaries(text: str) -> list[int]:
    return [0, *(match.end() for match in regex.finditer(r"\X", text))]


@settings(deadline=None)
@given(TEXT | CHAINS | st.text(max_size=20))
def test_a_boundary_is_the_last_boundary_of_the_whole_text_s_segmentation(text: str) -> None:
    boundaries = true_boundaries(text)
    for limit in range(len(text) + 2):
        assert boundary(text, limit) == boundaries[bisect_right(boundaries, limit) - 1], (text, limit)
        assert boundary_after(text, limit) == boundaries[min(bisect_left(boundaries, limit), len(boundaries) - 1)]


@settings(deadline=None)
@given(
    st.lists(
        (TEXT | CHAINS).map(lambda t: t.encode("utf-8", "surrogatepass"))
        | st.binary(max_size=3)
        | st.lists(st.sampled_from([0x80, 0xBF, 0x9F, 0xCC, 0xE2, 0xF0, 0x41]), max_size=90).map(bytes),
        max_size=6,
    ).map(b"".join)
)
def test_in_bytes_a_boundary_is_where_it_is_in_the_text_also_where_they_are_no_utf_8(data: bytes) -> None:
    text = data.decode("utf-8", "surrogateescape")
    places = [len(text[:place].encode("utf-8", "surrogateescape")) for place in true_boundaries(text)]
    for limit in range(len(data) + 2):
        assert boundary_utf8(data, limit) == places[bisect_right(places, limit) - 1], (data, limit)


@pytest.mark.parametrize("piece", ["\u200d👩", "🇩", "\u0301", "क्", "\u0600"])
def test_text_made_of_nothing_but_one_cluster_or_of_flags_takes_time_in_proportion(piece: str) -> None:
    # By the square, 200,000 would take a minute and more; in proportion, a tenth of a second.
    small, large = "a" + piece * 1_000, "a" + piece * 200_000
    cluster = len(large) - boundary(large, len(large) - 1)
    begin = time.process_time()
    assert boundary_utf8(large.encode(), len(large.encode()) - 1) == len(large[: len(large) - cluster].encode())
    assert time.process_time() - begin < 10
    is_one = len(true_boundaries(small)) < 4
    assert cluster == (len(large) - true_boundaries(small)[-2] if is_one else len(small) - true_boundaries(small)[-2])


@pytest.mark.parametrize(("language", "sentence"), honest())
def test_a_sentence_has_its_boundaries_everywhere(language: str, sentence: str) -> None:
    boundaries = true_boundaries(sentence)
    for limit in range(len(sentence)):
        assert boundary(sentence, limit) == boundaries[bisect_right(boundaries, limit) - 1], language
        assert boundary_utf8(sentence.encode(), len(sentence[:limit].encode())) == len(
            sentence[: boundary(sentence, limit)].encode()
        ), language


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
def test_no_boundary_lies_within_what_is_read_as_one_character(text: str, limit: int, left: str) -> None:
    assert text[: boundary(text, limit)] == left
