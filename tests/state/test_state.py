"""The state in either database: what it remembers, what it refuses, and what it never holds."""

from __future__ import annotations

import os
import sqlite3
import stat
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import pytest
from msgspec import structs

from contracts import dialects
from contracts.config import catalogue
from contracts.facts import Asked, Body, ErrorSeen, Facts, Fault, Listing, Reply, Seen
from contracts.fold import fold
from contracts.listed import Change, Model
from contracts.model import Evidence, Exchange, Request, Source
from contracts.state import tables
from contracts.state.changes import MAX_CHANGES
from contracts.state.errors import StateError
from contracts.state.opening import open_state
from contracts.state.place import place
from contracts.state.store import State
from tests.state import raw
from tests.state.findings import finding
from tests.state.raw import execute

NOON = datetime(2026, 11, 30, 12, tzinfo=UTC)
HOUR = timedelta(hours=1)
NEWEST = len(tables.MIGRATIONS)
LISTING = Listing(models=(Model(id="智谱/模型:free", context_tokens=8192), Model(id="b")))
DEARER = Listing(models=(Model(id="智谱/模型:free", context_tokens=4096), Model(id="b")))


def answer(model: str = "智谱/模型:free", status: int = 200, **members: Any) -> Facts:
    return Facts(
        dialect="openai-chat",
        kind="chat",
        status=status,
        headers=(("content-type", "text/event-stream"),),
        body=Body(kind="sse", bytes=1),
        asked=Asked(model=model),
        **members,
    )


def evidence(at: datetime | None = NOON, ref: str = "live", **members: Any) -> Evidence:
    return Evidence(facts=answer(**members), source=Source.LIVE, ref=ref, at=at)


def opened(path: str, now: datetime = NOON + HOUR) -> State:
    return raw.opened(path, now)


def test_evidence_comes_back_as_it_was_kept_by_another_run(path: str) -> None:
    kept = evidence(errors=(ErrorSeen(form="event", message="überlastet — 過負荷"),), keyless=True)
    opened(path).keep("openrouter", kept)
    again = opened(path)
    assert again.kept("openrouter") == [kept]
    assert again.kept("neuralwatt") == []


def test_an_error_does_not_take_the_place_of_an_answer_nor_one_model_that_of_another(path: str) -> None:
    state = opened(path)
    every = [evidence(), evidence(status=429), evidence(model="b")]
    for one in every:
        state.keep("openrouter", one)
    found = state.kept("openrouter")
    assert len(found) == 3
    assert all(one in found for one in every)


def test_older_evidence_does_not_take_the_place_of_newer(path: str) -> None:
    state = opened(path)
    for at, ref in ((NOON, "first"), (NOON - HOUR, "late"), (NOON, "again")):
        state.keep("openrouter", evidence(at, ref))
    assert [e.ref for e in state.kept("openrouter")] == ["again"]
    state.keep("openrouter", evidence(NOON - timedelta(microseconds=1), "a clock that stepped back"))
    assert [e.ref for e in state.kept("openrouter")] == ["again"]


def test_evidence_that_a_wrong_clock_dated_speaks_for_nobody_and_blocks_nothing(path: str) -> None:
    state = opened(path)
    state.keep("openrouter", evidence(datetime(2099, 1, 1, tzinfo=UTC), "wrong"))
    assert state.kept("openrouter") == []
    state.keep("openrouter", evidence(NOON, "right"))
    assert [e.ref for e in state.kept("openrouter")] == ["right"]


def test_instants_of_every_zone_are_one_instant(path: str) -> None:
    from datetime import timezone

    state = opened(path)
    state.keep("openrouter", evidence(NOON, "utc"))
    east = (NOON - timedelta(minutes=1)).astimezone(timezone(timedelta(hours=9)))
    state.keep("openrouter", evidence(east, "later by its text alone"))
    assert [e.ref for e in state.kept("openrouter")] == ["utc"]


