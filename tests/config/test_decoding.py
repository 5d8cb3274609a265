"""The two judges of a decoded file, msgspec and the published JSON Schema, never disagree."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

import jsonschema_rs
import msgspec
import pytest
import yaml
from hypothesis import example, given, settings
from hypothesis import strategies as st

from contracts.config.binding import check_module, kinds
from contracts.config.decode import decode, telling
from contracts.config.file_form import File
from contracts.config.places import Path
from contracts.config.schema_faults import problems
from contracts.config.schemas import schema_of
from contracts.config.yaml_loader import load
from contracts.errors import ConfigError
from contracts.model import Contract

GOOD_FILE: dict[str, Any] = {
    "version": 1,
    "providers": {
        "acme": {
            "extends": "openrouter",
            "dialect": "openai-chat",
            "base_url": "https://例え.jp/v1",
            "api_key": "ACME_API_KEY",
            "models": ["模型-7", "qwen3.6-35b"],
            "listing": {"path": "/models", "items": "data", "id": "id"},
            "evidence_max_age": "24h",
            "free_chats_per_day": 1,
            "billing": "none",
            "contracts": {"reply.finish": {"repeats": "allowed"}},
            "waivers": [{"contract": "sse.charset", "because": "läuft", "owner": "wir", "until": "2027-03-01"}],
            "sources": [{"says": "é", "where": "https://example.org/", "read": "2026-11-30"}],
        },
        "b": {"models": {"from": "-"}},
    },
    "notes": ["sqlite:////var/lib/é.db"],
}
GOOD_CONTRACT: dict[str, Any] = {
    "id": "acme.end",
    "promise": "Es endet",
    "why": "Sonst wartet man — lange",
    "basis": "hazard",
    "source": {"url": "https://example.org/", "read": "2026-11-30"},
    "needs": "chat",
    "scope": "provider",
    "severity": "error",
    "check": {"kind": "close_marker"},
    "note": "",
}
ODD: list[Any] = [
    {"0": None, "007": [], "+1": 2},
    {"": {"": [{"0": None}]}},
    None,
    True,
    False,
    0,
    1,
    -1,
    2,
    1.0,
    0.5,
    10**30,
    1e30,
    "",
    "x",
    "none",
    "é",
    "1\n",
    "24h\n",
    "2026-11-30\n",
    "openai-chat\n",
    "ACME\n",
]
ODD += [
    [],
    [None],
    ["é"],
    {},
    {"é": 1},
    {"from": "x"},
    {"from": 5},
    "٢٠٢٦-١١-٣٠",
    "2026-02-30",
    "2026-11-30T00:00:00Z",
    "a.b\n",
    "https://x/\n",
]
JSON = st.recursive(
    st.sampled_from(ODD).map(copy.deepcopy)
    | st.text()
    | st.integers()
    | st.floats(allow_nan=False, allow_infinity=False),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=5,
)


def paths(value: Any, path: Path = ()) -> Iterator[Path]:
    yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        yield from paths(item, (*path, key))


def spoiled(good: Any, draw: Any) -> Any:
    """The value with one thing changed, taken away or added."""
    value = copy.deepcopy(good)
    for _ in range(draw(st.integers(1, 3))):
        path = draw(st.sampled_from(sorted(paths(value), key=str)))
        if not path:
            return draw(JSON)
        inside = value
        for step in path[:-1]:
            inside = inside[step]
        how = draw(st.sampled_from(["change", "drop", "add", "rename"]))
        if how == "drop":
            del inside[path[-1]]
        elif how == "add" and isinstance(inside[path[-1]], dict):
            inside[path[-1]][draw(st.text() | st.sampled_from(["x", "file", "until", "a\n"]))] = draw(JSON)
        elif how == "rename" and isinstance(inside, dict):
            inside[draw(st.text() | st.sampled_from(["acme\n", "é"]))] = inside.pop(path[-1])
        else:
            inside[path[-1]] = draw(JSON)
    return value


def agree(value: Any, kind: type) -> None:
    """Either both take it, or both refuse it and every problem has words of ours."""
    data = yaml.safe_dump(value, default_style='"').encode()
    document = load(data, "é.yaml")
    assert document.value == value
    tell = telling(document, lambda path: f"«{path}»")
    refusal = None
    try:
        msgspec.convert(value, kind)
    except msgspec.ValidationError as error:
        refusal = str(error)
    if refusal is None:
        schema = msgspec.json.schema(kind)
        assert jsonschema_rs.Draft202012Validator(schema, validate_formats=True).is_valid(value)
        return
    told = problems(value, kind, tell, refusal)
    assert told
    assert not [line for line in told if "a fault:" in line], (told, refusal)
    with pytest.raises(ConfigError):
        decode(value, kind, tell)


@given(st.data())
def test_on_a_spoiled_providers_file_both_judges_agree(data: st.DataObject) -> None:
    agree(spoiled(GOOD_FILE, data.draw), File)


@given(st.data())
def test_on_a_spoiled_contract_both_judges_agree(data: st.DataObject) -> None:
    agree(spoiled(GOOD_CONTRACT, data.draw), Contract)


@pytest.mark.parametrize("kind", kinds())
@settings(max_examples=25)
@given(value=st.dictionaries(st.text(), JSON, max_size=3), odd=st.data())
def test_on_any_parameters_of_a_check_both_judges_agree(kind: str, value: dict[str, Any], odd: st.DataObject) -> None:
    contract = msgspec.convert({**GOOD_CONTRACT, "check": {"kind": kind}}, Contract)
    parameters = check_module(contract, load(b"{}", "é.yaml")).Parameters
    names = [field.encode_name for field in msgspec.structs.fields(parameters)]
    if names:
        value = {**value, odd.draw(st.sampled_from(names)): odd.draw(JSON)}
    agree(value, parameters)


def test_the_good_files_are_good() -> None:
    agree(GOOD_FILE, File)
    agree(GOOD_CONTRACT, Contract)
    for name, value in (("providers", GOOD_FILE), ("contract", GOOD_CONTRACT)):
        assert jsonschema_rs.Draft202012Validator(schema_of(name)).is_valid(value)


@given(st.data())
@example(None)
def test_a_problem_stands_at_the_place_of_what_was_spoiled(data: st.DataObject | None) -> None:
    value = copy.deepcopy(GOOD_FILE)
    value["providers"]["acme"]["waivers"][0]["until"] = (
        5 if data is None else data.draw(JSON.filter(lambda odd: not isinstance(odd, str)))
    )
    document = load(yaml.safe_dump(value, default_style='"').encode(), "é.yaml")
    path = ("providers", "acme", "waivers", 0, "until")
    with pytest.raises(ConfigError) as caught:
        decode(value, File, telling(document, lambda _path: "«»"))
    assert len(caught.value.problems) == 1
    assert caught.value.problems[0].startswith(f"{document.at(path)}: expected ")
