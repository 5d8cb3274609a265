"""Whose fault damage is follows from the request, the signature and what else is in the text."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from contracts.facts import Text
from contracts.model import Scope
from contracts.text.attribution import attribute
from contracts.text.damage import Scanner
from tests.text.samples import bpe, cp1252, latin1, tokens

DASH = "It works — mostly."


def told(*pieces: str) -> Text:
    scanner = Scanner()
    for event, piece in enumerate(pieces):
        scanner.feed(piece, event, 100 * event)
    return scanner.finish()


@pytest.mark.parametrize(
    ("pieces", "asked_ascii", "asked_damage", "violated", "scope"),
    [
        ((latin1(DASH),), True, (), True, Scope.PROVIDER),
        ((cp1252(DASH),), True, (), True, Scope.PROVIDER),
        ((latin1(latin1("L’été — café")),), True, (), True, Scope.PROVIDER),
        (("Le café est prêt, la crÃ¨me aussi",), True, (), True, Scope.MODEL),
        ((tokens("아침에 깼어요"),), True, (), True, Scope.PROVIDER),
        (("아침에 <0xEA><0xB9><0xBC>어요",), True, (), True, Scope.PROVIDER),
        ((bpe("Hello world — é"),), True, (), True, Scope.PROVIDER),
        (("Žluťoučký", " \ufffd", "\ufffdas"), True, (), True, Scope.PROVIDER),
        (("Žluťoučký \ufffd\ufffdas",), True, (), True, Scope.PROVIDER),
        (("A lonely \ufffd here",), True, (), True, Scope.PROVIDER),
        (("Žluťoučký k\ufffdň",), True, (), True, Scope.UNDETERMINED),
        (("Done \udcaf é",), True, (), True, Scope.PROVIDER),
        (("锟斤拷锟斤拷",), True, (), True, Scope.PROVIDER),
        (("他写了锟斤拷锟斤拷，然后走了",), True, (), True, Scope.MODEL),
        (("烫烫烫烫烫烫烫",), True, (), True, Scope.PROVIDER),
        ((latin1(DASH),), False, (), True, Scope.UNDETERMINED),
        ((latin1(DASH),), None, (), True, Scope.UNDETERMINED),
        (("x <0xE2><0x80><0x94> é",), None, (), True, Scope.UNDETERMINED),
        ((latin1(DASH),), False, ("double-utf8-latin1",), False, Scope.PIPELINE),
        ((latin1(DASH),), False, ("double-utf8-cp1252",), False, Scope.PIPELINE),
        ((latin1(latin1(DASH)),), False, ("double-utf8-latin1",), False, Scope.PIPELINE),
        (('It reads "# \ufffd\ufffd\ufffd\ufffd test".',), False, ("replacement-character",), False, Scope.PIPELINE),
        ((latin1(DASH),), False, ("replacement-character",), True, Scope.UNDETERMINED),
        (("honest — é",), True, (), False, None),
        (("plain",), None, (), False, None),
    ],
)  # fmt: skip
def test_the_scope_follows_from_the_signature(
    pieces: tuple[str, ...],
    asked_ascii: bool | None,
    asked_damage: Sequence[str],
    violated: bool,
    scope: Scope | None,
) -> None:
    result = attribute(told(*pieces), asked_ascii, asked_damage)
    assert (result.violated, result.scope) == (violated, scope), result.sentence
    assert (result.damage is None) == (scope is None)


def test_the_sentence_names_signature_count_code_points_place_and_remedy() -> None:
    sentence = attribute(told("It works", " â\x80\x94 mostly"), asked_ascii=True, asked_damage=()).sentence
    assert "double-utf8-latin1" in sentence
    assert "1 ×" in sentence
    assert "U+00E2 U+0080 U+0094" in sentence
    assert "event 1" in sentence
    assert "byte 100" in sentence
    assert "encode as ISO-8859-1 and decode as UTF-8" in sentence


def test_what_is_not_known_of_the_request_is_told() -> None:
    text = told(latin1(DASH))
    assert "the request is not known" in attribute(text, asked_ascii=None, asked_damage=()).sentence
    assert "the request was not ASCII" in attribute(text, asked_ascii=False, asked_damage=()).sentence


def test_no_repair_is_offered_for_lost_bytes() -> None:
    sentence = attribute(told("é \ufffd", "\ufffd"), asked_ascii=True, asked_damage=()).sentence
    assert "the bytes are lost, no repair" in sentence
    assert "two deltas meet" in sentence


def test_honest_characters_in_the_answer_to_an_ascii_request_are_told() -> None:
    assert (
        "3 beyond ASCII in the answer to an ASCII request, all intact"
        in attribute(told("é — ü"), asked_ascii=True, asked_damage=()).sentence
    )
    assert "ASCII request" not in attribute(told("é — ü"), asked_ascii=None, asked_damage=()).sentence


def test_of_several_signatures_the_one_that_is_certain_is_told_first_and_the_others_are_named() -> None:
    result = attribute(told("Le café, la crÃ¨me <0xE2><0x80>"), asked_ascii=True, asked_damage=())
    assert result.damage is not None
    assert result.damage.kind == "byte-token"
    assert result.scope is Scope.PROVIDER
    assert "also double-utf8-latin1 (1)" in result.sentence


def test_what_the_request_brought_in_does_not_excuse_the_rest() -> None:
    text = told("naÃ¯ve and \ufffd")
    result = attribute(text, asked_ascii=False, asked_damage=["double-utf8-cp1252"])
    assert (result.violated, result.scope) == (True, Scope.UNDETERMINED)
    assert result.damage is not None
    assert result.damage.kind == "replacement-character"


def test_what_windows_1252_has_no_letter_for_does_not_make_a_hop_the_models_fault() -> None:
    # The last byte of a closing quotation mark is none of windows-1252.
    wire = "café “fin” déjà vu".encode().decode("cp1252", "replace")
    assert attribute(told(wire), asked_ascii=True, asked_damage=()).scope is Scope.PROVIDER
