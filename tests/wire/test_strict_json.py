"""Strict JSON: what is in order is read as everybody reads it, what is not is named and placed."""

from __future__ import annotations

import json
import math
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contracts.facts import Fault
from contracts.wire.json_scan import Scan
from contracts.wire.strict_json import MAX_DEPTH, MAX_VALUES, UNREADABLE, decode, loads_fast

text = st.text(st.characters(codec="utf-8")) | st.text('é"\\/\u2028你🙂')
values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | text,
    lambda inner: st.lists(inner, max_size=5) | st.dictionaries(text, inner, max_size=5),
    max_leaves=30,
)


def same(a: Any, b: Any) -> bool:
    """Equal, also in type: 1 is not 1.0 and not True."""
    return repr(a) == repr(b)


@given(values, st.booleans(), st.sampled_from([None, 1]))
def test_a_valid_value_is_read_as_the_standard_library_reads_it(
    value: Any, ascii_only: bool, indent: int | None
) -> None:
    data = json.dumps(value, ensure_ascii=ascii_only, indent=indent).encode()
    assert same(decode(data), (json.loads(data), ()))
    assert same(loads_fast(data), json.loads(data))
    assert same(Scan(data.decode(), MAX_DEPTH).value(), json.loads(data))


@given(
    st.binary()
    | st.lists(st.sampled_from([*'{}[],:"\\eE+-.0123456789 truefalsnINy\n\0é', '"a":', "\\ud83d", "\\u00e9"])).map(
        lambda t: "".join(t).encode()
    )
)
def test_no_bytes_make_it_raise_and_both_ways_agree(data: bytes) -> None:
    value, faults = decode(data)
    quick = loads_fast(data)
    assert (quick is not UNREADABLE) == (not faults)
    if not faults:
        assert same(quick, value)
        assert same(Scan(data.decode(), MAX_DEPTH).value(), value)
    places = [fault.byte for fault in faults if fault.byte is not None]
    assert len(places) == len(faults) <= 8
    assert places == sorted(places)
    assert all(0 <= place <= len(data) for place in places)


