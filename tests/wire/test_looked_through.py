"""Broken JSON of very many values takes a reader no longer than a second or two, whoever sent it."""

from __future__ import annotations

import time

from contracts.wire import strict_json


def test_what_is_not_in_order_is_not_looked_through_for_ever() -> None:
    data = b"[" + b"[]," * 5_000_000 + '"größe"'.encode()
    started_at = time.process_time()
    value, faults = strict_json.decode(data)
    assert time.process_time() - started_at < 3  # it was six
    assert value is strict_json.UNREADABLE
    assert [f.kind for f in faults] == ["too-large"]


def test_what_is_in_order_may_have_as_many_values_as_it_likes() -> None:
    data = b"[" + b"1," * (strict_json.MAX_LOOKED_THROUGH + 1) + b"1]"
    value, faults = strict_json.decode(data)
    assert (len(value), faults) == (strict_json.MAX_LOOKED_THROUGH + 2, ())
