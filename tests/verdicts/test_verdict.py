"""What a router writes down of one answer: the word, whose doing it was, and what is never held against anybody."""

from __future__ import annotations

import json
from typing import Any

import pytest
import regex
from msgspec import structs

from contracts import dialects
from contracts.breaker.tally import Key
from contracts.checks import tool_calls
from contracts.config import catalogue
from contracts.facts import Facts
from contracts.fold import fold
from contracts.model import Ended, Exchange, Request, Scope
from contracts.text import ends, looping
from contracts.text.blank import is_blank
from contracts.text.charset import RequestCharset, profile
from contracts.text.verdict import (
    ABSENT,
    CALLS_BY_MODEL,
    SignatureSeen,
    Verification,
    verify_facts,
    verify_response,
)
from tests.breaker.traffic import WHOLE, decided, opened, spread
from tests.verdicts.repeated import ASKED, HONEST, LOOPS_OF_OTHER, loops

ASCII = profile(["Summarize this, please."])
GERMAN = profile(["Fasse das kürzer — bitte."])
JAPANESE = profile(["要約してください。", "カメラ"])
DAMAGED = profile(["Quote: It works \u00e2\u0080\u0094 mostly."])
DOUBLE = b"It works \xc3\xa2\xc2\x80\xc2\x94 mostly.".decode()  # an em dash, read as ISO-8859-1 and encoded again
CP1252 = "It works â€” mostly."
LOST = b"Gr\xef\xbf\xbd\xef\xbf\xbdn".decode()


def verify(text: str | None, finish: str | None = "stop", *, calls: bool = False, **given: Any) -> Verification:
    return verify_response(text, finish, calls, **{"request_charset": ASCII, **given})


NOTHING = {
    "none": "", "absent": None, "blank": " \n\t", "wide": "\u3000\u2003", "zero width": "\u200b\u200c",
    "order mark": "\ufeff", "joiners": "\u2060\u200d", "directions": "\u200e\u202b\u2069", "filler": "\u3164",
    "selector": "\ufe0f", "tags": "\U000e0067", "controls": "\x00\x1b", "mixed": "\ufeff \n\u200b\u00ad",
}  # fmt: skip


@pytest.mark.parametrize("text", NOTHING.values(), ids=NOTHING)
def test_nothing_in_a_success_is_the_models_doing(text: str | None) -> None:
    for charset in (ASCII, JAPANESE, None):
        seen = verify(text, request_charset=charset)
        assert (seen.verdict, seen.detail) == ("malformed", "empty response")
        assert seen.model_attributable
        assert seen.scope is Scope.MODEL


@pytest.mark.parametrize("text", NOTHING.values(), ids=NOTHING)
def test_nothing_is_seen_in_facts_as_in_the_text(text: str | None) -> None:
    assert verify_facts(facts({"content": text})) == verify(text)


@pytest.mark.parametrize(
    "text", [".", "\u06dd", "\u2800", "\u20ac", "\ufeff\u200b!", "🏴\U000e0067\U000e007f", "\u0301"]
)
def test_a_single_sign_is_an_answer(text: str) -> None:
    assert verify(text).verdict == verify_facts(facts({"content": text})).verdict == "ok"


def test_unicode_says_what_has_no_glyph() -> None:
    unseen = regex.compile(r"[\s\p{Cc}\p{Default_Ignorable_Code_Point}]")
    chars = map(chr, range(0x110000))
    assert [char for char in chars if is_blank(char) != (unseen.match(char) is not None)] == []


@pytest.mark.parametrize(
    "given",
    [
        {"calls": True},
        {"finish": "tool_calls"},
        {"client_capped": True},
        {"client_capped": True, "finish": "length"},
        {"status": 429},
        {"status": 503},
        {"status": 404},
        {"finish": "error"},
    ],
    ids=str,
)
def test_nothing_that_something_else_explains_is_nobodys(given: dict[str, Any]) -> None:
    seen = verify("", **{"finish": "stop", **given})
    assert seen.verdict == "unverifiable"
    assert not seen.model_attributable
    assert seen.scope is None
    if given.get("status"):
        assert seen.detail == f"status {given['status']}"


