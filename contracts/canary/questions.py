"""What a canary asks of one model: in which ways, in what words, and by which request in its dialect."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, get_args

from msgspec import Struct

from contracts.evidence.asker import Question
from contracts.text.canary import CANARY, CONTROL

if TYPE_CHECKING:
    from contracts.dialects.canaries import CanaryAsking
    from contracts.model import Provider

# The control says whether the model does as it is told; the call, whether it is the model that writes anew what the
# wire carries; the second stream, whether the same happens twice.
Way = Literal["control", "streamed", "whole", "call", "repeat"]
WAYS: tuple[Way, ...] = get_args(Way)
STREAMED: frozenset[Way] = frozenset(("control", "streamed", "call", "repeat"))
TEXTS: tuple[Way, ...] = ("streamed", "repeat", "whole")
# Tokens of an answer. The line has 180 as the worst tokenizer counts; the rest is for models that think first.
CAP = 1024

ECHO = (
    "Repeat the line below exactly, character for character, including its numbers. Answer with that line and nothing "
    "else: no quotes around it, no code fence, no explanation.\n\n"
)
CALL = (
    "Call the function echo once. Its argument text is the line below exactly, character for character, including its "
    "numbers.\n\n"
)
OBJECT = (
    "Answer with one JSON object and nothing else, without a code fence. It has one member, text, and that is the line "
    "below exactly, character for character, including its numbers.\n\n"
)


class Asking(Struct, frozen=True, kw_only=True):
    """One way of asking one model, and the request that it takes."""

    model: str
    way: Way
    question: Question


def asking(row: Provider, dialect: CanaryAsking, model: str, way: Way) -> Asking:
    """Ask one model in one way."""
    stream, call = way in STREAMED, way == "call"
    words = ECHO if not call else OBJECT if dialect.CALLS == "none" else CALL
    prompt = words + (CONTROL if way == "control" else CANARY)
    body = dialect.canary(model, prompt, CAP, stream=stream, call=call)
    url = f"{row.base_url}{dialect.canary_path(model, stream=stream)}"
    return Asking(
        model=model,
        way=way,
        question=Question(kind="chat", url=url, method="POST", body=body, streamed=stream),
    )


def all_of(row: Provider, dialect: CanaryAsking, model: str) -> list[Asking]:
    """Ask one model in every way, in the order in which they are sent."""
    return [asking(row, dialect, model, way) for way in WAYS]
