"""How a problem is said: places, found values without secrets, "did you mean"."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

# A word of at least sixteen letters and digits with a digit among them, or of at least twenty-eight at all, is a
# key and no name: OPENROUTER_API_KEY has none of either, sk-…, gsk_…, AIza… and 32 hex digits have one.
_KEY_CHARS, _KEY_CHARS_WITHOUT_DIGIT = 16, 28
# What vendors begin keys with; words after these may be short.
_PREFIXES = ("sk-", "sk_", "pk-", "pk_", "gsk_", "hf_", "xai-", "pplx-", "nvapi-", "ghp_", "csk-", "fw_", "r8_", "AIza")
_PREFIXED_CHARS = 15
_LIMIT = 60

KINDS: dict[type, str] = {
    type(None): "nothing",
    bool: "true or false",
    int: "a whole number",
    float: "a number",
    str: "a text",
    list: "a list",
    dict: "a mapping",
    bytes: "bytes",
}


def looks_like_a_key(text: str) -> bool:
    """Whether a text may be a credential, which no message may repeat."""
    for word in "".join(one if one.isalnum() and one.isascii() else " " for one in text).split():
        if len(word) >= _KEY_CHARS_WITHOUT_DIGIT or (len(word) >= _KEY_CHARS and not word.isalpha()):
            return True
    tokens = text.replace("=", " ").replace(":", " ").split()
    return any(token.startswith(_PREFIXES) and len(token) >= _PREFIXED_CHARS for token in tokens)


def show(value: Any) -> str:
    """Say what was found, on one line, never the whole of it and never a credential."""
    if isinstance(value, str):
        if looks_like_a_key(value):
            return "a text that looks like a key (not shown)"
        from contracts.text.scrub import scrub

        return f"'{scrub(value, _LIMIT)}'"
    if isinstance(value, list | dict | bytes) or value is None:
        kind = KINDS[type(value)]
        return kind.replace("a ", "an empty ", 1) if value is not None and not value else kind
    if isinstance(value, bool):
        return "true" if value else "false"
    return str(value)


def did_you_mean(word: str, known: Iterable[str]) -> str:
    """Return ` (did you mean 'x'?)`, or nothing when no known word is near."""
    from difflib import get_close_matches

    known = list(known)
    near = get_close_matches(word, known, n=1, cutoff=0.6)
    if not near:
        near = [other for other in known if other.casefold() == word.casefold()][:1]
    return f" (did you mean '{near[0]}'?)" if near else ""


def one_of(options: Iterable[Any]) -> str:
    """Return `a, b or c`, each shown."""
    shown = [show(option) for option in options]
    return shown[0] if len(shown) == 1 else f"{', '.join(shown[:-1])} or {shown[-1]}"
