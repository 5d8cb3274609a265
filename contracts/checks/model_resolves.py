"""An allowed model id resolves to a chat endpoint.

What it checks
    A chat answer says most: a 2xx resolves, a 400, 404 or 410 whose error names the model does not, listed or
    not. Else the listing decides: listed, listed but not for chat, listed in other letters, not listed (with
    the nearest id). A 429 or 5xx says nothing by itself.

Why it matters
    A retired or mistyped id fails only when a user asks for it.

Example:
    check: {kind: model_resolves, not_chat: ["*embed*", "whisper-*"]}

Source
    https://platform.openai.com/docs/api-reference/models/list, read 2026-11-30
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from contracts.checks import counted, holds, is_success, not_applicable, unknown, violated

if TYPE_CHECKING:
    from contracts.facts import ErrorSeen, Facts, Listing
    from contracts.model import Verdict

REFUSALS = (400, 404, 410)
CODES = ("model_not_found", "model_not_available", "model_not_supported", "invalid_model", "unknown_model",
         "model_decommissioned", "model_deprecated", "not_found_error")  # fmt: skip
PHRASES = ("model not found", "no such model", "unknown model", "invalid model", "model does not exist",
           "no endpoints found", "not a valid model", "model not exist")  # fmt: skip
NOT_CHAT = (
    "not a chat model",
    "not support chat",
)  # whatever else is said, as in `an audio model and not a chat model`
# An error may name the model and be about the request all the same: its length, its parameters, its modality.
ABOUT_THE_REQUEST = ("context", "token", "length", "parameter", "temperature", "top_p", "response_format", "json",
                     "tool", "function call", "image", "audio", "vision", "modalit", "data policy", "quota",
                     "credit", "api key", "guardrail", "prompt", "logprob", "penalty", "penalties", "reasoning",
                     "thinking", "role", "messages", "system", "instruction", "policy", "flagged", "stream", "seed",
                     "logit", "'stop'", "n=", "stop sequence")  # fmt: skip
NO_PARAM = (None, "", "None", "null", "model")


class Parameters(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`not_chat`: shell patterns of ids that are no chat models, where the listing has no word for that."""

    not_chat: tuple[str, ...] = ()


def judge_model(facts: Facts, want: Parameters, model: str) -> Verdict:
    """Judge one allowed model."""
    if facts.kind == "listing":
        return by_listing(facts.listing, model, want) if is_success(facts) else _unlisted(facts)
    if facts.kind == "model":
        return by_endpoints(facts, model)
    asked = facts.asked.model if facts.asked else None
    if facts.kind != "chat" or asked != model or facts.keyless:
        return not_applicable("the answer says nothing about this model")
    if is_success(facts) and not facts.errors:
        if facts.reply is not None and facts.reply.choices:
            return holds("the model answered")
        return (
            unknown("the answer has no choice") if facts.catalogue is None else by_listing(facts.catalogue, model, want)
        )
    error = names_model(facts)
    if error is not None:
        return violated(
            f"the provider refuses the model: {error.message}", expected="a chat endpoint", observed=f"{facts.status}"
        )
    if facts.catalogue is not None:
        return by_listing(facts.catalogue, model, want)
    return unknown(f"status {facts.status} does not say whether the model exists")


def by_endpoints(facts: Facts, model: str) -> Verdict:
    """Judge a model by the answer of its own endpoint, which lists who serves it."""
    if facts.about != model:
        return not_applicable("the answer says nothing about this model")
    if facts.status in REFUSALS:
        return violated(
            f"the provider knows no such model: status {facts.status}", expected="endpoints", observed="none"
        )
    if not is_success(facts):
        return unknown(f"status {facts.status} does not say whether the model exists")
    if facts.endpoints is None:
        return unknown("the answer does not say how many endpoints there are")
    if facts.endpoints == 0:
        return violated("the model is known and has no endpoints", expected="endpoints", observed="none")
    return holds(counted(facts.endpoints, "endpoint"))


def _unlisted(facts: Facts) -> Verdict:
    """Say that there was no listing to look into."""
    return unknown(f"the listing was answered with status {facts.status}")


def by_listing(listing: Listing | None, model: str, want: Parameters) -> Verdict:
    """Judge a model by a listing."""
    if listing is None:
        return unknown("the listing could not be read (models.shape)")
    entry = next((m for m in listing.models if m.id == model or model in m.aliases), None)
    if entry is None:
        return _missing(listing, model)
    if entry.chat is False:
        return violated("listed, and not for chat", expected="a chat model", observed=entry.id)
    if entry.chat is None and want.not_chat and (pattern := _matching(model, want.not_chat)):
        return violated(
            f"listed, and excluded by the row's pattern '{pattern}'", expected="a chat model", observed=model
        )
    words = ["listed" if entry.id == model else f"listed as an alias of {entry.id}"]
    if entry.chat is None:
        words.append("the listing does not say what for")
    if entry.deprecated:
        replaced = f", replaced by {entry.replacement}" if entry.replacement else ""
        words.append(f"deprecated {entry.deprecated}{replaced}")
    return holds(", ".join(words))


def _missing(listing: Listing, model: str) -> Verdict:
    """Judge a model that is not listed under its name."""
    folded = model.casefold()
    other = next((m.id for m in listing.models if m.id.casefold() == folded), None)
    if other:
        return violated(f"listed in other letters, as {other}", expected=model, observed=other)
    if listing.more:
        return unknown("not on this page of a listing that has more")
    import difflib

    nearest = difflib.get_close_matches(model, [m.id for m in listing.models[:5000]], 1)
    hint = f" (did you mean {nearest[0]}?)" if nearest else ""
    return violated(f"not among {len(listing.models)} listed models{hint}", expected=model, observed="not listed")


def _matching(model: str, patterns: tuple[str, ...]) -> str | None:
    """Find the shell pattern that matches a model id."""
    import fnmatch

    return next((p for p in patterns if fnmatch.fnmatchcase(model, p)), None)


def names_model(facts: Facts) -> ErrorSeen | None:
    """Find the error that says of the asked model that it does not exist, is retired or is not for chat."""
    if facts.kind != "chat" or (facts.status not in REFUSALS and not is_success(facts)):
        return None
    asked = facts.asked.model if facts.asked else None
    for error in facts.errors:
        if error.code in CODES or error.param == "model":
            return error
        if error.param not in NO_PARAM:
            continue  # it names the member of the request that it is about
        said = error.message.casefold()
        names = {n for n in (asked.casefold(), asked.casefold().rsplit("/", 1)[-1]) if n} if asked else set()
        named = [n for n in names if n in said]
        for name in named:
            said = said.replace(name, " ")
        if any(phrase in said for phrase in NOT_CHAT):
            return error
        about_request = any(word in said for word in ABOUT_THE_REQUEST)
        if not about_request and (named or any(p in said for p in PHRASES)):
            return error
    return None
