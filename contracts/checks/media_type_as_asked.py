"""The answer is of the asked kind and labelled so.

What it checks
    A 2xx answer to `stream: true` is an event stream labelled `text/event-stream` (NDJSON where the contract
    says so); any other is JSON labelled `application/json`. Where the request is not known, the label has to
    fit the body. JSON and NDJSON declare no charset but UTF-8, which is the only one that they have.

Why it matters
    Clients choose the parser by the label. A stream that is labelled JSON is read as one broken document; JSON
    sent for a stream is never shown. A charset that is declared is believed, by `requests` for JSON and by the
    client of Ollama for NDJSON, and every character beyond ASCII comes out as others.

Example:
    check: {kind: media_type_as_asked, stream: text/event-stream}

Source
    https://www.rfc-editor.org/rfc/rfc9110#section-8.3 and https://www.rfc-editor.org/rfc/rfc8259#section-8.1,
    read 2026-11-30
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from msgspec import Struct

from contracts.checks import holds, is_success, not_applicable, violated
from contracts.model import Where
from contracts.wire import media_type
from contracts.wire.body_kind import NDJSON, SSE

if TYPE_CHECKING:
    from contracts.facts import Facts
    from contracts.model import Verdict

NAMES = {"sse": "an event stream", "ndjson": "NDJSON", "json": "JSON", "html": "an HTML page", "text": "text"}
HEADER = Where(header="content-type")


class Parameters(Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """`stream`: the media type of a streamed answer in this dialect."""

    stream: str = SSE


def judge(facts: Facts, want: Parameters) -> Verdict:
    """Judge label and body of a 2xx answer."""
    if not is_success(facts):
        return not_applicable(f"judges 2xx answers, and the status is {facts.status}")
    if facts.kind == "other":
        return not_applicable("judges chat answers and listings")
    values = [value for name, value in facts.headers if name.lower() == "content-type"]
    label = media_type.parse(values)
    streamed = wanted_stream(facts)
    expected = want.stream if streamed else "application/json"
    observed = ", ".join(values) or "no Content-Type"
    body = facts.body.kind
    if body not in ("empty", "sse" if expected == SSE else "ndjson" if streamed else "json"):
        body_words = "no JSON" if body == "text" and not streamed else NAMES[body]
        asked = "a stream was asked for" if streamed else "one JSON answer was asked for"
        asked = asked if facts.asked else f"the label is {observed}"
        return violated(f"{asked}, and the body is {body_words}", expected=expected, observed=observed, where=HEADER)
    if label is None:
        return violated("the answer has no readable Content-Type", expected=expected, observed=observed, where=HEADER)
    if len({one.essence for value in values if (one := media_type.parse([value])) is not None}) > 1:
        return violated("Content-Type is sent twice and differs", expected=expected, observed=observed, where=HEADER)
    fits = label.essence == expected or (not streamed and media_type.is_json(label.essence))
    if streamed and expected in NDJSON:
        fits = label.essence in NDJSON
    if not fits:
        return violated(f"the answer is labelled {label.essence}", expected=expected, observed=observed, where=HEADER)
    charset = None if label.essence == SSE else media_type.charset_of(label)  # sse.charset judges an event stream's
    if charset not in (None, "utf-8"):
        detail = f"the label declares charset {charset}, and {NAMES['ndjson' if streamed else 'json']} is UTF-8"
        return violated(detail, expected=expected, observed=observed, where=HEADER)
    return holds(observed=observed)


def wanted_stream(facts: Facts) -> bool:
    """Tell whether a stream was asked for; where that is not known, whether one came."""
    if facts.kind == "listing":
        return False
    if facts.asked is not None:
        return facts.asked.stream
    return facts.body.kind in ("sse", "ndjson")
