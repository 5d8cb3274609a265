"""Laws of the scanner: where a text is cut does not matter, honest words are honest, damaged ones are found."""

from __future__ import annotations

import tracemalloc
from collections.abc import Iterable

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from contracts.facts import Text
from contracts.text import damage as damage_module
from contracts.text.damage import Scanner, find
from contracts.text.pages import RARE
from tests.text.samples import PAGES, bpe, cp1252, honest, latin1, misread, tokens, traps

SENTENCES = [sentence for _, sentence in honest()]
DAMAGED = [
    "a\ufffdb \ufffd\ufffd c",
    "锟斤拷锟斤拷 é 烫烫烫烫烫烫烫烫",
    "né \udcaf and \ud83d alone, \ud83d\ude00 joined",
    *(damage(sentence) for sentence in SENTENCES[::5] for damage in (latin1, cp1252, bpe, tokens)),
    *(latin1(latin1(sentence)) for sentence in SENTENCES[::9]),
    "Ã©té, Å…Ä…, Ð” <0xE2>",
    "▁Hello▁world, é▁y ▁▂▃",
    *(misread(sentence, page) for at, page in enumerate(PAGES) for sentence in SENTENCES[at::13]),
    *(misread(f"Yes — “été”, don’t… мир ą 你好，世界。{page}", page) for page in (*PAGES, "gbk", "cp932")),
]
PARTS = st.sampled_from(
    SENTENCES
    + DAMAGED
    + traps()
    + ["plain words, ", "<0x", "â", "Ã", "\x80", "Ġ", "烫烫", "\ud83d", "\ude00"]
    + ["Г", "©", "├", "⌐", "Γ", "√", "‚Ä", "ÔÇ", "â€", "鈥", "縺", "\ufffd", "▁", "Р", "Ђ", "п", "╟", "x" * 60]
)


def scan(pieces: Iterable[str], starts: Iterable[int]) -> Text:
    scanner = Scanner()
    for piece, start in zip(pieces, starts, strict=True):
        scanner.feed(piece, start, start)
    return scanner.finish()


def told(text: Text) -> tuple[object, ...]:
    """All that may not depend on the cuts."""
    return (
        text.chars,
        text.non_ascii,
        text.intact_non_ascii,
        [(damage.kind, damage.count, damage.sample) for damage in text.damage],
    )


def character_by_character(text: str) -> Text:
    return scan(text, range(len(text)))


@settings(deadline=None)
@given(st.lists(PARTS, max_size=8), st.lists(st.integers(1, 40), min_size=1, max_size=12))
def test_where_a_text_is_cut_does_not_matter(parts: list[str], sizes: list[int]) -> None:
    text = "".join(parts)
    whole, single = scan([text], [0]), character_by_character(text)
    assert told(single) == told(whole)
    pieces: list[str] = []
    starts: list[int] = []
    place = 0
    while place < len(text):
        size = sizes[len(pieces) % len(sizes)]
        pieces.append(text[place : place + size])
        starts.append(place)
        place += size
    cut = scan(pieces, starts)
    assert told(cut) == told(whole)
    for of_cut, of_single in zip(cut.damage, single.damage, strict=True):
        # Character by character the event is the offset of the damage: it must lie in the piece that was named.
        assert of_cut.event is not None
        assert of_single.event is not None
        size = len(pieces[starts.index(of_cut.event)])
        assert of_cut.event <= of_single.event < of_cut.event + size


@pytest.mark.parametrize("text", DAMAGED)
def test_every_cut_in_two_finds_the_same(text: str) -> None:
    whole = told(scan([text], [0]))
    for place in range(1, len(text)):
        assert told(scan([text[:place], text[place:]], [0, place])) == whole


@given(st.integers(-40, 40), st.sampled_from(DAMAGED), st.sampled_from(["x", "é ", "字", "<0", "烫"]))
@settings(deadline=None)
def test_damage_across_the_end_of_a_batch_is_found_once(shift: int, text: str, filler: str) -> None:
    for size in (damage_module.BATCH, damage_module.THOROUGH + damage_module.BATCH, damage_module.WINDOW):
        count = (size + shift) // len(filler)
        long = filler * count + " " + text + " " + filler * count
        pieces = [long[place : place + 7] for place in range(0, len(long), 7)]
        assert told(scan(pieces, range(len(pieces)))) == told(scan([long], [0]))
        expected = told(scan([filler * 200 + " " + text + " " + filler * 200], [0]))
        if filler.isascii() or RARE.isdisjoint(damage.kind for damage in find(text)):
            assert told(scan([long], [0]))[3] == expected[3]


@given(st.sampled_from(["é", "字 ", "мир "]), st.integers(0, 300), st.sampled_from(DAMAGED), st.integers(1, 50))
@settings(deadline=None)
def test_where_the_thorough_part_ends_does_not_depend_on_the_cuts(
    filler: str, shift: int, text: str, size: int
) -> None:
    count = (damage_module.THOROUGH - shift) // len(filler)
    long = "plain " * 50 + filler * count + " " + text + " " + text + filler * 100
    pieces = [long[place : place + size] for place in range(0, len(long), size)]
    assert told(scan(pieces, range(len(pieces)))) == told(scan([long], [0]))


