"""A relay that forwards bytes holds; each fault is found in the trials that can show it, under its promise alone."""
# ruff: noqa: ARG002 - relays answer alike, whatever they were asked

from __future__ import annotations

import gzip
import json
from collections.abc import Iterator
from typing import Any

import httpx
import pytest
import requests

from contracts.relay.told import Breach, Checked
from contracts.relay.trial import USUAL
from contracts.testing import writers
from tests.relay.relays import Handler, Relay, blocks, broken, each_json, held

STREAMS = {"honest", "declared", "escaped", "tool-calls"}
ERRORS = {"rate-limited", "server-error"}
JSON = {"Content-Type": "application/json"}
SOME = (*sorted(STREAMS), "whole:honest", "done-missing", "error-mid-stream", "chunked-cut", "server-error")


def test_a_relay_that_forwards_bytes_holds_in_every_trial() -> None:
    with Relay() as relay:
        found = held(relay)
    assert [one.name for one in found.trials] == list(USUAL)
    assert {one.outcome for one in found.trials} == {"holds"}
    assert found.findings == ()
    assert {one.notes for one in found.trials} == {()}
    assert {one.outcome for one in found.promises} == {"holds"}
    assert {one.requests for one in found.trials} == {1}
    assert found.outcome == "holds"


@pytest.mark.parametrize("dialect", writers.names())
def test_it_holds_in_every_dialect(dialect: str) -> None:
    with Relay() as relay:
        found = held(relay, "honest", "whole:honest", "error-mid-stream", "chunked-cut", dialect=dialect)
    assert (found.outcome, found.findings) == ("holds", ())
    assert all(one.sent is not None and one.sent.events for one in found.trials)


@pytest.mark.parametrize("dialect", writers.names())
def test_an_error_within_a_stream_that_is_dropped_is_found_in_every_dialect(dialect: str) -> None:
    class Swallows(Relay):
        def pieces(self, answer: httpx.Response) -> Iterator[bytes]:
            end = b"\n" if writers.load(dialect).NDJSON else b"\r\n\r\n"
            whole = b"".join(answer.iter_raw())
            return iter([block + end for block in whole.split(end)[:-1] if "amont a échoué".encode() not in block])

    with Swallows() as relay:
        found = held(relay, "honest", "error-mid-stream", dialect=dialect)
    assert broken(found) == {"relay.error": {"error-mid-stream"}}


class Latin1(Relay):
    """Decodes as requests does, and encodes as UTF-8: the case this project was born from."""

    def answer(self, handler: Handler, body: bytes) -> None:
        asked = requests.post(self.upstream + handler.path, data=body, headers=JSON, stream=True, timeout=10)
        handler.begin(asked.status_code, [("Content-Type", asked.headers["content-type"])])
        for piece in asked.iter_content(None, decode_unicode=True):
            handler.chunk(piece if isinstance(piece, bytes) else piece.encode("utf-8"))
        self.end(handler)


def test_a_relay_that_decodes_by_the_default_of_requests_is_found_where_no_charset_is_declared() -> None:
    with Latin1() as relay:
        found = held(relay, "honest", "declared", "escaped", "tool-calls")
    assert broken(found) == {"relay.bytes": {"honest", "tool-calls"}}
    (breach,) = (one for one in found.findings if one.trial == "honest")
    assert breach.changes == ("double-encoded: read as latin-1, written as UTF-8",)
    assert breach.where.event == 1
    assert "Déjà vu — " in breach.expected
    assert "DÃ©jÃ\xa0 vu".replace("\xa0", " ") in breach.observed.replace("\\xa0", " ")
    assert breach.scope == "pipeline"


class Reserialises(Relay):
    """Reads every event and writes it anew, as json.dumps does: escapes, and blanks."""

    def pieces(self, answer: httpx.Response) -> Iterator[bytes]:
        return each_json(answer.iter_raw(), lambda value: json.dumps(value).encode())


class SortsKeys(Relay):
    def pieces(self, answer: httpx.Response) -> Iterator[bytes]:
        def change(value: Any) -> bytes:
            return json.dumps(value, ensure_ascii=False, separators=(",", ":"), sort_keys=True).encode()

        return each_json(answer.iter_raw(), change)


class RewritesModel(Relay):
    """Puts its own model, and a member of its own."""

    def pieces(self, answer: httpx.Response) -> Iterator[bytes]:
        def change(value: Any) -> bytes:
            changed = {**value, "model": "größe/eigen", "relay": "é"}
            return json.dumps(changed, ensure_ascii=False, separators=(",", ":")).encode()

        return each_json(answer.iter_raw(), change)


