"""The model that answered is the one that was asked for.

What it checks
    The name the answer gives, against the name that was asked: equal, or a dated form (`…-2025-04-14`,
    `…-20250414`, `…-0125`), `…-latest`, the same name with or without its vendor and variant (`:free`), the
    same words in another order or parted otherwise (`llama3.3`, `llama-3.3`), an alias of the listing, or one that the
    row states. A name that ends in `-latest` may be answered by a version of it.

Why it matters
    A silent substitution changes quality and price without a word.

Example:
    check: {kind: model_as_asked, aliases: {openrouter/auto: ["*"]}}

Source
    https://platform.openai.com/docs/api-reference/chat/object, read 2026-11-30
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from msgspec import Struct, field

from contracts.checks import holds, not_applicable, reply_of, unknown, unread, violated
from contracts.model import Verdict, Where

if TYPE_CHECKING:
    from contracts.facts import Facts, Listing

# 2025-04-14 · 20250414 · 05-20 · 08-2024 · 250414 · 2411 · 0125 · 001, with a revision as Bedrock writes it (-v1:0)
DATE = r"[-@_](\d{4}-\d{2}-\d{2}|\d{8}|\d{2}-\d{4}|\d{2}-\d{2}|\d{6}|\d{4}|\d{3}|latest)(?:-v\d+)?$"

# As Bedrock writes it, us.anthropic.claude-…, and as Databricks names its endpoints, databricks-claude-….
VENDOR = r"^(?:(?:[a-z]+\.)+|databricks-)"
SEAMS = r"[-_. ]|(?<=[a-z]{2})(?=\d)"  # some write llama3.3, some llama-3.3; o3 and v3 are one word
UNFINISHED = ("preview", "exp")


class Parameters(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`aliases`: by asked id, the ids that may answer; `*` is any."""

    aliases: dict[str, tuple[str, ...]] = field(default_factory=dict)


def judge(facts: Facts, want: Parameters) -> Verdict:
    """Judge who answered."""
    reply = reply_of(facts)
    if isinstance(reply, Verdict):
        return reply
    asked = facts.asked.model if facts.asked else None
    if asked is None:
        return not_applicable("it is not known which model was asked for")
    if facts.asked and "/deployments/" in facts.asked.path:
        return not_applicable("the path names a deployment, which is no model id")
    if not reply.models:
        return not_applicable("the answer names no model")
    stated = want.aliases.get(asked) or want.aliases.get(asked.rsplit("/", 1)[-1], ())
    allowed = (asked, *stated, *_listed_aliases(facts.catalogue, asked))
    for seen in reply.models:
        if "*" not in allowed and not any(same_model(name, seen.value) for name in allowed):
            where = Where(event=seen.event, byte=seen.byte)
            return violated(
                f"{asked} was asked for and {seen.value} answered", expected=asked, observed=seen.value, where=where
            )
    why = unread(facts, reply)
    return unknown(why) if why else holds(observed=reply.models[0].value)


def same_model(asked: str, answered: str) -> bool:
    """Tell whether two names are one model as far as names can tell."""
    if asked == answered:
        return True
    asked_name, answered_name = _tagged(asked), _tagged(answered)
    if asked_name[1] and answered_name[1] and asked_name[1] != answered_name[1]:
        return False
    asked_stem, asked_date = _dated(asked_name[0])
    answered_stem, answered_date = _dated(answered_name[0])
    if asked_date and answered_date and asked_date != answered_date and "latest" not in (asked_date, answered_date):
        return False
    words, others = _words(asked_stem), _words(answered_stem)
    if asked_date == "latest":  # gemini-flash-latest is answered by gemini-2.5-flash-preview: a version may be added
        others = [w for w in others if w in words or not (w.isdigit() or w in UNFINISHED)]
    return words == others


def _tagged(name: str) -> tuple[str, str]:
    """Split `vendor/name:tag` into name and tag, in lower case; the vendor is left out, `latest` is no tag."""
    name, _, tag = name.lower().rsplit("/", 1)[-1].partition(":")
    name = re.sub(VENDOR, "", name)
    return name, "" if tag in ("latest", "0") else tag


def _dated(name: str) -> tuple[str, str]:
    """Split a name from the date at its end, dashes left out of it."""
    found = re.search(DATE, name)
    return (name[: found.start()], found[1].replace("-", "")) if found else (name, "")


def _words(stem: str) -> list[str]:
    """Give the words of a name in order of the alphabet: vendors put the version before or behind the family."""
    return sorted(w for w in re.split(SEAMS, stem) if w)


def _listed_aliases(listing: Listing | None, asked: str) -> tuple[str, ...]:
    """Give the names under which the listing knows the asked model."""
    models = listing.models if listing else ()
    names = next((m.aliases for m in models if m.id == asked), ())
    return (*names, *(m.id for m in models if asked in m.aliases))
