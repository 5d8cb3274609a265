"""Text that a detokenizer let through raw: the byte-level BPE alphabet (`ĠHello`), byte tokens (`<0xE2>`), ▁.

Maltese writes Ġ and Ċ, Turkish ÇİN, Polish STÓŁ: a capital of theirs is damage only where such a letter cannot stand.
Byte tokens are also what people write when they explain byte fallback or show a dump, so a token alone says little.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache

from contracts.text.misread import BPE_ONLY, bpe_repair, bpe_shape, weak
from contracts.text.script import common, latin

_MOVED_ONLY = frozenset(BPE_ONLY)
_QUOTING = frozenset("\"'`“”‘’«»„")


@cache
def _token() -> re.Pattern[str]:
    """One character's byte tokens, or one token of whatever kind; sentencepiece writes capitals."""
    many = "<0x[CD][0-9A-F]>{0}|<0xE[0-9A-F]>{0}{{1,2}}|<0xF[0-4]>{0}{{1,3}}".format("(?:<0x[89AB][0-9A-F]>)")
    return re.compile(f"(?P<many>{many})|<0x(?P<byte>[0-9A-F]{{2}})>")


def byte_tokens(text: str) -> Iterator[tuple[int, int]]:
    """Yield start and end of each damaged character.

    Two or more tokens that lead and continue a UTF-8 sequence are one, unless in backticks. A single `<0x0A>` is damage
    where it joins two words and nothing around it looks like code; any other single token is what somebody wrote.
    """
    for match in _token().finditer(text):
        start, end = match.span()
        left, right = _run(text, start, end)
        if text[left - 1 : left] == "`" and text[right : right + 1] == "`":
            continue
        byte = match["byte"]
        if (
            match["many"]
            or (byte >= "80" and (left < start or right > end))
            or (byte == "0A" and _glued(text, left, right))
        ):
            yield start, end


def _run(text: str, start: int, end: int) -> tuple[int, int]:
    """Widen a token to the tokens beside it, at most eight on either side."""
    for _ in range(8):
        if text[start - 6 : start - 3] != "<0x" or text[start - 1] != ">" or start < 6:  # noqa: PLR2004 - `<0xHH>`
            break
        start -= 6
    for _ in range(8):
        if text[end : end + 3] != "<0x" or text[end + 5 : end + 6] != ">":
            break
        end += 6
    return start, end


def _glued(text: str, left: int, right: int) -> bool:
    """Whether newline tokens stand between the end of a sentence and the next, as a lost line break does."""
    before, after = text[max(0, left - 40) : left], text[right : right + 40]
    if not _QUOTING.isdisjoint(before + after) or "0x" in before + after:
        return False
    ends = before[-1:].isalnum() or before[-1:] in ".,;:!?)…。！？"
    return before != "" and ends and (after[:1].isalnum() or after[:1] in "#*-|>")


def spaces(text: str) -> Iterator[tuple[int, int]]:
    """Yield the place of each Ġ and Ċ that stands for a space or a newline."""
    for match in re.finditer("[ĠĊ]+", text):
        if _stands_for_space(text, match.start(), match.end()):
            yield from ((place, place + 1) for place in range(*match.span()))


def sentencepiece(text: str) -> Iterator[tuple[int, int]]:
    """Yield the place of each ▁ that SentencePiece writes for a space: between a word and the next.

    Of a bar chart it has another bar beside it, in a vocabulary it begins a quoted word.
    """
    for match in re.finditer("▁", text):
        start, end = match.span()
        before, after = text[max(0, start - 1) : start], text[end : end + 1]
        ends = before.isalnum() or (before != "" and before in ".,;:!?…)”»")
        if ends and after.isalnum() and not _in_backticks(text, start, end):
            yield start, end


def sequences(text: str) -> list[tuple[int, int]]:
    """Start and end of each character that is still in the byte-level alphabet, where no code page explains it."""
    candidates = []
    for match in bpe_shape().finditer(text):
        char = bpe_repair(match.group())
        if char is not None and common(char):
            candidates.append((match.start(), match.end(), char))
    found = []
    for place, (start, end, char) in enumerate(candidates):
        if _MOVED_ONLY.isdisjoint(text[start:end]):
            continue
        beside = candidates[max(0, place - 1) : place] + candidates[place + 1 : place + 2]
        feeble = weak(text[start:end])
        in_a_row = any(
            _fits(other[2], char) and not (feeble and weak(text[other[0] : other[1]]))
            for other in beside
            if start == other[1] or end == other[0]
        )
        if in_a_row or _alone(text, start, end, char):
            found.append((start, end))
    return found


def _fits(one: str, other: str) -> bool:
    """Whether two characters may be of one word."""
    return common(one) and (latin(one) or not latin(other))


def _stands_for_space(text: str, start: int, end: int) -> bool:
    """Whether a run of Ġ and Ċ is no Maltese: Maltese doubles them in capitals only, and begins words with them."""
    before, after, then = text[max(0, start - 1) : start], text[end : end + 1], text[end + 1 : end + 2]
    if end - start > 2:  # noqa: PLR2004 - no word has three
        return True
    if before > "\x7f" or _in_backticks(text, start, end):
        return False
    if end - start == 2:  # noqa: PLR2004 - as in MAĠĠUR
        return not (before.isupper() and (after.isupper() or not after.isalnum()))
    if before.islower() or before.isdigit() or (before != "" and before in ".,;:!?)]}>"):
        return after.isascii() or not after.isalpha() or after in _MOVED_ONLY or "Â" <= after <= "ô"
    quoted = before in _QUOTING and before != ""
    return after.isdigit() or (not quoted and after.isupper() and then.isascii() and then.islower())


def _in_backticks(text: str, start: int, end: int) -> bool:
    """Whether the word it stands in is shown as code."""
    left, right = text[max(0, start - 40) : start], text[end : end + 40]
    return left[left.rfind(" ") + 1 :][:1] == "`" and "`" in right.partition(" ")[0]


def _beyond(char: str) -> bool:
    return char > "\x7f" and char not in "ĠĊ"


def _alone(text: str, start: int, end: int, char: str) -> bool:
    """Whether a single sequence is damage: punctuation and signs are, a Latin letter where a capital cannot stand."""
    before, after = text[max(0, start - 1) : start], text[end : end + 1]
    if end - start > 2:  # noqa: PLR2004 - a small letter and two or three of the alphabet
        # Among other letters beyond ASCII it is a list of letters, as in íĺľ of a Slovak alphabet.
        return not (_beyond(before) and _beyond(after))
    if text[start] not in "ÂÃÄÅ" or not latin(char):
        return False
    return not char.isupper() and (before.islower() or (after.islower() and not before.isalpha()))
