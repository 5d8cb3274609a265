"""Rows: what `extends` comes to, where models come from, contracts of one's own."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from contracts.config import catalogue as catalogues
from contracts.config.catalogue import Catalogue
from contracts.config.rows import merge, seconds
from contracts.errors import ConfigError

Write = Callable[..., Catalogue]
OWN = Path(__file__).parent / "own" / "acme.region-header.yaml"


@pytest.fixture
def rows(tmp_path: Path) -> Write:
    """Load a providers file of which only the rows are given, beside the files that it names."""

    def write(text: str, stdin: bytes = b"", **files: bytes) -> Catalogue:
        for name, data in files.items():
            (tmp_path / name.replace("_", ".")).write_bytes(data)
        path = tmp_path / "providers.yaml"
        path.write_text("version: 1\nproviders:\n" + text, encoding="utf-8")
        return catalogues.load(str(path), use_cache=False, stdin=iter([stdin]).__next__)

    return write


def problems(load: Callable[[], object]) -> list[str]:
    with pytest.raises(ConfigError) as caught:
        load()
    return [problem.rsplit("/", 1)[-1] for problem in caught.value.problems]


def test_a_shipped_row_is_taken_over_and_what_is_written_wins(rows: Write) -> None:
    row = rows("  openrouter: {extends: openrouter, models: [模型], base_url: 'https://例え.jp/v1/'}\n").provider(
        "openrouter"
    )
    assert row.base_url == "https://例え.jp/v1"
    assert row.api_key == "OPENROUTER_API_KEY"
    assert row.dialect == "openai-chat"
    assert row.models == ("模型",)
    assert row.contracts["reply.finish"] == {"repeats": "allowed"}


def test_parameters_are_merged_one_by_one_and_waivers_are_added(rows: Write) -> None:
    read = rows(
        """
  base:
    dialect: openai-chat
    listing: {path: /models, items: data}
    contracts: {reply.finish: {repeats: allowed, missing: allowed}, sse.done: {sentinel: none}}
    waivers: [{contract: sse.charset, because: é, owner: wir, until: 2027-01-01}]
  upper:
    extends: base
    listing: {items: models}
    contracts: {reply.finish: {missing: forbidden}}
    waivers: [{contract: sse.timing, because: ü, owner: wir, until: 2027-01-01, model: 木}]
    models: [木]
"""
    )
    row = read.provider("upper")
    assert row.contracts == {
        "reply.finish": {"repeats": "allowed", "missing": "forbidden"},
        "sse.done": {"sentinel": "none"},
    }
    assert row.listing == {"path": "/models", "items": "models"}
    assert [waiver.contract for waiver in row.waivers] == ["sse.charset", "sse.timing"]
    assert [waiver.model for waiver in row.waivers] == [None, "木"]
    bound = {one.contract.id: one.params for one in read.bound(row)}
    assert bound["reply.finish"].repeats == "allowed"
    assert bound["reply.finish"].missing == "forbidden"
    assert bound["sse.done"].sentinel == "none"
    assert {one.contract.id: one.params for one in read.bound_to_dialect("openai-chat")}[
        "sse.done"
    ].sentinel == "[DONE]"


def test_what_a_row_is_pending_for_says_nothing_of_a_row_that_rests_on_it(rows: Write) -> None:
    read = rows(
        """
  base: {dialect: openai-chat, pending: {until: 2027-01-31, because: der Schlüssel fehlt noch}}
  upper: {extends: base}
  third: {extends: upper, pending: {until: 2027-02-28, because: 等待}}
