"""The page in a real browser: quiet, alone, readable in both lights, by keyboard and on a phone."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import pytest

from contracts.state.timeline import Timeline
from tests.report_page.conftest import Written
from tests.report_page.made import hostile, timelines

if TYPE_CHECKING:
    from playwright.sync_api import Browser, Page

PHONE = (360, 740)
DESK = (1280, 900)
SIZES = [3, pytest.param(300, id="300")]
LEAST = 4.5  # contrast of text, https://www.w3.org/TR/WCAG22/#contrast-minimum, read 2026-11-30
QUICK_S = 15.0  # a machine that is busy with other tests; a second otherwise

VIOLATIONS = """
window.violations = [];
addEventListener("securitypolicyviolation", (event) => violations.push(event.violatedDirective));
"""

# For each text that is seen: its contrast with what lies behind it, mixed where that is translucent.
CONTRASTS = """() => {
  const parse = (text) => { const n = text.match(/[\\d.]+/g).map(Number); return [n[0], n[1], n[2], n[3] ?? 1]; };
  const channel = (c) => { c /= 255; return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4; };
  const light = ([r, g, b]) => 0.2126 * channel(r) + 0.7152 * channel(g) + 0.0722 * channel(b);
  const behind = (element) => {
    const layers = [];
    for (let e = element; e; e = e.parentElement) layers.push(parse(getComputedStyle(e).backgroundColor));
    let mixed = [255, 255, 255];
    for (const [r, g, b, a] of layers.reverse()) mixed = [r, g, b].map((c, i) => c * a + mixed[i] * (1 - a));
    return mixed;
  };
  const found = {};
  const add = (element, style, text) => {
    const [a, b] = [light(parse(style.color)), light(behind(element))].sort((x, y) => y - x);
    const ratio = (a + 0.05) / (b + 0.05);
    const key = `${style.color} on ${behind(element)}`;
    if (!(key in found) || found[key][0] > ratio) found[key] = [ratio, text.slice(0, 30), element.tagName];
  };
  for (const element of document.body.querySelectorAll("*")) {
    if (!element.checkVisibility() || element.closest("svg, script")) continue;
    const style = getComputedStyle(element);
    const own = [...element.childNodes].filter((n) => n.nodeType === 3).map((n) => n.data.trim()).join("");
    if (own && parseFloat(style.fontSize) > 0) add(element, style, own);
    const before = getComputedStyle(element, "::before");
    if (before.content !== "none") add(element, before, before.content);
  }
  return found;
}"""


@contextmanager
def opened(
    browser: Browser,
    path: Path,
    size: tuple[int, int] = DESK,
    scheme: Literal["light", "dark"] = "light",
    *,
    script: bool = True,
) -> Iterator[Page]:
    """Look at a page; whatever it complains of or asks for fails the test."""
    said: list[str] = []
    asked: list[str] = []
    context = browser.new_context(
        viewport={"width": size[0], "height": size[1]}, color_scheme=scheme, java_script_enabled=script
    )
    try:
        page = context.new_page()
        page.on("console", lambda message: said.append(message.text))
        page.on("pageerror", lambda error: said.append(str(error)))
        page.on("dialog", lambda dialog: said.append(dialog.message))
        page.on("request", lambda request: asked.append(request.url))
        page.add_init_script(VIOLATIONS)
        page.goto(path.as_uri())
        yield page
        if script:
            said += page.evaluate("violations")
        assert said == []
        assert asked == [path.as_uri()]
    finally:
        context.close()


def open_all(page: Page) -> None:
    """Open every fold."""
    page.evaluate("for (const fold of document.querySelectorAll('details')) fold.open = true")


@pytest.mark.parametrize("providers", SIZES)
def test_the_page_is_quiet_asks_for_nothing_and_is_there_at_once(
    browser: Browser, written: Written, providers: int
) -> None:
    path = written(timelines(providers))
    begun = time.monotonic()
    with opened(browser, path) as page:
        assert page.locator("table.matrix tbody tr").count() == providers
        assert page.locator("details.provider").count() == providers
        assert page.locator("details.contract").count() == 22
        assert page.locator("#filter").is_visible()
        assert time.monotonic() - begun < QUICK_S


@pytest.mark.parametrize("providers", SIZES)
def test_a_phone_scrolls_the_page_one_way_only(browser: Browser, written: Written, providers: int) -> None:
    with opened(browser, written(timelines(providers)), PHONE) as page:
        assert page.evaluate("document.documentElement.scrollWidth") == 360
        if providers == 3:
            open_all(page)
            assert page.evaluate("document.documentElement.scrollWidth") == 360


def test_a_phone_scrolls_one_way_only_whatever_a_provider_is_called(browser: Browser, written: Written) -> None:
    long = [Timeline(provider="größe" * 200, polls=t.polls, lines=t.lines) for t in hostile()[:1]]
    with opened(browser, written([*hostile(), *long]), PHONE) as page:
        open_all(page)
        assert page.evaluate("document.documentElement.scrollWidth") == 360


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_text_stands_out_from_what_is_behind_it(
    browser: Browser, written: Written, scheme: Literal["light", "dark"]
) -> None:
    with opened(browser, written([*timelines(12), *hostile()]), scheme=scheme) as page:
        open_all(page)
        contrasts: dict[str, list[Any]] = page.evaluate(CONTRASTS)
        background = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert len(contrasts) >= 10
    assert (background == "rgb(255, 255, 255)") is (scheme == "light")
    assert {pair: told for pair, told in contrasts.items() if told[0] < LEAST} == {}


def focused(page: Page) -> tuple[str, str, bool]:
    """What has the focus: its tag, its text, and whether that can be seen."""
    told = page.evaluate("""() => {
      const e = document.activeElement, s = getComputedStyle(e);
      const seen = s.outlineStyle !== "none" && parseFloat(s.outlineWidth) > 0;
      return [e.tagName, e.textContent.trim().slice(0, 60), seen];
    }""")
    return told[0], told[1], told[2]


def test_a_keyboard_skips_to_the_states_and_opens_a_fold(browser: Browser, written: Written) -> None:
    with opened(browser, written(timelines(3))) as page:
        page.keyboard.press("Tab")
        assert focused(page) == ("A", "Skip to the states", True)
        assert page.locator(".skip").bounding_box()["x"] >= 0  # type: ignore[index]  # it is on the page
        page.keyboard.press("Enter")
        assert page.evaluate("document.activeElement.id") == "states"
        walked: list[tuple[str, str, bool]] = []
        while not (walked and walked[-1][0] == "SUMMARY" and "anbieter" in walked[-1][1]):
            page.keyboard.press("Tab")
            walked.append(focused(page))
            assert len(walked) < 200
        assert all(seen for _, _, seen in walked)
        fold = page.locator("details.provider").first
        assert fold.get_attribute("open") is None
        page.keyboard.press("Enter")
        assert fold.get_attribute("open") is not None
        assert fold.locator("table.lines").is_visible()
        page.keyboard.press("Space")
        assert fold.get_attribute("open") is None


@pytest.mark.parametrize("script", [True, False], ids=["with script", "without"])
def test_a_link_in_the_matrix_leads_into_the_fold_of_its_provider(
    browser: Browser, written: Written, *, script: bool
) -> None:
    with opened(browser, written(timelines(3)), script=script) as page:
        page.locator("table.matrix tbody a").nth(1).click()
        name = page.locator("table.matrix tbody a").nth(1).inner_text()
        fold = page.locator("details.provider[open]")
        assert fold.count() == 1
        assert fold.locator(".name").inner_text() == name


def test_the_filter_leaves_what_it_names_everywhere(browser: Browser, written: Written) -> None:
    with opened(browser, written(timelines(12))) as page:
        page.locator("#name").fill("ANBIETER-007")
        for rows in ("table.matrix tbody tr", "details.provider"):
            assert page.locator(f"{rows}:visible").count() == 1
        assert page.locator("#found").inner_text() == "1 of 12 providers"
        page.locator("#name").fill("")
        page.locator("#bad").check()
        shown = page.locator("details.provider:visible > summary > .s").all_inner_texts()
        assert 0 < len(shown) < 12
        assert not {"holds", "not-applicable"} & set(shown)


def test_the_button_opens_all_folds_and_closes_them(browser: Browser, written: Written) -> None:
    with opened(browser, written(timelines(3))) as page:
        for folds, label in ((25, "Close all folds"), (0, "Open all folds")):
            page.locator("#open").click()
            assert page.locator("details.provider[open], details.contract[open]").count() == folds
            assert page.locator("#open").inner_text() == label


def test_nothing_hostile_is_carried_out(browser: Browser, written: Written) -> None:
    with opened(browser, written(hostile())) as page:
        open_all(page)
        for one in page.locator("summary, th, td, time, code").all()[:120]:
            if one.is_visible():
                one.dispatch_event("mouseover")
                one.dispatch_event("click")
        assert page.title() == "10 violated of 10 – provider contracts"
        assert page.locator("img, iframe, style:not(head style), script").count() == 1
        assert page.locator("body").is_visible()
        assert page.locator("details.provider .name", has_text="49").count() == 0


def headings(rows: Sequence[Any]) -> list[str]:
    """The roles that a reader of the accessibility tree meets."""
    return [str(row["role"]["value"]) for row in rows if "role" in row]


def test_those_who_hear_the_page_get_tables_states_and_timelines(browser: Browser, written: Written) -> None:
    with opened(browser, written(timelines(2))) as page:
        open_all(page)
        nodes = page.context.new_cdp_session(page).send("Accessibility.getFullAXTree")["nodes"]
        roles = headings(nodes)
        names = [str(node.get("name", {}).get("value", "")) for node in nodes]
    assert {"table", "columnheader", "rowheader", "cell", "heading", "main", "navigation", "search"} <= set(roles)
    assert any(name.endswith(" of 120 polls") for name in names)
    assert names.count("holds") > 30  # the cells of the matrix say words
