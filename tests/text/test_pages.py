"""UTF-8 that was read by rarer code pages is found, named and read back; what only looks like it is not."""

from __future__ import annotations

import pytest

from contracts.model import Scope
from contracts.text.attribution import attribute, family
from contracts.text.damage import THOROUGH, Scanner, find
from contracts.text.misread import prefilter
from contracts.text.pages import MARKERS, SIEVED, SIGNATURES
from contracts.text.tables import begins, page, sieved
from tests.text.samples import PAGES, honest, misread, traps, words

WIDE = ("gbk", "cp932")
SENTENCES = [sentence for _, sentence in honest()]


def kinds(text: str) -> list[str]:
    return [damage.kind for damage in find(text)]


# The bytes of each are what a server that reads UTF-8 by the page writes; no codec has a part in it.
EM_DASH = {
    "cp1251": b"\xd0\xb2\xd0\x82\xe2\x80\x9d",
    "koi8-r": b"\xd0\x91\xe2\x94\x80\xe2\x96\xa0",
    "cp437": b"\xce\x93\xc3\x87\xc3\xb6",
    "cp850": b"\xc3\x94\xc3\x87\xc3\xb6",
    "mac-roman": b"\xe2\x80\x9a\xc3\x84\xc3\xae",
    "gbk": b"\xe9\x88\xa5\xef\xbf\xbd",
    "cp932": b"\xe7\xaa\xb6\xef\xbf\xbd",
}
WORDS = {
    "cp1251": (
        b"\xd0\xa0\xd1\x9f\xd0\xa1\xd0\x82\xd0\xa0\xd1\x91\xd0\xa0\xd0\x86\xd0\xa0\xc2\xb5\xd0\xa1\xe2\x80\x9a",
        "Привет",
    ),
    "koi8-r": (b"\xd1\x86\xe2\x95\x98t\xd1\x86\xe2\x95\x98", "été"),
    "cp437": (b"\xe2\x94\x9c\xe2\x8c\x90t\xe2\x94\x9c\xe2\x8c\x90", "été"),
    "cp850": (b"\xe2\x94\x9c\xc2\xaet\xe2\x94\x9c\xc2\xae", "été"),
    "mac-roman": (b"\xe2\x88\x9a\xc2\xa9t\xe2\x88\x9a\xc2\xa9", "été"),
    "cp1250": (b"\xc4\x82\xc2\xa9t\xc4\x82\xc2\xa9", "été"),
    "gbk": (b"\xe6\xb5\xa3\xe7\x8a\xb2\xe3\x82\xbd\xe9\x94\x9b\xe5\xb1\xbe\xe5\x9e\x9c", "你好，我"),
    "cp932": (b"\xe7\xb8\xba\xe3\x82\x85\xe2\x86\x91\xe7\xb8\xba\xef\xbd\x9f", "あなた"),
}


@pytest.mark.parametrize("name", EM_DASH)
def test_one_dash_in_english_is_found(name: str) -> None:
    assert f"double-utf8-{name}" in kinds(f"It works {EM_DASH[name].decode()} mostly")


@pytest.mark.parametrize("name", WORDS)
def test_a_word_is_found_by_its_page(name: str) -> None:
    assert kinds(f"they say {WORDS[name][0].decode()} here") == [f"double-utf8-{name}"]


@pytest.mark.parametrize("name", PAGES)
def test_a_word_is_read_back(name: str) -> None:
    data, word = WORDS[name]
    assert page(name).once(data.decode()) == word


@pytest.mark.parametrize("name", [*PAGES, *WIDE])
def test_at_least_98_percent_of_damaged_sentences_are_found_and_most_are_named(name: str) -> None:
    found = [kinds(misread(sentence, name)) for sentence in SENTENCES]
    missed = [sentence for sentence, kind in zip(SENTENCES, found, strict=True) if not kind]
    least = 0.94 if name in WIDE else 0.98
    assert len(missed) <= (1 - least) * len(SENTENCES), missed
    if name in PAGES:
        assert sum(f"double-utf8-{name}" in kind for kind in found) >= 0.9 * len(found)


