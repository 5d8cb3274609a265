"""Markdown shows a table of providers, and of each what is not in order, worst first."""

from __future__ import annotations

from markdown_it import MarkdownIt
from msgspec import structs

from contracts.report import SharedPoll
from contracts.sinks import markdown
from contracts.sinks.about import About
from tests.sinks.conftest import NOON, finding, one_of_each, report
from tests.sinks.readers import read_markdown


def cells(text: str) -> list[list[str]]:
    """Every row of every table, as a parser takes it."""
    rows: list[list[str]] = []
    is_cell = False
    for token in MarkdownIt("commonmark").enable("table").parse(text):
        if token.type == "tr_open":
            rows.append([])
        elif token.type in ("th_open", "td_open"):
            is_cell = True
        elif token.type == "inline" and is_cell:
            is_cell = False
            rows[-1].append("".join(child.content for child in token.children or ()))
    return rows


def test_what_is_not_in_order_is_told_worst_first(bare: About) -> None:
    told = read_markdown(markdown.render_report(one_of_each(), bare))
    assert [found.contract for found in told] == [
        "sse.charset", "reply.usage", "reply.id", "models.resolve", "limits.retry-after", "text.intact",
    ]  # fmt: skip
    assert {found.provider for found in told} == {"größe"}
    assert told[3].text == "kein Verzeichnis"


def test_every_provider_has_its_verdict_and_counts(bare: About) -> None:
    rows = cells(markdown.render_report(one_of_each(), bare).decode())
    assert rows[:3] == [
        ["provider", "verdict", "violated", "unknown", "waived"],
        ["größe", "violated (error)", "3", "2", "1"],
        ["другой", "holds", "0", "0", "0"],
    ]


def test_it_is_told_of_which_provider_another_run_asked(bare: About) -> None:
    told = structs.replace(one_of_each(), shared=(SharedPoll(provider="größe", polled_at=NOON),))
    rows = cells(markdown.render_report(told, bare).decode())
    assert [row[1] for row in rows[1:3]] == [
        "violated (error), asked by another run at 2026-11-30 12:00:00Z", "holds",
    ]  # fmt: skip


def test_a_text_means_itself(bare: About) -> None:
    text = "a|b `c` *d* <e> &amp; [f](g) \\| größe"
    rows = cells(markdown.render_report(report(finding(detail=text, expected=None)), bare).decode())
    assert rows[-1][4] == text


def test_bare_addresses_and_mentions_stay_text() -> None:
    # GitHub makes links of these without any markup: neither form may stand in the source.
    shown = markdown.escape("https://böse.example www.böse.example WWW.x.example a@b.example @team #12")
    assert not any(link in shown for link in ("://", "www.", "WWW.", "@", "#1"))


def test_nothing_judged_is_said(bare: About) -> None:
    assert "Nothing was judged." in markdown.render_report(report(), bare).decode()