def test_a_limit_that_was_not_ours_explains_no_silence() -> None:
    assert verify("", "length").detail == "empty response"


@pytest.mark.parametrize(
    ("text", "name"),
    [
        (DOUBLE, "double-utf8-latin1"),
        (CP1252, "double-utf8-cp1252"),
        (LOST, "replacement-character"),
        ("token <0xE4><0xBD><0xA0> leaked", "byte-token"),
        ("half \ud83d of a smile", "lone-surrogate"),
    ],
)
def test_damage_in_the_answer_to_an_ascii_request_is_attributable(text: str, name: str) -> None:
    seen = verify(text)
    assert (seen.verdict, seen.model_attributable, seen.scope) == ("mangled", True, Scope.PROVIDER)
    assert (seen.signatures[0].name, seen.signatures[0].confidence) == (name, "high")
    assert seen.detail.startswith(f"{name} [provider]: ")


@pytest.mark.parametrize("text", [DOUBLE, CP1252, LOST])
def test_damage_in_the_answer_to_another_request_is_written_down_and_does_not_steer(text: str) -> None:
    for charset in (GERMAN, JAPANESE, None):
        seen = verify(text, request_charset=charset)
        assert (seen.verdict, seen.model_attributable, seen.scope) == ("mangled", False, Scope.UNDETERMINED)
        assert seen.signatures[0].confidence == "high"


def test_beside_damage_what_came_through_is_told_for_a_diagnosis() -> None:
    seen = verify(f"{DOUBLE} Später — naïve")
    assert [(one.name, one.confidence) for one in seen.signatures] == [("double-utf8-latin1", "high"), (ABSENT, "low")]
    assert [one.name for one in verify(DOUBLE).signatures] == ["double-utf8-latin1"]


def test_damage_that_the_request_brought_in_is_ours() -> None:
    seen = verify(DOUBLE, request_charset=DAMAGED)
    assert (seen.verdict, seen.model_attributable, seen.scope) == ("mangled", False, Scope.PIPELINE)
    ascii_tokens = profile(["decode <0xE2><0x80><0x94> for me"])
    assert ascii_tokens.ascii
    assert not verify("It was <0xE2><0x80><0x94> there", request_charset=ascii_tokens).model_attributable


def test_damage_beside_much_that_is_whole_was_written_by_the_model() -> None:
    seen = verify(f"{DOUBLE} Später aßen wir Äpfel und Nüsse, bei schönem Wetter, übrigens in Köln.")
    assert (seen.verdict, seen.scope, seen.model_attributable) == ("mangled", Scope.MODEL, True)
    assert seen.detail.startswith("double-utf8-latin1 [model]: ")


def test_damage_counts_whatever_else_the_answer_was() -> None:
    assert verify(DOUBLE, "tool_calls", calls=True).verdict == "mangled"
    assert verify(DOUBLE, "length", client_capped=True).verdict == "mangled"
    assert verify(DOUBLE, status=500).verdict == "unverifiable"


def test_text_that_the_request_did_not_have_is_told_and_never_held_against_anybody() -> None:
    seen = verify("It works — mostly. 你好")
    assert (seen.verdict, seen.model_attributable, seen.scope) == ("ok", False, None)
    assert [(one.name, one.confidence, one.count) for one in seen.signatures] == [(ABSENT, "low", 3)]


def test_japanese_that_answers_japanese_is_no_sign_of_anything() -> None:
    assert verify("昨日の午後、川沿いの道を歩きました。", request_charset=JAPANESE) == Verification(verdict="ok")


def test_an_answer_in_ascii_says_that_it_shows_no_wire_intact() -> None:
    assert verify("Plain words.", request_charset=JAPANESE) == Verification(verdict="ok", detail="ASCII only")