class LosesSplit(Relay):
    """Decodes piece by piece and leaves out what a piece cuts."""

    def pieces(self, answer: httpx.Response) -> Iterator[bytes]:
        return (piece.decode("utf-8", "ignore").encode() for piece in answer.iter_raw(1))


class ReplacesSplit(Relay):
    def pieces(self, answer: httpx.Response) -> Iterator[bytes]:
        return (piece.decode("utf-8", "replace").encode() for piece in answer.iter_raw(1))


@pytest.mark.parametrize(
    ("relay", "trials", "changes"),
    [
        (Reserialises, STREAMS, ("re-serialised: spacing", "re-serialised: spacing, escapes")),
        (SortsKeys, STREAMS, ("re-serialised: key order",)),
        (RewritesModel, STREAMS, ("rewrote model", "added relay")),
        (LosesSplit, STREAMS - {"escaped"}, ("every character beyond ASCII is lost",)),
        (ReplacesSplit, STREAMS - {"escaped"}, ("characters became U+FFFD",)),
    ],
)
def test_an_event_that_is_written_anew_is_found_with_what_became_of_it(
    relay: type[Relay], trials: set[str], changes: tuple[str, ...]
) -> None:
    with relay() as started:
        found = held(started, *sorted(STREAMS), "server-error")
    assert broken(found) == {"relay.bytes": trials}
    assert next(one.changes for one in found.findings if one.trial == "honest") == changes


class SwallowsError(Relay):
    """Leaves out an event that tells an error."""

    def pieces(self, answer: httpx.Response) -> Iterator[bytes]:
        return (block for block in blocks(answer.iter_raw()) if b'"error"' not in block or answer.status_code != 200)


class RewordsError(Relay):
    """Puts words of its own into an event that tells an error."""

    def pieces(self, answer: httpx.Response) -> Iterator[bytes]:
        return (block.replace("échoué".encode(), "disparu à jamais".encode()) for block in blocks(answer.iter_raw()))


class OwnErrors(Relay):
    """Words every error itself."""

    def pieces(self, answer: httpx.Response) -> Iterator[bytes]:
        return (
            answer.iter_raw()
            if answer.status_code == 200
            else iter([b'{"error": {"message": "d\xc3\xa9sol\xc3\xa9"}}'])
        )


class HidesErrors(Relay):
    """Answers 200 whatever upstream says."""

    def status(self, answer: httpx.Response) -> int:
        return min(answer.status_code, 200)


class CleanEnd(Relay):
    """Ends every answer as if it were whole."""

    def cut(self, handler: Handler) -> None:
        self.end(handler)


class CutsWhole(Relay):
    """Never sends the last chunk."""

    def end(self, handler: Handler) -> None:
        """Leave it out."""


class DiesMidway(Relay):
    """Sends some of an answer, and is gone."""

    def pieces(self, answer: httpx.Response) -> Iterator[bytes]:
        for number, piece in enumerate(answer.iter_raw(50)):
            if number == 2:
                raise httpx.ReadError("gone, très loin")
            yield piece


class DropsDone(Relay):
    def pieces(self, answer: httpx.Response) -> Iterator[bytes]:
        return (block for block in blocks(answer.iter_raw()) if b"[DONE]" not in block)


class AddsDone(Relay):
    """Sends a close of its own where none came."""

    def pieces(self, answer: httpx.Response) -> Iterator[bytes]:
        is_closed = answer.status_code != 200 or "json" in answer.headers["content-type"]
        for block in blocks(answer.iter_raw()):
            is_closed = is_closed or b"[DONE]" in block
            yield block
        if not is_closed:
            yield b"data: [DONE]\r\n\r\n"


class Reorders(Relay):
    """Sends the third event before the second."""

    def pieces(self, answer: httpx.Response) -> Iterator[bytes]:
        whole = list(blocks(answer.iter_raw()))
        whole[2:4] = whole[3:1:-1]
        return iter(whole)


class LosesOne(Relay):
    def pieces(self, answer: httpx.Response) -> Iterator[bytes]:
        return (block for number, block in enumerate(blocks(answer.iter_raw())) if number != 3)


class TellsTwice(Relay):
    def pieces(self, answer: httpx.Response) -> Iterator[bytes]:
        return (b for n, block in enumerate(blocks(answer.iter_raw())) for b in [block] * (1 + (n == 2)))


