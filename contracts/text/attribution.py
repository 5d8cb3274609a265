"""Whose fault damaged text is: the request's, a hop's or server's, the model's, or one cannot tell.

Precedent for the rules: a proxy that read UTF-8 as ISO-8859-1 damaged every character beyond ASCII, so intact ones
beside damaged ones speak for a model that learnt the damage from its training text. A detokenizer's faults (byte
tokens, leaked alphabet, split characters) are not in any model's power. Where the request was not ASCII, the damage
may have been done on the way there, and nothing in the answer shows it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from contracts.facts import Damage, Text
from contracts.model import Scope

# What signatures of double encoding are named after, and what to call it.
_PAGES = {
    "latin1": "ISO-8859-1",
    "cp1252": "windows-1252",
    "cp1250": "windows-1250",
    "cp1251": "windows-1251",
    "koi8-r": "KOI8-R",
    "cp437": "code page 437",
    "cp850": "code page 850",
    "mac-roman": "Mac OS Roman",
    "gbk": "GBK",
    "cp932": "Shift JIS",
}
DOUBLE = (*(f"double-utf8-{page}" for page in _PAGES), "triple-utf8")
_WITH_HOLES = ("cp1250", "cp1251", "cp1252", "gbk", "cp932")  # pages in which some bytes are nothing
_DETOKENIZER = ("byte-token", "bpe-alphabet", "sentencepiece-space", "lone-surrogate")
_WORDS = {
    **{f"double-utf8-{page}": f"UTF-8 read as {name} and encoded again" for page, name in _PAGES.items()},
    "triple-utf8": "UTF-8 misread and encoded again twice over",
    "replacement-character": "U+FFFD where a character was",
    "lone-surrogate": "half a surrogate pair",
    "bpe-alphabet": "a tokenizer's byte alphabet that was not decoded",
    "sentencepiece-space": "a tokenizer's sign for a space that was not decoded",
    "byte-token": "byte tokens that were not decoded",
    "gbk-replacement": "U+FFFD read as GBK",
    "uninitialised-memory": "uninitialised memory read as GBK",
}
# Every signature that the scanner gives: damage of the bytes, whatever an answer was about.
SIGNATURES = frozenset(_WORDS)
_REMEDY = {
    **{f"double-utf8-{page}": f"encode as {name} and decode as UTF-8 to read it" for page, name in _PAGES.items()},
    "triple-utf8": "encode as the code page and decode as UTF-8, twice, to read it",
    "replacement-character": "the bytes are lost, no repair",
    "lone-surrogate": "the character is lost, no repair",
    "bpe-alphabet": "map the alphabet back to bytes and decode as UTF-8 to read it",
    "sentencepiece-space": "replace it by a space to read it",
    "byte-token": "put the bytes together and decode as UTF-8 to read it",
    "gbk-replacement": "the bytes are lost, no repair",
    "uninitialised-memory": "there is nothing to repair",
}


class Attribution(NamedTuple):
    """What the text comes to. `damage` is the signature the verdict rests on; `scope` is None where there is none."""

    violated: bool
    scope: Scope | None
    damage: Damage | None
    sentence: str


def family(kind: str) -> str:
    """The name under which a signature counts as brought in: all double encodings are one."""
    return "double-encoding" if kind in DOUBLE else kind


def attribute(text: Text, asked_ascii: bool | None, asked_damage: Sequence[str]) -> Attribution:  # noqa: FBT001
    """Say whether a reply's text is damaged and whose fault that is.

    Args:
        text: what the scanners found in all channels of the reply.
        asked_ascii: whether the request was ASCII only; None where it is not known.
        asked_damage: names of the signatures that the request carried.
    """
    brought = {family(kind) for kind in asked_damage}
    new = [damage for damage in text.damage if family(damage.kind) not in brought]
    if not text.damage:
        return Attribution(violated=False, scope=None, damage=None, sentence=_whole(text, asked_ascii))
    if not new:
        first = text.damage[0]
        sentence = f"{_name(first)}; the request brought it in{_others(text.damage, first)}"
        return Attribution(violated=False, scope=Scope.PIPELINE, damage=first, sentence=sentence)
    judged = [(_scope(damage, text, asked_ascii), damage) for damage in new]
    # A fault that is the provider's for certain says more than one that may be the model's.
    order = (Scope.PIPELINE, Scope.PROVIDER, Scope.MODEL, Scope.UNDETERMINED)
    (scope, reason), damage = min(judged, key=lambda item: order.index(item[0][0]))
    sentence = f"{_name(damage)}; {reason}; {_REMEDY.get(damage.kind, 'no repair is known')}{_others(new, damage)}"
    return Attribution(violated=True, scope=scope, damage=damage, sentence=sentence)


def _scope(damage: Damage, text: Text, asked_ascii: bool | None) -> tuple[Scope, str]:  # noqa: FBT001
    """Whose fault one signature is that the request did not carry, and why."""
    if text.came_intact:
        return Scope.PIPELINE, "it came intact, and the router sent it damaged"
    if asked_ascii is None:
        return Scope.UNDETERMINED, "the request is not known"
    if not asked_ascii:
        return Scope.UNDETERMINED, "the request was not ASCII, so it may have been damaged on its way"
    # What little of a damaged text looks intact may be a remainder of the damage itself.
    intact = (text.intact_non_ascii - _remainders(text)) * 20 > text.non_ascii
    if damage.kind in _DETOKENIZER:
        return Scope.PROVIDER, "the server let it through"
    if damage.kind == "replacement-character":
        return _lost(damage, intact=intact)
    if intact:
        return Scope.MODEL, "other text beyond ASCII is intact, so the model wrote it: a hop would have damaged all"
    return Scope.PROVIDER, "no text beyond ASCII is intact and the request was ASCII"


def _remainders(text: Text) -> int:
    """How many characters that look intact a lossy misreading may have left.

    Five bytes are nothing in windows-1252 and become U+FFFD; the up to three others of that character stay behind.
    """
    lost = {damage.kind: damage.count for damage in text.damage}
    holes = any(f"double-utf8-{page}" in lost for page in _WITH_HOLES)
    return 3 * lost.get("replacement-character", 0) if holes else 0


def _lost(damage: Damage, *, intact: bool) -> tuple[Scope, str]:
    """Judge U+FFFD.

    At a seam, or several in a row, it is what is left of one character that was decoded in parts. A single one inside
    of a delta, among characters that came through, may have been written by a model that has seen it often.
    """
    if damage.adjacent:
        return Scope.PROVIDER, "it stands where two deltas meet, as when a server decodes token by token"
    if damage.sample.count("U+FFFD") > 1:
        return Scope.PROVIDER, "several in a row are the bytes of one character that was decoded in parts"
    if intact:
        return Scope.UNDETERMINED, "other text beyond ASCII is intact, so the model may have written it"
    return Scope.PROVIDER, "no text beyond ASCII is intact and the request was ASCII"


def _name(damage: Damage) -> str:
    place = "" if damage.event is None else f", first in event {damage.event}"
    if damage.byte is not None:
        place += f"{' at' if place else ', first at'} byte {damage.byte}"
    sample = f" ({damage.sample})" if damage.sample else ""
    return f"{damage.kind}: {_WORDS.get(damage.kind, 'damaged text')}, {damage.count} ×{sample}{place}"


def _others(found: Sequence[Damage], told: Damage) -> str:
    others = ", ".join(f"{damage.kind} ({damage.count})" for damage in found if damage is not told)
    return f"; also {others}" if others else ""


def _whole(text: Text, asked_ascii: bool | None) -> str:  # noqa: FBT001
    if not text.non_ascii:
        return f"no damage in {text.chars} characters, all of them ASCII"
    asked = " in the answer to an ASCII request" if asked_ascii else ""
    return f"no damage in {text.chars} characters; {text.non_ascii} beyond ASCII{asked}, all intact"
