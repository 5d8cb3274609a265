"""Damage is found and named; honest text is left alone."""

from __future__ import annotations

import pytest

from contracts.text.damage import BATCH, Scanner, find, merge
from contracts.text.misread import BPE_ONLY, WINDOWS, bpe_repair, bpe_shape, prefilter, repair, shape, weak
from tests.text.samples import bpe, cp1252, honest, latin1, tokens, traps, words


def kinds(text: str) -> list[str]:
    return [damage.kind for damage in find(text)]


@pytest.mark.parametrize(("language", "sentence"), honest())
def test_an_honest_sentence_raises_nothing(language: str, sentence: str) -> None:
    assert find(sentence) == (), language


@pytest.mark.parametrize("line", traps())
def test_code_and_explanations_raise_nothing(line: str) -> None:
    assert find(line) == ()


def test_the_honest_sentences_cover_26_languages() -> None:
    assert len({language for language, _ in honest()}) >= 26


@pytest.mark.parametrize(("language", "sentence"), honest())
def test_a_damaged_sentence_is_named_after_its_code_page(language: str, sentence: str) -> None:
    assert find(latin1(sentence))[0].kind == "double-utf8-latin1", language
    assert {damage.kind for damage in find(cp1252(sentence))} <= {"double-utf8-cp1252", "double-utf8-latin1"}
    assert "double-utf8-cp1252" in kinds(cp1252(sentence + " — “…”")), language


@pytest.mark.parametrize(("language", "sentence"), honest())
def test_damage_done_twice_is_told_from_damage_done_once(language: str, sentence: str) -> None:
    for read in (latin1, cp1252):
        assert set(kinds(read(read(sentence)))) == {"triple-utf8"}, language
        assert "triple-utf8" not in kinds(read(sentence)), language


@pytest.mark.parametrize("read", [latin1, cp1252])
def test_at_least_98_percent_of_single_damaged_words_are_found(read: object) -> None:
    assert callable(read)
    missed = [word for word in words() if not find(f"they say {read(word)} here")]
    assert len(missed) <= 0.02 * len(words()), missed


def test_no_honest_word_is_damage() -> None:
    assert [word for word in words() if find(word) or find(word.upper())] == []


@pytest.mark.parametrize(
    ("text", "kind", "count", "sample"),
    [
        ("It works â\x80\x94 mostly", "double-utf8-latin1", 1, "U+00E2 U+0080 U+0094"),
        ("It works â€” mostly", "double-utf8-cp1252", 1, "U+00E2 U+20AC U+201D"),
        ("20 Â°C", "double-utf8-latin1", 1, "U+00C2 U+00B0"),
        ("Â£5", "double-utf8-latin1", 1, "U+00C2 U+00A3"),
        ("cafÃƒÂ©", "triple-utf8", 1, "U+00C3 U+0192 U+00C2 U+00A9"),
        ("naï\ufffde", "replacement-character", 1, "U+FFFD"),
        ("né \udcaf", "lone-surrogate", 1, "U+DCAF"),
        ("아침에 <0xEA><0xB9><0xBC>어요", "byte-token", 1, "<0xEA><0xB9><0xBC>"),
        ("é: <0xE2><0x80>", "byte-token", 1, "<0xE2><0x80>"),
        ("Chère Zoé,<0x0A>Hello", "byte-token", 1, "<0x0A>"),
        ("Hello,ĠworldĠ— fine", "bpe-alphabet", 2, "U+0120"),
        ("End.ĊĊNext", "bpe-alphabet", 2, "U+010A"),
        ("ĠHello", "bpe-alphabet", 1, "U+0120"),
        ("é: ĠĠreturn", "bpe-alphabet", 2, "U+0120"),
        ("voilÃł", "bpe-alphabet", 1, "U+00C3 U+0142"),
        ("é\xa0\x82", "double-utf8-latin1", 1, "U+00E9 U+00A0 U+0082"),
        ("itâĢĻs", "bpe-alphabet", 1, "U+00E2 U+0122 U+013B"),
        ("锟斤拷锟斤拷", "gbk-replacement", 2, "U+951F U+65A4 U+62F7"),
        ("烫烫烫烫烫烫烫烫", "uninitialised-memory", 1, "U+70EB U+70EB U+70EB U+70EB U+70EB U+70EB"),
        ("屯屯屯", "uninitialised-memory", 1, "U+5C6F U+5C6F U+5C6F"),
    ],
)
def test_each_signature_has_its_name_count_and_sample(text: str, kind: str, count: int, sample: str) -> None:
    (damage,) = find(text)
    assert (damage.kind, damage.count, damage.sample) == (kind, count, sample)


def test_a_leaked_alphabet_is_one_signature_whatever_it_looks_like_in_parts() -> None:
    for text in ("Hello world, it’s — fine.", "Привет, мир! Как дела?", "你好，世界。\n今天", "été à Noël 😀"):
        assert kinds(bpe(text)) == ["bpe-alphabet"], bpe(text)


@pytest.mark.parametrize("word", words())
def test_every_misreading_can_be_read_back(word: str) -> None:
    assert repair(latin1(word)) == repair(cp1252(word)) == word
    assert bpe_repair(bpe(word)) == word


