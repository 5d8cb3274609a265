"""A difference is named by what made it: alone, two at once, in some characters only, and cut or surrounded."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from contracts.text import echo
from contracts.text.alterations import ALTERATIONS, Alteration, misread
from contracts.text.canary import CANARY, CONTROL, CONTROL_SEGMENTS, SEGMENTS, line

ALTERED = st.sampled_from(ALTERATIONS)


def kinds(got: str) -> list[str]:
    """What came of an answer, in order."""
    return [one.kind for one in echo.of_canary(got).damages]


def both(first: Alteration, second: Alteration) -> str | None:
    """Alter the line twice; None where that cannot be."""
    try:
        return second.act(first.act(CANARY))
    except UnicodeError:
        return None


def names(alteration: Alteration) -> str:
    """A test's id."""
    return f"{alteration.kind}: {alteration.how}"


def test_the_line_holds_what_wires_break() -> None:
    assert "\u2014" in CANARY
    assert unicodedata.normalize("NFC", CANARY) != CANARY != unicodedata.normalize("NFD", CANARY)
    assert unicodedata.normalize("NFKC", CANARY) != unicodedata.normalize("NFC", CANARY)
    assert {"R", "NSM"} <= {unicodedata.bidirectional(char) for char in CANARY}
    assert "\u200d" in CANARY
    assert CANARY.count("\U0001f1eb\U0001f1f7") == 1
    assert CONTROL.isascii()
    assert (line(SEGMENTS), line(CONTROL_SEGMENTS)) == (CANARY, CONTROL)


@pytest.mark.parametrize("got", [CANARY, f"{CANARY}\n", f"\n\n {CANARY} "])
def test_what_comes_back_as_it_was_is_intact(got: str) -> None:
    assert echo.of_canary(got) == echo.Echo()


@pytest.mark.parametrize("alteration", ALTERATIONS, ids=names)
def test_each_alteration_is_named_as_itself(alteration: Alteration) -> None:
    found = echo.of_canary(alteration.act(CANARY))
    assert [(one.kind, one.how) for one in found.damages] == [(alteration.kind, alteration.how)]
    assert found.broken
    for broken in found.broken:
        assert broken.kinds == (alteration.kind,)


@pytest.mark.parametrize("alteration", ALTERATIONS, ids=names)
def test_the_segments_that_it_changed_are_named_and_no_others(alteration: Alteration) -> None:
    found = echo.of_canary(alteration.act(CANARY))
    assert [one.segment for one in found.broken] == [s.name for s in SEGMENTS if alteration.act(s.text) != s.text]


@given(ALTERED, ALTERED)
def test_two_alterations_are_named_by_two_that_do_the_same(first: Alteration, second: Alteration) -> None:
    got = both(first, second)
    assume(got is not None)
    assert got is not None
    found = echo.of_canary(got).damages
    assert len(found) <= 2
    assert not {"paraphrased", "surrounded", "truncated"} & {one.kind for one in found}
    by_name = {(one.kind, one.how): one for one in ALTERATIONS}
    made = CANARY
    acts = [by_name[one.kind, one.how] for one in found]
    # Reading by one wrong page twice is named once.
    again = acts * 2 if len(acts) == 1 and first == second else acts
    for act in again:
        made = act.act(made)
    assert made == got or (len(acts) == 1 and acts[0].act(acts[0].act(CANARY)) == got)


@given(ALTERED, st.integers(min_value=echo.SHORTEST))
def test_what_was_cut_off_is_truncated_whatever_else_happened(alteration: Alteration, at: int) -> None:
    made = alteration.act(CANARY)
    cut = made[: at % len(made)].strip()
    assume(len(cut) >= echo.SHORTEST)
    found = kinds(cut)
    assert "truncated" in found
    assert set(found) <= {"truncated", alteration.kind}


@given(st.sampled_from([*ALTERATIONS, None]), st.text(st.characters(codec="ascii", categories=("L", "Z")), max_size=80))
def test_what_stands_around_the_line_is_no_damage_to_it(alteration: Alteration | None, preamble: str) -> None:
    made = CANARY if alteration is None else alteration.act(CANARY)
    found = echo.of_canary(f"Voil\u00e0 : {preamble}\n\n{made}")
    assert found.kinds == (() if alteration is None else (alteration.kind,))
    assert "surrounded" in {one.kind for one in found.damages}


