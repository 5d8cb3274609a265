"""Every scenario that no contract shows is shown here by the bytes it sends."""

from __future__ import annotations

import gzip
import json
import ssl
import zlib
from collections.abc import Callable, Iterator
from decimal import Decimal
from typing import Any
from unicodedata import category, name

import pytest

from contracts import dialects
from contracts.config import catalogue as catalogues
from contracts.errors import ConfigError
from contracts.fold import Fold
from contracts.testing import TEXT, HostileProvider, known_scenarios, text_of
from contracts.testing.answer import cut
from contracts.testing.reply import PIECES

MIB = 1 << 20
Check = Callable[[Any], bool]


def entries(got: Any) -> list[dict[str, Any]]:
    """Give the models of a listing."""
    listed: list[dict[str, Any]] = json.loads(got.body)["data"]
    return listed


def every_price(got: Any, name: str) -> set[object]:
    """Give the values that a component of the price has in a listing."""
    return {e.get("pricing", {}).get(name) for e in entries(got)}


def unpacked(body: bytes, limit: int) -> bytes:
    """Decompress so much of a gzip body."""
    return zlib.decompressobj(zlib.MAX_WBITS | 16).decompress(body, limit)


def is_told(got: Any) -> bool:
    """Tell whether a stream arrived with all its text."""
    return got.is_whole and text_of(got.body) == TEXT