def test_the_scanner_s_memory_does_not_grow_with_the_text() -> None:
    def peak(pieces: int) -> int:
        scanner = Scanner()
        tracemalloc.start()
        for event in range(pieces):
            scanner.feed("" if event % 3 == 0 else "né ", event, event)
        for event in range(pieces):
            scanner.feed("", event, event)
        most = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        assert scanner.finish().chars == 3 * (pieces - (pieces + 2) // 3)
        return most

    peak(100)
    assert peak(120_000) < 1.2 * peak(30_000)


ALPHABETS = {
    "Czech and Slovak": "aábcčdďeéěfghiíjklľĺmnňoóôpqrŕřsštťuúůvwxyýzž",
    "Danish": "abcdefghijklmnopqrstuvwxyzæøå",
    "Estonian and Finnish": "abcdefghijklmnoprsšzžtuvõäöü",
    "French": "aàâbcçdeéèêëfghiîïjklmnoôœpqrstuùûüvwxyÿz",
    "German": "abcdefghijklmnopqrstuvwxyzäöüß",
    "Hungarian": "aábcdeéfghiíjklmnoóöőpqrstuúüűvwxyz",
    "Icelandic": "aábdðeéfghiíjklmnoóprstuúvxyýþæö",
    "Latvian and Lithuanian": "aāąbcčdeēęėfgģhiīįjkķlļmnņoprsštuūųvzž",
    "Maltese": "abċdefġghħijklmnopqrstuvwxżzàèìòù",
    "Polish": "aąbcćdeęfghijklłmnńoóprsśtuwyzźż",
    "Portuguese": "aáâãàbcçdeéêfghiíjlmnoóôõpqrstuúvxz",
    "Romanian": "aăâbcdefghiîjlmnoprsștțuvxz",
    "Spanish and Catalan": "aáàbcçdeéèfghiíïjlmnñoóòpqrstuúüvxyz",
    "Vietnamese": "aàáãạảăắằẵặẳâấầẫậẩbcdđeèéẽẹẻêếềễệểghiìíĩịỉklmnoòóõọỏôốồỗộổơớờỡợởpqrstuùúũụủưứừữựửvxyýỳỹỵỷ",
    "Turkish": "abcçdefgğhıijklmnoöprsştuüvyzâî",
    "Greek": "αβγδεζηθικλμνξοπρσςτυφχψωάέήίόύώϊϋ",
    "Cyrillic": "абвгдежзийклмнопрстуфхцчшщъыьэюяіїєґўђћљњџқғңөұүһ",
    "Hebrew": "אבגדהוזחטיכלמנסעפצקרשתךםןףץ",
    "Arabic": "ابتثجحخدذرزسشصضطظعغفقكلمنهويپچژگیآأؤئةى",
    "Devanagari": "अआइईउऊएऐओऔकखगघचछजझटठडढणतथदधनपफबभमयरलवशषसहािीुूेैोौ्ंः",
    "Thai": "กขคงจฉชซญดตถทธนบปผพฟภมยรลวศษสหอะาิีึืุูเแโใไ",
    "Han": "的一是不了人我在有他这中大来上国个到说们为子和你地出道也时年得就那要下以生会自着去之过家学对可她里后",
    "Kana": "あいうえおかきくけこさしすせそたちつてとなにぬねのアイウエオカキクケコサシスセソ",
    "Hangul": "가나다라마바사아자차카타파하각난달람맙삿앙",
}
SMALL = st.one_of([st.text(alphabet, min_size=1, max_size=9) for alphabet in ALPHABETS.values()])
# Words of no language, but what is left of a degree sign, of an à, of spaces, of the Greek ή and Cyrillic letters.
WORDS = st.one_of(SMALL, SMALL.map(str.upper), SMALL.map(str.capitalize)).filter(
    lambda word: word not in {"Â", "Ã", "Î", "Ï", "Ð", "Ñ"} and not set(word[:2]) <= {"Ġ", "Ċ"}
)
AROUND = st.sampled_from(
    ["{}", "“{}”", "«{}»", "« {} »", "„{}“", "({})", "{}…", "{} — {}", "‘{}’", "{}®", "{}, {}.", "{}:\n{}!", "{}–{}"]
)


@given(WORDS, WORDS, AROUND)
@settings(max_examples=400, deadline=None)
def test_honest_words_are_never_damage(one: str, other: str, around: str) -> None:
    text = around.replace("{}", one, 1).replace("{}", other)
    assert find(text) == ()


@given(SMALL)
@settings(max_examples=400, deadline=None)
def test_a_double_encoded_word_with_two_such_characters_is_found(word: str) -> None:
    beyond = [char for char in word if not char.isascii()]
    if len(beyond) >= 2:
        assert find(latin1(word)) != ()
        # Ä—Ä— is ėė, and also what somebody writes who stutters.
        assert find(cp1252(word)) != () or len(set(beyond)) == 1


@settings(deadline=None)
@given(st.text(st.characters(codec="utf-8", min_codepoint=0x80), min_size=2, max_size=9))
def test_what_is_called_damaged_decodes(word: str) -> None:
    for damage in find(latin1(word)):
        if damage.kind == "double-utf8-latin1":
            raw = "".join(chr(int(code.replace("U+", "0x"), 0)) for code in damage.sample.split())
            assert raw.encode("latin-1").decode()
