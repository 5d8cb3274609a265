"""A loop is found at small cost, and what only looks like one is left alone."""

from __future__ import annotations

import string

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contracts.text import looping
from contracts.text.looping import Loop, Tail, find
from tests.text.samples import honest, traps

LOOPS = {
    "a line": ("Ich kann Ihnen dabei leider nicht weiterhelfen.\n", 60),
    "a phrase": ("and so on and so forth — ", 80),
    "two words": ("größe zwei ", 200),
    "Chinese": ("我们再来看看这个问题。", 120),
    "Japanese": ("それでは次の問題を見てみましょう。", 90),
    "Hindi": ("और फिर हम वापस आ गए। ", 90),
    "Thai": ("แล้วเราก็กลับมาอีกครั้ง", 90),
    "Arabic": ("ثم عدنا إلى البيت مرة أخرى. ", 90),
    "a paragraph": (
        "Zuerst prüfen wir die Eingabe. Danach rechnen wir den Wert aus, und dann beginnt alles von vorn.\n\n",
        14,
    ),
}

HONEST = {
    "rule": "Überschrift\n" + "=" * 6000,
    "dots": "Größe " + "." * 6000,
    "art": ("     /\\_/\\     \n" * 1 + "    ( o.o )    \n") * 300,
    "rain": "| ' , | ' , \n" * 700,
    "empty table": "| Größe | Maß |\n|---|---|\n" + "|   |   |\n" * 700,
    "table of zeros": "größe,0,0,0,0,0\n" + "0, 0, 0, 0, 0,\n" * 600,
    "table of the same": "| ja | nein | 0,5 € |\n" * 30,
    "code": "    { .größe = 0, .next = NULL },\n" * 120,
    "html": '      <td class="zelle"></td>\n' * 150,
    "hex": "00 00 00 00 00 00 00 00\n" * 300,
    "base64": "A" * 6000,
    "screaming": "A" * 3000 + "rgh, größer!",
    "laughter": "ha" * 2000,
    "Chinese laughter": "哈" * 3000,
    "DNA": "ATTACG" * 700,
    "refrain": ("Ringel, ringel, Reihe, sind der Kinder dreie,\nsitzen unterm Hollerbusch,\nmachen alle husch husch!\n")
    * 5,
    "chorus": "Na na na na, hey hey hey, schönen Tag\n" * 12,
    "mantra": "ॐ नमः शिवाय\n" * 30,
    "list": "".join(f"{n}. Schritt {n}: prüfen, rechnen, schreiben und dann weiter.\n" for n in range(1, 300)),
    "log": "".join(f"2026-11-30 12:{n % 60:02d}:07 INFO größe verarbeitet, nichts zu tun\n" for n in range(300)),
}


@pytest.mark.parametrize("name", LOOPS)
def test_a_loop_is_found_however_it_is_cut_off(name: str) -> None:
    unit, times = LOOPS[name]
    for cut in range(1, len(unit), max(1, len(unit) // 5)):
        found = find("Schöner Anfang. " + unit * times + unit[:cut], was_cut=False)
        assert found is not None
        assert found.unit_chars == len(unit)
        assert found.times >= min(times, looping.TIMES)


@pytest.mark.parametrize("name", HONEST)
def test_what_people_write_again_and_again_is_no_loop(name: str) -> None:
    assert find(HONEST[name], was_cut=False) is None


@pytest.mark.parametrize("name", [name for name, text in HONEST.items() if len(text) < looping.SPAN_OTHER])
def test_nor_is_it_where_a_limit_cut_it_within_a_page(name: str) -> None:
    assert find(HONEST[name], was_cut=True) is None


def test_what_is_no_words_is_a_loop_where_it_fills_pages_up_to_a_limit() -> None:
    text = "Größe: " + "0, " * 4000
    assert find(text, was_cut=False) is None
    assert find(text, was_cut=True) == Loop(3, looping.TAIL // 3)


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
