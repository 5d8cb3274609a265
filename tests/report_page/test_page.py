"""The page as text and values: whole in itself, bounded, and nothing in it that a provider could have made up."""

from __future__ import annotations

import hashlib
import re
from base64 import b64encode
from html.parser import HTMLParser

import pytest
from msgspec import structs

from contracts.sinks import html, html_parts, html_view
from contracts.state.stretches import rank
from contracts.state.timeline import Change, Line, Timeline
from tests.report_page.conftest import page_of
from tests.report_page.made import FIRST, HOSTILE, HOUR, hostile, timelines


class Read(HTMLParser):
    """Everything of a page that an attack would have to go through."""

    def __init__(self, data: bytes) -> None:
        super().__init__(convert_charrefs=True)
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.texts: list[str] = []
        self.within: dict[str, str] = {}
        self._in = ""
        self.feed(data.decode())
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self._in = tag

    def handle_endtag(self, tag: str) -> None:
        del tag
        self._in = ""

    def handle_data(self, data: str) -> None:
        if self._in in ("style", "script"):
            self.within[self._in] = self.within.get(self._in, "") + data
        else:
            self.texts.append(data)


def read(made: list[Timeline]) -> Read:
    """Read the page about timelines."""
    return Read(html.render(page_of(made)))


@pytest.mark.parametrize("made", [timelines(3), hostile(), []], ids=["three", "hostile", "none"])
def test_the_page_loads_nothing_and_runs_nothing_but_its_own(made: list[Timeline]) -> None:
    page = read(made)
    tags = [tag for tag, _ in page.tags]
    assert tags.count("script") == tags.count("style") == tags.count("link") == 1
    assert not {"img", "iframe", "object", "embed", "base", "video", "audio", "image", "use"} & set(tags)
    for tag, attributes in page.tags:
        assert not [
            name for name in attributes if name.startswith("on") or name in ("style", "src", "srcdoc", "action")
        ]
        target = attributes.get("href") or ""
        assert target == "" or target.startswith("#") or (tag, target) == ("link", "data:,") or target[:8] == "https://"


def test_the_policy_allows_the_one_style_and_the_one_script_by_their_hashes() -> None:
    page = read(timelines(1))
    (policy,) = [a["content"] for tag, a in page.tags if a.get("http-equiv") == "Content-Security-Policy"]
    for kind in ("style", "script"):
        digest = b64encode(hashlib.sha256(page.within[kind].encode()).digest()).decode()
        assert f"{kind}-src 'sha256-{digest}'" in str(policy)
    assert str(policy).startswith("default-src 'none'; ")
    assert "unsafe" not in str(policy)


def test_the_policy_stands_before_what_it_rules() -> None:
    tags = read(timelines(1)).tags
    at = next(place for place, (_, a) in enumerate(tags) if a.get("http-equiv"))
    assert at < min(place for place, (tag, _) in enumerate(tags) if tag in ("style", "script", "link"))


def test_only_our_own_style_and_script_go_unescaped_into_the_template() -> None:
    with open(f"{html.FOLDER}/report.html", encoding="utf-8") as file:
        template = file.read()
    assert re.findall(r"\{\{[^}]*\bsafe\b[^}]*\}\}", template) == ["{{ style | safe }}", "{{ script | safe }}"]
    assert "autoescape" not in template
    with open(f"{html.FOLDER}/report.js", encoding="utf-8") as file:
        script = file.read()
    assert not re.search(r"innerHTML|outerHTML|insertAdjacent|document\.write|eval|Function\(|fetch|XMLHttp", script)


@pytest.mark.parametrize("text", HOSTILE)
def test_hostile_text_stays_text(text: str) -> None:
    page = read(hostile())
    shown = str(html_parts.scrubbed(text))
    assert any(shown in one for one in page.texts)
    assert all(character.isprintable() or character in "\n " for one in page.texts for character in one)


def test_every_provider_has_the_state_of_every_contract() -> None:
    made = timelines(4)
    page = page_of(made)
    ids = [promise.id for promise in page.promises]
    assert len(ids) == 22
    for shown in page.providers:
        timeline = next(t for t in made if t.provider == shown.name)
        for contract, cell in zip(ids, shown.cells, strict=True):
            lines = [line.changes[-1].outcome for line in timeline.lines if line.contract == contract]
            assert cell == min(lines, key=rank)
        assert sum(count for _, count in shown.counts) == len(timeline.lines)
        assert len(shown.rows) + shown.steady_count == len(timeline.lines)


def test_what_is_worst_comes_first() -> None:
    page = page_of(timelines(30))
    ranks = [rank(one.outcome) for one in page.providers]
    assert ranks == sorted(ranks)
    assert len(set(ranks)) > 1
    for one in page.providers:
        assert [rank(r.outcome) for r in one.rows] == sorted(rank(r.outcome) for r in one.rows)


