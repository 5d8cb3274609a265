"""A provider that gives back the line it was asked for, as text or as the argument of a call, and what happens to it.

Damage to text alone is what a model does, damage to one way of sending what a path does; each of these is asked for
beside `echo`, which comes before them.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Callable, Iterator
from typing import Any

from msgspec import structs

from contracts.testing.ask import Ask
from contracts.testing.reply import Call, Reply, Says, parsed
from contracts.testing.scenario import scenario

PIECE = 7  # characters of a delta: within words, and between a letter and its mark
_LINE = re.compile(r"\n\n(\(1\) .*)\Z", re.DOTALL)


@scenario("reply")
def echo(told: Reply, ask: Ask) -> None:
    """Gives back the line that stands at the end of what it was asked, in a call where a function is offered."""
    asked = next((text for text in strings(ask.value) if _LINE.search(text)), "")
    if not asked:
        return
    found = asked.rpartition("\n\n")[2]
    said = json_of({"text": found}) if "JSON object" in asked else found
    told.pieces, told.finish = [said[at : at + PIECE] for at in range(0, len(said), PIECE)], "stop"
    if ask.value is not None and ask.value.get("tools"):
        arguments = json_of({"text": found})
        pieces = [arguments[at : at + PIECE] for at in range(0, len(arguments), PIECE)]
        told.pieces, told.finish = [], "tool_calls"
        told.calls = [Call(id="call_a", name="echo", pieces=pieces)]


def json_of(value: object) -> str:
    """Write a value as JSON."""
    import json

    return json.dumps(value, ensure_ascii=False)


def strings(value: Any) -> Iterator[str]:
    """Give all texts of a value."""
    if isinstance(value, str):
        yield value
    for item in value.values() if isinstance(value, dict) else value if isinstance(value, list) else ():
        yield from strings(item)


def alter(told: Reply, act: Callable[[str], str], *, calls: bool = True) -> None:
    """Change what is said, and the arguments of calls if these too."""
    if told.pieces:
        told.pieces = [act("".join(told.pieces))]
    for call in told.calls if calls else ():
        arguments = parsed("".join(call.pieces))
        if isinstance(arguments, dict):
            call.pieces = [json_of({name: act(str(text)) for name, text in arguments.items()})]


def latin(text: str) -> str:
    """Read the UTF-8 of a text as ISO-8859-1."""
    return text.encode().decode("latin-1")


@scenario("reply", violates="text.intact")
def echo_double_encoded(told: Reply, ask: Ask) -> None:  # noqa: ARG001 - all functions of a stage are called alike
    """Reads all that it says as ISO-8859-1 and encodes it again, also the arguments of calls."""
    alter(told, latin)


@scenario("says", violates="text.intact")
def echo_stream_double_encoded(says: Says, told: Reply) -> Says:
    """Reads what it streams as ISO-8859-1 and encodes it again, and nothing that is not streamed."""
    for call in told.calls:  # from which what is said of them is made, and what a dialect sends as an object
        call.pieces = [latin(piece) for piece in call.pieces]
    for say in says:
        yield structs.replace(say, piece=latin(say.piece)) if say.what == "text" else say


@scenario("reply")
def echo_marks_dropped(told: Reply, ask: Ask) -> None:  # noqa: ARG001 - all functions of a stage are called alike
    """Drops combining marks wherever they stand, as some tokenizers do."""
    alter(told, lambda text: "".join(char for char in text if unicodedata.category(char) != "Mn"))


@scenario("reply")
def echo_text_normalised(told: Reply, ask: Ask) -> None:  # noqa: ARG001 - all functions of a stage are called alike
    """Composes the marks of its text and straightens quotes, and leaves the arguments of calls as they are."""
    quotes = str.maketrans("\u201c\u201d\u2018\u2019", "\"\"''")
    alter(told, lambda text: unicodedata.normalize("NFC", text).translate(quotes), calls=False)


@scenario("reply")
def echo_in_a_fence(told: Reply, ask: Ask) -> None:  # noqa: ARG001 - all functions of a stage are called alike
    """Says a word first and puts its text into a code fence."""
    alter(told, lambda text: f"Voil\u00e0 :\n```text\n{text}\n```", calls=False)