@pytest.mark.parametrize(
    ("got", "how"),
    [
        (f"```text\n{CANARY}\n```", "by a code fence"),
        (f"\u00ab{CANARY}\u00bb", "by quotes"),
        (f"D\u00e9j\u00e0: {CANARY}", "by 5 characters before it and 0 after it"),
    ],
)
def test_it_is_told_what_stands_around_the_line(got: str, how: str) -> None:
    assert echo.of_canary(got).damages == (echo.Damage(kind="surrounded", how=how),)
    assert echo.of_canary(got).is_intact


@given(st.permutations(range(len(SEGMENTS))))
def test_segments_in_another_order_are_reordered(order: list[int]) -> None:
    assume(order != sorted(order))
    got = " ".join(f"({place + 1}) {SEGMENTS[place].text}" for place in order)
    assert kinds(got) == ["reordered"]


@given(st.sets(st.integers(min_value=0, max_value=len(SEGMENTS) - 2), min_size=1, max_size=5))
def test_a_segment_that_is_not_there_is_dropped(gone: set[int]) -> None:
    got = " ".join(f"({n}) {s.text}" for n, s in enumerate(SEGMENTS, 1) if n - 1 not in gone)
    found = echo.of_canary(got)
    assert found.kinds == ("dropped",)
    assert [one.segment for one in found.broken] == [SEGMENTS[place].name for place in sorted(gone)]


BEYOND = [at for at, char in enumerate(CANARY) if not char.isascii()]


@given(st.sampled_from(BEYOND), st.sampled_from(["\ufffd", "\ufffd\ufffd", "\ufffd\ufffd\ufffd"]))
def test_one_character_that_two_pieces_shared_is_replaced(at: int, signs: str) -> None:
    found = echo.of_canary(CANARY[:at] + signs + CANARY[at + 1 :])
    assert found.kinds == ("replaced",)
    assert len(found.broken) == 1


@given(st.sampled_from(BEYOND))
def test_one_character_that_was_read_wrong_is_double_encoded(at: int) -> None:
    found = echo.of_canary(CANARY[:at] + misread(CANARY[at], "latin-1") + CANARY[at + 1 :])
    assert found.kinds == ("double-encoded",)
    assert [one.how for one in found.damages] == ["UTF-8 read as latin-1"]


@given(st.sampled_from(BEYOND))
def test_one_character_that_is_gone_is_dropped(at: int) -> None:
    assert echo.of_canary(CANARY[:at] + CANARY[at + 1 :]).kinds == ("dropped",)


@pytest.mark.parametrize(
    "got",
    [
        "",
        "Je ne peux pas r\u00e9p\u00e9ter cela.",
        CANARY.replace("one", "un").replace("two", "deux"),
        CANARY.replace("caf", "th").replace("vu", "lu"),
        CANARY.upper(),
        "(1) (2) (3) \u2014",
    ],
)
def test_what_was_written_anew_is_paraphrased(got: str) -> None:
    assert "paraphrased" in kinds(got)
    assert not echo.of_canary(got).is_intact


@given(st.text(max_size=400))
def test_any_answer_is_judged_and_none_of_its_words_is_kept(text: str) -> None:
    found = echo.of_canary(f"secr\u00e8te {text}")
    assert "secr" not in repr(found)
    for broken in found.broken:
        assert broken.points.isprintable()


def test_halves_of_a_surrogate_pair_that_came_apart_belong_together() -> None:
    apart = CANARY.replace("\U0001f1eb", "\ud83c\uddeb")
    assert echo.of_canary(apart) == echo.Echo()


def test_a_difference_is_shown_in_code_points() -> None:
    found = echo.of_canary(CANARY.replace("\u2014", "\u00e2\u0080\u0094"))
    (broken,) = found.broken
    assert broken == echo.Broken(
        segment="em dash", kinds=("double-encoded",), points="U+2014 \u2192 U+00E2 U+0080 U+0094"
    )


def test_the_control_is_compared_with_itself() -> None:
    assert echo.of_control(CONTROL).is_intact
    assert echo.of_control("Des mots tr\u00e8s libres.").kinds == ("paraphrased",)
    assert echo.of_control(CONTROL.replace("17", "18")).kinds == ("paraphrased",)


def test_damage_within_a_code_fence_is_both() -> None:
    found = echo.of_canary(f"```\n{misread(CANARY, 'latin-1')}\n```").damages
    assert [(one.kind, one.how) for one in found] == [
        ("double-encoded", "UTF-8 read as latin-1"),
        ("surrounded", "by a code fence"),
    ]