@pytest.mark.parametrize(
    ("finish", "given", "verdict"),
    [
        ("length", {}, "truncated"),
        ("MAX_TOKENS", {}, "truncated"),
        ("length", {"client_capped": True}, "unverifiable"),
        ("stop", {"client_capped": True}, "ok"),
        ("content_filter", {}, "refused"),
        ("SAFETY", {}, "refused"),
        ("refusal", {"client_capped": True}, "refused"),
        ("MALFORMED_FUNCTION_CALL", {}, "malformed"),
        ("end_turn", {}, "ok"),
        (None, {}, "ok"),
        ("tool_use", {}, "unverifiable"),
    ],
)
def test_the_end_of_an_answer_is_read_in_every_dialect(finish: str | None, given: dict[str, Any], verdict: str) -> None:
    seen = verify("Grüße aus Köln", finish, **given)
    assert seen.verdict == verdict
    assert seen.model_attributable is (verdict == "malformed")


LOOP = "Schöne Grüße. " + "Und dann gingen wir wieder nach Köln. " * 40
OWN_ENDS = ["stop", "STOP", "end_turn", "completed", "COMPLETE", "stop_sequence", "eos", "tool_calls", "tool_use"]
OTHER_ENDS = ["length", "MAX_TOKENS", "max_output_tokens", "repetition", None, "", "OTHER", "pause_turn"]


@pytest.mark.parametrize("finish", OTHER_ENDS)
@pytest.mark.parametrize("capped", [False, True])
def test_a_loop_that_did_not_stop_by_itself_is_the_models_doing(finish: str | None, capped: bool) -> None:
    seen = verify(LOOP, finish, client_capped=capped)
    assert (seen.verdict, seen.model_attributable, seen.scope) == ("looping", True, Scope.MODEL)
    assert seen.detail == "38 characters 40 times over"
    assert seen.signatures == (SignatureSeen(name="repetition", confidence="high", count=40),)


@pytest.mark.parametrize("finish", OWN_ENDS)
@pytest.mark.parametrize("text", [LOOP, *ASKED.values()])
def test_repetition_that_came_to_its_end_is_told_and_held_against_nobody(text: str, finish: str) -> None:
    seen = verify(text, finish)
    assert (seen.verdict, seen.model_attributable, seen.scope) == ("looping", False, Scope.UNDETERMINED)
    assert [(one.name, one.confidence) for one in seen.signatures] == [("repetition", "low")]


@pytest.mark.parametrize(("finish", "trips"), [("stop", False), ("length", True)])
def test_a_breaker_counts_no_repetition_that_came_to_its_end(finish: str, *, trips: bool) -> None:
    others = spread("acme", "größe", [WHOLE] * 200)
    seen = spread("acme", "maß", [WHOLE] * 20 + [verify(LOOP, finish)] * 40)
    assert opened(decided([*others, *seen])) == ({Key("acme", "maß")} if trips else set())


@pytest.mark.parametrize("text", HONEST.values())
def test_what_only_looks_like_a_loop_is_none(text: str) -> None:
    assert verify(text).verdict == "ok"


def test_the_profile_of_a_request_names_its_scripts_and_its_damage() -> None:
    assert profile(["plain", "words"]) == RequestCharset()
    assert profile(["naïve", "日本の", "привет"]).scripts == ("cjk", "cyrillic", "hiragana", "latin")
    assert profile(["— nothing but a dash"]) == RequestCharset(ascii=False)
    assert RequestCharset(ascii=False, scripts=("latin",), damage=("double-utf8-latin1",)) == DAMAGED


def test_two_strings_of_a_request_are_not_one_text() -> None:
    assert profile(["Ende Ã", "¼ber"]).damage == ()


def test_one_string_is_a_request_as_well() -> None:
    assert profile("Quote: It works \u00e2\u0080\u0094 mostly.") == DAMAGED


@pytest.mark.parametrize("texts", ["größe".encode(), ["größe".encode()], ["größe", None], [["größe"]]], ids=str)
def test_what_is_no_string_of_a_request_is_refused(texts: Any) -> None:
    with pytest.raises(TypeError, match=r"texts: expected strings, found (int|bytes|NoneType|list) among them"):
        profile(texts)


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"text": "größe".encode()}, "text: expected str or None, found bytes"),
        ({"text": ["größe"]}, "text: expected str or None, found list"),
        ({"finish_reason": 3}, "finish_reason: expected str or None, found int"),
        ({"status": "200"}, "status: expected int, found str"),
        ({"status": None}, "status: expected int, found NoneType"),
        ({"request_charset": ["größe"]}, "request_charset: expected RequestCharset or None, found list"),
    ],
    ids=str,
)
def test_what_is_of_another_type_is_refused_whatever_the_answer(given: dict[str, Any], message: str) -> None:
    for status in (200, 503):
        with pytest.raises(TypeError, match=message):
            verify_response(
                **{"text": "größe", "finish_reason": "stop", "has_tool_calls": False, "status": status, **given}
            )


