"""What a client does with a recording, in a few words, to be held against our verdict."""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple

from tests.oracles import clients, plainly
from tests.oracles.clients import Client
from tests.oracles.loopback import Player
from tests.oracles.recordings import Recording
from tests.oracles.sdks import Sdks
from tests.oracles.told import Notes, Told, differing

IN_FULL = "in full"
NOTHING = "nothing"
HANGS = "hangs"

Cut = Callable[[bytes], list[bytes]]


def whole(body: bytes) -> list[bytes]:
    """Leave a body in one piece."""
    return [body] if body else []


def every_7_bytes(body: bytes) -> list[bytes]:
    """Cut where nothing has its end: characters of two to four bytes, line ends and events are cut alike."""
    return [body[at : at + 7] for at in range(0, len(body), 7)]


def inside_characters(body: bytes) -> list[bytes]:
    """Cut after the first byte of each character of several, and between the two bytes of each pair of line ends."""
    ends = [match.start() + 1 for match in re.finditer(rb"[\xc2-\xf4]|[\r\n](?=[\r\n])", body)]
    return [body[start:end] for start, end in zip([0, *ends], [*ends, len(body)], strict=True) if start < end]


def byte_by_byte(body: bytes) -> list[bytes]:
    """Cut everywhere."""
    return [body[at : at + 1] for at in range(len(body))]


class Seen(NamedTuple):
    """What one client did with one recording."""

    client: str
    recording: Recording
    behaviour: str


class Stage(NamedTuple):
    """Where recordings are played, and those who read them."""

    player: Player
    sdks: Sdks


def behaviour_of(client: Client, recording: Recording, stage: Stage, cut: Cut) -> str:
    """Let a client read a recording, and say what came of it.

    `in full`: it gave all that the bytes hold. `without …`: it raised nothing, and what it gave is not what the
    bytes hold in these respects. `nothing`: it raised nothing and gave nothing. `raises …`: the exception, whatever
    it gave before. `hangs`: it waited in vain.
    """
    exchange = recording.exchange
    stage.player.load(exchange.status, exchange.headers, cut(recording.body), whole=recording.whole)
    notes = Notes()
    try:
        client(stage.sdks, notes, recording.streamed, recording.path_asked)
    except Exception as error:  # noqa: BLE001 - whatever it raises is what is asked for
        name = type(error).__name__
        return HANGS if "Timeout" in name else f"raises {name}"
    told = notes.told()
    lost = differing(told, plainly.read(recording.dialect, recording.body))
    if told == Told():
        return NOTHING
    return f"without {', '.join(lost)}" if lost else IN_FULL


def readings(recordings: Iterable[Recording], stage: Stage, cut: Cut) -> Iterator[Seen]:
    """Let every client of its dialect read each recording."""
    for recording in recordings:
        for name, client in clients.of(recording.dialect, streamed=recording.streamed).items():
            with warnings.catch_warnings():
                # pydantic and google-genai warn of what they are given to read: a list for a text, a new word.
                warnings.filterwarnings("ignore", category=UserWarning, module=r"pydantic\.main|google\.genai\._common")
                # cohere asks pydantic by a name that is going away.
                warnings.filterwarnings("ignore", category=DeprecationWarning, module=r"cohere\.core")
                seen = behaviour_of(client, recording, stage, cut)
            yield Seen(name, recording, seen)