def test_the_sieve_lets_through_every_sequence_that_says_something() -> None:
    tails = [*map(chr, range(0x80, 0xC0)), *WINDOWS, *BPE_ONLY]
    seen = 0
    for lead in map(chr, (*range(0xC2, 0xDF), *range(0xE0, 0xF5))):
        more = 1 + (lead >= "à") + (lead >= "ð")
        for sequence in (
            lead + tail * place + other * (more - place)
            for tail in tails
            for other in tails[::7]
            for place in (1, more)
        ):
            if (shape().fullmatch(sequence) or bpe_shape().fullmatch(sequence)) and not weak(sequence):
                seen += 1
                assert prefilter().search(f"ça “{sequence}ü".encode()), sequence
    assert seen > 50_000


@pytest.mark.parametrize(
    "word", ["été”", "ça–là", "Öğleden", "üşüdü", "đèn", "bà ấy", "где", "昨日", "né »", "ÇİN", "STÓŁ"]
)
def test_the_sieve_stops_at_no_honest_word(word: str) -> None:
    assert prefilter().search(word.encode()) is None


def test_neighbouring_pieces_are_neighbours_across_the_end_of_a_batch() -> None:
    for count in range((BATCH - 300) // 3, BATCH // 3 + 200, 3):
        for gap, adjacent in ((0, True), (1, False)):
            scanner = Scanner()
            for piece in ["né "] * count + ["a\ufffdb"] + ["—  "] * gap + ["c\ufffdd"] + ["né "] * 200:
                scanner.feed(piece)
            (damage,) = scanner.finish().damage
            assert damage.adjacent is adjacent, (count, gap)


def test_byte_tokens_count_characters() -> None:
    (damage,) = find(tokens("Grüße — 你好 😀"))
    assert (damage.kind, damage.count) == ("byte-token", 6)


def test_a_sequence_that_both_code_pages_explain_goes_with_the_rest_of_the_text() -> None:
    assert kinds("cafÃ©") == ["double-utf8-latin1"]
    (damage,) = find("cafÃ© â€” crÃ¨me")
    assert (damage.kind, damage.count, damage.sample) == ("double-utf8-cp1252", 3, "U+00C3 U+00A9")


def test_several_signatures_come_in_order_of_their_first_place() -> None:
    assert kinds("a\ufffdb, naÃ¯ve, 锟斤拷锟斤拷, x<0xE2><0x80>") == [
        "replacement-character",
        "double-utf8-latin1",
        "gbk-replacement",
        "byte-token",
    ]


def test_the_first_place_is_the_piece_that_holds_the_first_damaged_character() -> None:
    scanner = Scanner()
    for event, piece in enumerate(["It works", " â", "\x80", "\x94 mostly", " â\x80\x94"]):
        scanner.feed(piece, event, 100 * event)
    (damage,) = scanner.finish().damage
    assert (damage.event, damage.byte, damage.count) == (1, 100, 2)


@pytest.mark.parametrize(
    ("pieces", "adjacent"),
    [
        (["Žluťoučký", " \ufffd", "\ufffdas"], True),
        (["a\ufffd", "b"], True),
        (["a", "\ufffdb"], True),
        (["a\ufffdb", "c\ufffdd"], True),
        (["é", "a\ufffdb", "c"], False),
        (["a\ufffdb", "c", "d\ufffde"], False),
        (["caf\ufffd"], False),
        (["", "\ufffdcaf", ""], False),
    ],
)
def test_a_lost_character_is_adjacent_where_pieces_meet(pieces: list[str], adjacent: bool) -> None:
    scanner = Scanner()
    for piece in pieces:
        scanner.feed(piece, 1, 1)
    (damage,) = scanner.finish().damage
    assert damage.adjacent is adjacent


def test_a_surrogate_pair_may_come_in_two_pieces() -> None:
    scanner = Scanner()
    for piece in ("né ", "\ud83d", "\ude00", " ok"):
        scanner.feed(piece)
    text = scanner.finish()
    assert (text.damage, text.chars, text.non_ascii, text.intact_non_ascii) == ((), 7, 2, 2)


def test_intact_characters_are_those_outside_of_all_damage() -> None:
    scanner = Scanner()
    scanner.feed("Le café est prêt, la crÃ¨me aussi")
    text = scanner.finish()
    assert (text.non_ascii, text.intact_non_ascii) == (4, 2)
    scanner = Scanner()
    scanner.feed(latin1("L’été à Noël — naïve 日本語"))
    assert scanner.finish().intact_non_ascii == 0


def test_channels_add_up_and_the_earliest_place_stays() -> None:
    scanners = [Scanner(), Scanner(), Scanner()]
    for scanner, event in zip(scanners, (7, 3, None), strict=True):
        scanner.feed("é naÃ¯ve ", event, event)
    text = merge(scanner.finish() for scanner in scanners)
    assert (text.chars, text.non_ascii, text.intact_non_ascii) == (27, 9, 3)
    (damage,) = text.damage
    assert (damage.count, damage.event, damage.byte) == (3, 3, 3)


def test_no_channel_is_empty_text() -> None:
    assert merge([]).chars == 0
    assert Scanner().finish().damage == ()
