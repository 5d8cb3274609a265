"""Broken JSON of very many values takes a reader no longer than a second or two, whoever sent it."""

from __future__ import annotations

from contracts.wire import strict_json


def test_what_is_not_in_order_is_not_looked_through_for_ever() -> None:
    data = b"[" + b"1," * (strict_json.MAX_LOOKED_THROUGH + 1) + '"größe"'.encode()
    value, faults = strict_json.decode(data)
    assert value is strict_json.UNREADABLE
    assert [(f.kind, f.detail[:12]) for f in faults] == [("too-large", "not in order")]


def test_what_is_in_order_may_have_as_many_values_as_it_likes() -> None:
    data = b"[" + b"1," * (strict_json.MAX_LOOKED_THROUGH + 1) + b"1]"
    value, faults = strict_json.decode(data)
    assert (len(value), faults) == (strict_json.MAX_LOOKED_THROUGH + 2, ())