@pytest.mark.parametrize(("status", "is_success"), [(199, False), (204, True), (299, True), (300, False)])
def test_a_success_is_any_2xx(status: int, *, is_success: bool) -> None:
    assert verify("", status=status).verdict == ("malformed" if is_success else "unverifiable")


def test_calls_and_caps_may_be_given_as_they_stand_in_the_messages() -> None:
    assert verify_response("", "length", [], client_capped=None).detail == "empty response"  # type: ignore[arg-type]
    assert verify_response("", "stop", [{"id": "größe"}]).detail == "tool call"  # type: ignore[arg-type]
    assert verify_response("", "length", None, client_capped=512).detail == "capped by the client"  # type: ignore[arg-type]


LIBRARY = catalogue.load(None)


def facts(
    message: dict[str, Any], finish: str | None = "stop", *, asked: dict[str, Any] | None = None, **over: Any
) -> Facts:
    """An answer folded; `asked` is what the request had beside a prompt in ASCII."""
    choice = {"index": 0, "finish_reason": finish, "message": {"role": "assistant", **message}}
    usual = {"id": "c", "object": "chat.completion", "created": 1, "model": "größe", "choices": [choice]}
    body = {"model": "g", "messages": [{"role": "user", "content": "hi"}], **(asked or {})}
    exchange = Exchange(
        request=Request(method="POST", url="/v1/chat/completions", body=json.dumps(body).encode()),
        status=over.pop("status", 200),
        headers=(("content-type", "application/json"),),
        body=(json.dumps({**usual, **over}).encode("utf-8", "surrogatepass"),),
        ref="größe.http",
    )
    return fold(exchange, dialects.load("openai-chat"), LIBRARY.tables("openai-chat"))


CALL = {"id": "c1", "type": "function", "function": {"name": "größe", "arguments": "{}"}}


@pytest.mark.parametrize(
    ("message", "finish", "capped"),
    [
        ({"content": "Grüße — 你好"}, "stop", False),
        ({"content": "plain"}, "stop", False),
        ({"content": ""}, "stop", False),
        ({"content": ""}, "length", True),
        ({"content": "Grüße"}, "length", True),
        ({"content": "Grüße"}, "length", False),
        ({"content": DOUBLE}, "stop", False),
        ({"content": LOST}, "length", True),
        ({"content": None, "tool_calls": [CALL]}, "tool_calls", False),
        ({"content": "Grüße"}, "content_filter", False),
    ],
    ids=str,
)
def test_facts_come_to_the_same_as_the_text_they_were_learnt_from(
    message: dict[str, Any], finish: str, capped: bool
) -> None:
    from_facts = verify_facts(facts(message, finish, asked={"max_tokens": 5} if capped else None))
    from_text = verify(message["content"], finish, calls="tool_calls" in message, client_capped=capped)
    assert from_facts == from_text


def of_facts(text: str, finish: str | None, **more: Any) -> Verification:
    """Judge an answer from its Facts and the end of its text, as a tap does."""
    watch = looping.Tail()
    for at in range(0, len(text), 7):
        watch.feed(text[at : at + 7])
    return verify_facts(structs.replace(facts({"content": text}, finish), **more), watch)


@pytest.mark.parametrize("finish", [*OWN_ENDS, *OTHER_ENDS])
def test_a_loop_comes_to_the_same_from_its_facts_as_from_its_text(finish: str | None) -> None:
    text = "Immer wieder dieselbe schöne Zeile.\n" * 200
    assert of_facts(text, finish) == verify(text, finish)


@pytest.mark.parametrize("name", LOOPS_OF_OTHER)
def test_so_does_one_that_is_no_words(name: str) -> None:
    text = next(text for known, text, _ in loops() if known == name)
    for finish in ("stop", "length", "MAX_TOKENS"):
        assert (
            of_facts(text, finish).verdict == verify(text, finish).verdict == ("ok" if finish == "stop" else "looping")
        )