class WrongCharset(Relay):
    def headers(self, answer: httpx.Response) -> list[tuple[str, str]]:
        return [(n, v + "; charset=iso-8859-1" * (v == "text/event-stream")) for n, v in super().headers(answer)]


class WrongLabel(Relay):
    def headers(self, answer: httpx.Response) -> list[tuple[str, str]]:
        return [(n, v.replace("text/event-stream", "text/plain")) for n, v in super().headers(answer)]


class NoRetryAfter(Relay):
    def headers(self, answer: httpx.Response) -> list[tuple[str, str]]:
        return [(n, v) for n, v in super().headers(answer) if n.lower() != "retry-after"]


class SaysGzip(Relay):
    """Calls a plain body gzip."""

    def headers(self, answer: httpx.Response) -> list[tuple[str, str]]:
        return [*super().headers(answer), ("Content-Encoding", "gzip")]


FAULTS: list[tuple[type[Relay], dict[str, set[str]]]] = [
    (SwallowsError, {"relay.error": {"error-mid-stream"}}),
    (RewordsError, {"relay.error": {"error-mid-stream"}}),
    (OwnErrors, {"relay.error": {"server-error", "rate-limited"}}),
    (HidesErrors, {"relay.error": {"server-error", "rate-limited"}}),
    (CleanEnd, {"relay.end": {"chunked-cut"}}),
    (CutsWhole, {"relay.end": {*STREAMS, "whole:honest", "done-missing", "error-mid-stream", *ERRORS}}),
    (DropsDone, {"relay.end": {*STREAMS, "error-mid-stream"}}),
    (AddsDone, {"relay.end": {"done-missing"}}),
    (Reorders, {"relay.order": {*STREAMS, "done-missing", "error-mid-stream", "chunked-cut"}}),
    (LosesOne, {"relay.order": {*STREAMS, "done-missing", "error-mid-stream", "chunked-cut"}}),
    (TellsTwice, {"relay.order": {*STREAMS, "done-missing", "error-mid-stream", "chunked-cut"}}),
    (WrongCharset, {"relay.headers": {*STREAMS, "done-missing", "error-mid-stream", "chunked-cut"} - {"declared"}}),
    (WrongLabel, {"relay.headers": {*STREAMS, "done-missing", "error-mid-stream", "chunked-cut"}}),
    (NoRetryAfter, {"relay.headers": {"rate-limited"}}),
]


@pytest.mark.parametrize(("relay", "expected"), FAULTS, ids=[relay.__name__ for relay, _ in FAULTS])
def test_a_fault_is_found_where_it_shows_and_breaks_one_promise(
    relay: type[Relay], expected: dict[str, set[str]]
) -> None:
    with relay() as started:
        found = held(started, *SOME, "rate-limited")
    assert broken(found) == expected
    assert found.outcome == "violated"
    assert {one.severity for one in found.findings} == {"error"}
    assert {one.id for one in found.promises if one.outcome == "violated"} == set(expected)


def test_an_answer_that_breaks_off_has_no_end_and_one_that_was_cut_has_lost_what_was_sent_before() -> None:
    with DiesMidway() as relay:
        found = held(relay, *SOME, "rate-limited")
    whole = {*STREAMS, "whole:honest", "done-missing", "error-mid-stream", *ERRORS}
    assert broken(found) == {"relay.end": whole, "relay.order": {"chunked-cut"}}


def test_a_body_that_is_called_gzip_and_is_not_breaks_the_promise_of_headers_alone() -> None:
    with SaysGzip() as relay:
        assert broken(held(relay, "honest", "whole:honest")) == {"relay.headers": {"honest", "whole:honest"}}


class Buffers(Relay):
    def pieces(self, answer: httpx.Response) -> Iterator[bytes]:
        return iter([b"".join(answer.iter_raw())])


def test_a_relay_that_buffers_is_warned_of() -> None:
    with Buffers() as relay:
        found = held(relay, "honest", "pause-mid-stream")
    assert broken(found) == {"relay.buffering": {"pause-mid-stream"}}
    (breach,) = found.findings
    assert (breach.severity, breach.expected, breach.observed) == ("warning", "2 events", "0 events")
    assert found.outcome == "holds"


