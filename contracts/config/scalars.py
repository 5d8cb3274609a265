"""What a plain scalar means: the core schema of YAML 1.2, and YAML 1.1 for cassettes."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

Resolve = Callable[[str], Any]

# YAML 1.2.2, section 10.3.2 (https://yaml.org/spec/1.2.2/#1032-tag-resolution, read 2026-11-30).
# `NO`, `on`, `yes`, `12:30:45` and `2026-11-30` are in none of these tables, so they stay text.
_WORDS: dict[str, Any] = {
    **dict.fromkeys(("", "~", "null", "Null", "NULL")),
    **dict.fromkeys(("true", "True", "TRUE"), True),
    **dict.fromkeys(("false", "False", "FALSE"), False),
    **dict.fromkeys((".inf", ".Inf", ".INF", "+.inf", "+.Inf", "+.INF"), float("inf")),
    **dict.fromkeys(("-.inf", "-.Inf", "-.INF"), float("-inf")),
    **dict.fromkeys((".nan", ".NaN", ".NAN"), float("nan")),
}
_INT = re.compile(r"[-+]?[0-9]+")
_BASED = re.compile(r"0o[0-7]+|0x[0-9a-fA-F]+")
_FLOAT = re.compile(r"[-+]?(?:\.[0-9]+|[0-9]+(?:\.[0-9]*)?)(?:[eE][-+]?[0-9]+)?")
_NUMBER_STARTS = frozenset("+-.0123456789")

# Far above any number that a file of ours means; int() refuses 4,300 digits with a message of its own.
_MAX_DIGITS = 400


class BadScalarError(ValueError):
    """A scalar that its tag, or its own look, does not allow; the message is `expected …, found …`."""


def core(text: str) -> Any:
    """Value of a plain scalar under the core schema. Raises BadScalarError for a number out of range."""
    if text in _WORDS:
        return _WORDS[text]
    if text[0] not in _NUMBER_STARTS:
        return text
    if _INT.fullmatch(text):
        return int(_short(text))
    if _BASED.fullmatch(text):
        return int(_short(text), 0)
    if _FLOAT.fullmatch(text):
        number = float(text)
        # 1e999 would turn into an infinity that nobody wrote.
        if number in (float("inf"), float("-inf")):
            raise BadScalarError(f"expected a number below 1.8e308 or a quoted text, found {_cut(text)}")
        return number
    return text


def yaml_1_1() -> Resolve:
    """Return a resolver that gives what vcrpy's own reading (PyYAML, YAML 1.1) gives, except that instants stay text.

    vcrpy writes no instants, and a text keeps what was written.
    """
    import yaml

    # Any: the stubs leave the resolver and the nodes without types.
    tags: Any = yaml.resolver.Resolver().resolve
    node: Any = yaml.ScalarNode
    build: Any = yaml.constructor.SafeConstructor()
    as_text = ("tag:yaml.org,2002:str", "tag:yaml.org,2002:timestamp", "tag:yaml.org,2002:value")

    def resolve(text: str) -> Any:
        tag = tags(node, text, (True, False))
        if tag in as_text or tag == "tag:yaml.org,2002:merge":
            return text
        try:
            return build.yaml_constructors[tag](build, node(tag, _short(text)))
        except (ValueError, yaml.YAMLError) as error:
            raise BadScalarError(f"expected a YAML 1.1 scalar, found {_cut(text)}") from error

    return resolve


def tagged(tag: str, text: str, *, binary: bool) -> Any:
    """Value of a scalar whose tag is written out. `binary`: whether `!!binary` is welcome.

    Raises:
        BadScalarError: for a tag that is not one of the core schema, or does not fit the text.
    """
    short = tag.removeprefix("tag:yaml.org,2002:")
    if tag == "!" or short == "str":
        return text
    if short == "binary" and binary:
        return _bytes(text)
    if short not in _FITS or short == tag:
        shown = f"!!{short}" if short != tag else tag
        raise BadScalarError(f"expected no tag but those of the core schema, found {_cut(shown)}")
    value = core(text)
    if short == "float" and type(value) is int:
        return float(value)
    if type(value) is not _FITS[short]:
        raise BadScalarError(f"expected what !!{short} says, found {_cut(text)}")
    return value


_FITS: dict[str, type] = {"null": type(None), "bool": bool, "int": int, "float": float}


def _bytes(text: str) -> bytes:
    import binascii

    try:
        return binascii.a2b_base64("".join(text.split()), strict_mode=True)
    except (binascii.Error, ValueError) as error:
        raise BadScalarError(f"expected base64 after !!binary, found {_cut(text)} ({error})") from error


def _short(digits: str) -> str:
    if len(digits) > _MAX_DIGITS:
        raise BadScalarError(f"expected a number of at most {_MAX_DIGITS} digits, found {len(digits)}")
    return digits


def _cut(text: str) -> str:
    from contracts.config.words import show

    return show(text)
