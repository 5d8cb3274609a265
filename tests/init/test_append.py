"""A row is added, and not a byte of what was there is touched."""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from contracts.config.append import appended
from contracts.errors import ConfigError

ROW: dict[str, Any] = {"extends": "openrouter", "models": ["größe/x:free", "123", "no", "1e3", "- é", "#é"]}

FILES = [
    "version: 1\nproviders:\n  größe:\n    dialect: x\n",
    "version: 1\nproviders:\n  größe:\n    dialect: x",
    "version: 1\nproviders:\n  größe: {dialect: x}  # warum\n\n# ende — é\nnotes: [a]\n",
    "# oben\nversion: 1\nproviders:\n      größe:\n            dialect: x\n      # über b\n      b: {}\n# unten",
    "version: 1\r\nproviders:\r\n  größe:\r\n    dialect: x\r\n",
    "\ufeffversion: 1\nproviders:\n  a: &x\n    d: 1\n  b: *x\n",
    "version: 1\nproviders:\nnotes: []\n",
    "providers:\n  a:\n    x: |\n      wörtlich\n\n\n    y: >-\n      gefaltet\n      é\n\nversion: 1\n",
    'version: 1\nproviders:\n  "a b":\n    ? key\n    : [1,\n 2]\n  c:\n  - é\n  -\n',
    "---\nversion: 1\nproviders:\n  a: 'it''s\n\n    é'\n...\n",
]


@pytest.mark.parametrize("text", FILES)
def test_a_row_is_added_and_not_a_byte_of_what_was_there_is_touched(text: str) -> None:
    after = appended(text, "acme", ROW, "providers.yaml")
    before, now = yaml.safe_load(text), yaml.safe_load(after)
    assert now == {**before, "providers": {**(before["providers"] or {}), "acme": ROW}}
    start = next(at for at in range(len(text) + 1) if at == len(text) or text[at] != after[at])
    tail = text[start:]
    assert after.startswith(text[:start])
    assert after.endswith(tail)
    assert after.count("\r\n") == (after.count("\n") if "\r\n" in text else 0)


@pytest.mark.parametrize("text", FILES)
def test_a_second_row_goes_behind_the_first(text: str) -> None:
    twice = appended(appended(text, "acme", ROW, "p"), "globex", ROW, "p")
    assert list(yaml.safe_load(twice)["providers"])[-2:] == ["acme", "globex"]


@pytest.mark.parametrize("text", [None, "", "\n\n", "\ufeff"])
def test_a_file_that_is_not_there_or_empty_becomes_one(text: str | None) -> None:
    assert yaml.safe_load(appended(text, "acme", ROW, "p")) == {"version": 1, "providers": {"acme": ROW}}


@pytest.mark.parametrize(
    "text",
    [
        "version: 1\nproviders: {}\n",
        '{"version": 1, "providers": {"größe": {}}}',
        "version: 1\nproviders: {größe: {},\n  b: {}}\n",
        "version: 1\n",
        "- é\n",
        "version: 1\nproviders: &rows\n  <<: {a: {b: 1}}\n  c: {d: 1}\ncopy: *rows\n",
    ],
)
def test_where_no_row_can_be_added_the_row_is_shown(text: str) -> None:
    with pytest.raises(ConfigError, match=r"p: expected rows in block style (.|\n)*add this by hand:\n  acme:\n"):
        appended(text, "acme", ROW, "p")


def test_a_row_that_is_there_is_left_as_it_is() -> None:
    with pytest.raises(ConfigError, match="p: expected no provider 'größe', found one; it is left as it is"):
        appended(FILES[0], "größe", ROW, "p")


NAMES = st.from_regex(r"[a-z][a-z0-9-]{0,8}", fullmatch=True)
VALUES = st.recursive(
    st.none() | st.integers() | st.text(max_size=30),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)


@settings(max_examples=50, deadline=None, suppress_health_check=[HealthCheck.too_slow])
@given(st.dictionaries(NAMES, VALUES, min_size=1, max_size=4), st.integers(1, 6), st.booleans())
def test_any_file_in_block_style_takes_a_row(rows: dict[str, Any], indent: int, last: bool) -> None:
    rest = {"notes": ["é"]} if not last else {}
    text = yaml.safe_dump(
        {"version": 1, "providers": rows, **rest}, indent=max(indent, 2), sort_keys=False, default_flow_style=False
    )
    rows.pop("acme", None)
    if "acme" in yaml.safe_load(text)["providers"]:
        return
    after = appended(text, "acme", ROW, "p")
    assert yaml.safe_load(after)["providers"] == {**yaml.safe_load(text)["providers"], "acme": ROW}