def test_what_a_later_version_wrote_into_an_entry_hides_that_entry_alone(path: str) -> None:
    state = opened(path)
    for model in ("a", "b", "c", "d"):
        state.keep("openrouter", evidence(model=model))
    execute(path, "UPDATE evidence SET facts = '{\"kind\": 7}' WHERE model = 'a'")
    execute(path, "UPDATE evidence SET source = 'dreamt' WHERE model = 'b'")
    execute(path, "UPDATE evidence SET at = '7' WHERE model = 'c'")
    assert [e.facts.asked.model for e in state.kept("openrouter") if e.facts.asked] == ["d"]


def test_a_change_is_told_once_as_it_is_learnt(path: str) -> None:
    assert opened(path).remember_listing("openrouter", LISTING, NOON) is None
    assert opened(path).remember_listing("openrouter", LISTING, NOON) == ()
    change = Change(model="智谱/模型:free", member="context_tokens", was="8192", now="4096")
    assert opened(path).remember_listing("openrouter", DEARER, NOON + HOUR) == (change,)
    assert opened(path).remember_listing("openrouter", DEARER, NOON + HOUR) == ()
    assert opened(path).last_listing("openrouter") == DEARER
    assert opened(path).last_listing("neuralwatt") is None


def test_kept_evidence_does_not_tell_a_change_again(path: str) -> None:
    state = opened(path)
    told = (Change(model="智谱", member="chat", was="true", now="false"),)
    state.keep("openrouter", evidence(changes=told, catalogue=LISTING))
    (kept,) = state.kept("openrouter")
    assert (kept.facts.changes, kept.facts.catalogue) == ((), None)


def test_a_listing_that_was_fetched_before_the_kept_one_teaches_nothing(path: str) -> None:
    state = opened(path)
    state.remember_listing("openrouter", DEARER, NOON)
    assert state.remember_listing("openrouter", LISTING, NOON - HOUR) == ()
    assert state.last_listing("openrouter") == DEARER


def test_a_clock_that_was_set_back_does_not_stop_drift(path: str) -> None:
    opened(path, NOON + 5 * HOUR).remember_listing("openrouter", LISTING, NOON + 5 * HOUR)
    (change,) = opened(path, NOON).remember_listing("openrouter", DEARER, NOON) or ()
    assert change.member == "context_tokens"


def test_nobody_writes_between_the_reading_of_the_last_listing_and_the_writing_of_the_next(file: str) -> None:
    opened(file).remember_listing("openrouter", LISTING, NOON + 5 * HOUR)
    seen: list[str] = []

    def now() -> datetime:
        other = sqlite3.connect(file, timeout=0, isolation_level=None)
        with pytest.raises(sqlite3.OperationalError, match="locked"):
            other.execute("BEGIN IMMEDIATE")
        other.close()
        seen.append("asked between reading and writing")
        return NOON

    assert open_state(file, now).remember_listing("openrouter", DEARER, NOON)
    assert seen


def test_a_listing_that_cannot_be_read_does_not_take_the_place_of_one_that_could(path: str) -> None:
    state = opened(path)
    state.remember_listing("openrouter", LISTING, NOON)
    assert state.remember_listing("openrouter", Listing(faults=(Fault(kind="no-list"),)), NOON + HOUR) == ()
    assert state.remember_listing("openrouter", LISTING, NOON + HOUR) == ()


def test_half_characters_and_endless_numbers_are_kept_and_are_no_change(path: str) -> None:
    state = opened(path)
    odd = Listing(models=(Model(id="a\ud800b", context_tokens=10**30), Model(id="nul\0", output_tokens=-(10**30))))
    assert state.remember_listing("openrouter", odd, NOON) is None
    assert state.remember_listing("openrouter", odd, NOON) == ()
    (change,) = state.remember_listing("openrouter", Listing(models=odd.models[:1]), NOON + HOUR) or ()
    assert change.model == "nul\0"
    state.keep(
        "openrouter", evidence(model="m\udfff", ref="r\ud800", reply=Reply(streamed=True, ids=(Seen(value="\ud83d"),)))
    )
    assert len(state.kept("openrouter")) == 1


