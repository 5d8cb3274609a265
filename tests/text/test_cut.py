"""Text is cut at grapheme boundaries, within a budget of characters, bytes or tokens."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable
from typing import Literal

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contracts.text.cut import characters, cut_utf8, elide, head, tail, utf8_bytes
from tests.text.samples import honest
from tests.text.test_grapheme import CHAINS, TEXT, true_boundaries

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


class Counter:
    """A counter of tokens that notes what it is shown."""

    def __init__(self, count: Callable[[str], int]) -> None:
        self.count = count
        self.shown: list[int] = []

    def __call__(self, text: str) -> int:
        self.shown.append(len(text))
        return self.count(text)


# Longer texts may have fewer tokens, and some counters count nothing, or the same, or fewer the more there is.
COUNTERS: dict[str, Callable[[str], int]] = {
    "by bytes": lambda text: (utf8_bytes(text) + 3) // 4,
    "by waves": lambda text: len(text) + len(text) * 2_654_435_761 // 128 % 7,
    "by words": tokens,
    "nothing": lambda _: 0,
    "always five": lambda _: 5,
    "downwards": lambda text: max(0, 60 - len(text)),
}


@settings(deadline=None)
@given(TEXT | CHAINS, st.integers(0, 80) | st.just(10**12), st.sampled_from(sorted(COUNTERS)), KEEP)
def test_whatever_a_counter_says_what_is_kept_fits_and_is_whole(
    text: str, budget: int, name: str, keep: Literal["head", "tail", "both"]
) -> None:
    counter = Counter(COUNTERS[name])
    boundaries = true_boundaries(text)
    first, last = head(text, budget, counter), tail(text, budget, counter)
    assert len(first) in boundaries
    assert len(text) - len(last) in boundaries
    for kept in (first, last, elide(text, budget, counter, keep=keep)):
        assert kept == "" or counter.count(kept) <= budget


N = 60_000
HUGE = {
    "marks on a letter": "a" + "\u0301" * N,
    "marks, then words": "\u0301" * N + " schöne Wörter",
    "a chain of emoji": "👩" + "\u200d👩" * (N // 2),
    "joiners": "\u200d" * N,
    "hearts": "❤\ufe0f\u200d" * (N // 3),
    "flags": "🇩" * N,
    "flags after a letter": "ß" + "🇩" * (N + 1),
    "jamo of one syllable": "\u1100" * N,
    "syllables of jamo": "\u1112\u1161\u11ab" * (N // 3),
    "conjuncts": "क" + "\u094dक" * (N // 2),
    "line ends": "\r\n" * (N // 2),
    "line ends the other way round": "\n\r" * (N // 2),
    "signs that join what follows": "\u0600" * N,
    "half pairs": "\ud83d" * N,
}


@pytest.mark.parametrize("name", HUGE)
@pytest.mark.parametrize("budget", [1, 50, 1_000, 10**12])
def test_one_huge_character_is_not_shown_to_a_counter_and_costs_little_more_than_what_is_kept(
    name: str, budget: int
) -> None:
    text = HUGE[name]
    begin = time.process_time()
    for cut in (head, tail, elide):
        counter = Counter(COUNTERS["by bytes"])
        kept = cut(text, budget, counter)
        assert counter.count(kept) <= budget
        # Of a cluster too large to be kept it sees what fits of it: four bytes each token, and twice that.
        assert max(counter.shown) <= max(2 * len(kept), 8 * min(budget, len(text))) + 2
        assert len(counter.shown) <= 8 * min(budget, N).bit_length() + 12
        for measure in (characters, utf8_bytes):
            assert measure(cut(text, budget, measure)) <= budget
    # Going back to where the cluster begins took a quarter of a second for each of some forty parts that were tried.
    assert time.process_time() - begin < 5


@pytest.mark.parametrize("mark", ["\u0600", "🇩", "ᄀ", "\r", "👩\u200d"])
def test_a_mark_that_joins_what_follows_it_costs_no_more(mark: str) -> None:
    begin = time.process_time()
    for name in ("flags", "syllables of jamo", "line ends the other way round", "a chain of emoji"):
        for measure in (characters, Counter(COUNTERS["by bytes"])):
            assert measure(elide(HUGE[name], N // 2, measure, mark=mark)) <= N // 2
    assert time.process_time() - begin < 5


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
    counter = Counter(COUNTERS["by bytes"])
    kept = head("für 日本語 " * 200_000, 1_000, counter)
    assert 2_000 < len(kept) < 4_000
    assert max(counter.shown) <= 2 * len(kept) + 1_000
    assert len(counter.shown) < 20


def test_what_fits_only_when_it_is_cut_through_is_not_kept() -> None:
    assert head("ne\u0301", 2, {"ne": 2, "ne\u0301": 9, "n": 5}.__getitem__) == ""
    assert tail("\r\nn", 2, {"\nn": 2, "\r\nn": 9, "n": 5}.__getitem__) == ""


def test_a_counter_that_allows_no_whole_character_or_no_mark_is_soon_given_up() -> None:
    whole_is_dear = Counter(lambda text: len(text) if len(text) % 2 else 10**6)
    assert head("e\u0301" * 5_000, 4_000, whole_is_dear) == ""
    assert len(whole_is_dear.shown) < 50
    marked_is_dear = Counter(lambda text: 4_001 if "…" in text[:-1] else len(text))
    assert len(elide("größer " * 5_000, 4_000, marked_is_dear)) <= 4_000
    assert len(marked_is_dear.shown) < 800


def test_ascii_and_western_text_is_cut_without_importing_regex() -> None:
    program = "import sys; from contracts.text.cut import head; print(head('Crème brûlée', 7), 'regex' in sys.modules)"
    done = subprocess.run(
        [sys.executable, "-X", "utf8", "-c", program], capture_output=True, encoding="utf-8", check=True
    )
    assert done.stdout.strip() == "Crème b False"
