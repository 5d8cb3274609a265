"""What is shown of a provider's text is one safe line."""

from __future__ import annotations

import pytest
import regex
from hypothesis import given, settings
from hypothesis import strategies as st

from contracts.text.scrub import scrub
from tests.text.samples import honest


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("größer", "größer"),
        ("\x1b[31mrot é\x07", "\\x1b[31mrot é\\x07"),
        ("eins\r\nzwei\tdrei — é", "eins\\x0d\\x0azwei\\x09drei — é"),
        ("a\u2028b\u2029c\x85d", "a\\u2028b\\u2029c\\x85d"),
        ("gpj.\u202eexe é", "gpj.\\u202eexe é"),
        ("\u2066a\u2069\u200b\u200d\u2060\ufeff", "\\u2066a\\u2069\\u200b\\u200d\\u2060\\ufeff"),
        ("\ud83d é", "\\ud83d é"),
        ("a\u00a0b\u3000c", "a b c"),
        ("\u3164é\u2800", "\\u3164é\\u2800"),
        ("\U000e0041\ue000\uffff", "\\U000e0041\\ue000\\uffff"),
        ("<b>é</b> & `x` %1", "<b>é</b> & `x` %1"),
        ("", ""),
    ],
)
def test_what_a_terminal_obeys_or_hides_is_made_visible(text: str, shown: str) -> None:
    assert scrub(text) == shown


@pytest.mark.parametrize(
    ("text", "limit", "shown"),
    [
        ("naïveté", 7, "naïveté"),
        ("naïveté", 6, "naïve…"),
        ("e\u0301e\u0301e\u0301", 4, "e\u0301…"),
        ("🇫🇷🇧🇷🇨🇭", 4, "🇫🇷…"),
        ("é\x1b\x1b", 6, "é\\x1b…"),
        ("é\x1b\x1b", 5, "é…"),
        ("é\x1b\x1b", 9, "é\\x1b\\x1b"),
        ("éé", 1, "…"),
        ("éé", 0, ""),
    ],
)
def test_a_long_text_is_cut_between_characters_and_escapes(text: str, limit: int, shown: str) -> None:
    assert scrub(text, limit) == shown


@settings(deadline=None)
@given(st.text(st.characters(), max_size=60), st.integers(0, 60))
def test_the_result_is_printable_one_line_and_no_longer_than_asked(text: str, limit: int) -> None:
    shown = scrub(text, limit)
    assert shown.isprintable()
    assert len(shown) <= limit
    assert shown.encode().decode() == shown
    assert shown.splitlines() == ([shown] if shown else [])


@settings(deadline=None)
@given(st.text(st.characters(), max_size=60))
def test_scrubbing_twice_changes_nothing(text: str) -> None:
    assert scrub(scrub(text)) == scrub(text)


@pytest.mark.parametrize(("language", "sentence"), honest())
def test_honest_text_is_shown_as_it_is_but_for_what_is_invisible(language: str, sentence: str) -> None:
    invisible = regex.compile(r"[\p{Cf}\p{Zs}]")
    assert invisible.sub("", regex.sub(r"\\u[0-9a-f]{4}", "", scrub(sentence))) == invisible.sub("", sentence), language
