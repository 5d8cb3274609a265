"""Tool calls assembled from their deltas and judged, so that the facts need not hold the arguments."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal, NamedTuple

from contracts.facts import Text
from contracts.text.damage import Scanner, merge
from contracts.wire.strict_json import UNREADABLE, decode

if TYPE_CHECKING:
    from collections.abc import Iterator

    from contracts.dialects.recorder import ChoiceRecord, Recorder

MAX_CALLS = 128  # per choice
MAX_ARGUMENTS_CHARS = 4 * 1024 * 1024  # over all calls of a reply; files written by tools reach some hundred KB
UNINDEXED = "unindexed"
# Quotes, braces and the marks around a model's own control tokens (`<|channel|>`, `<｜tool▁sep｜>`): no API lets a tool
# have them in its name, so that a server left them there that should have cut the name out.
NO_NAME = frozenset('"{}<>|｜\n')


class CallDelta(NamedTuple):
    """One piece of a call as the dialect read it; None is a member that was absent or null.

    `arguments` may be any JSON value: what is no text is a fact. `whole`: the dialect sends calls in one piece,
    so index and order mean nothing. `form`: how the dialect sends arguments; `free` is text that need not be JSON.
    """

    position: object
    id: object
    name: object
    arguments: object
    whole: bool = False
    form: Literal["text", "object", "free"] = "text"


class CallRecord:
    """One call while it is being assembled."""

    __slots__ = ("arguments", "byte", "deltas", "event", "form", "id", "label", "name", "skip", "structured")

    def __init__(self, label: str, event: int | None, byte: int | None) -> None:
        """Start empty at the place of the first delta; `label` names the call to people."""
        self.label, self.event, self.byte = label, event, byte
        self.id: str | None = None
        self.name: str | None = None
        self.arguments: list[str] = []
        self.deltas = 0
        self.skip = False
        self.form = "text"
        self.structured: object = UNREADABLE


def record(recorder: Recorder, choice: ChoiceRecord, delta: CallDelta) -> None:
    """Add one delta to the call that its index names."""
    key = _key(recorder, choice, delta)
    call = choice.calls.get(key)
    if call is None:
        if len(choice.calls) >= MAX_CALLS:
            recorder.call_fault("too-many-calls", f"more than {MAX_CALLS} calls in one choice")
            return
        call = choice.calls[key] = CallRecord(f"call {len(choice.calls)}", recorder.event, recorder.byte)
    call.deltas += 1
    if delta.form != "text":
        call.form = delta.form
    _identify(recorder, choice, call, delta)
    _extend(recorder, call, delta.arguments)


def _key(recorder: Recorder, choice: ChoiceRecord, delta: CallDelta) -> object:
    """Find which call a delta belongs to: by its index; without one, by its id, else the last call goes on."""
    if delta.whole:
        return len(choice.calls)
    if isinstance(delta.position, int) and not isinstance(delta.position, bool):
        if delta.position < 0:
            recorder.call_fault("index-negative", f"a delta has the index {max(delta.position, -9999)}")
        return delta.position
    recorder.call_fault("index-missing", "a delta has no whole number as index")
    if isinstance(delta.id, str) and delta.id:
        return (UNINDEXED, delta.id)
    return next(reversed(choice.calls), (UNINDEXED, ""))


def _identify(recorder: Recorder, choice: ChoiceRecord, call: CallRecord, delta: CallDelta) -> None:
    """Take id and name; both come once, and first. An empty one counts as absent, as merging it changes nothing."""
    for member in ("id", "name"):
        value = getattr(delta, member)
        if value is None or value == "":
            continue
        known = getattr(call, member)
        if not isinstance(value, str):
            recorder.call_fault(f"{member}-not-text", f"the {member} of {call.label} is not a string")
        elif known is None:
            _judge_new(recorder, choice, member, value[:256])
            setattr(call, member, value[:256])
            if call.deltas > 1:
                recorder.call_fault(f"{member}-late", f"the {member} of {call.label} came after its first delta")
        elif known == value[:256]:
            recorder.call_fault(f"{member}-repeated", f"the {member} of {call.label} came more than once")
        else:
            recorder.call_fault(f"{member}-changed", f"{call.label} has two {member}s on one index")


def _judge_new(recorder: Recorder, choice: ChoiceRecord, member: str, value: str) -> None:
    """Judge an id or a name as it is met first: each call has an id of its own, by which its result is sent back."""
    if member == "id" and any(other.id == value for other in choice.calls.values()):
        recorder.call_fault("id-shared", "two calls have one id")
    elif member == "name" and not NO_NAME.isdisjoint(value):
        recorder.call_fault("name-malformed", "the name of a call holds quotes, braces or control tokens")


def _extend(recorder: Recorder, call: CallRecord, arguments: object) -> None:
    """Add a piece of the arguments, within the bound on all calls of a reply."""
    if arguments is None:
        return
    if not isinstance(arguments, str):
        call.structured = arguments
        return
    recorder.arguments_chars += len(arguments)
    if recorder.arguments_chars > MAX_ARGUMENTS_CHARS:
        if not call.skip:
            recorder.call_fault("arguments-too-large", f"the arguments pass {MAX_ARGUMENTS_CHARS} characters")
        call.skip = True
        call.arguments.clear()
    elif not call.skip:
        call.arguments.append(arguments)


def finish(recorder: Recorder, choice: ChoiceRecord, call: CallRecord) -> Text:
    """Judge one assembled call and scan its arguments; gives what the scanner learnt."""
    for member in ("id", "name"):
        if getattr(call, member) is None:
            recorder.call_fault(f"{member}-missing", f"{call.label} never has an {member}", call.event, call.byte)
    value = _arguments(recorder, choice, call)
    texts = []
    for text in strings(value):
        scanner = Scanner()
        scanner.feed(text, call.event, call.byte)
        texts.append(scanner.finish())
    return merge(texts)


def _arguments(recorder: Recorder, choice: ChoiceRecord, call: CallRecord) -> object:
    """Give the arguments as a value, noting what is wrong with them."""
    place = (call.event, call.byte)
    if call.skip:
        return None
    if call.form == "free" and call.structured is UNREADABLE:
        return "".join(call.arguments)
    if call.structured is not UNREADABLE:
        kind = "object" if isinstance(call.structured, dict) else "not-object"
        recorder.call_fault(f"arguments-{kind}", f"the arguments of {call.label} are {kind}, not text", *place)
        return call.structured
    joined = "".join(call.arguments)
    if call.form == "object" and joined:
        recorder.call_fault("arguments-text", f"the arguments of {call.label} are text, not an object", *place)
    value, faults = decode(joined.encode("utf-8", "surrogatepass"))
    cut = choice.finishes and choice.finishes[-1].reason in recorder.tables.cut_reasons
    for fault in faults:
        if fault.kind in ("lone-surrogate", "invalid-utf8"):
            continue  # text.intact's
        kind = "arguments-cut" if cut and fault.kind in ("truncated", "empty") else f"arguments-{fault.kind}"
        if fault.kind == "concatenated" and _begins_delta(call, fault.byte):
            recorder.call_fault(
                "arguments-again", f"the arguments of {call.label} are whole, and more deltas came", *place
            )
            continue
        recorder.call_fault(kind, f"the arguments of {call.label}: {fault.kind} at character {fault.byte}", *place)
    if value is not UNREADABLE and not isinstance(value, dict):
        recorder.call_fault("arguments-not-object", f"the arguments of {call.label} are no JSON object", *place)
    return value


def _begins_delta(call: CallRecord, byte: int | None) -> bool:
    """Tell whether a place in the joined arguments is where a delta began that the model did not write.

    What a model writes twice falls into as many deltas as tokens, before that place and after it; what a server adds, a
    placeholder in front or the whole once more, is one delta.
    """
    at = 0
    pieces = [piece for piece in call.arguments if piece]
    for number, piece in enumerate(pieces):
        if at == byte:
            return number in (1, len(pieces) - 1)
        at += len(piece.encode("utf-8", "surrogatepass"))
    return False


def strings(value: object) -> Iterator[str]:
    """Walk all strings of a JSON value, keys too; the value's own depth bounds the stack."""
    stack = [value]
    while stack:
        item = stack.pop()
        if isinstance(item, str):
            yield item
        elif isinstance(item, dict):
            stack.extend(reversed(item.values()))
            yield from (k for k in item if isinstance(k, str))
        elif isinstance(item, list):
            stack.extend(reversed(item))
