"""Text is cut at grapheme boundaries, within a budget of characters, bytes or tokens."""

from __future__ import annotations

import subprocess
import sys
from typing import Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contracts.text.cut import characters, cut_utf8, elide, head, tail, utf8_bytes
from tests.text.samples import honest
from tests.text.test_grapheme import TEXT, true_boundaries

FAMILY = "👩‍👩‍👧‍👦"
BUDGET = st.integers(-1, 80)


def tokens(text: str) -> int:
    """Count as a tokenizer would: a word with the space before it is one, and so is each pair of bytes beyond ASCII."""
    return sum(1 if word.isascii() else (utf8_bytes(word) + 1) // 2 for word in text.split(" ")) if text else 0


MEASURES = st.sampled_from([characters, utf8_bytes, tokens])
KEEP = st.sampled_from(["head", "tail", "both"])


@settings(deadline=None)
@given(TEXT, BUDGET, st.sampled_from([characters, utf8_bytes]))
def test_a_head_and_a_tail_are_the_longest_that_fit(text: str, budget: int, measure: object) -> None:
    count = characters if measure is characters else utf8_bytes
    boundaries = true_boundaries(text)
    heads = [text[:place] for place in boundaries if count(text[:place]) <= max(0, budget)]
    tails = [text[place:] for place in boundaries if count(text[place:]) <= max(0, budget)]
    assert head(text, budget, count) == max(heads, key=len)
    assert tail(text, budget, count) == max(tails, key=len)


@settings(deadline=None)
@given(TEXT, BUDGET)
def test_by_a_counter_of_tokens_they_fit_and_nothing_longer_by_a_cluster_does(text: str, budget: int) -> None:
    boundaries = true_boundaries(text)
    first, last = head(text, budget, tokens), tail(text, budget, tokens)
    assert len(first) in boundaries
    assert len(text) - len(last) in boundaries
    assert tokens(first) <= max(0, budget)
    assert tokens(last) <= max(0, budget)
    longer = [place for place in boundaries if place > len(first)]
    assert not longer or tokens(text[: longer[0]]) > budget
    earlier = [place for place in boundaries if place < len(text) - len(last)]
    assert not earlier or tokens(text[earlier[-1] :]) > budget


@settings(deadline=None)
@given(TEXT, st.integers(1, 60), MEASURES, KEEP, st.sampled_from(["…", "", " [… gekürzt …] "]))
def test_what_is_elided_fits_and_is_made_of_whole_clusters_of_the_text(
    text: str, budget: int, measure: object, keep: Literal["head", "tail", "both"], mark: str
) -> None:
    count = next(m for m in (characters, utf8_bytes, tokens) if m is measure)
    result = elide(text, budget, count, keep=keep, mark=mark)
    assert count(result) <= budget
    if count(text) <= budget:
        assert result == text
        return
    clusters = [text[a:b] for a, b in zip(true_boundaries(text), true_boundaries(text)[1:], strict=False)]
    heads = {"".join(clusters[:n]) for n in range(len(clusters) + 1)}
    tails = {"".join(clusters[n:]) for n in range(len(clusters) + 1)}
    places = range(len(result) + 1)
    assert any(
        result[:a] in heads and result[a:].startswith(mark) and result[a + len(mark) :] in tails for a in places
    ) or (count(mark) >= budget and (result in heads or result in tails))


@pytest.mark.parametrize(("language", "sentence"), honest())
def test_a_long_text_keeps_its_beginning_and_its_end(language: str, sentence: str) -> None:
    text = sentence * 30
    for budget in range(60, 90):
        result = elide(text, budget, mark="|")
        before, _, after = result.partition("|")
        assert text.startswith(before), language
        assert text.endswith(after), language
        assert min(len(before), len(after)) > budget // 2 - 8, language


@pytest.mark.parametrize(
    ("result", "expected"),
    [
        (head("naïve", 3), "naï"),
        (head("naïve", 3, utf8_bytes), "na"),
        (head(f"ok {FAMILY}!", 5), "ok "),
        (head("é" * 9, 5, utf8_bytes), "éé"),
        (tail("naïve", 3), "ïve"),
        (tail("naïve", 3, utf8_bytes), "ve"),
        (tail(f"{FAMILY}!", 4), "!"),
        (tail("🇫🇷🇧🇷", 3), "🇧🇷"),
        (tail("ne\u0301", 1), ""),
        (tail("字\ud83d", 3, utf8_bytes), "\ud83d"),
        (elide("größer als erlaubt", 9), "größ…aubt"),
        (elide("größer als erlaubt", 9, keep="head"), "größer a…"),
        (elide("größer als erlaubt", 9, keep="tail"), "… erlaubt"),
        (elide("größer", 2, mark=" […] "), "gr"),
        (elide("größer", 2, keep="tail", mark=" […] "), "er"),
        (elide("größer", 0), ""),
        (elide("abcdefgh\n\u0301", 4), "ab…"),  # the mark above would be put on the dots
        (elide("🇫🇷🇧🇷🇨🇭🇩🇪", 4, mark=""), "🇫🇷🇩🇪"),
    ],
)
def test_a_cut_never_goes_through_what_is_read_as_one_character(result: str, expected: str) -> None:
    assert result == expected


def test_bytes_are_cut_where_their_text_would_be() -> None:
    data = f"né {FAMILY}".encode()
    assert [cut_utf8(data, n) for n in (0, 1, 2, 3, 4, len(data) - 1, len(data), 99)] == [
        b"", b"n", b"n", "né".encode(), "né ".encode(), "né ".encode(), data, data,
    ]  # fmt: skip
    assert cut_utf8(b"\xe5\xad\xffx", 2) == b"\xe5\xad"


def test_a_counter_is_never_shown_much_more_than_what_is_kept() -> None:
    seen: list[int] = []

    def counter(text: str) -> int:
        seen.append(len(text))
        return (utf8_bytes(text) + 3) // 4

    kept = head("für 日本語 " * 200_000, 1_000, counter)
    assert 2_000 < len(kept) < 4_000
    assert max(seen) <= 2 * len(kept) + 1_000
    assert len(seen) < 20


def test_ascii_and_western_text_is_cut_without_importing_regex() -> None:
    program = "import sys; from contracts.text.cut import head; print(head('Crème brûlée', 7), 'regex' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-X", "utf8", "-c", program], capture_output=True, encoding="utf-8", check=True
    )
    assert done.stdout.strip() == "Crème b False"
