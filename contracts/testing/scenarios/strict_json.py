"""JSON that parsers disagree on, refuse, or read differently from their neighbours."""
# ruff: noqa: ARG001 - all functions of a stage are called alike

from __future__ import annotations

from collections.abc import Callable

from contracts.testing.answer import Answer
from contracts.testing.ask import Ask
from contracts.testing.scenario import scenario
from contracts.testing.stream import Documents, middle

DEPTH = 100_000


def one(documents: Documents, change: Callable[[bytes], bytes]) -> Documents:
    """Change the JSON text in the middle of a stream, or the only one."""
    for is_middle, document in middle(documents):
        is_meant = is_middle or document.what == "whole"
        yield document._replace(text=change(document.text)) if is_meant else document


def with_member(member: bytes) -> Callable[[bytes], bytes]:
    """Give a change that puts a member first."""
    return lambda document: b"{" + member + b"," + document[1:]


@scenario("documents", violates="reply.json")
def json_nan(documents: Documents, ask: Ask) -> Documents:
    """Sends a number that is NaN, which JSON does not have."""
    return one(documents, with_member(b'"score":NaN'))


@scenario("documents", violates="reply.json")
def json_infinity(documents: Documents, ask: Ask) -> Documents:
    """Sends the number 1e999, which is infinity to some readers and an error to others."""
    return one(documents, with_member(b'"score":1e999'))


@scenario("documents", violates="reply.json")
def json_duplicate_keys(documents: Documents, ask: Ask) -> Documents:
    """Sends an object that has its first member twice, with different values."""
    return one(documents, lambda text: b"{" + text[1 : text.index(b":")] + b':"chatcmpl-\xc3\xa9",' + text[1:])


@scenario("documents", violates="reply.json")
def json_control_character(documents: Documents, ask: Ask) -> Documents:
    """Sends a raw tab inside a string, which JSON wants escaped."""
    return one(documents, with_member(b'"note":"a\tb"'))


@scenario("documents", violates="reply.json")
def json_concatenated(documents: Documents, ask: Ask) -> Documents:
    """Sends two JSON values in one event."""
    return one(documents, lambda document: document + document)


@scenario("documents", violates="reply.json")
def json_cut(documents: Documents, ask: Ask) -> Documents:
    """Sends an event whose JSON ends too early, framed as if it were whole."""
    return one(documents, lambda document: document[:-3])


@scenario("documents", violates="reply.json")
def json_invalid_utf8(documents: Documents, ask: Ask) -> Documents:
    """Sends the byte E9, é in ISO-8859-1, in the middle of UTF-8."""
    return one(documents, with_member(b'"note":"caf\xe9"'))


@scenario("documents", violates="reply.json")
def json_deep(documents: Documents, ask: Ask) -> Documents:
    """Sends 100,000 lists one inside the other, on which recursive readers run out of stack."""
    return one(documents, with_member(b'"deep":' + b"[" * DEPTH + b"]" * DEPTH))


@scenario("answer", violates="models.shape", kinds=("listing",), shown="listing")
def listing_deep(answer: Answer, ask: Ask) -> Answer:
    """Sends a listing that is 100,000 lists one inside the other."""
    deep = b"[" * DEPTH + b"]" * DEPTH
    return answer.with_body(b'{"%s":%s}' % (ask.writer.ITEMS.encode(), deep), "application/json")
