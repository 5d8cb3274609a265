"""Content-Type headers, legal and not."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contracts.wire.media_type import MediaType, charset_of, is_json, is_sse, parse

SSE = "text/event-stream"


@pytest.mark.parametrize(
    "value",
    [
        "text/event-stream; charset=utf-8",
        "text/event-stream;charset=utf-8",
        "text/event-stream ; charset=utf-8",
        "text/event-stream\t;\tcharset=utf-8\t",
        "text/event-stream; CHARSET=UTF-8",
        "Text/Event-Stream; Charset=Utf-8",
        'text/event-stream; charset="utf-8"',
        'text/event-stream; charset="UTF\\-8"',
        "text/event-stream;; charset=utf-8;",
        "text/event-stream; charset=utf8",
        "text/event-stream; charset=utf-8; charset=utf-8",
        'text/event-stream; charset=utf-8; charset="UTF8"',
        'text/event-stream; note="déjà; vu, 你好"; charset=utf-8',
        "text/event-stream; boundary=ü; charset=utf-8",
    ],
)
def test_a_legal_spelling_declares_utf_8_and_contradicts_nothing(value: str) -> None:
    media_type = parse([value])
    assert media_type is not None
    assert (media_type.essence, charset_of(media_type), media_type.conflicts) == (SSE, "utf-8", ())


@pytest.mark.parametrize(
    ("value", "charset"),
    [
        ("text/event-stream", None),
        ("text/event-stream; charset = utf-8", None),
        ("text/event-stream; charset= utf-8", None),
        ("text/event-stream; charset =utf-8", None),
        ("text/event-stream; charset='utf-8'", "'utf-8'"),
        ("text/event-stream; charset=", None),
        ("text/event-stream;\u00a0charset=utf-8", None),
        ('text/event-stream; charset="utf-8', None),
        ('text/event-stream; charset="utf-8"x', None),
        ("text/event-stream; charset", None),
        ("text/event-stream; charset=utf–8", None),
        ("text/event-stream; charset=iso-8859-1", "iso-8859-1"),
        ('text/event-stream; note="charset=utf-8"', None),
        ('text/event-stream; note="x\\"; charset=utf-8"', None),
    ],
)
def test_what_is_no_legal_spelling_declares_no_utf_8(value: str, charset: str | None) -> None:
    media_type = parse([value])
    assert media_type is not None
    assert (media_type.essence, charset_of(media_type)) == (SSE, charset)


@pytest.mark.parametrize(
    ("values", "expected"),
    [
        ([], None),
        ([""], None),
        (["text"], None),
        (["text/"], None),
        (["текст/event-stream"], None),
        (["text/html", "application/json"], MediaType("application/json", (), ("lines",))),
        (["text/html", "text/html"], MediaType("text/html")),
        ([SSE, f"{SSE}; charset=utf8"], MediaType(SSE, (("charset", "utf8"),), ("lines",))),
        ([f"{SSE}; charset=utf8", SSE], MediaType(SSE, (("charset", "utf8"),), ("lines",))),
        ([f"{SSE}, {SSE}; charset=utf-8"], MediaType(SSE, (("charset", "utf-8"),), ("list",))),
        ([f"{SSE}; charset=utf-8, text/html"], MediaType("text/html", (), ("list",))),
        ([f"{SSE}; charset=utf-8,"], MediaType(SSE, (("charset", "utf-8"),))),
        (
            [f"{SSE}; charset=utf-8; charset=latin1"],
            MediaType(SSE, (("charset", "utf-8"), ("charset", "latin1")), ("parameter charset",)),
        ),
        ([f'{SSE}; a="x;y,z"; B=Ç; b="Ç"'], MediaType(SSE, (("a", "x;y,z"), ("b", "Ç")))),
    ],
)
def test_several_values_come_to_the_last_and_say_what_contradicts(
    values: list[str], expected: MediaType | None
) -> None:
    assert parse(values) == expected


@pytest.mark.parametrize("essence", ["application/json", "text/json", "application/problem+json"])
def test_json_has_several_types(essence: str) -> None:
    assert is_json(essence)
    assert not is_sse(essence)


@pytest.mark.parametrize("essence", ["application/jsonl", "application/x-ndjson", SSE, "text/plain"])
def test_other_types_are_no_json(essence: str) -> None:
    assert not is_json(essence)


def test_event_streams_have_one_type() -> None:
    assert is_sse(SSE)
    assert not is_sse("text/event-streams")


@given(st.lists(st.text() | st.text('text/;,="\\ charset-utf8é')))
def test_no_header_is_too_odd_to_be_parsed(values: list[str]) -> None:
    media_type = parse(values)
    assert media_type is None or media_type.essence == media_type.essence.lower()


@given(st.text(st.characters(codec="utf-8", exclude_categories=["Cc"])))
def test_a_quoted_parameter_comes_out_as_it_went_in(text: str) -> None:
    quoted = text.replace("\\", "\\\\").replace('"', '\\"')
    assert parse([f'text/plain; note="{quoted}"; charset=utf-8']) == MediaType(
        "text/plain", (("note", text), ("charset", "utf-8"))
    )
