"""A loop is found at small cost, and what only looks like one is left alone."""

from __future__ import annotations

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contracts.text import looping
from contracts.text.looping import Loop, Tail, find
from tests.text.samples import honest, traps
from tests.verdicts.repeated import ASKED, BEGUN, HONEST, LOOPS_OF_WORDS, loops


@pytest.mark.parametrize(("name", "text"), [(name, text) for name, text, is_words in loops() if is_words])
def test_words_over_and_over_are_a_loop_whatever_ended_them(name: str, text: str) -> None:
    unit, times, _ = LOOPS_OF_WORDS[name]
    for was_cut in (False, True):
        found = find(text, was_cut=was_cut)
        assert found is not None
        assert found.unit_chars == len(unit)
        assert found.times >= min(times, looping.TIMES)


@pytest.mark.parametrize("name", LOOPS_OF_WORDS)
def test_a_loop_is_found_wherever_in_its_unit_it_is_cut(name: str) -> None:
    unit, times, _ = LOOPS_OF_WORDS[name]
    for cut in range(1, len(unit), max(1, len(unit) // 5)):
        found = find(BEGUN + unit * times + unit[:cut], was_cut=False)
        assert found is not None
        assert found.unit_chars == len(unit)


@pytest.mark.parametrize(("name", "text"), [(name, text) for name, text, is_words in loops() if not is_words])
def test_what_is_no_words_is_a_loop_where_it_fills_pages_up_to_a_limit(name: str, text: str) -> None:
    assert find(text, was_cut=True) is not None, name
    assert find(text, was_cut=False) is None, name


@pytest.mark.parametrize("name", HONEST)
def test_what_people_write_again_and_again_is_no_loop(name: str) -> None:
    assert find(HONEST[name], was_cut=False) is None


@pytest.mark.parametrize("name", [name for name, text in HONEST.items() if len(text) < looping.SPAN_OTHER])
def test_nor_is_it_where_a_limit_cut_it_within_a_page(name: str) -> None:
    assert find(HONEST[name], was_cut=True) is None


@pytest.mark.parametrize("name", ASKED)
def test_what_was_asked_for_is_told_as_well_for_its_text_is_no_other(name: str) -> None:
    assert find(ASKED[name], was_cut=False) is not None


def test_the_length_of_a_loop_is_told() -> None:
    assert find("Größe: " + "0, " * 4000, was_cut=True) == Loop(3, looping.TAIL // 3)


@pytest.mark.parametrize("text", [*(line for _, line in honest()), *traps()])
def test_a_sentence_said_seven_times_is_no_loop_yet(text: str) -> None:
    assert find(f"{text}\n" * (looping.TIMES - 1), was_cut=False) is None


@given(st.lists(st.text(string.ascii_letters + " äöüß你好,.\n", max_size=400), max_size=30), st.booleans())
def test_where_a_text_is_cut_does_not_matter(pieces: list[str], was_cut: bool) -> None:
    unit = "ja und dann größer, "
    pieces = [*pieces, *([unit] * (60 if was_cut else 0))]
    tail = Tail()
    for piece in pieces:
        tail.feed(piece)
    assert tail.finish(was_cut=was_cut) == find("".join(pieces), was_cut=was_cut)


def test_a_text_in_single_characters_stays_bounded() -> None:
    tail = Tail()
    for _ in range(5 * looping.TAIL):
        tail.feed("ä")
    held = tail._pieces  # noqa: SLF001 - what is held is the point
    assert len(held) <= looping.TAIL + 1
    assert sum(map(len, held)) <= 2 * looping.TAIL + 1
