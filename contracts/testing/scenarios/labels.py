"""Statuses and labels: what an answer says of itself before its body."""
# ruff: noqa: ARG001 - all functions of a stage are called alike

from __future__ import annotations

import msgspec

from contracts.testing import answer as answers
from contracts.testing import reply, stream
from contracts.testing.answer import EVENTS, LINES, Answer
from contracts.testing.ask import Ask
from contracts.testing.scenario import scenario


@scenario("answer", violates="sse.charset", needs=("sse",))
def charset_latin1(answer: Answer, ask: Ask) -> Answer:
    """Declares charset=iso-8859-1 over a stream that is UTF-8."""
    return labelled(answer, "text/event-stream; charset=iso-8859-1")


@scenario("answer", violates="sse.charset", needs=("sse",))
def charset_twice(answer: Answer, ask: Ask) -> Answer:
    """Declares two charsets that differ."""
    return labelled(answer, "text/event-stream; charset=utf-8; charset=iso-8859-1")


@scenario("answer", violates="http.media-type")
def sse_labelled_json(answer: Answer, ask: Ask) -> Answer:
    """Labels a stream application/json, so that clients read it as one broken document."""
    return labelled(answer, "application/json")


@scenario("answer", violates="http.media-type")
def sse_labelled_text(answer: Answer, ask: Ask) -> Answer:
    """Labels a stream text/plain."""
    return labelled(answer, "text/plain; charset=utf-8")


@scenario("answer", violates="http.media-type")
def no_content_type(answer: Answer, ask: Ask) -> Answer:
    """Sends a success without a Content-Type."""
    return answer.with_header("Content-Type") if answer.is_success else answer


@scenario("answer", violates="http.media-type")
def content_type_twice(answer: Answer, ask: Ask) -> Answer:
    """Sends two Content-Type headers that differ."""
    if answer.is_stream:
        answer.with_header("Content-Type", f"{answer.header('content-type')}; charset=utf-8", "application/json")
    return answer


def labelled(answer: Answer, label: str) -> Answer:
    """Label a stream."""
    return answer.with_header("Content-Type", label) if answer.is_stream else answer


@scenario("answer", violates="http.media-type", kinds=("chat",))
def json_for_stream(answer: Answer, ask: Ask) -> Answer:
    """Answers a request for a stream with one JSON answer."""
    if not answer.is_stream:
        return answer
    told = ask.honest(None)
    return answer.with_body(msgspec.json.encode(ask.writer.whole(told, ask.path)), "application/json")


@scenario("answer", violates="http.media-type", kinds=("chat",), shown="chat")
def stream_for_json(answer: Answer, ask: Ask) -> Answer:
    """Answers a request for one JSON answer with a stream."""
    if answer.is_stream or not answer.is_success:
        return answer
    told = ask.honest(None)
    events = ask.writer.events(told, reply.script(told, with_usage=False))
    body = b"".join(stream.blocks(stream.documents(events, ask.writer), ask.writer))
    return answer.with_body(body, LINES if ask.writer.NDJSON else f"{EVENTS}; charset=utf-8")


@scenario("before", violates="http.status", also=("error.shape",))
def bad_gateway(ask: Ask) -> Answer:
    """Answers 502 with a page of HTML, as an edge in front of it does."""
    return answers.page(502, "502 Bad Gateway")


@scenario("before", violates="http.status", also=("error.shape",))
def edge_timeout(ask: Ask) -> Answer:
    """Answers 524, an edge's own status, with a page of HTML."""
    return answers.page(524, "A timeout occurred")


@scenario("before", violates="http.status", also=("http.media-type",))
def edge_page(ask: Ask) -> Answer:
    """Answers 200 with a page of HTML that asks whether the client is human."""
    return answers.page(200, "Just a moment…")


@scenario("before", violates="http.status")
def server_error(ask: Ask) -> Answer:
    """Answers 500 with a JSON error."""
    return ask.error(500, "The server had an error while processing your request.")


@scenario("before", violates="http.status")
def overloaded(ask: Ask) -> Answer:
    """Answers 503 with a JSON error and Retry-After."""
    return ask.error(503, "The engine is overloaded.").with_header("Retry-After", "20")


@scenario("before", violates="http.status")
def no_credit(ask: Ask) -> Answer:
    """Answers 402: the account is empty, which is ours to mend."""
    return ask.error(402, "Insufficient credits.", code="insufficient_quota")


@scenario("before", violates="http.status")
def rate_limited(ask: Ask) -> Answer:
    """Answers 429 and says in Retry-After to come back in 30 seconds."""
    return too_many(ask).with_header("Retry-After", "30")


@scenario("before", violates="limits.retry-after", also=("http.status",))
def rate_limited_bare(ask: Ask) -> Answer:
    """Answers 429 and does not say when to come back."""
    return too_many(ask)


@scenario("before", violates="limits.retry-after", also=("http.status",))
def rate_limited_vague(ask: Ask) -> Answer:
    """Answers 429 with a Retry-After that is neither seconds nor a date."""
    return too_many(ask).with_header("Retry-After", "soon")


def too_many(ask: Ask) -> Answer:
    """Give a 429."""
    return ask.error(429, "Rate limit reached for requests.", code="rate_limit_exceeded")


@scenario("before", violates="http.status")
def redirect_elsewhere(ask: Ask) -> Answer:
    """Redirects to another host, which listens and records who follows, and with what key."""
    answer = ask.error(307, "Moved.")
    return answer.with_header("Location", f"{ask.elsewhere}{ask.path}")


@scenario("before", violates="http.status")
def redirect_loop(ask: Ask) -> Answer:
    """Redirects to itself, for ever."""
    hop = int(ask.query.get("hop", "0")) if ask.query.get("hop", "0").isdigit() else 0
    return ask.error(307, "Moved.").with_header("Location", f"{ask.origin}{ask.path}?hop={hop + 1}")


@scenario("answer", violates="error.shape", also=("http.status",), shown="keyless")
def error_page(answer: Answer, ask: Ask) -> Answer:
    """Words its errors as pages of HTML."""
    return answer if answer.is_success else answers.page(answer.status, "Error")


@scenario("answer", violates="error.shape", shown="keyless")
def error_text(answer: Answer, ask: Ask) -> Answer:
    """Words its errors as plain text."""
    return answer if answer.is_success else answer.with_body("clé refusée".encode(), "text/plain; charset=utf-8")


@scenario("answer", violates="error.shape", shown="keyless")
def error_empty(answer: Answer, ask: Ask) -> Answer:
    """Sends errors without a body."""
    return answer if answer.is_success else answer.with_body(b"", "application/json")


@scenario("answer", violates="error.shape", shown="keyless", needs=("error-object",))
def error_string(answer: Answer, ask: Ask) -> Answer:
    """Sends an error that is a string and no object."""
    return answer if answer.is_success else answers.whole(answer.status, {"error": "clé refusée"})


@scenario("answer", violates="error.shape", shown="keyless")
def error_labelled_text(answer: Answer, ask: Ask) -> Answer:
    """Labels its JSON errors text/plain."""
    return answer if answer.is_success else answer.with_header("Content-Type", "text/plain")


@scenario("answer", violates="error.shape", also=("http.status",), shown="keyless")
def error_status(answer: Answer, ask: Ask) -> Answer:
    """Sends every error with status 500, whatever it says."""
    if not answer.is_success:
        answer.status = 500
    return answer
