"""Keys: found by the name of a variable, sent to one host, and shown to nobody."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

from msgspec import Struct, structs

from contracts.model import Finding
from contracts.text.scrub import scrub

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from contracts.auth import Auth
    from contracts.dialects import Asking
    from contracts.facts import Facts, Listing

MAX_BYTES = 16 * 1024  # the longest key in use is a signed token of some 4 KiB
SHORTEST = 6  # characters: a shorter key would be found in honest words
PART = 12  # characters: the beginning of a key that nothing else begins with, whose rest a limit may have cut off
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
        """Replace the key in a text, which an error of the provider may quote, and may have been cut within it."""
        key = self._text
        if len(key) < SHORTEST:
            return text
        text = text.replace(key, HIDDEN)
        at = text.find(key[:PART]) if self.is_telling else -1
        while at >= 0:
            size = PART
            while text.startswith(key[: size + 1], at) and size < len(key):
                size += 1
            text = text[:at] + HIDDEN + text[at + size :]
            at = text.find(key[:PART], at + len(HIDDEN))
        return text

    def begins_in(self, text: str) -> bool:
        """Tell quickly whether a text holds the beginning of the key, or all of it."""
        return self._text[:PART] in text

    @property
    def is_telling(self) -> bool:
        """Whether it is no word, as a local server takes for a key, that honest answers hold too (`ollama`)."""
        return len(self._text) > PART


def find(name: str, environ: Mapping[str, str]) -> tuple[Key | None, str]:
    """Find a key, and say in words why there is none.

    Looked for in the variable itself, in the file that `NAME_FILE` names, and in `$CREDENTIALS_DIRECTORY/NAME`, where
    systemd puts it.
    """
    told = unset(name)
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
        at = next(n for n, c in enumerate(value, 1) if not (c.isascii() and c.isprintable()))
        return None, f"{name} holds what no header can carry: expected printable ASCII, found another character at {at}"
    return (Key(value), "") if value else (None, told)


def unset(name: str) -> str:
    """Say that there is no key under a name."""
    return f"{name} is not set"


def headers(key: Key | None, auth: Auth | None, asking: Asking | None) -> tuple[tuple[str, str], ...]:
    """Give the headers that carry a key: as the row says, else as the dialect does; none where there is no key."""
    if key is None:
        return ()
    if auth is None:
        return () if asking is None else asking.credentials(key.reveal())
    return ((auth.header, f"{auth.scheme} {key.reveal()}" if auth.scheme else key.reveal()),)


def without(facts: Facts, keys: Iterable[Key]) -> Facts:
    """Take keys out of what a provider said, before it is kept or judged."""
    for key in keys:
        errors = tuple(structs.replace(e, message=key.hidden_in(e.message)) for e in facts.errors)
        headers = tuple((n, key.hidden_in(v)) for n, v in facts.headers)
        facts = structs.replace(facts, errors=errors, headers=headers)
        if key.is_telling:
            listing = facts.listing
            # A listing is long: it is taken apart where something in it quotes the key.
            if listing is not None and key.begins_in("\n".join(_texts(listing))):
                listing = taken_out(listing, key)
            facts = structs.replace(taken_out(structs.replace(facts, listing=None), key), listing=listing)
    return facts


def _texts(listing: Listing) -> Iterator[str]:
    """Give every text of a listing."""
    for model in listing.models:
        yield model.id
        yield from model.aliases
        yield from model.parameters
        for price in model.prices:
            yield from price
        yield from (text for text in (model.deprecated, model.replacement, model.quantization) if text)
    for name, value in listing.next:
        yield f"{name}\n{value}"
    for fault in listing.faults:
        yield fault.detail


def taken_out(value: Any, key: Key) -> Any:
    """Take a key out of every text within a Struct or a JSON value."""
    if isinstance(value, str):
        return key.hidden_in(value)
    if isinstance(value, tuple):
        return tuple(taken_out(item, key) for item in value)
    if isinstance(value, list):
        return [taken_out(item, key) for item in value]
    if isinstance(value, dict):
        return {taken_out(name, key): taken_out(item, key) for name, item in value.items()}
    if isinstance(value, Struct):
        said = {name: getattr(value, name) for name in value.__struct_fields__}
        clean = {name: taken_out(item, key) for name, item in said.items()}
        return structs.replace(value, **clean) if clean != said else value
    return value


def hidden(findings: Iterable[Finding], keys: Iterable[Key]) -> list[Finding]:
    """Take keys out of findings, wherever they came from: the last gate before a report."""
    found = list(findings)
    for key in keys:
        for position, finding in enumerate(found):
            said = {n: getattr(finding, n) for n in ("detail", "reason", "expected", "observed", "model")}
            clean: dict[str, Any] = {n: key.hidden_in(t) if t else t for n, t in said.items()}
            if finding.evidence is not None:
                clean["evidence"] = structs.replace(finding.evidence, ref=key.hidden_in(finding.evidence.ref))
            found[position] = structs.replace(finding, **clean)
    return found


def shown(text: str) -> str:
    """Show a short text of somebody else's in a message."""
    return scrub(text, 160)
