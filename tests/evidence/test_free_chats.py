"""No trick in a chat's path, query, headers or body gets a model past the spend guard that is not proven to be free."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from typing import Any
from urllib.parse import quote

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec import structs

from contracts import dialects
from contracts.config import catalogue
from contracts.evidence.plan import rules
from contracts.evidence.prices import ZeroPrice, prove
from contracts.evidence.rules import MAX_FREE_TOKENS, Allowed, RowRules, Sending, decide, probe_model
from contracts.facts import Listing
from contracts.listed import Model
from contracts.model import Provider

NAMES = sorted(catalogue.load(None).dialects)
BASE = "https://wolke.example/api"
FREE, DEAR = "libre-1.5", "grand-1.5"
PROOFS = {FREE: ZeroPrice(model=FREE, components=("completion", "prompt"))}
ZERO = (("completion", "0"), ("prompt", "0"))
KEYED = {"authorization": "Bearer schluessel", "content-type": "application/json"}


def asking_of(name: str) -> dialects.Asking:
    asking = dialects.load_asking(name)
    assert asking is not None
    return asking


def rules_of(name: str) -> RowRules:
    return rules(Provider(name="wolke", dialect=name, base_url=BASE, api_key="WOLKE_API_KEY"), asking_of(name))


def honest(name: str, model: str = FREE) -> Sending:
    """The free chat as the run sends it."""
    asking = asking_of(name)
    return Sending("POST", BASE + asking.chat_path(model), KEYED, asking.free_chat(model, MAX_FREE_TOKENS))


def is_sent(name: str, sending: Sending) -> bool:
    return isinstance(decide(sending, rules_of(name), PROOFS), Allowed)


def members(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    """The path of every object in a body."""
    if isinstance(value, dict):
        yield path
        for key, inner in value.items():
            yield from members(inner, (*path, key))
    elif isinstance(value, list):
        for number, inner in enumerate(value):
            yield from members(inner, (*path, number))


def put(value: Any, path: tuple[Any, ...], change: Callable[[Any], Any]) -> Any:
    """The value with what stands at a path changed."""
    if not path:
        return change(value)
    copy = dict(value) if isinstance(value, dict) else list(value)
    copy[path[0]] = put(copy[path[0]], path[1:], change)
    return copy


@pytest.mark.parametrize("name", NAMES)
def test_the_chat_that_is_proven_free_is_sent_and_counts_as_one_of_the_days(name: str) -> None:
    assert decide(honest(name), rules_of(name), PROOFS) == Allowed("post_free", free_chat=True, cap=MAX_FREE_TOKENS)


@pytest.mark.parametrize("name", NAMES)
def test_the_same_chat_with_a_model_that_nothing_proves_is_not(name: str) -> None:
    for model in (DEAR, FREE.upper(), f"{FREE} ", f"{FREE}:online", "ｌibre-1.5", "libre\u200b-1.5", f"../{FREE}", ""):
        assert not is_sent(name, honest(name, model)), model


# What is priced apart somewhere, as the APIs name it: in whichever object of a body it stands, it is not read.
EXTRAS = [
    ("tools", [{"type": "web_search"}]),
    ("tools", []),
    ("plugins", [{"id": "web"}]),
    ("web_search_options", {}),
    ("n", 2),
    ("n", 1),
    ("best_of", 2),
    ("candidateCount", 2),
    ("candidate_count", 2),
    ("models", [DEAR]),
    ("route", "fallback"),
    ("service_tier", "priority"),
    ("serviceTier", "priority"),
    ("modalities", ["audio"]),
    ("audio", {}),
    ("background", True),
    ("prediction", {}),
    ("previous_response_id", "resp_größe"),
    ("conversation", "c"),
    ("include", ["x"]),
    ("prompt", {"id": "p"}),
    ("reasoning", {"effort": "high"}),
    ("cachedContent", "c"),
    ("cached_content", "c"),
    ("toolConfig", {}),
    ("tool_config", {}),
    ("max_output_tokens", 9999),
    ("maxOutputTokens", 9999),
    ("max_tokens", 9999),
    ("max_completion_tokens", 9999),
    ("num_predict", -1),
    ("num_ctx", 9**9),
    ("responseModalities", ["IMAGE"]),
    ("thinkingConfig", {"thinkingBudget": 9999}),
    ("thinking", {"budget_tokens": 9999}),
    ("container", "c"),
    ("mcp_servers", []),
    ("documents", ["größe"]),
    ("connectors", [{"id": "web-search"}]),
    ("inlineData", {"data": "aGk="}),
    ("fileData", {}),
    ("image_url", "https://größe.example/x.png"),
    ("images", ["aGk="]),
    ("Model", DEAR),
    ("MODEL", DEAR),
    ("model ", DEAR),
    ("mödel", DEAR),
    ("model\x00", DEAR),
    ("engine", DEAR),
    ("deployment", DEAR),
    ("keep_alive", -1),
    ("system", "größe"),
    ("stream_options", {"include_usage": True, "x": 1}),
]


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(("member", "value"), EXTRAS)
def test_a_member_that_may_be_priced_apart_is_refused_wherever_it_stands(name: str, member: str, value: Any) -> None:
    body = json.loads(honest(name).body)
    for path in members(body):
        changed = put(body, path, lambda held: {**held, member: value})
        assert not is_sent(name, honest(name)._replace(body=json.dumps(changed).encode())), path


ODD = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=4),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3),
    max_leaves=5,
)


@pytest.mark.parametrize("name", NAMES)
@given(data=st.data())
@settings(max_examples=150, deadline=None)
def test_whatever_is_changed_in_a_body_it_still_asks_for_the_free_model_alone_and_little_of_it(
    name: str, data: st.DataObject
) -> None:
    body = json.loads(honest(name).body)
    path = data.draw(st.sampled_from(list(members(body))))
    member = data.draw(st.sampled_from(sorted(at(body, path))) | st.text(max_size=8))
    value = data.draw(ODD | st.sampled_from([DEAR, FREE, 65, 64, -1, 1e3, [FREE], {"text": "größe"}]))
    changed = put(body, path, lambda old: {**old, member: value})
    sent = json.dumps(changed, ensure_ascii=data.draw(st.booleans())).encode("utf-8", "surrogatepass")
    if not is_sent(name, honest(name)._replace(body=sent)):
        return
    told = [pair for place in members(changed) for pair in at(changed, place).items()]
    caps = [v for k, v in told if k.lower().replace("_", "") in CAPS and v is not None]
    assert caps
    assert all(type(cap) is int and 1 <= cap <= MAX_FREE_TOKENS for cap in caps)
    assert changed.get("model", FREE) == FREE
    assert {k for k, _ in told} <= READ


CAPS = ("maxtokens", "maxcompletiontokens", "maxoutputtokens", "numpredict")
READ = {
    "model",
    "messages",
    "role",
    "content",
    "stream",
    "stream_options",
    "include_usage",
    "temperature",
    "store",
    "input",
    "prompt",
    "options",
    "contents",
    "parts",
    "text",
    "generationConfig",
    "max_tokens",
    "max_completion_tokens",
    "max_output_tokens",
    "maxOutputTokens",
    "num_predict",
}


def at(value: Any, path: tuple[Any, ...]) -> dict[str, Any]:
    for step in path:
        value = value[step]
    found: dict[str, Any] = value
    return found


@pytest.mark.parametrize("name", NAMES)
@given(data=st.data())
@settings(max_examples=100, deadline=None)
def test_a_key_that_stands_twice_is_refused_however_it_is_written(name: str, data: st.DataObject) -> None:
    body = honest(name).body.decode()
    key = data.draw(st.sampled_from(list(json.loads(body))))
    at_place = data.draw(st.integers(0, len(key) - 1))
    escaped = f"{key[:at_place]}\\u{ord(key[at_place]):04x}{key[at_place + 1 :]}"
    spelled = data.draw(st.sampled_from([key, escaped]))
    value = data.draw(st.sampled_from([f'"{DEAR}"', "9999", "null", "[]", json.dumps(json.loads(body)[key])]))
    twice = data.draw(st.sampled_from([f'{{"{spelled}":{value},{body[1:]}', f'{body[:-1]},"{spelled}":{value}}}']))
    assert not is_sent(name, honest(name)._replace(body=twice.encode()))


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "change",
    [
        lambda b: b"\xef\xbb\xbf" + b,
        lambda b: b + b"{}",
        lambda b: b"[" + b + b"]",
        lambda _: b"",
        lambda b: b[:-1],
        lambda b: b.decode().encode("utf-16"),
        lambda b: b.replace(b"64", b"64.0"),
        lambda b: b.replace(b"64", b"6.4e1"),
        lambda b: b.replace(b"64", b"true"),
        lambda b: b.replace(b"64", b'"64"'),
        lambda b: b.replace(b"64", b"65"),
        lambda b: b.replace(b"64", b"0"),
        lambda b: b.replace(b"64", b"-1"),
        lambda b: b.replace(b"64", b"NaN"),
        lambda b: b.replace(b"64", b"64/**/"),
        lambda b: b.replace(b"64", b"0x40"),
        lambda b: b.replace(b"64", b"null"),
    ],
)
def test_a_body_that_another_reader_may_read_in_another_way_is_refused(name: str, change: Any) -> None:
    sending = honest(name)
    assert change(sending.body) != sending.body
    assert not is_sent(name, sending._replace(body=change(sending.body)))


PIECES = st.sampled_from(
    [
        "/",
        "//",
        "/.",
        "/..",
        "../",
        "..",
        "models",
        "tunedModels",
        DEAR,
        FREE,
        "%2F",
        "%2f",
        "%252F",
        "%2e%2e",
        "\\",
        "%5c",
        ";",
        ";x=1",
        "?",
        "#",
        "&",
        "=",
        "?model=" + DEAR,
        "&model=" + DEAR,
        "?alt=sse",
        ":",
        "%3A",
        ":generateContent",
        ":streamGenerateContent",
        "chat",
        "completions",
        "Chat",
        "responses",
        "messages",
        "api",
        "%00",
        "\x00",
        "\n",
        "\t",
        " ",
        "\u200b",
        "ä",
        "%C3%A4",
        "@",
        "*",
        "v2",
        "v1",
    ]
)


@pytest.mark.parametrize("name", NAMES)
@given(data=st.data())
@settings(max_examples=250, deadline=None)
def test_no_other_url_than_the_chats_own_is_taken_for_it(name: str, data: st.DataObject) -> None:
    sending = honest(name)
    path = sending.url.removeprefix(BASE)
    cut = data.draw(st.integers(0, len(path)))
    upto = data.draw(st.integers(cut, len(path)))
    url = BASE + path[:cut] + "".join(data.draw(st.lists(PIECES, max_size=4))) + path[upto:]
    if url != sending.url:
        assert not is_sent(name, sending._replace(url=url)), url


@pytest.mark.parametrize("name", NAMES)
@given(data=st.data())
@settings(max_examples=250, deadline=None)
def test_no_catalogue_opens_a_path_that_a_careless_server_takes_for_a_chats(name: str, data: st.DataObject) -> None:
    permitted = structs.replace(rules_of(name), catalogue=(("POST", "/api/{id}"), ("POST", "/{id}")))
    honest_path = honest(name, DEAR).url.removeprefix("https://wolke.example")
    path = honest_path.partition("?")[0]
    for _ in range(data.draw(st.integers(0, 3))):
        place = data.draw(st.integers(1, len(path) - 1))
        path = data.draw(
            st.sampled_from(
                [
                    path.swapcase(),
                    path.replace("/", "//"),
                    path + "/",
                    path + ";größe=1",
                    quote(path, safe="/"),
                    path[:place] + f"%{ord(path[place]) & 127:02X}" + path[place + 1 :]
                    if path[place].isascii()
                    else path,
                    path.replace("/", "/./"),
                    path.replace("/", "/x/../"),
                    "/" + path[1:].replace("/", "%2F"),
                ]
            )
        )
    decided = decide(honest(name, DEAR)._replace(url=f"https://wolke.example{path}"), permitted, PROOFS)
    assert not isinstance(decided, Allowed), path


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("foreign", NAMES)
def test_no_catalogue_holds_the_chat_of_another_dialect(name: str, foreign: str) -> None:
    sending = honest(foreign, DEAR)
    path = sending.url.removeprefix("https://wolke.example").partition("?")[0]
    permitted = structs.replace(rules_of(name), catalogue=(("POST", path), ("POST", "/api/{id}")))
    assert not isinstance(decide(sending._replace(url=f"https://wolke.example{path}"), permitted, {}), Allowed)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize(
    "more",
    [
        {"anthropic-beta": "web-search-2025-03-05"},
        {"openai-organization": "org"},
        {"x-goog-user-project": "p"},
        {"x-model": DEAR},
        {"x-http-method-override": "POST"},
        {"content-encoding": "gzip"},
        {"content-type": "application/x-www-form-urlencoded"},
        {"host": "größe.example"},
        {"cookie": "a=b"},
    ],
)
def test_a_header_that_may_change_the_terms_is_refused(name: str, more: dict[str, str]) -> None:
    assert is_sent(name, honest(name))
    assert not is_sent(name, honest(name)._replace(headers={**KEYED, **more}))


@pytest.mark.parametrize("name", NAMES)
def test_the_chat_without_a_key_names_no_model_that_there_is(name: str) -> None:
    asking, keyless = asking_of(name), {"content-type": "application/json"}
    model = probe_model(asking.CHAT)
    probe = Sending("POST", BASE + asking.chat_path(model), keyless, asking.probe(model))
    assert decide(probe, rules_of(name), {}) == Allowed("post_free")
    dear = Sending("POST", BASE + asking.chat_path(DEAR), keyless, asking.probe(DEAR))
    assert not is_sent(name, dear)


def test_a_model_is_one_with_and_without_the_prefix_of_its_listing() -> None:
    page = Listing(models=(Model(id=f"models/{FREE}", aliases=(FREE,), prices=ZERO),))
    for asked in (FREE, f"models/{FREE}"):
        proof = prove(asked, [page], "models/")
        assert proof is not None
        sending = honest("gemini", asked)
        assert isinstance(decide(sending, rules_of("gemini"), {asked: proof}), Allowed), asked
    assert prove(FREE, [page]) is None
    both = Listing(models=(*page.models, Model(id=FREE, prices=(("completion", "1"), ("prompt", "0")))))
    assert prove(FREE, [both], "models/") is None
    assert prove(f"models/{FREE}", [both], "models/") is None


@pytest.mark.parametrize("place", range(len(FREE)))
def test_a_model_in_a_path_is_written_in_one_way_alone(place: int) -> None:
    for escape in (f"%{ord(FREE[place]):02X}", f"%{ord(FREE[place]):02x}", f"%25{ord(FREE[place]):02X}"):
        url = honest("gemini").url.replace(FREE, FREE[:place] + escape + FREE[place + 1 :])
        assert not is_sent("gemini", honest("gemini")._replace(url=url))


ODD_IDS = [
    f"../models/{DEAR}",
    f"..\\{DEAR}",
    f"x/../{DEAR}",
    f"{DEAR}?x",
    f"{DEAR}#x",
    f"{DEAR}:x",
    f"{DEAR};x",
    "..",
    ".",
]


@pytest.mark.parametrize("model", [*ODD_IDS, "größe", " ", "%2e%2e", f"{DEAR}\x00", f"{DEAR}:generateContent"])
def test_a_model_of_an_odd_name_is_not_asked_by_its_path_though_a_listing_prices_it_at_nothing(model: str) -> None:
    proof = ZeroPrice(model=model, components=("completion", "prompt"))
    decided = decide(honest("gemini", model), rules_of("gemini"), {model: proof, f"models/{model}": proof})
    assert not isinstance(decided, Allowed)


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("layers", [1, 2, 3])
def test_a_catalogue_may_not_name_a_chat_in_layers_of_escapes(name: str, layers: int) -> None:
    path = honest(name, DEAR).url.removeprefix("https://wolke.example").partition("?")[0]
    hidden = "/" + "".join(f"%{ord(char):02X}" for char in path[1:])
    for _ in range(layers - 1):
        hidden = hidden.replace("%", "%25")
    permitted = structs.replace(rules_of(name), catalogue=(("POST", hidden),))
    decided = decide(honest(name, DEAR)._replace(url=f"https://wolke.example{hidden}"), permitted, {})
    assert not isinstance(decided, Allowed)


OTHER_BILLS = [
    "/v1/embeddings",
    "/v2/rerank",
    "/v1/images/generations",
    "/v1/audio/speech",
    "/v1/audio/transcriptions",
    "/model/größe/converse",
    "/model/größe/invoke-with-response-stream",
    "/v1/models/größe/predictions",
    "/v1/projects/p/models/größe:rawPredict",
    "/v1/responses/",
    "/V1/Embeddings",
    "/v1/batches",
    "/v1beta/models/größe:batchEmbedContents",
]


@pytest.mark.parametrize("path", OTHER_BILLS)
def test_a_catalogue_holds_no_other_endpoint_that_bills_either(path: str) -> None:
    shown = quote(path, safe="/:")
    permitted = structs.replace(rules_of("openai-chat"), catalogue=(("POST", shown), ("POST", "/{id}")))
    sending = honest("openai-chat")._replace(url=f"https://wolke.example{shown}")
    assert not isinstance(decide(sending, permitted, PROOFS), Allowed)
    assert isinstance(decide(sending._replace(url="https://wolke.example/v1/show"), permitted, PROOFS), Allowed)
