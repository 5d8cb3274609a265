"""Whatever a provider sends, every format stays what it is, and shows it."""

from __future__ import annotations

from typing import Any

import pytest

from contracts.model import EvidenceRef, Outcome, Source, WaiverRef, Where
from contracts.report import Report
from contracts.sinks import formats
from contracts.sinks.about import About
from contracts.text.scrub import scrub
from tests.sinks.conftest import CHARSET, WAIVER, finding, report
from tests.sinks.readers import READERS, read_json

HOSTILE = {
    "control characters": "ä\x00\x01\x07\x08\x0b\x0c\x0e\x1f\x7f\x80\x9f größe",
    "commands to a terminal": "\x1b[2J\x1b]0;böse\x07\x9b31m\x1b]8;;https://x.example\x1b\\klick\x1b]8;;\x1b\\",
    "no XML": "\ufffe\uffff\ufdd0\x0b größe",
    "Rich markup": "[bold red]größe[/] [link=file:///etc/passwd]x[/link] :skull:",
    "the end of CDATA": "]]></failure><script>alert('größe')</script><!-- &lt; &#0; &nbsp; ]]>",
    "workflow commands": "größe\n::error::x\r\n::add-mask::y\r::stop-commands::z\n##[error]a %0A::warning::b%3A,c=d",
    "an end of properties": "größe,file=/etc/passwd,line=1::x",
    "tables": "größe|b\\|c\\\\|d | ` `` ``` |\n|---|\n| violated | row |",
    "links": "[größe](javascript:x) ![](https://x.example/x.png) <https://x.example> www.x.example @team #1 $x$ [x]: y",
    "markup": "# größe\n> ~~a~~ *b* __c__ <b>d</b> &amp; - e 1. f\n\n    code\n",
    "ends of lines": "größe\r\nzwei\ndrei\u2028vier\u2029fünf\x85sechs\x1cs",
    "bidirectional overrides": "\u202egröße\u202c \u2066x\u2069 \u200b\u200e\ufeff\u061c",
    "unpaired surrogates": "größe \ud83d \udc00 \ud800x",
    "a new label": 'größe",provider="x"} 1\ncontracts_check_success{provider="y"} 0\n\\',
    "quotes": "größe \" ' ` \\ \\n % & < > = { }",
    "a megabyte": "größe" + "é" * 1_000_000,
    "nothing": "",
}


def hostile(text: str) -> Report:
    """A violation, a waived one, and what could not be judged, with a text wherever one can be."""
    evidence = EvidenceRef(source=Source.RECORDED, ref=text)
    waiver = WaiverRef(because=text, owner=text, until=WAIVER.until)
    given: dict[str, Any] = {
        "provider": text or "größe",
        "model": text,
        "expected": text,
        "observed": text,
        "evidence": evidence,
    }
    where = Where(header=text)
    return report(
        finding(detail=text, reason=text, where=where, **given),
        finding("text.intact", Outcome.WAIVED, detail=text, **{**given, "waiver": waiver}),
        finding("models.shape", Outcome.UNKNOWN, detail="", reason=text, **{**given, "provider": None}),
    )


def test_every_format_has_a_reader_that_is_not_ours() -> None:
    assert tuple(READERS) == formats.names()


@pytest.mark.parametrize("name", READERS)
@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_no_text_breaks_a_format(name: str, text: str, bare: About) -> None:
    data = formats.render(name, hostile(text), bare)
    shown = data.decode()
    assert all(char.isprintable() or char == "\n" for char in shown)
    if name not in ("json", "jsonl"):  # documents for programs keep what was said
        assert len(data) < 100_000
    told = [found for found in READERS[name](data) if found.contract.startswith(CHARSET)]
    assert len(told) == 1
    if told[0].text is not None and text:
        seen = scrub(text, 200).removesuffix("…")
        # JSON has no letters for an unpaired surrogate.
        exact = text.encode("utf-8", "replace").decode()
        assert (exact if name in ("json", "jsonl") else seen) in told[0].text


@pytest.mark.parametrize("name", set(READERS) - {"json", "jsonl"})
@pytest.mark.parametrize("text", HOSTILE.values(), ids=HOSTILE)
def test_no_provider_passes_for_another(name: str, text: str, bare: About) -> None:
    (told,) = READERS[name](formats.render(name, report(finding(provider=text or "größe")), bare))
    assert told.provider.startswith(scrub(text or "größe", 100).removesuffix("…"))


def test_a_reader_of_json_sees_the_very_text(bare: About) -> None:
    text = "\u202egröße\x9b\u2028\x1b[31m\U000e0001"
    (told,) = read_json(formats.render("json", report(finding(detail=text)), bare))
    assert told.text == text
