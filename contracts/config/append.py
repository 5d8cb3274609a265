"""Add a row to a providers file without touching what is there: comments, order and spelling stay as they are."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from contracts.config.words import show
from contracts.errors import ConfigError

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

NEW = "version: 1\nproviders:\n"


def row_text(name: str, row: Mapping[str, Any], indent: int = 2) -> str:
    """Write a row as YAML, in block style, each line indented."""
    import yaml

    text = yaml.safe_dump({name: dict(row)}, sort_keys=False, allow_unicode=True, width=1000, default_flow_style=False)
    step = " " * indent
    return "".join(f"{step}{line}\n" for line in text.splitlines())


def appended(text: str | None, name: str, row: Mapping[str, Any], path: str) -> str:
    """Give the text of a providers file with one row more; None is a file that is not there yet.

    Raises:
        ConfigError: where there is such a row, or where no row can be added without touching what is there.
    """
    import yaml

    if text is None or not text.strip("\ufeff \t\r\n"):
        return (text or "") + NEW + row_text(name, row)
    root = yaml.compose(text, Loader=yaml.SafeLoader)
    value = yaml.safe_load(text)
    rows = value.get("providers") if isinstance(value, dict) else None
    if isinstance(rows, dict) and name in rows:
        raise ConfigError(f"{path}: expected no provider {show(name)}, found one; it is left as it is")
    end = "\r\n" if "\r\n" in text else "\n"
    for at, indent in _places(root, text):
        before, after = text[:at], text[at:]
        glue = "" if not before or before.endswith("\n") else end
        candidate = before + glue + row_text(name, row, indent).replace("\n", end) + after
        try:
            if yaml.safe_load(candidate) == {**value, "providers": {**(rows or {}), name: dict(row)}}:
                return candidate
        except yaml.YAMLError:
            continue
    raise ConfigError(
        f"{path}: expected rows in block style below 'providers', so that one can be added without touching them; "
        f"add this by hand:\n{row_text(name, row)}"
    )


def _places(root: Any, text: str) -> Iterator[tuple[int, int]]:
    """Give places in the text where a row may begin, with its indent: behind the last row, else before the first."""
    import yaml

    pairs = root.value if isinstance(root, yaml.MappingNode) else ()
    key, rows = next(((k, v) for k, v in pairs if k.value == "providers"), (None, None))
    if isinstance(rows, yaml.MappingNode) and not rows.flow_style and rows.value:
        indent = rows.value[0][0].start_mark.column
        yield _line_after(text, max(_ends(rows))), indent
        yield text.rfind("\n", 0, rows.value[0][0].start_mark.index) + 1, indent
    elif isinstance(rows, yaml.ScalarNode) and key is not None and not rows.value:
        yield _line_after(text, key.end_mark.index), key.start_mark.column + 2


def _ends(node: Any) -> Iterator[int]:
    """Give where each value ends; a block has no end of its own but that of what is in it."""
    import yaml

    if isinstance(node, yaml.MappingNode) and not node.flow_style:
        for key, value in node.value:
            yield key.end_mark.index
            yield from _ends(value)
    elif isinstance(node, yaml.SequenceNode) and not node.flow_style:
        for item in node.value:
            yield from _ends(item)
    else:
        yield node.end_mark.index


def _line_after(text: str, index: int) -> int:
    """Give where the next line begins; a text that ends at a line's beginning ends there."""
    if index and text[index - 1] == "\n":
        return index
    end = text.find("\n", index)
    return len(text) if end < 0 else end + 1
