"""Model ids from a file: one a line with `#` comments, or a YAML or JSON list."""

from __future__ import annotations

from collections.abc import Callable

from contracts.config.decode import decode, telling
from contracts.config.file_form import ModelId
from contracts.config.files import read
from contracts.config.yaml_loader import CONFIG, load
from contracts.errors import ConfigError


def read_ids(path: str, stdin: Callable[[], bytes]) -> list[str]:
    """Read the ids in order, duplicates kept.

    Args:
        path: a file, or `-` for standard input.
        stdin: gives all of standard input.

    Raises:
        ConfigError: when the file cannot be read or holds what is no id.
    """
    name = "<stdin>" if path == "-" else path
    data = stdin() if path == "-" else read(path)
    start = data.lstrip(b"\xef\xbb\xbf \t\r\n")[:2]
    if path.endswith((".yaml", ".yml", ".json")) or start[:1] == b"[" or start == b"- ":
        document = load(data, name)
        return decode(document.value, list[ModelId], telling(document, lambda _path: "the list of model ids"))
    return _lines(data, name)


def _lines(data: bytes, name: str) -> list[str]:
    from contracts.config.yaml_faults import check_bytes

    check_bytes(data, name, CONFIG.max_bytes)
    ids: list[str] = []
    problems: list[str] = []
    for number, line in enumerate(data.decode("utf-8-sig").split("\n"), 1):
        # A `#` inside an id is part of it; a comment has a space before it, as in YAML.
        text = line.strip() if line.lstrip().startswith("#") else f"{line} ".split(" #", 1)[0].strip()
        if not text or text.startswith("#"):
            continue
        if len(text.split()) > 1 or not text.isprintable():
            column = len(line) - len(line.lstrip()) + 1
            problems.append(f"{name}:{number}:{column}: expected one model id a line, found more")
        ids.append(text)
    if problems:
        raise ConfigError(*problems)
    return ids