@pytest.mark.parametrize(
    ("finish", "ended", "attributable"),
    [
        (None, "cut", True),
        (None, "unknown", True),
        (None, "complete", True),
        ("stop", "cut", False),
        ("length", "cut", True),
    ],
)
def test_a_connection_that_ends_a_loop_does_not_excuse_it(finish: str | None, ended: str, attributable: bool) -> None:
    seen = of_facts(LOOP, finish, ended=ended)
    assert (seen.verdict, seen.model_attributable) == ("looping", attributable)


def test_the_end_of_the_first_choice_tells_of_its_loop() -> None:
    watch = looping.Tail()
    watch.feed(LOOP)
    for mine, others, attributable in (("stop", "length", False), ("length", "stop", True)):
        choices = [
            {"index": n, "finish_reason": finish, "message": {"role": "assistant", "content": text}}
            for n, finish, text in ((0, mine, LOOP), (1, others, "Grüße"))
        ]
        seen = verify_facts(facts({}, choices=choices), watch)
        assert (seen.verdict, seen.model_attributable) == ("looping", attributable)


@pytest.mark.parametrize(
    ("given", "verdict", "detail"),
    [
        ({"status": 429}, "unverifiable", "status 429"),
        ({"error": {"message": "überlastet", "code": 502}}, "unverifiable", "error inside a success"),
        ({"choices": []}, "malformed", "empty response"),
    ],
    ids=str,
)
def test_facts_that_hold_no_answer(given: dict[str, Any], verdict: str, detail: str) -> None:
    seen = verify_facts(facts({"content": "Grüße"}, **given))
    assert (seen.verdict, seen.detail) == (verdict, detail)


def streamed(*deltas: dict[str, Any], close: bytes = b"", ended: str = "unknown") -> Facts:
    """A stream of deltas in which no choice was ended."""
    chunks = [{"id": "c", "object": "chat.completion.chunk", "created": 1, "model": "größe",
               "choices": [{"index": 0, "delta": delta, "finish_reason": None}]} for delta in deltas]  # fmt: skip
    asked = {"model": "g", "stream": True, "messages": [{"role": "user", "content": "hi"}]}
    exchange = Exchange(
        request=Request(method="POST", url="/v1/chat/completions", body=json.dumps(asked).encode()),
        status=200,
        headers=(("content-type", "text/event-stream"),),
        body=(*(b"data: " + json.dumps(chunk).encode() + b"\n\n" for chunk in chunks), close),
        ended=Ended(ended),
        ref="größe.http",
    )
    return fold(exchange, dialects.load("openai-chat"), LIBRARY.tables("openai-chat"))


BEGUN = {"index": 0, "id": "c1", "type": "function", "function": {"name": "größe", "arguments": '{"größe": '}}


@pytest.mark.parametrize(
    ("deltas", "close", "verdict", "detail"),
    [
        ([], b"", "unverifiable", "the client left"),
        ([{"role": "assistant", "content": ""}], b"", "unverifiable", "the client left"),
        ([{"reasoning_content": "Überlegen wir …"}], b"", "unverifiable", "the client left"),
        ([{"tool_calls": [BEGUN]}], b"", "unverifiable", "the client left"),
        ([{"content": "Grüße"}], b"", "ok", ""),
        ([{"content": "Grüße"}], b'data: {"id', "ok", ""),
        ([{"content": ""}], b"data: [DONE]\n\n", "malformed", "empty response"),
    ],
    ids=str,
)
def test_a_client_that_leaves_makes_nobody_silent(
    deltas: list[dict[str, Any]], close: bytes, verdict: str, detail: str
) -> None:
    seen = verify_facts(streamed(*deltas, close=close))
    assert (seen.verdict, seen.detail) == (verdict, detail)


def test_a_body_of_which_the_connection_sent_half_is_truncated() -> None:
    half = streamed({"content": "Grü"}, close=b'data: {"id', ended="cut")
    assert verify_facts(half).detail == "connection cut"
    assert verify_facts(structs.replace(half, ended="complete")).verdict == "ok"