def test_free_chats_and_runs_add_up(path: str) -> None:
    state = opened(path)
    assert state.free_chats_today("openrouter", "2026-11-30") == 0
    state.record_free_chats("openrouter", "2026-11-30", 1)
    opened(path).record_free_chats("openrouter", "2026-11-30", 2)
    assert state.free_chats_today("openrouter", "2026-11-30") == 3
    assert state.free_chats_today("openrouter", "2026-12-01") == 0
    assert state.free_chats_today("neuralwatt", "2026-11-30") == 0


def test_a_free_chat_is_taken_as_long_as_one_is_left(path: str) -> None:
    state = opened(path)
    assert [state.take_free_chat("openrouter", "2026-11-30", 2) for _ in range(4)] == [True, True, False, False]
    assert not state.take_free_chat("neuralwatt", "2026-11-30", 0)
    assert state.free_chats_today("neuralwatt", "2026-11-30") == 0


def test_money_is_kept_to_the_last_digit(path: str) -> None:
    state = opened(path)
    state.record_run(NOON, NOON, 0, (2, 1, 0, 0), Decimal("0.10000000000000000000000001"))
    (row,) = execute(path, "SELECT spend_usd, gets, posts_free FROM runs")
    assert (Decimal(row[0]), row[1:]) == (Decimal("0.10000000000000000000000001"), (2, 1))


def test_the_file_does_not_grow_without_end(path: str) -> None:
    state = opened(path)
    state.keep("neuralwatt", evidence(NOON - 9000 * HOUR))
    minutes = [(f"模型-{n:05}", (NOON + n * timedelta(minutes=1)).isoformat()) for n in range(tables.EVIDENCE + 7)]
    execute(path, "INSERT INTO evidence VALUES ('openrouter', 'chat answer', ?, ?, 'live', '', '{}')", minutes)
    days = [((NOON + n * 24 * HOUR).date().isoformat(),) for n in range(tables.DAYS + 5)]
    execute(path, "INSERT INTO free_chats VALUES ('openrouter', ?, 1)", days)
    runs = [(n,) for n in range(tables.RUNS + 3)]
    execute(
        path,
        """INSERT INTO runs (started_at, ended_at, exit_status, gets, posts_free, posts_paid, refused, spend_usd)
           VALUES ('', '', ?, 0, 0, 0, 0, '0')""",
        runs,
    )
    state.record_run(NOON, NOON, -1, (0, 0, 0, 0), Decimal(0))

    def one(statement: str) -> Any:
        return execute(path, statement)[0]

    newest = (tables.EVIDENCE, "模型-00007")
    assert one("SELECT count(*), min(model) FROM evidence WHERE provider = 'openrouter'") == newest
    assert len(state.kept("neuralwatt")) == 1
    assert one("SELECT count(*), max(day) FROM free_chats") == (tables.DAYS, days[-1][0])
    assert one("SELECT count(*) FROM runs") == (tables.RUNS,)
    assert one("SELECT count(*) FROM runs WHERE exit_status = -1") == (1,)