class Retries(Relay):
    """Asks a second time where the first answer is an error, or one that was cut."""

    def answer(self, handler: Handler, body: bytes) -> None:
        for _ in range(2):
            try:
                with self.ask(handler, body) as answer:
                    whole = b"".join(answer.iter_raw())
            except httpx.TransportError:
                continue
            if answer.status_code == 200:
                break
        else:
            answer = httpx.Response(502) if answer.status_code == 200 else answer
            whole = whole if answer.status_code != 502 else b"{}"
        handler.begin(answer.status_code, self.headers(answer))
        handler.chunk(whole)
        self.end(handler)


def test_a_relay_that_asks_twice_is_warned_of_after_an_error_and_violates_after_an_answer_had_begun() -> None:
    with Retries() as relay:
        found = held(relay, "honest", "rate-limited", "chunked-cut")
    once = {one.trial: one for one in found.findings if one.promise == "relay.once"}
    assert {name: one.severity for name, one in once.items()} == {"rate-limited": "warning", "chunked-cut": "error"}
    assert once["chunked-cut"].observed == "2 requests"
    assert broken(found)["relay.once"] == {"rate-limited", "chunked-cut"}


def test_of_two_answers_the_one_that_arrived_is_compared() -> None:
    class AsksTwice(Relay):
        """Asks, throws the answer away, and forwards that to the same question asked again: another id, no damage."""

        def answer(self, handler: Handler, body: bytes) -> None:
            with self.ask(handler, body) as answer:
                answer.read()
            super().answer(handler, body)

    class ForwardsFirst(Relay):
        asked = b""

        def answer(self, handler: Handler, body: bytes) -> None:
            self.asked = body
            super().answer(handler, body)

        def end(self, handler: Handler) -> None:
            with self.ask(handler, self.asked) as answer:
                answer.read()
            super().end(handler)

    for kind in (AsksTwice, ForwardsFirst):
        with kind() as relay:
            assert broken(held(relay, "honest")) == {"relay.once": {"honest"}}


class Reframes(Relay):
    """Changes what may be changed: line ends, comments, the charset that is not said, and the coding."""

    def headers(self, answer: httpx.Response) -> list[tuple[str, str]]:
        charset = "; charset=utf-8" * (answer.headers["content-type"] == "text/event-stream")
        coded = [(n, v + charset if n.lower() == "content-type" else v) for n, v in super().headers(answer)]
        return [*coded, ("Content-Encoding", "gzip")]

    def pieces(self, answer: httpx.Response) -> Iterator[bytes]:
        whole = b"".join(answer.iter_raw())
        if answer.status_code == 200 and "event-stream" in answer.headers["content-type"]:
            whole = whole.replace(b": processing\r\n\r\n", b"").replace(b"\r\n", b"\n").replace(b"data: ", b"data:")
        return iter([gzip.compress(whole)])


def test_what_a_relay_may_change_is_noted_and_breaks_nothing() -> None:
    with Reframes() as relay:
        found = held(relay, *sorted(STREAMS), "whole:honest", "server-error")
    assert found.findings == ()
    notes = {one.name: one.notes for one in found.trials}
    framed = "re-framed: line ends CRLF became LF, comments: 1 sent, 0 arrived"
    assert notes["honest"] == (framed, "content coding: identity became gzip")
    assert notes["whole:honest"] == ("content coding: identity became gzip",)


def reason(found: Checked) -> str:
    (trial,) = found.trials
    assert (found.outcome, trial.outcome) == ("unknown", "unknown")
    return trial.reason or ""


def only(found: Checked) -> Breach:
    (breach,) = found.findings
    return breach


class Refuses(Relay):
    def answer(self, handler: Handler, body: bytes) -> None:
        handler.whole(401, f'{{"error": "clé refusée: {handler.headers["authorization"]}"}}'.encode())


def test_an_answer_of_the_relay_alone_judges_nothing_and_shows_no_key() -> None:
    with Refuses() as relay:
        found = held(relay, "honest", key="RELAIS", environ={"RELAIS": "sk-geheim-0123456789abcdef"})
    assert reason(found) == (
        'the provider was not asked; the relay answered 401 by itself: {"error": "clé refusée: Bearer ***"}'
    )


class QuotesKey(Relay):
    """Quotes the key where what is shown ends within it."""

    def answer(self, handler: Handler, body: bytes) -> None:
        handler.whole(401, b"." * 92 + handler.headers["authorization"].removeprefix("Bearer ").encode())


def test_not_even_the_beginning_of_a_key_is_shown() -> None:
    with QuotesKey() as relay:
        found = held(relay, "honest", key="RELAIS", environ={"RELAIS": "sk-geheim-0123456789abcdef"})
    assert reason(found).endswith("." * 92 + "***")


