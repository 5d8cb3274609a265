"""Keys: found by the name of a variable, sent to one host, and shown to nobody."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from msgspec import structs

from contracts.model import Finding
from contracts.text.scrub import scrub

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping

    from contracts.facts import Facts

MAX_BYTES = 16 * 1024  # the longest key in use is a signed token of some 4 KiB
SHORTEST = 6  # characters: a shorter key would be found in honest words
HIDDEN = "***"


class Key:
    """A key. It prints as `***`."""

    __slots__ = ("_text",)

    def __init__(self, text: str) -> None:
        """Hold a key."""
        self._text = text

    def __repr__(self) -> str:
        """Show nothing of it."""
        return HIDDEN

    def reveal(self) -> str:
        """Give the key itself, for the header that carries it."""
        return self._text

    def hidden_in(self, text: str) -> str:
        """Replace the key in a text, which an error of the provider may quote."""
        return text.replace(self._text, HIDDEN) if len(self._text) >= SHORTEST else text


def find(name: str, environ: Mapping[str, str]) -> tuple[Key | None, str]:
    """Find a key, and say in words why there is none.

    Looked for in the variable itself, in the file that `NAME_FILE` names, and in `$CREDENTIALS_DIRECTORY/NAME`, where
    systemd puts it.
    """
    told = f"{name} is not set"
    value = environ.get(name, "").strip()
    folder = environ.get("CREDENTIALS_DIRECTORY", "")
    named = environ.get(f"{name}_FILE", "")
    for path, where in ((named, f"{name}_FILE"), (folder and os.path.join(folder, name), "CREDENTIALS_DIRECTORY")):
        if value or not path or (path != named and not os.path.isfile(path)):
            continue
        try:
            with open(path, "rb") as file:
                value = file.read(MAX_BYTES).decode().strip()
        except (OSError, UnicodeDecodeError) as error:
            reason = (error.strerror or "it cannot be read") if isinstance(error, OSError) else "it is no text"
            return None, f"{where}: no key can be read from the file: {reason}"
        told = f"{where}: the file is empty"
    if value and not (value.isascii() and value.isprintable()):
        return None, f"{name} holds what no header can carry"
    return (Key(value), "") if value else (None, told)


def without(facts: Facts, keys: Iterable[Key]) -> Facts:
    """Take keys out of what a provider said, before it is kept or judged."""
    for key in keys:
        errors = tuple(structs.replace(e, message=key.hidden_in(e.message)) for e in facts.errors)
        headers = tuple((n, key.hidden_in(v)) for n, v in facts.headers)
        facts = structs.replace(facts, errors=errors, headers=headers)
    return facts


def hidden(findings: Iterable[Finding], keys: Iterable[Key]) -> list[Finding]:
    """Take keys out of findings, wherever they came from: the last gate before a report."""
    found = list(findings)
    for key in keys:
        for position, finding in enumerate(found):
            said = {n: getattr(finding, n) for n in ("detail", "reason", "expected", "observed", "model")}
            clean = {n: key.hidden_in(t) if t else t for n, t in said.items()}
            if clean != said:
                found[position] = structs.replace(finding, **clean)
    return found


def shown(text: str) -> str:
    """Show a short text of somebody else's in a message."""
    return scrub(text, 160)
