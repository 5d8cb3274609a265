"""Laws of the YAML loader, for both of PyYAML's parsers."""

from __future__ import annotations

import json
import tracemalloc
from collections.abc import Iterator
from typing import Any

import pytest
import yaml
from hypothesis import assume, given
from hypothesis import strategies as st
from msgspec.structs import replace

from contracts.config.places import Path
from contracts.config.scalars import core
from contracts.config.yaml_loader import CASSETTE, CONFIG, Rules, load
from contracts.errors import ConfigError

SCALARS = (
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats(allow_nan=False)
    | st.text()
    | st.sampled_from(["NO", "on", "é"])
)
VALUES = st.recursive(SCALARS, lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner), max_leaves=20)
WORDS = st.text(st.characters(categories=["Ll", "Lo", "So"], max_codepoint=0xFFFF), min_size=3, max_size=8)


@pytest.fixture(params=["libyaml", "python"])
def parser(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    if request.param == "python":
        monkeypatch.setattr(yaml, "__with_libyaml__", False)
    return str(request.param)


def either_parser(data: bytes, rules: Rules = CONFIG) -> Any:
    """Value by libyaml; PyYAML's own parser has to say the same."""
    value = load(data, "é.yaml", rules).value
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(yaml, "__with_libyaml__", False)
        assert load(data, "é.yaml", rules).value == value
    return value


def ambiguous(value: Any) -> bool:
    """Whether a text of it is a number in YAML 1.2 that YAML 1.1, which PyYAML writes, leaves plain."""
    if isinstance(value, str):
        return not isinstance(core(value), str) if len(value) < 300 else True
    if isinstance(value, dict):
        return any(ambiguous(item) for pair in value.items() for item in pair)
    return isinstance(value, list) and any(ambiguous(item) for item in value)


@given(VALUES, st.booleans(), st.booleans())
def test_what_pyyaml_writes_in_quotes_is_read_back_equal(value: Any, unicode: bool, flow: bool) -> None:
    # Quoted numbers come with their tags written out.
    text = yaml.safe_dump(value, allow_unicode=unicode, default_flow_style=flow, default_style='"')
    assert either_parser(text.encode()) == value


@given(VALUES, st.booleans(), st.booleans())
def test_what_pyyaml_writes_plain_is_read_back_equal_where_both_versions_agree(
    value: Any, unicode: bool, flow: bool
) -> None:
    assume(not ambiguous(value))
    text = yaml.safe_dump(value, allow_unicode=unicode, default_flow_style=flow)
    # PyYAML may write these raw, in single quotes; here they are refused.
    assume(not any(mark in text for mark in "\x85\u2028\u2029"))
    assert either_parser(text.encode()) == value


@given(VALUES | st.dictionaries(st.text(), st.binary()), st.sampled_from([None, '"', "'", "|"]))
def test_what_vcrpy_writes_is_read_as_vcrpy_reads_it(value: Any, style: str | None) -> None:
    text = yaml.dump(value, default_style=style)
    assert either_parser(text.encode(), CASSETTE) == yaml.safe_load(text)


@given(VALUES)
def test_json_is_yaml(value: Any) -> None:
    text = json.dumps(value, ensure_ascii=False, allow_nan=False) if finite(value) else "null"
    assume(all(character.isprintable() or character in "\n\t" for character in text))
    assert either_parser(text.encode()) == json.loads(text)


def finite(value: Any) -> bool:
    return "Infinity" not in json.dumps(value)


def scalars(value: Any, path: Path = ()) -> Iterator[tuple[Path, Any, bool]]:
    """Path of every key and scalar, and whether it is a key."""
    if isinstance(value, dict):
        for key, item in value.items():
            yield (*path, key), key, True
            yield from scalars(item, (*path, key))
    elif isinstance(value, list):
        for index, item in enumerate(value):
            yield from scalars(item, (*path, index))
    else:
        yield path, value, False


NESTED = st.recursive(WORDS, lambda inner: st.lists(inner) | st.dictionaries(WORDS, inner), max_leaves=20)


@given(NESTED, st.booleans(), st.sampled_from(["\n", "\r\n"]), st.booleans())
def test_at_the_place_of_a_key_or_value_stands_its_text(value: Any, flow: bool, end: str, mark: bool) -> None:
    text = yaml.safe_dump(value, allow_unicode=True, default_flow_style=flow, width=60, default_style='"').replace(
        "\n", end
    )
    document = load((("\ufeff" if mark else "") + text).encode(), "é.yaml")
    lines = text.split(end)
    for path, written, is_key in scalars(value):
        place = document.key_place(path) if is_key else document.place(path)
        # A short piece: a long text may be folded by the writer.
        assert lines[place.line - 1][place.column - 1 :].removeprefix('"').startswith(written[:3])


@pytest.mark.usefixtures("parser")
def test_the_place_of_what_an_alias_stands_for_is_where_it_was_written() -> None:
    document = load("é: &x {b: [1, 'ü', 3]}\n日: *x\n木: [*x]\n".encode(), "ä.yaml")
    assert document.value["日"] == {"b": [1, "ü", 3]}
    assert document.at(("日", "b", 1)) == document.at(("木", 0, "b", 1)) == "ä.yaml:1:15"
    assert document.at_key(("日", "b")) == "ä.yaml:1:8"
    assert document.at_key(("日",)) == "ä.yaml:2:1"
    assert document.at(("日",)) == "ä.yaml:2:4"


@pytest.mark.usefixtures("parser")
def test_a_column_counts_characters_whatever_their_width() -> None:
    document = load('🦉é: [é, "👩‍👩‍👧", 木]'.encode(), "ä.yaml")
    assert [document.place(("🦉é", index)).column for index in range(3)] == [6, 10, 19]


@pytest.mark.usefixtures("parser")
def test_a_path_that_is_not_there_is_placed_at_its_nearest_parent() -> None:
    document = load("a:\n  ü: [1]\n".encode(), "ä.yaml")
    assert document.at(("a", "ü", 7, "x")) == "ä.yaml:2:6"
    assert document.at_key(("a", "missing")) == "ä.yaml:2:3"


@pytest.mark.usefixtures("parser")
@pytest.mark.parametrize("width", [2, 9, 50])
def test_a_billion_laughs_are_refused_in_little_memory(width: int) -> None:
    lines = ["a0: &a0 [☃, ☃]"]
    lines += [f"a{i}: &a{i} [{', '.join([f'*a{i - 1}'] * width)}]" for i in range(1, 40)]
    data = "\n".join(lines).encode()
    tracemalloc.start()
    try:
        with pytest.raises(ConfigError, match="aliases expanded"):
            load(data, "é.yaml")
        assert tracemalloc.get_traced_memory()[1] < 4 << 20
    finally:
        tracemalloc.stop()


@pytest.mark.usefixtures("parser")
def test_an_alias_counts_as_all_that_it_stands_for() -> None:
    rules = replace(CONFIG, max_nodes=13)
    data = "a: &ä [1, {b: &b [2]}, *b]\nc: *ä".replace("ä", "x").encode()
    # The root and 2 keys' values: list, 1, mapping, list, 2, alias of list and 2; keys count as well.
    assert load(data, "é.yaml", replace(CONFIG, max_nodes=19)).value["c"] == [1, {"b": [2]}, [2]]
    with pytest.raises(ConfigError, match="expected at most 13 values"):
        load(data, "é.yaml", rules)


@pytest.mark.usefixtures("parser")
@pytest.mark.parametrize("depth", [CONFIG.max_depth, CONFIG.max_depth + 1])
@pytest.mark.parametrize("pair", ["[]", "{}"])
def test_the_depth_that_is_allowed_is_allowed_and_no_more(depth: int, pair: str) -> None:
    data = ("[" * (depth - 1) + pair + "]" * (depth - 1)).encode()
    if depth <= CONFIG.max_depth:
        assert load(data, "é.yaml").value is not None
    else:
        with pytest.raises(ConfigError, match="expected at most 32 levels"):
            load(data, "é.yaml")


@pytest.mark.usefixtures("parser")
def test_deep_nesting_costs_no_more_than_it_is_allowed() -> None:
    # libyaml looks a thousand brackets ahead, and stops there by itself.
    with pytest.raises(ConfigError, match=r"expected (at most 32|fewer) levels"):
        load(b"[" * 1_000_000, "é.yaml")


def test_a_file_that_is_too_long_is_not_even_parsed() -> None:
    rules = replace(CONFIG, max_bytes=10)
    assert load(b"a: 1234567", "é.yaml", rules).value == {"a": 1_234_567}
    with pytest.raises(ConfigError, match=r"é\.yaml:1:1: expected at most 10 bytes, found 11"):
        load("a: 123456é".encode(), "é.yaml", rules)


@pytest.mark.usefixtures("parser")
@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("NO", "NO"),
        ("on", "on"),
        ("yes", "yes"),
        ("12:30:45", "12:30:45"),
        ("2026-11-30", "2026-11-30"),
        ("0o17", 15),
        ("017", 17),
        ("0x1F", 31),
        ("0b1", "0b1"),
        ("1_000", "1_000"),
        ("1e3", 1000.0),
        (".5", 0.5),
        ("5.", 5.0),
        ("-0", 0),
        ("+12", 12),
        (".inf", float("inf")),
        ("~", None),
        ("", None),
        ("'~'", "~"),
        ("Null", None),
        ("nULL", "nULL"),
        ("True", True),
        ("tRue", "tRue"),
        ("!!str 5", "5"),
        ("! 5", "5"),
        ("!!float 5", 5.0),
        ("٣", "٣"),
        ("1٣", "1٣"),
        ("0o٣", "0o٣"),
        ("=", "="),
        ('"<<"', "<<"),
    ],
)
def test_a_scalar_means_what_the_core_schema_of_yaml_1_2_says(text: str, value: Any) -> None:
    read = load(f"ä: {text}".encode(), "é.yaml").value["ä"]
    assert read == value
    assert type(read) is type(value)