# By name: what has to be true of the answer. Where the text arrives whole, that is said as well.
SHOWS: dict[str, Check] = {
    "honest": lambda got: is_told(got) and got.header("content-type") == "text/event-stream",
    "declared": lambda got: is_told(got) and got.header("content-type") == "text/event-stream; charset=utf-8",
    "keyless": lambda got: got.status == 404 and json.loads(got.body)["error"]["code"] == "model_not_found",
    "lf": lambda got: is_told(got) and b"\r" not in got.body,
    "cr": lambda got: is_told(got) and b"\n" not in got.body,
    "no-space": lambda got: is_told(got) and b"data: " not in got.body and b"data:{" in got.body,
    "bom": lambda got: got.body.startswith(b"\xef\xbb\xbf: processing"),
    "data-on-two-lines": lambda got: got.body.count(b"\r\ndata: ") > 2 * got.body.count(b"\r\n\r\n") - 4,
    "brief": lambda got: text_of(got.body) == "Déjà vu — 日本語、\U0001f469\u200d\U0001f467\u200d\U0001f680 “fin”",
    "comments": lambda got: is_told(got) and got.body.count(b": processing\r\n\r\n") > 10,
    "escaped": lambda got: is_told(got) and got.body.isascii() and rb"\ud83d\ude80" in got.body,
    "tool-calls": lambda got: got.body.count(b'"type":"function"') == 2 and b'"index":1' in got.body,
    "reasoning": lambda got: is_told(got) and b"reasoning_content" in got.body,
    "prompt-filter": lambda got: is_told(got) and b'data: {"id":"","object":""' in got.body,
    "early-hints": lambda got: is_told(got) and got.raw.startswith(b"HTTP/1.1 103 "),
    "until-close": lambda got: is_told(got) and not got.header("transfer-encoding") + got.header("content-length"),
    "byte-by-byte": lambda got: is_told(got) and {len(piece) for piece in got.pieces} == {1},
    "listing-huge": lambda got: len(entries(got)) == 100_003,
    "listing-endless": lambda got: len(entries(got)) == 23 and json.loads(got.body)["has_more"],
    "not-for-chat": lambda got: {e["architecture"]["modality"] for e in entries(got)} == {"text->embeddings"},
    "deprecated": lambda got: {e["deprecation_date"] for e in entries(got)} == {"2027-01-31"},
    "no-endpoints": lambda got: json.loads(got.body)["data"]["endpoints"] == [],
    "price-hidden": lambda got: every_price(got, "prompt") == {"0"} and every_price(got, "request") == {"0.01"},
    "price-tiny": lambda got: all(float(p) == 0 < Decimal(p) for p in map(str, every_price(got, "prompt"))),
    "price-negative": lambda got: every_price(got, "completion") == {"-1"},
    "price-words": lambda got: every_price(got, "prompt") | every_price(got, "completion") == {"free", "NaN"},
    "price-partial": lambda got: every_price(got, "prompt") == {"0"} and every_price(got, "completion") == {None},
    "price-missing": lambda got: not any("pricing" in e for e in entries(got)),
    "price-in-listing-only": lambda got: every_price(got, "prompt") == {"0"},
    "listing-changes": lambda got: every_price(got, "prompt") == {"0", "0.0000006", "0.000003"},
    "models-vanish": lambda got: len(entries(got)) == 3,
    "slow-loris": lambda got: is_told(got) and {len(piece) for piece in got.pieces} == {1},
    "slow-headers": lambda got: got.raw.count(b"\r\nX-Slow-") > 1000 and b"\r\n\r\n" not in got.raw,
    "stall-before-headers": lambda got: got.raw == b"",
    "pause-mid-stream": is_told,
    "one-block": lambda got: is_told(got) and len(got.pieces) == 1,
    "keep-alive-for-ever": lambda got: got.body.count(b": keep-alive\r\n\r\n") > 1000 and b"data" not in got.body,
    "endless-body": lambda got: len(got.body) > 4 * MIB and not got.is_whole and text_of(got.body) == TEXT,
    "length-too-long": lambda got: int(got.header("content-length")) == len(got.body) + 100 and not got.is_whole,
    "reset-at-once": lambda got: got.raw == b"" and got.is_reset,
    "close-at-once": lambda got: got.raw == b"" and not got.is_reset,
    "not-http": lambda got: got.raw == "SSH-2.0-OpenSSH_9.6 é\r\n".encode(),
    "header-flood": lambda got: is_told(got) and len(got.headers) > 10_000,
    "header-huge": lambda got: is_told(got) and len(got.header("x-huge")) == 1_000_000,
    "gzip": lambda got: text_of(gzip.decompress(got.body)) == TEXT and got.header("content-encoding") == "gzip",
    "gzip-header-plain-body": lambda got: is_told(got) and got.header("content-encoding") == "gzip",
    "gzip-cut": lambda got: len(unpacked(got.body, MIB)) > 0 and b"[DONE]" not in unpacked(got.body, MIB),
    "gzip-unlabelled": lambda got: text_of(gzip.decompress(got.body)) == TEXT and not got.header("content-encoding"),
    "gzip-bomb": lambda got: got.is_whole and len(got.body) < 2 * MIB and len(unpacked(got.body, 64 * MIB)) == 64 * MIB,
}
ENDLESS = {"slow-headers": MIB // 32, "keep-alive-for-ever": MIB // 32, "endless-body": 5 * MIB}  # how much is read
# Tests of their own below, and in tests/canary.
ELSEWHERE = ("line-200mb", "tls-expired", "tls-other-host", "echo", "echo-marks-dropped", "echo-text-normalised",
             "echo-in-a-fence")  # fmt: skip


@pytest.mark.parametrize("name", SHOWS)
def test_a_scenario_sends_what_it_says(name: str, play: Callable[..., Any]) -> None:
    scenario = known_scenarios()[name]
    shown = "keyless" if name == "keyless" else "listing" if scenario.violates == "models.drift" else scenario.shown
    got = play(name, shown=shown, limit=ENDLESS.get(name, 64 * MIB))
    assert SHOWS[name](got), got.raw[:2000]


def test_every_scenario_is_shown_by_its_bytes_or_by_the_contract_it_breaks() -> None:
    wire = ("http.content-encoding", "sse.timing", "models.drift")
    unseen = [s.name for s in known_scenarios().values() if s.violates is None or s.violates in wire]
    assert sorted(unseen) == sorted({*SHOWS, *ELSEWHERE} - {"honest", "line-200mb"})


def test_writes_are_cut_inside_characters_and_inside_line_ends(play: Callable[..., Any]) -> None:
    got = play("honest")
    pairs = zip(got.pieces, got.pieces[1:], strict=False)
    inside_line_ends = sum(one.endswith(b"\r") and then.startswith(b"\n") for one, then in pairs)
    inside_characters = sum(0x80 <= piece[0] < 0xC0 for piece in got.pieces)
    assert inside_line_ends == got.body.count(b"\r\n")
    assert inside_characters == sum(not c.isascii() for c in got.body.decode())
    assert got.raw.index(b"\r\n\r\n") > 0


def test_the_honest_text_is_what_breaks_readers() -> None:
    starts = {category(piece[0]) for piece in PIECES}
    assert {"Mn", "Cf"} <= starts  # deltas that begin inside a character as people see it
    names = " ".join(name(c, "") for c in TEXT)
    for script in ("CJK UNIFIED", "HANGUL", "GREEK", "CYRILLIC", "HEBREW", "EM DASH", "ZERO WIDTH JOINER"):
        assert script in names
    assert {len(c.encode()) for c in TEXT} == {1, 2, 3, 4}


@pytest.mark.parametrize("text", ["", "a", "é", "\r\n", "日本\r\n\r\n👩‍🚀", "e\u0301" * 40_000])
def test_cutting_loses_nothing(text: str) -> None:
    pieces = list(cut(text.encode()))
    assert b"".join(pieces) == text.encode()
    assert not any(piece.decode("utf-8", "ignore").encode() == piece and not piece.isascii() for piece in pieces)


def streamed(name: str, client: Any) -> Iterator[bytes]:
    """Read the body of a stream as it comes, without keeping it."""
    with HostileProvider("declared", name, "until-close") as provider, client.connect(provider) as connection:
        connection.sendall(client.to_bytes(client.request_for("stream")))
        head = b""
        for piece in client.received(connection, 1 << 30):
            if not head.endswith(b"\r\n\r\n"):
                head += piece
                if b"\r\n\r\n" in head:
                    head, _, rest = head.partition(b"\r\n\r\n")
                    head += b"\r\n\r\n"
                    yield rest
            else:
                yield piece


def test_a_line_of_200_mb_is_sent_whole_and_found_too_long(client: Any) -> None:
    tables = catalogues.load(None).tables("openai-chat")
    headers = (("Content-Type", "text/event-stream; charset=utf-8"),)
    fold = Fold(client.request_for("stream"), 200, headers, dialects.load("openai-chat"), tables)
    for piece in streamed("line-200mb", client):
        fold.feed(piece)
    facts = fold.finish("complete")
    assert facts.body.bytes > 200_000_000
    assert facts.framing is not None
    assert facts.framing.over_limit is not None
    assert facts.reply is not None
    assert facts.reply.close.count == 1


def test_pages_of_an_endless_listing_go_on_where_the_last_one_ended(client: Any) -> None:
    with HostileProvider("listing-endless") as provider:
        first = client.ask(provider, client.request_for("listing"))
        last = json.loads(first.body)["last_id"]
        second = client.ask(provider, client.request_for("listing", url=f"/v1/models?after_id={last}"))
    assert json.loads(second.body)["has_more"]
    assert len({e["id"] for e in entries(first) + entries(second)}) == 43


def test_a_listing_that_changes_is_paid_at_every_second_poll_and_pages_are_no_polls(client: Any) -> None:
    with HostileProvider("listing-changes", "listing-endless") as provider:
        polls = [
            client.request_for("listing", url=url) for url in ("/v1/models", "/v1/models?after_id=x-20", "/v1/models")
        ]
        first, _, second = (client.ask(provider, poll) for poll in polls)
    assert entries(first)[0]["pricing"]["prompt"] == "0"
    assert entries(second)[0]["pricing"]["prompt"] == "0.000002"


def test_models_vanish_and_appear_at_every_poll_but_the_first(client: Any) -> None:
    with HostileProvider("models-vanish") as provider:
        first, second, third = (
            {e["id"] for e in entries(client.ask(provider, client.request_for("listing")))} for _ in range(3)
        )
    assert first - second == {"loopback/libre"}
    assert second ^ third == {"loopback/nouveau-2", "loopback/nouveau-3"}


@pytest.mark.parametrize(("name", "said"), [("tls-expired", "expired"), ("tls-other-host", "IP address mismatch")])
def test_a_bad_certificate_is_refused_for_its_own_reason(name: str, said: str, client: Any) -> None:
    with HostileProvider(name) as provider, pytest.raises(ssl.SSLCertVerificationError, match=said):
        client.ask(provider, client.request_for("listing"))


def test_scenarios_combine(play: Callable[..., Any]) -> None:
    got = play("sse-no-final-blank", "usage-twice", "charset-latin1", "gzip")
    body = gzip.decompress(got.body)
    assert got.header("content-type") == "text/event-stream; charset=iso-8859-1"
    assert body.count(b'"usage"') == 2
    assert body.endswith(b"data: [DONE]\r\n")


def test_a_scenario_can_be_kept_to_one_kind_of_request(client: Any) -> None:
    with HostileProvider("listing:bad-gateway") as provider:
        assert client.ask(provider, client.request_for("listing")).status == 502
        assert is_told(client.ask(provider, client.request_for("stream")))


def test_a_scenario_can_be_kept_to_one_model(client: Any) -> None:
    by_model = {"loopback/café": "unlisted double-encoded", "loopback/grand": "price-negative"}
    with HostileProvider(by_model=by_model) as provider:
        listing = entries(client.ask(provider, client.request_for("listing")))
        damaged = client.ask(provider, client.request_for("stream", model="loopback/café"))
        intact = client.ask(provider, client.request_for("stream", model="loopback/grand"))
    assert [(e["id"], e["pricing"]["prompt"]) for e in listing] == [("loopback/libre", "0"), ("loopback/grand", "-1")]
    assert text_of(damaged.body) == TEXT.encode().decode("latin-1")
    assert text_of(intact.body) == TEXT


def test_an_unknown_scenario_is_answered_with_the_nearest() -> None:
    with pytest.raises(ConfigError, match="found 'slow-lorris' \\(did you mean 'slow-loris'\\?\\)"):
        HostileProvider("slow-lorris")
    with pytest.raises(ConfigError, match="before the colon, found 'liste'"):
        HostileProvider("liste:slow-loris")


def test_every_scenario_says_what_it_does_in_one_sentence_or_two() -> None:
    assert [s.name for s in known_scenarios().values() if not 15 < len(s.does) < 140] == []