@pytest.mark.parametrize("name", ["cp1251", "koi8-r", "cp437", "mac-roman"])
def test_most_single_damaged_words_are_found(name: str) -> None:
    beyond = [word for word in words() if sum(not char.isascii() for char in word) > 1]
    missed = [word for word in beyond if not find(f"they say {misread(word, name)} here")]
    assert len(missed) <= 0.2 * len(beyond), missed


@pytest.mark.parametrize(
    ("word", "name"),
    [
        ("canción", "cp437"), ("für", "cp437"), ("мир", "cp850"), ("Zürich", "cp1250"), ("część", "cp1251"),
        ("Größe", "cp1251"), ("pamięć", "koi8-r"), ("mañana", "mac-roman"), ("Лос", "mac-roman"), ("за", "mac-roman"),
    ],
)  # fmt: skip
def test_words_that_only_their_neighbours_betray_are_found(word: str, name: str) -> None:
    assert kinds(f"they say {misread(word, name)} here") == [f"double-utf8-{name}"]


@pytest.mark.parametrize("name", [*PAGES, *WIDE])
@pytest.mark.parametrize("sign", "—–‘’“”…")
def test_dashes_and_quotation_marks_of_english_are_found(name: str, sign: str) -> None:
    assert find(f"one {misread(sign, name)} two")
    assert find(f"one{misread(sign, name)}two")


@pytest.mark.parametrize(
    "text",
    [
        "├── src\n│   └── größe.py\n└─────┐ é │",
        "│имя│возраст│\n├───┼───────┤\n│мир│5 │",
        "╔══╗ ║été║ ╚══╝ ░▒▓█ ▁▂▃▄▅▆▇█",
        "√2 ≈ 1,41; x√3, √π, 2√∞, ∑√n ≥ ∏√m, f: ℝ→ℝ, ∂u/∂x ≠ ∆, (–∞, ∞), Ω±5 µm",
        "«été», l’île, d’âge, “Été”, –é, à–é–í–ó, »Åse«, ‚Äpfel‘, „Ärger“",
        "СССР—Китай, «СССР», «всё», 5 °С, № 5, § 7, М±m, «ёлка», Рёва, Сёмин, ТВ™",
        "ГРЕЈЕЊЕ, СРЂАН, ЦРЊА, Шљива, Књига, Хљеб, Сјај, Ђак, ЂУРЂЕВАК, МІСІЯ, РІВНЕ, єМалятко, О’Хігінс",
        "Γεια σου, ΓΑΛΑ, Ωmega, ΔΣ, ÔTÉ, CÔTÉ, ÄÖÜ, Äîn",
        "ĂŞTI, MĂŢ, DĎEÉFGHIÍJKLĹĽŽ, Ďáblův, Řízek",
        "góðan daginn, friðíkur, Iðunn, Það, miðöld",
        "元素周期表：鏑、鈥、鉺；贫窶；糸が縺れた。もつれ。",
        "Ω≈ç√∫˜µ≤≥÷åß∂ƒ©˙∆˚¬…æœ∑´®†¥¨ˆøπ",
        "ÇüéâäàåçêëèïîìÄÅÉæÆôöòûùÿÖÜ¢£¥₧ƒáíóúñÑªº¿⌐¬½¼¡«»░▒▓│┤╡╢╖╕╣║╗╝╜╛┐└┴┬├─┼╞╟╚╔╩╦╠═╬╧╨╤╥╙╘╒╓╫╪┘┌█▄▌▐▀αßΓπΣσ",
        "ЂЃ‚ѓ„…†‡€‰Љ‹ЊЌЋЏђ‘’“”•–—™љ›њќћџ ЎўЈ¤Ґ¦§Ё©Є«¬®Ї°±Ііґµ¶·ё№є»јЅѕїАБВГДЕ",
        "é becomes `├⌐` — é → ├⌐; the word 'café' turns into 'caf√©'; «привет» → «РїСЂРёРІРµС‚»",
        "x╔éy and a│é│b, '├ñ'",
        "元素鈥擊碎，这个鈥數據",
        "é: 銆備粖澶 and 锛屾垜 are 文字化け of GBK",
        "— in a Windows console becomes “ΓÇö”, and “鈥” is mojibake of ’ in GBK.",
    ],
)
def test_what_looks_like_damage_is_none(text: str) -> None:
    assert find(text) == ()


