"""A live run asks in ASCII, so that damage in the answer can be told to be the provider's."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from contracts.model import Outcome, Scope
from contracts.testing import HostileProvider
from tests.live.conftest import Check, row

DAMAGE = [
    "double-encoded", "double-encoded-windows", "double-encoded-cyrillic", "double-encoded-dos",
    "double-encoded-chinese", "double-encoded-twice", "replacement-characters", "bpe-alphabet", "byte-tokens",
]  # fmt: skip


@pytest.mark.parametrize("scenario", DAMAGE)
def test_damage_in_a_live_answer_is_the_providers(
    scenario: str, hostile_provider: Callable[..., HostileProvider], check: Check
) -> None:
    report = check({"cafe": row(hostile_provider("declared", scenario))}).report
    (found,) = [f for f in report.findings if f.contract == "text.intact"]
    assert (found.outcome, found.scope) == (Outcome.VIOLATED, Scope.PROVIDER)


def test_text_beyond_ascii_that_came_through_is_told(
    hostile_provider: Callable[..., HostileProvider], check: Check
) -> None:
    report = check({"cafe": row(hostile_provider("declared"))}).report
    (found,) = [f for f in report.findings if f.contract == "text.intact"]
    assert found.outcome is Outcome.HOLDS
    assert "in the answer to an ASCII request" in found.detail