"""
    )
    pending = {name: row.pending and str(row.pending.until) for name, row in read.providers.items()}
    assert pending == {"base": "2027-01-31", "upper": None, "third": "2027-02-28"}


def test_an_explicit_null_takes_back_what_the_base_says(rows: Write) -> None:
    assert (
        rows("  é1: {}\n  a: {extends: openrouter, api_key: null}\n".replace("  é1: {}\n", "")).provider("a").api_key
        is None
    )


def test_merging_is_associative_for_what_is_merged() -> None:
    one = {"contracts": {"a.b": {"x": 1, "y": 1}}, "listing": {"items": "ü"}, "waivers": [1], "models": ["é"]}
    two = {"contracts": {"a.b": {"y": 2}}, "waivers": [2]}
    three = {"contracts": {"a.b": {"z": 3}, "c.d": {}}, "listing": {"id": "木"}, "models": []}
    assert merge(merge(one, two), three) == merge(one, merge(two, three))
    assert merge({}, one) == one


def test_a_row_may_extend_a_row_of_the_same_file_that_extends_the_shipped_one_of_its_name(rows: Write) -> None:
    read = rows("  openrouter: {extends: openrouter, models: [é]}\n  eu: {extends: openrouter, billing: none}\n")
    assert read.provider("eu").models == ("é",)
    assert read.provider("eu").base_url == "https://openrouter.ai/api/v1"
    assert read.provider("eu").billing == "none"


@pytest.mark.parametrize(
    ("name", "data"),
    [
        (
            "ids_txt",
            "\ufeff# Modèles\nz-ai/glm-5.3-flash\r\n\n  模型-7:free  # kostenlos\nz-ai/glm-5.3-flash\n".encode(),
        ),
        ("ids_yaml", "- z-ai/glm-5.3-flash\n- 模型-7:free\n".encode()),
        ("ids_json", '["z-ai/glm-5.3-flash",\n "模型-7:free"]'.encode()),
        ("ids_list", '\n["z-ai/glm-5.3-flash", "模型-7:free"]'.encode()),
    ],
)
def test_models_come_from_a_file_beside_the_providers_file(rows: Write, name: str, data: bytes) -> None:
    read = rows(f"  a: {{dialect: openai-chat, models: {{from: {name.replace('_', '.')}}}}}\n", **{name: data})
    assert read.provider("a").models == ("z-ai/glm-5.3-flash", "模型-7:free")


def test_two_rows_may_both_read_standard_input(rows: Write) -> None:
    read = rows("  a: &a {dialect: openai-chat, models: {from: '-'}}\n  b: *a\n", stdin="模型#7\n".encode())
    assert read.provider("a").models == read.provider("b").models == ("模型#7",)


def test_a_file_of_models_is_told_by_its_own_lines(rows: Write) -> None:
    text = "  a: {dialect: openai-chat, models: {from: ids.txt}}\n"
    assert problems(lambda: rows(text, ids_txt="é\nzwei ids\n\n  noch zwei\n".encode())) == [
        "ids.txt:2:1: expected one model id a line, found more",
        "ids.txt:4:3: expected one model id a line, found more",
    ]
    assert problems(lambda: rows(text, ids_txt=b"\xc3\xa9\n\xff")) == [
        "ids.txt:2:1: expected UTF-8, found the byte 0xFF"
    ]
    text = "  a: {dialect: openai-chat, models: {from: ids.json}}\n"
    assert problems(lambda: rows(text, ids_json='["é", 5, "a b"]'.encode())) == [
        "ids.json:1:7: expected a text, found 5",
        "ids.json:1:10: expected a model id without spaces, found 'a b'",
    ]
    assert problems(lambda: rows("  a: {dialect: openai-chat, models: {from: fehlt}}\n")) == [
        "fehlt: expected a file that can be read, found none (No such file or directory)"
    ]


def test_a_contract_of_ones_own_binds_the_row_that_names_it_and_no_other(rows: Write) -> None:
    read = rows(
        "  a: {extends: openrouter, contracts: {acme.region-header: {file: own.yaml}}}\n  é: {}\n".replace(
            "é: {}", "b: {extends: openrouter}"
        ),
        own_yaml=OWN.read_bytes(),
    )
    own = [one for one in read.bound(read.provider("a")) if one.contract.id == "acme.region-header"]
    assert [(one.kind, one.params.equals) for one in own] == [("header_parameter", "eu")]
    assert read.provider("a").own == ("acme.region-header",)
    assert (
        "acme.region-header" not in read.provider("a").contracts
        or read.provider("a").contracts["acme.region-header"] == {}
    )
    assert len(read.bound(read.provider("b"))) == len(read.bound(read.provider("a"))) - 1
    assert len(read.bound_to_dialect("openai-chat")) == len(read.bound(read.provider("b")))
    assert read.contract("acme.region-header").promise.startswith("An answer says")


def test_a_contract_of_ones_own_bears_the_id_by_which_it_is_named(rows: Write) -> None:
    text = "  a: {extends: openrouter, contracts: {acme.other: {file: own.yaml}}}\n"
    assert problems(lambda: rows(text, own_yaml=OWN.read_bytes())) == [
        "own.yaml:2:5: expected the id 'acme.other', found 'acme.region-header'"
    ]


def test_one_id_stands_for_one_file(rows: Write) -> None:
    text = "".join(
        f"  {row}: {{extends: openrouter, contracts: {{acme.region-header: {{file: {file}}}}}}}\n"
        for row, file in (("a", "own.yaml"), ("b", "./own.yaml"))
    )
    assert problems(lambda: rows(text, own_yaml=OWN.read_bytes()))[0].endswith(
        "expected one file for 'acme.region-header', found a second"
    )


@pytest.mark.parametrize(
    ("text", "count"), [("90s", 90), ("90m", 5_400), ("24h", 86_400), ("7d", 604_800), ("2w", 1_209_600), ("0h", 0)]
)
def test_a_duration_is_so_many_seconds(text: str, count: int, rows: Write) -> None:
    assert seconds(text) == count
    assert (
        rows(f"  ä1: {{}}\n  a: {{dialect: openai-chat, evidence_max_age: {text}}}\n".replace("  ä1: {}\n", ""))
        .provider("a")
        .evidence_max_age_s
        == count
    )


def test_a_row_that_says_nothing_has_the_careful_defaults(rows: Write) -> None:
    row = rows("  a: {dialect: openai-chat}  # ü\n").provider("a")
    assert (row.evidence_max_age_s, row.free_chats_per_day, row.billing) == (86_400, 1, "metered")
    assert (row.models, row.waivers, row.own, row.contracts, row.listing) == ((), (), (), {}, {})
    assert (row.base_url, row.api_key) == (None, None)


def test_an_unknown_name_is_answered_with_the_near_one(rows: Write) -> None:
    read = rows("  openrouter: {extends: openrouter}  # é\n")
    for ask, told in (
        (lambda: read.provider("openruter"), "unknown provider 'openruter' (did you mean 'openrouter'?)"),
        (lambda: read.contract("sse.charsets"), "unknown contract 'sse.charsets' (did you mean 'sse.charset'?)"),
        (lambda: read.dialect("openai"), "unknown dialect 'openai' (did you mean 'openai-chat'?)"),
        (lambda: read.provider("日本"), "unknown provider '日本' (expected one of openrouter)"),
    ):
        assert problems(ask) == [told]
    empty = catalogues.load(None, use_cache=False)
    assert problems(lambda: empty.provider("日本")) == ["unknown provider '日本' (no providers.yaml was found)"]


def test_the_tables_of_a_fold_know_the_rows_own_close_and_listing(rows: Write) -> None:
    read = rows(
        """
  a: {dialect: openai-chat, contracts: {sse.done: {sentinel: "[終]"}}, listing: {path: /é, items: models, id: name}}
  b: {dialect: openai-chat, contracts: {sse.done: {sentinel: none}}}
"""
    )
    tables = read.tables("openai-chat", read.provider("a"))
    assert tables.sentinels == ("[終]".encode(), b"[DONE]")
    assert (tables.listing.items, tables.listing.id) == ("models", "name")
    assert b"$schema" in tables.schema("chunk")
    assert read.tables("openai-chat", read.provider("b")).sentinels == (b"[DONE]",)
    assert read.tables("openai-chat").listing.items == "data"


def test_a_shipped_row_that_the_file_does_not_extend_is_told_apart(rows: Write) -> None:
    read = rows("  openrouter: {extends: openrouter}  # café\n")
    told = r"unknown provider 'perplexity' \(a shipped row has that name: add `perplexity: "
    with pytest.raises(ConfigError, match=told):
        read.provider("perplexity")


def test_a_folder_that_was_taken_for_a_provider_is_told(
    rows: Write, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    read = rows("  openrouter: {extends: openrouter}  # café\n")
    (tmp_path / "aufnahmen-ö").mkdir()
    monkeypatch.chdir(tmp_path)
    with pytest.raises(ConfigError, match=r"\(that is a folder; .* --replay=aufnahmen-ö\)"):
        read.provider("aufnahmen-ö")
