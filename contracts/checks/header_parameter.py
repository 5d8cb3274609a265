"""A header's media type has a parameter with a given value.

What it checks
    On 2xx answers whose media type is `when_media_type`: that the header declares `parameter` as `equals`. Any
    legal spelling counts: upper case, quotes, blanks around the semicolon, an equal parameter repeated.

Why it matters
    `text/*` without a charset is read as ISO-8859-1 by clients that follow RFC 2616, `requests` among them:
    every non-ASCII character of a UTF-8 stream is then double-encoded, and the result is well-formed UTF-8.

Example:
    check:
      kind: header_parameter
      header: content-type
      when_media_type: text/event-stream
      parameter: charset
      equals: utf-8

Source
    https://www.rfc-editor.org/rfc/rfc9110#section-8.3.2 and
    https://www.rfc-editor.org/rfc/rfc2616#section-3.7.1, read 2026-11-30
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from contracts.checks import holds, is_success, not_applicable, violated
from contracts.model import Where
from contracts.wire import media_type

if TYPE_CHECKING:
    from contracts.facts import Facts
    from contracts.model import Verdict

BODIES = {"text/event-stream": ("sse", "empty"), "application/json": ("json", "empty")}


class Parameters(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`when_media_type` in lower case without parameters; `equals` is compared without regard to case."""

    header: str
    parameter: str
    equals: str
    when_media_type: str


def judge(facts: Facts, want: Parameters) -> Verdict:
    """Judge the parameter."""
    if not is_success(facts):
        return not_applicable(f"judges 2xx answers, and the status is {facts.status}")
    values = [value for name, value in facts.headers if name.lower() == want.header]
    parsed = media_type.parse(values)
    if parsed is None or parsed.essence != want.when_media_type:
        return not_applicable(f"the {want.header} is not {want.when_media_type}")
    if facts.body.kind not in BODIES.get(want.when_media_type, (facts.body.kind,)):
        return not_applicable(f"the body is {facts.body.kind}, so the label is http.media-type's")
    expected, observed = f"{want.parameter}={want.equals}", ", ".join(values)
    where = Where(header=want.header)
    declared = [value for name, value in parsed.parameters if name == want.parameter]
    if not declared:
        detail = f"{want.when_media_type} declares no {want.parameter}{non_ascii(facts)}"
        return violated(detail, expected=expected, observed=observed, where=where)
    if len({folded(want.parameter, value) for value in declared}) > 1:
        detail = f"{want.parameter} is declared twice and differs"
        return violated(detail, expected=expected, observed=observed, where=where)
    if folded(want.parameter, declared[0]) != folded(want.parameter, want.equals):
        detail = f"{want.when_media_type} declares {want.parameter} {declared[0]}"
        return violated(detail, expected=expected, observed=observed, where=where)
    return holds(observed=observed)


def folded(parameter: str, value: str) -> str:
    """Fold a value for comparison: without regard to case, and every label of a charset is one name."""
    if parameter != "charset":
        return value.lower()
    return media_type.charset_of(media_type.MediaType("", (("charset", value),))) or ""


def non_ascii(facts: Facts) -> str:
    """Say how much text depends on the charset."""
    count = facts.reply.text.non_ascii if facts.reply else 0
    if not count:
        return ""
    return f", and {count} non-ASCII character{'s' if count > 1 else ''} came with it"