@pytest.mark.parametrize("line", [*SENTENCES, *traps(), *words()])
def test_no_marker_makes_honest_text_damaged(line: str) -> None:
    assert find(line + " ┌ Ђ √ Γ € ± © ™ " + line) == ()


def test_what_both_dos_pages_read_alike_goes_with_the_rest() -> None:
    assert kinds(misread("für", "cp850")) == ["double-utf8-cp437"]
    assert kinds(misread("für été", "cp850")) == ["double-utf8-cp850"]
    assert kinds(misread("für été", "cp437")) == ["double-utf8-cp437"]


def test_what_windows_1250_shares_with_1252_goes_with_the_rest() -> None:
    assert kinds(misread("yes — it’s “fine”…", "cp1250")) == ["double-utf8-cp1250"]
    assert kinds(misread("yes — it’s", "cp1250")) == ["double-utf8-cp1252"]


@pytest.mark.parametrize("name", SIEVED)
def test_the_sieve_stops_at_what_needs_no_marker(name: str) -> None:
    seen = 0
    for sign in "—–‘’“”…•€™":
        text = misread(sign, name)
        if sieved(name).search(text):
            seen += 1
            assert prefilter().search(f"ça “{text}ü".encode()), sign
    assert seen >= 2


@pytest.mark.parametrize("name", PAGES)
def test_every_marker_is_a_character_of_its_page(name: str) -> None:
    table = page(name)
    for marker in MARKERS[name]:
        beside = table.leads[0] + marker if marker in table.tails else marker + table.tails[0]
        assert begins(name, marker).search(f"é{beside}é"), marker
        assert not begins(name, marker).search(f"é {marker} é"), marker


def test_only_what_comes_soon_after_the_first_character_beyond_ascii_is_looked_through() -> None:
    damaged = misread("été — Größe", "cp437")
    assert kinds("plain " * THOROUGH + damaged) == ["double-utf8-cp437"]
    assert kinds("é " + "plain " * (THOROUGH // 6 - 10) + damaged) == ["double-utf8-cp437"]
    assert kinds("é " + "plain " * (THOROUGH // 6 + 1) + damaged) == []
    assert kinds("é " + "plain " * (THOROUGH // 6 + 1) + "▁so▁long") == []


def test_where_a_page_was_found_all_is_counted() -> None:
    text = misread("été ", "mac-roman") + "plain " * (THOROUGH // 6 + 1) + misread("été ", "mac-roman") * 5
    (damage,) = find(text)
    assert (damage.kind, damage.count) == ("double-utf8-mac-roman", 12)


@pytest.mark.parametrize("name", [*PAGES, *WIDE])
def test_a_hop_that_reads_by_any_page_is_the_providers_fault(name: str) -> None:
    for sentence in (
        "L’été à Noël — naïve “fin”, déjà vu…",
        "Привет, мир! Как дела — “хорошо”?",
        "你好，世界。今天 — “天气”很好。",
    ):
        scanner = Scanner()
        scanner.feed(misread(sentence, name))
        told = attribute(scanner.finish(), asked_ascii=True, asked_damage=())
        assert told.scope is Scope.PROVIDER, (sentence, told.sentence)


@pytest.mark.parametrize("signature", sorted(SIGNATURES - {"double-utf8-dos"}))
def test_all_are_one_family_and_have_words_and_a_remedy(signature: str) -> None:
    assert family(signature) == "double-encoding"
    name = signature.removeprefix("double-utf8-")
    scanner = Scanner()
    scanner.feed(misread("été — “Größe” 你好，世界。あなた", name))
    sentence = attribute(scanner.finish(), asked_ascii=True, asked_damage=()).sentence
    assert "UTF-8 read as" in sentence
    assert "decode as UTF-8 to read it" in sentence or "the bytes are lost" in sentence


def test_the_sign_of_sentencepiece_is_told_from_a_bar() -> None:
    (damage,) = find("▁Voilà,▁une▁phrase")
    assert (damage.kind, damage.count, damage.sample) == ("sentencepiece-space", 2, "U+2581")
    for text in ("été ▁▂▃▅ 5 ▁ x", "`▁Hello▁world` é", '["▁the", "▁of"] é', "é_▁_"):
        assert find(text) == (), text