class Redirects(Relay):
    def answer(self, handler: Handler, body: bytes) -> None:
        handler.begin(307, [("Location", self.upstream + handler.path)])
        self.end(handler)


def test_a_redirect_is_not_followed() -> None:
    with Redirects() as relay:
        assert "the provider was not asked; the relay answered 307 by itself" in reason(held(relay, "honest"))


class Hangs(Relay):
    """Asks upstream, and never says a word."""

    def answer(self, handler: Handler, body: bytes) -> None:
        with self.ask(handler, body) as answer:
            answer.read()
        handler.connection.recv(1)  # until the client has had enough


def test_a_relay_that_hangs_is_waited_for_as_long_as_was_said() -> None:
    with Hangs() as relay:
        found = held(relay, "honest", timeout_s=0.3)
    assert (only(found).promise, only(found).observed) == ("relay.end", "no answer")
    assert found.duration_ms < 5000


def test_a_torn_chunk_that_arrives_as_a_clean_end_is_found_and_other_chunks_are_nobodys_fault() -> None:
    class CutsElsewhere(Relay):
        """Frames what comes in chunks of its own."""

        def pieces(self, answer: httpx.Response) -> Iterator[bytes]:
            return (piece[at : at + 7] for piece in answer.iter_raw() for at in range(0, len(piece), 7))

    with CutsElsewhere() as relay:
        found = held(relay, "chunk-cut", "honest")
    assert (found.outcome, found.findings) == ("holds", ())
    with CleanEnd() as clean:
        assert broken(held(clean, "chunk-cut")) == {"relay.end": {"chunk-cut"}}


class StaysOpen(Relay):
    def end(self, handler: Handler) -> None:
        handler.connection.recv(1)


def test_a_whole_answer_that_never_ends_breaks_the_promise_of_the_end() -> None:
    with StaysOpen() as relay:
        found = held(relay, "honest", timeout_s=0.3)
    assert broken(found) == {"relay.end": {"honest"}}
    assert "nothing ended it within 0.3 s" in only(found).detail


def test_a_cut_that_stays_open_breaks_the_promise_of_the_end() -> None:
    class HoldsOpen(Relay):
        def cut(self, handler: Handler) -> None:
            handler.connection.recv(1)

    with HoldsOpen() as relay:
        found = held(relay, "chunked-cut", timeout_s=0.3)
    assert broken(found) == {"relay.end": {"chunked-cut"}}
    assert "what was cut stays open" in only(found).detail


def test_what_is_lost_with_a_connection_that_was_reset_is_nobodys_fault() -> None:
    with Buffers() as relay:
        found = held(relay, "reset-mid-event")
    assert (found.outcome, found.findings) == ("holds", ())


class Endless(Relay):
    def pieces(self, answer: httpx.Response) -> Iterator[bytes]:
        yield from answer.iter_raw()
        while True:
            yield b": \xc3\xa9" + b"." * 1_000_000 + b"\r\n\r\n"


def test_a_body_without_an_end_is_not_read_for_ever() -> None:
    with Endless() as relay:
        assert reason(held(relay, "honest")) == "more was sent than is compared"


def test_where_nobody_listens_every_trial_is_unknown() -> None:
    with Relay() as relay:
        pass
    checked = held(relay, "honest", "lf")
    assert {one.outcome for one in checked.trials} == {"unknown"}
    assert all("refused the connection" in (one.reason or "") for one in checked.trials)


def test_a_silence_without_an_end_may_be_cut_but_not_ended() -> None:
    class Tired(CleanEnd):
        """Ends an answer in which nothing more comes for a while."""

        def __init__(self) -> None:
            super().__init__()
            self.client = httpx.Client(timeout=0.3, trust_env=False)

    with Relay() as relay:
        found = held(relay, "stall-mid-stream")
    assert (found.outcome, found.findings) == ("holds", ())
    with Tired() as tired:
        assert broken(held(tired, "stall-mid-stream")) == {"relay.end": {"stall-mid-stream"}}


def test_a_success_in_the_place_of_no_answer_is_an_error_hidden() -> None:
    class Invents(Relay):
        def answer(self, handler: Handler, body: bytes) -> None:
            try:
                super().ask(handler, body).__enter__()
            except httpx.TransportError:
                handler.whole(200, b"{}")

    with Invents() as relay:
        assert broken(held(relay, "close-at-once")) == {"relay.error": {"close-at-once"}}