@pytest.mark.parametrize("order", [(CONFIG, CASSETTE), (CASSETTE, CONFIG)])
@pytest.mark.parametrize(("text", "ours", "vcrpys"), [("0x_9", "0x_9", 9), ("7e5", 7e5, "7e5"), ("Off", "Off", False)])
def test_what_one_kind_of_file_means_by_a_text_the_other_does_not(
    order: tuple[Rules, Rules], text: str, ours: Any, vcrpys: Any
) -> None:
    for rules in order:
        assert load(f"é: {text}".encode(), "é.yaml", rules).value["é"] == (vcrpys if rules.cassette else ours)


def test_a_byte_order_mark_takes_no_column() -> None:
    for mark in ("", "\ufeff"):
        with pytest.raises(ConfigError, match=r"é\.yaml:1:4: expected UTF-8, found the byte 0xFF"):
            load(f"{mark}é: ".encode() + b"\xff", "é.yaml")
        with pytest.raises(ConfigError, match=r"é\.yaml:1:4: expected text, found the control character U\+0007"):
            load(f"{mark}é: \a".encode(), "é.yaml")


@pytest.mark.usefixtures("parser")
def test_a_quoted_merge_key_is_a_key_like_any_other() -> None:
    assert load('"<<": é'.encode(), "é.yaml").value == {"<<": "é"}


@pytest.mark.usefixtures("parser")
def test_a_tag_on_a_collection_is_that_of_its_kind() -> None:
    assert load("!!map {é: !!seq [1]}".encode(), "é.yaml").value == {"é": [1]}
    with pytest.raises(ConfigError, match="found '!!seq'"):
        load("!!seq {é: 1}".encode(), "é.yaml")


@pytest.mark.usefixtures("parser")
def test_a_document_may_be_empty() -> None:
    assert load("# é\n".encode(), "é.yaml").value is None
    assert load(b"", "é.yaml").at(()) == "é.yaml:1:1"
