"""Compare what came back with the line that was sent, and name the difference: as a whole, else segment by segment.

A difference is named by making it again. What no alteration, and no two of them one after the other, turns the line
into is looked at character by character; what is left has been written anew: paraphrased.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING

from msgspec import Struct

from contracts.text.alterations import ALTERATIONS, Kind, paired
from contracts.text.canary import CANARY, CONTROL, CONTROL_SEGMENTS, SEGMENTS
from contracts.text.echo_pieces import by_character, points

if TYPE_CHECKING:
    from collections.abc import Iterator

    from contracts.text.alterations import Alteration
    from contracts.text.canary import Segment

MAX_CHARS = 20_000  # of an answer; the line that double encoding three times over makes of ours has 2,000
SHORTEST = 4  # characters that are a beginning of the line and no accident
NUMBER = re.compile(r"\((\d{1,2})\) ")
FENCE = "```"
BLANK = (" ", "\n")  # one of them ends a segment; no other does, as double encoding makes some


class Damage(Struct, frozen=True, kw_only=True):
    """One thing that happened to the text, and how: by which code page, in which form, to which characters."""

    kind: Kind
    how: str


class Broken(Struct, frozen=True, kw_only=True):
    """A segment that did not come back as it was. `points` is the first difference, in code points."""

    segment: str
    kinds: tuple[Kind, ...]
    points: str


class Echo(Struct, frozen=True, kw_only=True):
    """What came back. Nothing of the text is in it but the code points that differ."""

    damages: tuple[Damage, ...] = ()
    broken: tuple[Broken, ...] = ()

    @property
    def kinds(self) -> tuple[Kind, ...]:
        """Each kind of damage once, what stands around the line left out: that is no damage to it."""
        return tuple(dict.fromkeys(one.kind for one in self.damages if one.kind != "surrounded"))

    @property
    def is_intact(self) -> bool:
        """Whether every character of the line came back as it was."""
        return not self.kinds


def of_canary(got: str) -> Echo:
    """Compare what came back with the canary."""
    return compare(SEGMENTS, CANARY, got)


def of_control(got: str) -> Echo:
    """Compare what came back with the control in plain ASCII."""
    return compare(CONTROL_SEGMENTS, CONTROL, got)


def compare(segments: tuple[Segment, ...], sent: str, got: str) -> Echo:
    """Compare what came back with what was sent; `sent` is the line of the segments."""
    got = paired(got[:MAX_CHARS])
    if got.strip() == sent:
        return Echo()
    if sent in got:
        return Echo(damages=(_surrounding(sent, got),))
    return _as_one(segments, sent, got) or _reordered(segments, got) or _by_segment(segments, got)


def _as_one(segments: tuple[Segment, ...], sent: str, got: str) -> Echo | None:
    """Find the alterations that make all of what came back, with something around it or cut off perhaps."""
    plain = got.strip()
    surrounded: tuple[tuple[Alteration, ...], str] | None = None
    truncated: tuple[tuple[Alteration, ...], str] | None = None
    for acts, made in ((), sent), *made_of(sent):
        if made.strip() == plain:
            return Echo(damages=_named(acts), broken=_broken(segments, acts, made))
        if surrounded is None and made in got:
            surrounded = acts, made
        if truncated is None and len(plain) >= SHORTEST and made.startswith(plain):
            truncated = acts, made
    if surrounded is not None:
        acts, made = surrounded
        return Echo(damages=(*_named(acts), _surrounding(made, got)), broken=_broken(segments, acts, made))
    if truncated is not None:
        acts, made = truncated
        cut = Damage(kind="truncated", how=f"after {len(plain)} of {len(made)} characters")
        return Echo(damages=(*_named(acts), cut), broken=_broken(segments, acts, plain))
    return None


@lru_cache(maxsize=64)
def made_of(text: str) -> tuple[tuple[tuple[Alteration, ...], str], ...]:
    """Give what alterations make of a text, alone and two one after the other, each result once, the simplest way."""
    known = {text}
    found: list[tuple[tuple[Alteration, ...], str]] = []
    for acts, made in _once(text, ()):
        if made not in known:
            known.add(made)
            found.append((acts, made))
    for before, between in tuple(found):
        for acts, made in _once(between, before):
            if made not in known:
                known.add(made)
                found.append((acts, made))
    return tuple(found)


def _once(text: str, before: tuple[Alteration, ...]) -> Iterator[tuple[tuple[Alteration, ...], str]]:
    for alteration in ALTERATIONS:
        try:
            yield (*before, alteration), alteration.act(text)
        except UnicodeError:  # a code page without such a byte, or half a surrogate pair
            continue


def _named(acts: tuple[Alteration, ...]) -> tuple[Damage, ...]:
    return tuple(dict.fromkeys(Damage(kind=act.kind, how=act.how) for act in acts))


def _surrounding(made: str, got: str) -> Damage:
    before, _, after = got.partition(made)
    if FENCE in before and FENCE in after:
        return Damage(kind="surrounded", how="by a code fence")
    around = f"{before.strip()}{after.strip()}"
    if len(around) <= 2 and not around.isalnum():  # noqa: PLR2004 - an opening and a closing mark
        return Damage(kind="surrounded", how="by quotes")
    return Damage(
        kind="surrounded", how=f"by {len(before.strip())} characters before it and {len(after.strip())} after it"
    )


def _broken(segments: tuple[Segment, ...], acts: tuple[Alteration, ...], made: str) -> tuple[Broken, ...]:
    """Say of each segment what alterations did to it; what is not in `made` was cut off."""
    found = []
    at = 0
    for segment in segments:
        text, kinds = segment.text, []
        for act in acts:
            try:
                after = act.act(text)
            except UnicodeError:
                continue
            kinds += [act.kind] if after != text else []
            text = after
        place = made.find(text, at)
        if place < 0:
            found.append(Broken(segment=segment.name, kinds=(*kinds, "truncated"), points=""))
            continue
        at = place + len(text)
        if kinds:
            found.append(
                Broken(segment=segment.name, kinds=tuple(dict.fromkeys(kinds)), points=points(segment.text, text))
            )
    return tuple(found)


def _cut(got: str) -> tuple[list[tuple[int, str]], str]:
    """Cut what came back into numbered segments, as far as the numbers go up or not, and what stands before them."""
    found = list(NUMBER.finditer(got))
    if not found:
        return [], got
    ends = [match.start() - got[: match.start()].endswith(BLANK) for match in found[1:]] + [len(got)]
    pieces = [(int(m[1]), got[m.end() : end]) for m, end in zip(found, ends, strict=True)]
    return pieces, got[: found[0].start()]


def _reordered(segments: tuple[Segment, ...], got: str) -> Echo | None:
    """See whether the segments are all there as they were, in another order."""
    pieces, before = _cut(got.strip())
    numbers = [number for number, _ in pieces]
    expected = dict(enumerate(segments, 1))
    if before or sorted(numbers) != sorted(expected) or any(expected[n].text != t for n, t in pieces):
        return None
    moved = [expected[n].name for place, n in enumerate(numbers, 1) if n != place]
    broken = tuple(Broken(segment=name, kinds=("reordered",), points="") for name in moved)
    return Echo(damages=(Damage(kind="reordered", how="segments"),), broken=broken)


def _by_segment(segments: tuple[Segment, ...], got: str) -> Echo:
    """Name what happened to each segment by itself."""
    pieces, before = _cut(got.strip())
    there = dict(reversed([piece for piece in pieces if 0 < piece[0] <= len(segments)]))
    if len(there) * 2 < len(segments):
        return Echo(damages=(Damage(kind="paraphrased", how="the line is not in the answer"),))
    damages: list[Damage] = []
    broken: list[Broken] = []
    last = max(there)
    for number, segment in enumerate(segments, 1):
        if number not in there:
            kind: Kind = "truncated" if number > last else "dropped"
            found = [Damage(kind=kind, how="segments")]
            shown = ""
        else:
            text = there[number]
            found, shown = _segment(segment, text, is_last=number == last), points(segment.text, text)
        if found:
            kinds = tuple(dict.fromkeys(one.kind for one in found))
            broken.append(Broken(segment=segment.name, kinds=kinds, points="" if "paraphrased" in kinds else shown))
            damages += found
    if before.strip():
        damages.append(Damage(kind="surrounded", how=f"by {len(before.strip())} characters before it"))
    if [n for n, _ in pieces] != sorted(n for n, _ in pieces):
        damages.append(Damage(kind="reordered", how="segments"))
    return Echo(damages=tuple(dict.fromkeys(damages)), broken=tuple(broken))


def _segment(segment: Segment, got: str, *, is_last: bool) -> list[Damage]:
    """Name what happened to one segment."""
    if got == segment.text or (is_last and got.startswith(segment.text)):
        return []
    for acts, made in made_of(segment.text):
        if made == got:
            return list(_named(acts))
    if is_last and segment.text.startswith(got):
        return [Damage(kind="truncated", how="within a segment")]
    found = by_character(segment.text, got)
    return [Damage(kind=kind, how=how) for kind, how in found or (("paraphrased", "a segment"),)]
