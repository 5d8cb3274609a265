"""JMESPath of provider rows, compiled once to see that it is JMESPath at all."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from contracts.config.rows import Resolved
from contracts.config.words import show

PLAIN = ("path", "method", "prefix", "suffix")  # members that are no expression


def expression_problems(rows: Iterable[Resolved]) -> list[str]:
    """Compile every expression of every row and list those that are none."""
    problems: dict[str, None] = {}
    for row in rows:
        for layer in row.layers:
            for place, text in _written(layer.row):
                # A member's name needs no JMESPath, whose import takes three bare interpreters' time.
                fault = None if text.isidentifier() else _fault(text)
                if fault is not None:
                    problems[f"{layer.document.at((*layer.path, *place))}: expected JMESPath, found {fault}"] = None
    return list(problems)


def _written(row: dict[str, Any]) -> Iterator[tuple[tuple[str, ...], str]]:
    """Every expression of a row, with its place."""
    for key in ("listing", "endpoint"):
        for name, text in (row.get(key) or {}).items():
            if isinstance(text, dict):
                yield from (((key, name, parameter), inner) for parameter, inner in text.items())
            elif text is not None and name not in PLAIN:
                yield (key, name), text


def _fault(text: str) -> str | None:
    import jmespath

    try:
        jmespath.compile(text)
    except jmespath.exceptions.JMESPathError as error:
        return f"{show(text)}, which is none: {' '.join(str(error).split())[:120]}"
    return None