READABLE: list[tuple[str, Any, str, str, int]] = [
    # text with the fault's place marked by ¦, value, kind, detail, count
    ('{"é":¦NaN}', {"é": math.nan}, "nan", "NaN", 1),
    ("[¦Infinity]", [math.inf], "nan", "Infinity", 1),
    ("¦-Infinity", -math.inf, "nan", "-Infinity", 1),
    ('["你",¦1e999]', ["你", math.inf], "overflow", "1e999", 1),
    ("¦-1E400", -math.inf, "overflow", "-1E400", 1),
    ("¦" + "9" * 400, int("9" * 400), "overflow", "400 characters", 1),
    ("¦-" + "9" * 309, -int("9" * 309), "overflow", "310 characters", 1),
    ('["' + "é" * 99 + '",¦' + "2" * 309 + "]", ["é" * 99, int("2" * 309)], "overflow", "309 characters", 1),
    ("¦" + "9" * 5000, math.inf, "overflow", "5000 characters", 1),
    ("¦" + "9" * 400 + ".5", math.inf, "overflow", "402 characters", 1),
    ('{"é":1,"b":{"é":2},¦"é":3}', {"é": 3, "b": {"é": 2}}, "duplicate-key", "\\xe9", 1),
    ('{"a":1, ¦"\\u0061" : 2}', {"a": 2}, "duplicate-key", "a", 1),
    ('["é¦\tx"]', ["é\tx"], "control-character", "U+0009", 1),
    ('{"k¦\x00":1}', {"k\x00": 1}, "control-character", "U+0000", 1),
    ('"é¦\\ud83d"', "é\ud83d", "lone-surrogate", "U+D83D", 1),
    ('"\\ud83d\\ude00¦\\ude00"', "😀\ude00", "lone-surrogate", "U+DE00", 1),
    ('"¦\\ud83d\\n\\ude00"', "\ud83d\n\ude00", "lone-surrogate", "U+D83D", 2),
    ('"¦\\ud83dé\\ude00"', "\ud83dé\ude00", "lone-surrogate", "U+D83D", 2),
    ('"¦\\ud83d\\ud83d\\ude00"', "\ud83d😀", "lone-surrogate", "U+D83D", 1),
    ('"\\\\ud83d¦\\udead"', "\\ud83d\udead", "lone-surrogate", "U+DEAD", 1),
]
BROKEN = [
    ('{"a":"é"} ¦{"a":2}', "concatenated", "a second value begins"),
    ("1 ¦2", "concatenated", "a second value begins"),
    ("{}¦[]", "concatenated", "a second value begins"),
    ("[]¦null", "concatenated", "a second value begins"),
    ("¦\ufeff{}", "bom", ""),
    ("¦", "empty", ""),
    (" \t\r\n¦", "empty", ""),
    ("¦é", "malformed", "expected a value, found '\\xe9'"),
    ("{}¦x", "malformed", "expected the end, found 'x'"),
    ("0¦1", "concatenated", "a second value begins"),
    ("[é¦]".replace("é", "1,"), "malformed", "expected a value, found ']'"),
    ('{"é":1,¦}', "malformed", "expected a key in double quotes, found '}'"),
    ("{¦a:1}", "malformed", "expected a key in double quotes, found 'a'"),
    ('{"é"¦,1}', "malformed", "expected ':', found ','"),
    ("[1 ¦2]", "malformed", "expected ',' or ']', found '2'"),
    ('{"a":1¦]', "malformed", "expected ',' or '}', found ']'"),
    ("¦'é'", "malformed", 'expected a value, found "\'"'),
    ("¦+1", "malformed", "expected a value, found '+'"),
    ("1¦.x", "malformed", "expected the end, found '.'"),
    ('"é¦\\x"', "malformed", "expected an escape such as \\n or \\u00e9, found another"),
    ('"é¦\\u12g4"', "malformed", "expected an escape such as \\n or \\u00e9, found another"),
    ("¦\x0b1", "malformed", "expected a value, found '\\x0b'"),
    ("[¦\u00a01]", "malformed", "expected a value, found '\\xa0'"),
    ('{"é":¦', "truncated", "expected a value, found the end"),
    ('{"é"¦', "truncated", "expected ':', found the end"),
    ("{¦", "truncated", "expected a key in double quotes, found the end"),
    ("[1¦", "truncated", "expected ',' or ']', found the end"),
    ('["é¦', "truncated", "expected the end of a string, found the end"),
    ('"\\¦', "truncated", "expected the end of a string, found the end"),
    ('"\\u00e¦', "truncated", "expected an escape, found the end"),
    ("tr¦", "truncated", "expected a value, found the end"),
    ("-¦", "truncated", "expected a value, found the end"),
    ("-Inf¦", "truncated", "expected a value, found the end"),
    ("1.¦", "truncated", "expected a digit, found the end"),
    ("1.5e+¦", "truncated", "expected a digit, found the end"),
]


@pytest.mark.parametrize(("marked", "value", "kind", "detail", "count"), READABLE)
def test_a_departure_that_leaves_a_value_is_named_and_placed(
    marked: str, value: Any, kind: str, detail: str, count: int
) -> None:
    place = len(marked[: marked.index("¦")].encode())
    got, faults = decode(marked.replace("¦", "").encode())
    assert same(got, value)
    assert faults == (Fault(kind=kind, detail=detail, byte=place, count=count),)


@pytest.mark.parametrize(("marked", "kind", "detail"), BROKEN)
def test_a_text_without_a_value_is_unreadable_for_a_reason_at_a_place(marked: str, kind: str, detail: str) -> None:
    place = len(marked[: marked.index("¦")].encode())
    assert decode(marked.replace("¦", "").encode()) == (UNREADABLE, (Fault(kind=kind, detail=detail, byte=place),))


@pytest.mark.parametrize(
    ("data", "kind", "byte"),
    [
        (b'{"a":"\xff"}', "invalid-utf8", 6),
        (b'"\xc3\xa9\xed\xa0\x80"', "invalid-utf8", 3),
        (b'{"a":1}\xff', "invalid-utf8", 7),
        (b"\xff", "invalid-utf8", 0),
        (b'{"a":"\xe2\x80', "truncated", 6),
        (b"{}\xe2\x80", "invalid-utf8", 2),
        (b'{"a":x"\xff"}', "malformed", 5),
    ],
)
def test_the_first_thing_that_is_wrong_decides(data: bytes, kind: str, byte: int) -> None:
    value, faults = decode(data)
    assert value is UNREADABLE
    assert [(fault.kind, fault.byte) for fault in faults] == [(kind, byte)]