def test_a_provider_that_changes_everything_at_every_poll_fills_no_disk(path: str) -> None:
    def catalogue_of(tokens: int) -> Listing:
        return Listing(models=tuple(Model(id=f"模型-{n}", context_tokens=tokens) for n in range(MAX_CHANGES)))

    state = opened(path)
    for poll in range(tables.CHANGES // MAX_CHANGES + 3):
        state.remember_listing("openrouter", catalogue_of(poll), NOON)
    ((count, last),) = execute(path, "SELECT count(*), max(now) FROM changes")
    assert count == tables.CHANGES
    assert last == "7"


def test_what_is_pruned_is_older_than_the_instant(path: str) -> None:
    state = opened(path)
    for at in (NOON - 24 * HOUR, NOON):
        state.record_run(at, at, 0, (0, 0, 0, 0), Decimal(0))
        state.keep("openrouter", evidence(at, model=at.isoformat()))
        state.record_free_chats("openrouter", at.date().isoformat(), 1)
        state.remember_listing("openrouter", Listing(models=(Model(id="é", output_tokens=at.day),)), at)
    state.remember_listing("openrouter", Listing(models=(Model(id="é", output_tokens=0),)), NOON)
    state.prune(NOON)
    statement = "SELECT count(*) FROM {}"
    counts = [execute(path, statement.format(table))[0][0] for table in ("runs", "evidence", "free_chats", "changes")]
    assert counts == [1, 1, 1, 2]
    assert state.last_listing("openrouter") is not None


def test_no_text_of_a_completion_is_in_the_state(path: str) -> None:
    marker = "Zwölf Boxkämpfer—密語-7f3a"
    chunk = f'data: {{"id":"x","object":"chat.completion.chunk","created":1,"model":"é","choices":[{{"index":0,"delta":{{"role":"assistant","content":"{marker}","reasoning":"{marker}","tool_calls":[{{"index":0,"id":"c","type":"function","function":{{"name":"f","arguments":"{marker}"}}}}]}},"finish_reason":"stop"}}]}}\n\n'  # noqa: E501
    asked = f'{{"model":"é","stream":true,"messages":[{{"role":"user","content":"{marker}"}}]}}'
    read = catalogue.load(None)
    exchange = Exchange(
        request=Request(method="POST", url="/v1/chat/completions", body=asked.encode()),
        status=200,
        headers=(("content-type", "text/event-stream"),),
        body=(chunk.encode(), b"data: [DONE]\n\n"),
        ref="live",
    )  # fmt: skip
    facts = fold(exchange, dialects.load("openai-chat"), read.tables("openai-chat"))
    assert facts.reply is not None
    assert facts.reply.text.chars > 0
    quoting = structs.replace(finding("v"), observed=marker, detail=f"was {marker}", reason=marker, expected=marker)
    state = opened(path)
    state.keep("openrouter", Evidence(facts=facts, source=Source.LIVE, ref="live", at=NOON))
    state.see_all({"openrouter": [quoting]}, NOON)
    state.record_run(NOON, NOON, 1, (0, 1, 0, 0), Decimal(0), {"openrouter": ["sse.charset"]})
    state.close()
    held = raw.held(path)
    assert b"chat answer" in held
    assert b"sse.charset" in held
    for written in (marker, "7f3a", "密語", marker.encode("unicode_escape").decode(), "Boxk"):
        assert written.encode() not in held


def test_the_file_is_for_its_owner_alone(tmp_path: Any) -> None:
    file = str(tmp_path / "zustand" / "état.db")
    opened(file)
    assert stat.S_IMODE(os.stat(file).st_mode) == 0o600
    assert stat.S_IMODE(os.stat(os.path.dirname(file)).st_mode) == 0o700


def contents(path: str) -> tuple[bytes, list[str]]:
    with open(path, "rb") as file:
        return file.read(), os.listdir(os.path.dirname(path))


def test_a_newer_state_is_refused_and_left_as_it_is(file: str) -> None:
    opened(file).close()
    raw = sqlite3.connect(file)
    raw.execute("PRAGMA journal_mode = DELETE")
    raw.execute(f"PRAGMA user_version = {len(tables.MIGRATIONS) + 1}")
    raw.close()
    before = contents(file)
    with pytest.raises(
        StateError,
        match=rf"état\.db: expected a state of version {NEWEST} or older, found {NEWEST + 1}; a newer contracts",
    ):
        opened(file)
    assert contents(file) == before


def test_the_database_of_another_program_is_refused_and_left_as_it_is(file: str) -> None:
    raw = sqlite3.connect(file)
    raw.execute("CREATE TABLE providers (key TEXT, contract_note TEXT)")
    raw.close()
    before = contents(file)
    with pytest.raises(StateError, match="a database of another program"):
        opened(file)
    assert contents(file) == before


@pytest.mark.parametrize("garbage", [b"kein Zustand \xe2\x80\x94 " * 100, b"SQLite format 3\0" + b"\xff" * 4096, b"x"])
def test_what_is_no_database_is_refused_and_left_as_it_is(file: str, garbage: bytes) -> None:
    with open(file, "wb") as written:
        written.write(garbage)
    with pytest.raises(StateError, match=r"état\.db: the state cannot be used: "):
        opened(file)
    assert contents(file) == (garbage, ["état.db"])


def test_a_file_that_is_damaged_in_the_middle_is_an_error_of_the_state(file: str) -> None:
    state = opened(file)
    for n in range(200):
        state.keep("openrouter", evidence(model=f"模型-{n}"))
    state.close()
    with open(file, "r+b") as written:
        written.seek(8192)
        written.write(b"\xa5" * 40_000)
    with pytest.raises(StateError, match="cannot be "):
        opened(file).kept("openrouter")


def test_an_empty_file_becomes_a_state(file: str) -> None:
    with open(file, "wb"):
        pass
    opened(file).keep("openrouter", evidence())


@pytest.mark.parametrize("odd", ["ordner", "pipe", "nul\0byte", "half\ud800"])
def test_a_place_that_holds_no_file_is_refused(tmp_path: Any, odd: str) -> None:
    path = f"{tmp_path}/{odd}"
    if odd == "ordner":
        os.mkdir(path)
    if odd == "pipe":
        os.mkfifo(path)
    with pytest.raises(StateError):
        opened(path)


@pytest.mark.skipif(os.geteuid() != 0, reason="becoming another user needs root")
@pytest.mark.parametrize("which", ["folder", "file", "made before"])
def test_what_may_not_be_written_is_said_at_once(tmp_path: Any, which: str) -> None:
    for folder in (tmp_path, *list(tmp_path.parents)[:2]):
        os.chmod(folder, stat.S_IRWXU | stat.S_IXOTH)
    path = str(tmp_path / "état.db")
    if which != "folder":
        opened(path).close()
        os.chmod(path, 0o644)
        if which == "file":
            os.chown(tmp_path, 65534, -1)
    os.seteuid(65534)
    try:
        with pytest.raises(StateError, match=r"read-only|Permission denied"):
            opened(path)
    finally:
        os.seteuid(0)


@pytest.mark.parametrize(
    ("option", "environ", "expected"),
    [
        ("/tmp/a.db", {"CONTRACTS_STATE": "/b"}, "/tmp/a.db"),  # noqa: S108 - nothing is written there
        (None, {"CONTRACTS_STATE": "/b", "STATE_DIRECTORY": "/c"}, "/b"),
        ("none", {"CONTRACTS_STATE": "/b"}, None),
        (None, {"CONTRACTS_STATE": "none", "HOME": "/h"}, None),
        (None, {"CONTRACTS_STATE": "", "STATE_DIRECTORY": "/c:/d"}, "/c/state.db"),
        (None, {"XDG_STATE_HOME": "/x", "HOME": "/h"}, "/x/contracts/state.db"),
        (None, {"XDG_STATE_HOME": "relative", "HOME": "/h"}, "/h/.local/state/contracts/state.db"),
        (None, {"STATE_DIRECTORY": "relative"}, None),
        (None, {}, None),
    ],
)
def test_the_state_is_where_it_was_said_to_be(
    option: str | None, environ: dict[str, str], expected: str | None
) -> None:
    assert place(option, environ) == expected
