"""What a stream of the Responses API says more than once: numbers, ids of items, and whole what came in pieces.

Kept of each piece are its length and a checksum, so that no text is.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from zlib import crc32

if TYPE_CHECKING:
    from contracts.dialects.recorder import Recorder

MAX_KEPT = 256  # items and parts of one stream; more would be an attack on memory
# By what an event's type says before `.delta` and `.done`: the member of the latter that holds the whole.
WHOLE = {
    "response.output_text": "text",
    "response.refusal": "refusal",
    "response.reasoning_text": "text",
    "response.reasoning_summary_text": "text",
    "response.function_call_arguments": "arguments",
    "response.custom_tool_call_input": "input",
}
ENDS = ("response.completed", "response.incomplete", "response.failed")
CALLS = ("response.function_call_arguments", "response.custom_tool_call_input")

_Place = tuple[str, object, object]


def see(recorder: Recorder, value: dict[str, Any]) -> None:
    """Hold an event against those before it; what an unread event, or an error, leaves open is theirs."""
    if recorder.unread or recorder.errors or recorder.is_over:
        return
    if recorder.kept is None:
        recorder.kept = Said()
    recorder.kept.see(recorder, value)


class Said:
    """What one stream has said so far."""

    __slots__ = ("_ids", "_number", "_pieces")

    def __init__(self) -> None:
        """Begin; no event has come."""
        self._number: int | None = None
        self._ids: dict[int, str] = {}
        self._pieces: dict[_Place, tuple[int, int]] = {}

    def see(self, recorder: Recorder, value: dict[str, Any]) -> None:
        """Take the next event."""
        self._numbered(recorder, value)
        self._identified(recorder, value)
        stem, _, what = str(value.get("type")).rpartition(".")
        place = (stem, value.get("output_index"), value.get("content_index", value.get("summary_index")))
        if stem not in WHOLE or not all(isinstance(p, (int, type(None))) for p in place[1:]):
            return
        if what == "delta":
            self._add(place, value.get("delta"))
        elif what == "done":
            self._compare(recorder, place, value.get(WHOLE[stem]))

    def _numbered(self, recorder: Recorder, value: dict[str, Any]) -> None:
        """Judge the number, one more than the last. The API had none before May 2025, so none at all is no fault."""
        number, last = value.get("sequence_number"), self._number
        if not isinstance(number, int) or isinstance(number, bool):
            if last is not None and number is None:
                recorder.schema.note("sequence_number", "present", "absent", recorder.event, recorder.byte)
            return
        self._number = number
        if last is not None and number != last + 1 and value.get("type") not in ENDS:  # an early end is sse.done's
            found = "a gap" if number > last else "the same again" if number == last else "a lower one"
            recorder.schema.note("sequence_number", "one more than the last", found, recorder.event, recorder.byte)

    def _identified(self, recorder: Recorder, value: dict[str, Any]) -> None:
        """Judge the id of the item that an event is about, by the index of the item."""
        index = value.get("output_index")
        if not isinstance(index, int):
            return
        item = value.get("item")
        own = item.get("id") if isinstance(item, dict) else None
        if value.get("type") == "response.output_item.added":
            if isinstance(own, str) and own and len(self._ids) < MAX_KEPT:
                self._ids[index] = own[:256]
            return
        known, said = self._ids.get(index), value.get("item_id")
        if known and isinstance(said, str) and said and said[:256] != known:
            expected = "the id of the item at its output_index"
            recorder.schema.note("item_id", expected, "another", recorder.event, recorder.byte)

    def _add(self, place: _Place, piece: object) -> None:
        """Add a piece. In UTF-16 the two halves of a pair that came apart are what they are together."""
        known = self._pieces.get(place)
        if isinstance(piece, str) and (known is not None or len(self._pieces) < MAX_KEPT):
            size, checksum = known or (0, 0)
            raw = piece.encode("utf-16-le", "surrogatepass")
            self._pieces[place] = (size + len(raw), crc32(raw, checksum))

    def _compare(self, recorder: Recorder, place: _Place, whole: object) -> None:
        """Hold the whole against its pieces; a server that sends no deltas says it here alone."""
        known = self._pieces.pop(place, None)
        if known is None or not isinstance(whole, str):
            return
        raw = whole.encode("utf-16-le", "surrogatepass")
        if known == (len(raw), crc32(raw)):
            return
        if place[0] in CALLS:
            recorder.call_fault("deltas-differ", "what a call is given, said whole, is not what its deltas brought")
        else:
            member = WHOLE[place[0]]
            recorder.schema.note(member, "what its deltas brought", "another text", recorder.event, recorder.byte)
