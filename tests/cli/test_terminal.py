"""Lines fit the terminal, graphemes stay whole, and colour goes only where it is wanted."""

from __future__ import annotations

import io
import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contracts_cli.terminal import UNBOUNDED, columns_of, has_colour, paint, width_of, wrap

COLOUR = [
    ({}, False),
    ({"FORCE_COLOR": "1"}, True),
    ({"FORCE_COLOR": "1", "NO_COLOR": "1"}, False),
    ({"FORCE_COLOR": ""}, False),
    ({"NO_COLOR": "", "FORCE_COLOR": "3"}, True),
]


@pytest.mark.parametrize(("variables", "wanted"), COLOUR)
def test_colour_is_asked_for_or_not(
    variables: dict[str, str],
    wanted: bool,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for name in ("NO_COLOR", "FORCE_COLOR"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)
    assert has_colour(io.StringIO()) is wanted
    assert (paint("Größe", "red", wanted=wanted) == "Größe") is not wanted


@pytest.mark.parametrize(
    ("columns", "width"),
    [("120", 120), ("7", 40), ("", UNBOUNDED), ("viele", UNBOUNDED), ("0", UNBOUNDED), ("-5", UNBOUNDED)],
)
def test_a_width_is_columns_or_a_pipe_has_no_end(columns: str, width: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", columns)
    assert width_of(io.StringIO()) == width


@pytest.mark.parametrize(
    ("text", "columns"), [("abc", 3), ("Größe", 5), ("e\u0301", 1), ("報告", 4), ("한국어", 6), ("\u200d", 0), ("", 0)]
)
def test_wide_characters_take_two_columns_and_marks_none(text: str, columns: int) -> None:
    assert columns_of(text) == columns


WORDS = st.lists(
    st.one_of(
        st.text("abcdefß", min_size=1, max_size=12),
        st.text("報告書類東京大学", min_size=1, max_size=60),
        st.sampled_from(["👩‍👩‍👧", "क्षि", "e\u0301e\u0301", "👍🏽"]),
    ),
    max_size=30,
)


@given(WORDS, st.integers(40, 90), st.sampled_from(["", "  ", "    violated  "]))
def test_every_line_fits_and_nothing_is_lost(words: list[str], width: int, first: str) -> None:
    text = " ".join(words)
    lines = wrap(text, width, first, "    ").split("\n")
    assert all(columns_of(line) <= width for line in lines)
    said = "".join([lines[0].removeprefix(first), *(line.removeprefix("    ") for line in lines[1:])])
    assert said.replace(" ", "") == text.replace(" ", "")


@given(st.lists(st.one_of(WORDS.map(" ".join), st.sampled_from(["👍🏽" * 40, "か\u3099" * 40])), max_size=3))
def test_no_line_begins_inside_a_grapheme(words: list[str]) -> None:
    for line in wrap(" ".join(words), 40).split("\n")[1:]:
        assert unicodedata.category(line[0]) not in ("Mn", "Me", "Mc", "Cf", "Sk")


def test_a_word_longer_than_the_line_stays_whole_to_be_copied() -> None:
    model = "nvidia/nemotron-3-nano-omni-30b-a3b-reasoning:free"
    assert wrap(f"das Modell {model} fehlt", 40).split("\n") == ["das Modell", model, "fehlt"]


def test_a_text_that_fits_is_left_as_it_is() -> None:
    assert wrap("größer  als", 40, "> ") == "> größer  als"