def test_one_text_may_have_several_faults_each_told_once_with_its_count() -> None:
    data = '{"é":NaN,"b":[1e999,-1e999,NaN],"é":"\t\n","c":"\\udc00","é":0'.encode()
    value, faults = decode(data)
    assert value is UNREADABLE
    assert [(fault.kind, fault.byte, fault.count) for fault in faults] == [
        ("nan", data.index(b"NaN"), 2),
        ("overflow", data.index(b"1e999"), 2),
        ("duplicate-key", data.index(b'"\xc3\xa9"', 3), 2),
        ("control-character", data.index(b"\t"), 2),
        ("lone-surrogate", data.index(b"\\udc00"), 1),
        ("truncated", len(data), 1),
    ]
    assert decode(data + b"}")[0]["é"] == 0


def test_faults_come_in_the_order_of_their_bytes() -> None:
    value, faults = decode('{"é\\t":1,"é\t":2}'.encode())
    assert value == {"é\t": 2}
    assert [(fault.kind, fault.byte) for fault in faults] == [("duplicate-key", 10), ("control-character", 13)]


@pytest.mark.parametrize("depth", [MAX_DEPTH, MAX_DEPTH + 1, 100_000])
@pytest.mark.parametrize("pair", ["[]", '{"é":}'])
def test_depth_is_limited_and_costs_no_stack(pair: str, depth: int) -> None:
    opener = pair[:-1]
    data = (opener * depth + ("1" if len(pair) > 2 else "") + pair[-1] * depth).encode()
    value, faults = decode(data)
    if depth <= MAX_DEPTH:
        assert not faults
    else:
        assert value is UNREADABLE
        place = len(opener.encode()) * MAX_DEPTH
        assert faults == (Fault(kind="too-deep", detail="more than 128 levels", byte=place),)


def test_brackets_in_text_and_side_by_side_are_no_depth() -> None:
    value = [["é", "[[[{{{" * 100], *([{}, [[]]] for _ in range(300))]
    assert decode(json.dumps(value).encode(), max_depth=4) == (value, ())
    assert decode(json.dumps(value).encode(), max_depth=3)[0] is UNREADABLE


def test_size_is_limited() -> None:
    data = '["é"]'.encode()
    assert decode(data, max_bytes=6) == (["é"], ())
    assert decode(data, max_bytes=5) == (UNREADABLE, (Fault(kind="too-large", detail="6 bytes, at most 5", byte=5),))


def test_a_key_is_shown_short_and_without_what_a_terminal_would_act_on() -> None:
    key = "\\u001b[31m\u202e" + "é" * 1000
    (fault,) = decode(f'{{"{key}":1,"{key}":2}}'.encode())[1]
    assert fault.detail.startswith("\\x1b[31m\\u202e\\xe9")
    assert fault.detail.isascii()
    assert len(fault.detail) < 400


@given(values, st.data())
def test_a_fault_is_reported_at_the_byte_where_it_was_planted(value: Any, draw: st.DataObject) -> None:
    good = json.dumps(["é", value, "你", 0], ensure_ascii=False)[:-2]
    planted, kind = draw.draw(
        st.sampled_from([("NaN", "nan"), ("1e999", "overflow"), ("?", "malformed"), ("", "truncated")])
    )
    data = (good + planted + ("]" if planted else "")).encode()
    (fault,) = decode(data)[1]
    assert (fault.kind, fault.byte) == (kind, len(good.encode()))


@pytest.mark.parametrize("unit", [b"{},", b"[],", b'"\xc3\xbc",', b"0,"])
def test_more_values_than_memory_has_room_for_are_not_read(unit: bytes) -> None:
    few, many = (b"[" + unit * (MAX_VALUES * part // 4) + b"0]" for part in (1, 5))
    assert decode(few)[1] == ()
    value, (fault,) = decode(many)
    assert value is UNREADABLE
    assert (fault.kind, fault.detail) == ("too-large", f"more than {MAX_VALUES} values")
