"""Timelines that a test makes up: as many providers as wanted, the same at every run."""

from __future__ import annotations

import random
from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

from contracts.config import catalogue
from contracts.state.timeline import Change, Line, Timeline

FIRST = datetime(2026, 11, 20, 5, 7, tzinfo=UTC)
HOUR = timedelta(hours=1)
# Markup, an attribute's end, bidirectional overrides, control characters, half a character, CSS and a template's own.
HOSTILE = (
    '<script>document.title="böse"</script>',
    '"><img src=x onerror="document.title=1">',
    "a' onmouseover='alert(1)",
    "gepr\u202eüft\u2066",
    "z\x00e\x1b[31mile\r\nZeile",
    "halb\ud800e",
    "</style><style>*{display:none}</style>",
    "{{ 7 * 7 }}{% raw %}",
    "javascript:alert(1)",
    "&lt;b&gt;größe&amp;",
)
# How an outcome goes on: mostly as it was.
NEXT = {
    "holds": ("violated", "unknown", "unknown"),
    "violated": ("holds", "holds", "waived"),
    "unknown": ("holds", "holds", "violated"),
    "waived": ("holds", "waived"),
    "not-applicable": ("not-applicable",),
}


def timelines(providers: int, polls: int = 120, models: int = 1) -> list[Timeline]:
    """Make providers with every shipped contract; each third has a model whose ids do not resolve now and then."""
    luck = random.Random(f"größe {providers}")  # noqa: S311 - nothing secret hangs on it
    contracts = list(catalogue.load(None).contracts)
    instants = tuple(FIRST + HOUR * number for number in range(polls))
    made = []
    for number in range(providers):
        lines = [_line(luck, contract, None, instants) for contract in contracts]
        if number % 3 == 1:
            lines += [_line(luck, "models.resolve", f"größe/modell-{m}:free", instants) for m in range(models)]
        made.append(Timeline(provider=f"anbieter-{number:03}-中文", polls=instants, lines=tuple(lines)))
    return made


def hostile() -> list[Timeline]:
    """Make one provider for each hostile name, with a model and a contract of that name."""
    instants = tuple(FIRST + HOUR * number for number in range(7))
    return [
        Timeline(
            provider=text,
            polls=instants,
            lines=(
                Line(contract="sse.charset", model=text, changes=(Change(at=FIRST, outcome="violated"),), count=7),
                Line(contract=text, model=None, changes=tuple(_changes(["holds", "violated", "unknown"], instants))),
                Line(contract="reply.id", model=None, changes=(Change(at=FIRST, outcome=text),)),
            ),
        )
        for text in HOSTILE
    ]


def _changes(outcomes: list[str], instants: tuple[datetime, ...]) -> Iterator[Change]:
    return (Change(at=at, outcome=outcome) for outcome, at in zip(outcomes, instants[::2], strict=False))


def _line(luck: random.Random, contract: str, model: str | None, instants: tuple[datetime, ...]) -> Line:
    outcome = luck.choices(list(NEXT), (80, 4, 4, 2, 10))[0]
    changes = [Change(at=instants[0] - luck.randrange(3000) * HOUR, outcome=outcome)]
    at = 0
    while (at := at + 1 + int(luck.expovariate(1 / 900 if outcome == "holds" else 1 / 25))) < len(instants):
        following = luck.choice(NEXT[outcome])
        if following != outcome:
            outcome = following
            changes.append(Change(at=instants[at], outcome=outcome))
    count = sum(c.outcome == "violated" for c in changes) * 9
    return Line(contract=contract, model=model, changes=tuple(changes), count=count)