@pytest.mark.parametrize("name", sorted(LIBRARY.dialects))
def test_every_filter_and_limit_that_the_contracts_know_explains_a_silence(name: str) -> None:
    want = LIBRARY.dialect(name)["contracts"].get("reply.not-empty", {})
    for reason in want.get("filtered", ["content_filter"]):
        assert verify("", reason).verdict == "refused", reason
    for reason in LIBRARY.tables(name).cut_reasons:
        assert verify("Grüße", reason).verdict == "truncated", reason


CLASSES = (ends.STOPS - ends.SILENT, ends.LIMITS, ends.FILTERS, ends.CALLS, ends.BAD_CALLS, ends.ERRORS, ends.SILENT)
# They say neither that it was over nor what else explains a silence.
SAY_NOTHING = {
    "finish_reason_unspecified",
    "other",
    "malformed_response",
    "too_many_tool_calls",
    "image_other",
    "no_image",
}


@pytest.mark.parametrize("name", sorted(LIBRARY.dialects))
def test_every_reason_that_the_contracts_know_says_one_thing(name: str) -> None:
    for reason in LIBRARY.dialect(name)["contracts"]["reply.finish"]["reasons"]:
        finish = reason.lower()
        said = sum(finish in known for known in CLASSES) + finish.startswith("blocked:")
        assert said == (0 if finish in SAY_NOTHING else 1), reason


@pytest.mark.parametrize("finish", ["queued", "in_progress", "pause_turn", "load", "stop_sequence", "STOP_SEQUENCE"])
def test_a_silence_that_its_end_explains_is_nobodys(finish: str) -> None:
    assert verify("", finish).verdict == "unverifiable"
    assert verify("Grüße", finish).verdict == "ok"


def call(arguments: str, **more: Any) -> dict[str, Any]:
    return {"id": "c1", "type": "function", "function": {"name": "größe", "arguments": arguments}, **more}


@pytest.mark.parametrize(
    ("calls", "verdict"),
    [
        ([call('{"größe": 1}')], "unverifiable"),
        ([call('{"größe": ')], "malformed"),
        ([call("[1]")], "malformed"),
        ([call('{"größe": ', id=None)], "unverifiable"),
        ([call("")], "unverifiable"),
    ],
)
def test_a_broken_call_is_the_models_where_the_server_told_calls_apart(
    calls: list[dict[str, Any]], verdict: str
) -> None:
    seen = verify_facts(facts({"content": None, "tool_calls": calls}, "tool_calls"))
    assert (seen.verdict, seen.model_attributable) == (verdict, verdict == "malformed")


def test_the_check_of_calls_blames_the_model_for_the_same() -> None:
    assert set(tool_calls.BY_MODEL) == CALLS_BY_MODEL


def test_a_cap_that_was_not_reached_explains_nothing() -> None:
    usage = {"prompt_tokens": 3, "completion_tokens": 2, "total_tokens": 5}
    seen = verify_facts(facts({"content": ""}, asked={"max_tokens": 500}, usage=usage))
    assert seen.detail == "empty response"
    spent = {"prompt_tokens": 3, "completion_tokens": 500, "total_tokens": 503}
    assert verify_facts(facts({"content": ""}, asked={"max_tokens": 500}, usage=spent)).verdict == "unverifiable"


def test_facts_without_their_request_steer_nothing() -> None:
    alone = structs.replace(facts({"content": DOUBLE}), asked=None)
    seen = verify_facts(alone)
    assert (seen.verdict, seen.model_attributable, seen.scope) == ("mangled", False, Scope.UNDETERMINED)
    assert verify_facts(structs.replace(facts({"content": ""}, "length"), asked=None)).verdict == "unverifiable"


def test_what_was_cut_off_is_truncated_and_a_listing_is_no_answer() -> None:
    whole = facts({"content": "Grüße"}, None)
    assert verify_facts(structs.replace(whole, ended="cut")).verdict == "truncated"
    assert verify_facts(structs.replace(whole, kind="listing", reply=None)).detail == "listing answer"
    assert verify_facts(structs.replace(whole, reply=None)).verdict == "malformed"
