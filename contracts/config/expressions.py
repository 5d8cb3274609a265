"""JMESPath of provider rows, compiled once to see that it is JMESPath at all."""

from __future__ import annotations

from collections.abc import Iterable

from contracts.config.rows import Resolved
from contracts.config.words import show


def expression_problems(rows: Iterable[Resolved]) -> list[str]:
    """Compile every expression of every row and list those that are none."""
    problems: dict[str, None] = {}
    for row in rows:
        for layer in row.layers:
            for name, text in (layer.row.get("listing") or {}).items():
                # A member's name needs no JMESPath, whose import takes three bare interpreters' time.
                if name == "path" or text is None or text.isidentifier():
                    continue
                fault = _fault(text)
                if fault is not None:
                    problems[
                        f"{layer.document.at((*layer.path, 'listing', name))}: expected JMESPath, found {fault}"
                    ] = None
    return list(problems)


def _fault(text: str) -> str | None:
    import jmespath

    try:
        jmespath.compile(text)
    except jmespath.exceptions.JMESPathError as error:
        return f"{show(text)}, which is none: {' '.join(str(error).split())[:120]}"
    return None
