"""The statements of a router's table. Names are quoted and from the catalogue, values are parameters, all in one place.

A range is of the bare column of instants, so that its index is used; everything is counted where it lies.
"""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from contracts.breaker.memory import State
from contracts.breaker.observed import FEW, LONGEST, STATUS, Span

if TYPE_CHECKING:
    from collections.abc import Sequence

    from contracts.breaker.tally import Key
    from contracts.verifications.catalogue import Table

KIND = "structural"
MOST_GROUPS = 50_000  # 300 providers of 20 models come to fewer
APART = 5_000  # models that are told apart where there are more groups: clients may ask for any name
# How states may follow each other within one second, as some tables know no smaller time: what is half-open is closed,
# then tripped again or throttled. A trip lasts for minutes, so that nothing follows `open`.
_FOLLOWING = (State.HALF_OPEN, State.CLOSED, State.THROTTLED, State.OPEN)


def aggregate(table: Table, over: Span, apart: int | None = None) -> tuple[str, list[object]]:
    """Give the statement that counts what answers came to, and its values.

    Args:
        table: where.
        over: the span.
        apart: name so many models only, those with the most answers that say anything; the others have no name.
    """
    window_at, day_at, from_at, until = (
        table.clock.bound(at) for at in (over.window_at, over.day_at, over.from_at, over.until)
    )
    at, within = table.at, [KIND, from_at, until]
    statement = (
        f"SELECT {_text(table.provider)}, {_named(table, apart)}, {_text(table.verdict)}, {_signature(table)}, "  # noqa: S608
        f"{_flag(table)}, SUM(CASE WHEN {at} >= ? THEN 1 ELSE 0 END), SUM(CASE WHEN {at} >= ? THEN 1 ELSE 0 END), "
        f"SUM(CASE WHEN {at} < ? THEN 1 ELSE 0 END), MIN(CASE WHEN {at} >= ? THEN {at} END), "
        f"MAX(CASE WHEN {at} >= ? THEN {at} END), MAX(CASE WHEN {at} < ? THEN {at} END) "
        f"FROM {table.name} WHERE {_within(table)} GROUP BY 1, 2, 3, 4, 5 LIMIT {MOST_GROUPS + 1}"
    )
    instants = (day_at, window_at, day_at, day_at, day_at, day_at)
    return statement, [*(within if apart is not None else ()), *FEW, *instants, *within]


def each_since(table: Table, asked: Sequence[tuple[Key, Span]]) -> tuple[str, list[object]]:
    """Give the statement that counts the answers of some keys, each since an instant of its own, and its values.

    The rows are read once for all of them. Before all stands the number of the key; only damage has a model's name.
    """
    bound, at, model = table.clock.bound, table.at, _text(table.model)
    provider, verdict = _text(table.provider), _text(table.verdict)
    statement = (
        "WITH asked (asked_n, asked_provider, asked_model, asked_window, asked_day) AS "  # noqa: S608
        f"(VALUES {', '.join(['(?, ?, ?, ?, ?)'] * len(asked))}) "
        f"SELECT asked_n, {provider}, CASE WHEN {verdict} = 'mangled' THEN {model} ELSE '' END, "
        f"{verdict}, {_signature(table)}, {_flag(table)}, COUNT(*), "
        f"SUM(CASE WHEN {at} >= asked_window THEN 1 ELSE 0 END), 0, MIN({at}), MAX({at}), NULL "
        f"FROM {table.name} CROSS JOIN asked WHERE {_within(table)} AND {provider} = asked_provider "
        f"AND (asked_model IS NULL OR {model} = asked_model) AND {at} >= asked_day "
        f"GROUP BY 1, 2, 3, 4, 5, 6 LIMIT {MOST_GROUPS + 1}"
    )
    keys = [
        value
        for number, (key, over) in enumerate(asked)
        for value in (number, key.provider, key.model, bound(over.window_at), bound(over.day_at))
    ]
    from_at, until = min(over.from_at for _, over in asked), max(over.until for _, over in asked)
    return statement, [*keys, *FEW, KIND, bound(from_at), bound(until)]


def _within(table: Table) -> str:
    return f"{table.kind} = ? AND {table.at} >= ? AND {table.at} < ?{_and(table.is_instant)}"


def _signature(table: Table) -> str:
    # Cast, as SQLite keeps a value of any type in any column, and PostgreSQL's enums and JSON compare with no text.
    detail = _text(table.detail)
    return (
        f"CASE WHEN {_text(table.verdict)} = 'mangled' THEN substr({table.head}, 1, {LONGEST}) "
        f"WHEN {detail} IN ({', '.join('?' * len(FEW))}) THEN {detail} "
        f"WHEN substr({detail}, 1, {len(STATUS)}) = '{STATUS}' AND length({detail}) = {len(STATUS) + 3} THEN {detail} "
        "ELSE '' END"
    )


def _flag(table: Table) -> str:
    return f"CASE WHEN CAST({table.attributable} AS TEXT) IN ('1', '1.0', 'true', 't') THEN 1 ELSE 0 END"


def _named(table: Table, apart: int | None) -> str:
    """Write a model's name, empty where it is not told apart. A name that nobody serves never gets a judged answer."""
    provider, model, verdict = _text(table.provider), _text(table.model), _text(table.verdict)
    if apart is None:
        return model
    most = (
        f"SELECT {provider} AS provider, {model} AS model FROM {table.name} WHERE {_within(table)} GROUP BY 1, 2 "  # noqa: S608
        f"ORDER BY SUM(CASE WHEN {verdict} = 'unverifiable' THEN 0 ELSE 1 END) DESC, COUNT(*) DESC, 1, 2 LIMIT {apart}"
    )
    is_apart = f"({provider}, {model}) IN (SELECT provider, model FROM ({most}) AS most)"  # noqa: S608
    return f"CASE WHEN {is_apart} THEN {model} ELSE '' END"


def latest(table: Table, kind: str, from_at: datetime, until: datetime, later: str = "") -> tuple[str, list[object]]:
    """Give the statement that reads the last decision on each key within a range, and its values.

    Of two in the same instant that counts which may have followed the other. `later` is another condition.
    """
    states = ", ".join("?" * len(State))
    provider, model, verdict = _text(table.provider), _text(table.model), _text(table.verdict)
    place = " ".join(f"WHEN '{state}' THEN {place}" for place, state in enumerate(_FOLLOWING))
    statement = (
        f"SELECT provider, model, verdict, detail, at FROM (SELECT {provider} AS provider, {model} AS model, "  # noqa: S608
        f"{verdict} AS verdict, {_text(table.detail)} AS detail, {table.at} AS at, ROW_NUMBER() OVER ("
        f"PARTITION BY {provider}, {model} ORDER BY {table.at} DESC, CASE {verdict} {place} END DESC) AS place "
        f"FROM {table.name} WHERE {table.kind} = ? AND {verdict} IN ({states}) AND {table.at} >= ? "
        f"AND {table.at} < ?{_and(table.is_instant)}{_and(later)}) AS decided WHERE place = 1"
    )
    return statement, [kind, *(state.value for state in State), table.clock.bound(from_at), table.clock.bound(until)]


def insert(table: Table) -> str:
    """Give the statement that writes a row."""
    columns = (table.kind, table.verdict, table.detail, table.attributable, table.at, table.provider, table.model)
    return f"INSERT INTO {table.name} ({', '.join(columns)}) VALUES ({', '.join('?' * len(columns))})"  # noqa: S608


def _and(condition: str) -> str:
    return f" AND {condition}" if condition else ""


def _text(column: str) -> str:
    return f"COALESCE(CAST({column} AS TEXT), '')"