def one_line(*changes: Change, contract: str = "sse.charset", polls: int = 10) -> Timeline:
    """A provider with one line."""
    instants = tuple(FIRST + HOUR * number for number in range(polls))
    return Timeline(provider="größe", polls=instants, lines=(Line(contract=contract, model=None, changes=changes),))


def test_what_changed_tells_what_was_and_what_is_newest_first() -> None:
    made = one_line(
        Change(at=FIRST - HOUR, outcome="holds"),
        Change(at=FIRST + HOUR, outcome="violated"),
        Change(at=FIRST + 3 * HOUR, outcome="holds"),
    )
    told = [(m.at, m.was, m.now) for m in page_of([made]).moved]
    assert told == [(FIRST + 3 * HOUR, "violated", "holds"), (FIRST + HOUR, "holds", "violated")]


def test_the_first_judgement_of_all_is_news_only_if_it_is_a_violation() -> None:
    assert page_of([one_line(Change(at=FIRST, outcome="holds"))]).moved == ()
    assert [(m.was, m.now) for m in page_of([one_line(Change(at=FIRST, outcome="violated"))]).moved] == [
        (None, "violated")
    ]
    assert page_of([one_line(Change(at=FIRST - HOUR, outcome="violated"))]).moved == ()


def test_a_strip_has_the_shape_of_each_outcome_and_says_it_in_words() -> None:
    made = one_line(
        Change(at=FIRST + HOUR, outcome="violated"),
        Change(at=FIRST + 2 * HOUR, outcome="unknown"),
        Change(at=FIRST + 4 * HOUR, outcome="waived"),
        Change(at=FIRST + 5 * HOUR, outcome="holds"),
        Change(at=FIRST + 8 * HOUR, outcome="not-applicable"),
    )
    drawn = str(html_parts.strip(page_of([made]).providers[0].rows[0].strip))
    assert 'aria-label="violated at 1, unknown at 2, waived at 1, holds at 3, not-applicable at 2 of 10 polls"' in drawn
    for piece in ('viewBox="0 0 10 10"', "M1 0h1v10h-1z", "M2 3h2v4h-2z", "M4 5h1v5h-1z", "M5 8h3v2h-3z"):
        assert piece in drawn
    assert drawn.count("<path") == 4


def test_a_page_is_bounded_and_says_what_it_left_out() -> None:
    line = Line(contract="models.resolve", model="größe", changes=(Change(at=FIRST, outcome="violated"),))
    lines = tuple(structs.replace(line, model=f"größe/{number}") for number in range(2000))
    polls = tuple(FIRST + HOUR * number for number in range(3))
    many = [Timeline(provider=f"größe-{n:04}", polls=polls, lines=lines if n == 0 else lines[:1]) for n in range(1100)]
    page = page_of(many)
    assert (len(page.providers), page.providers_left_out) == (1000, 100)
    assert (len(page.providers[0].rows), page.providers[0].left_out) == (400, 1600)
    assert (len(page.moved), page.moved_left_out) == (200, 2000 + 999 - 200)
    text = html.render(page).decode()
    for said in ("100 more providers are left out", "1600 more lines are left out", "2799 older changes are left out"):
        assert said in text
    assert len(text) < 3_000_000


def test_a_row_that_was_taken_out_of_the_file_and_one_that_was_never_polled_are_told() -> None:
    never = Timeline(provider="nie-gefragt", polls=(), lines=())
    page = page_of([*timelines(1), never], rows=["nie-gefragt"])
    text = html.render(page).decode()
    assert text.count("No row of the providers file has this name any more.") == 1
    assert text.count("Not polled yet.") == 1
    assert dict(page.counts)["not judged"] == 1


def test_every_contract_tells_why_and_where_that_is_written() -> None:
    page = page_of(timelines(2))
    text = "".join(Read(html.render(page)).texts)
    for promise in page.promises:
        assert promise.contract is not None
        for said in (promise.contract.promise, promise.contract.why, promise.contract.source.url):
            assert said in text


def test_an_address_that_could_run_something_is_no_link() -> None:
    contract = page_of([]).promises[0].contract
    assert contract is not None
    for url in ("javascript:alert(1)", "data:text/html,x", "//x.invalid", "https://x.invalid/\u202e", "HTTPS://x"):
        bad = structs.replace(contract, source=structs.replace(contract.source, url=url))
        page = html_view.view([], {bad.id: bad}, rows=None, made_at=FIRST, version="0", polls=1)
        links = [a["href"] for tag, a in Read(html.render(page)).tags if tag == "a"]
        assert all(str(link).startswith("#") for link in links)


def test_folds_tell_their_counts_in_their_headers() -> None:
    text = html.render(page_of(timelines(3))).decode()
    summaries = re.findall(r"<summary>(.*?)</summary>", text, re.DOTALL)
    assert len(summaries) == 1 + 3 + 3 + 22
    assert all(re.search(r"\d", re.sub(r"<svg.*|<[^>]*>|anbieter-\d+", "", one)) for one in summaries)


def test_the_same_values_give_the_same_page() -> None:
    page = page_of(timelines(5))
    assert html.render(page) == html.render(page)
