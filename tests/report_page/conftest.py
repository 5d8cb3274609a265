"""Pages as files, and a real browser without a screen."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from contracts.config import catalogue
from contracts.sinks import html, html_view
from contracts.sinks.html_values import Page
from contracts.state.timeline import Timeline
from tests.report_page.made import FIRST, HOUR

if TYPE_CHECKING:
    from playwright.sync_api import Browser

REQUIRED = "PAGE_MUST_BE_SEEN"  # set where nothing may be skipped
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)

Written = Callable[[Sequence[Timeline]], Path]


def page_of(made: Sequence[Timeline], rows: Sequence[str] | None = None) -> Page:
    """The values of a page about these timelines, with the shipped contracts."""
    return html_view.view(
        made,
        catalogue.load(None).contracts,
        rows=rows,
        made_at=FIRST + 130 * HOUR,
        version="0.1.0",
        polls=120,
    )


@pytest.fixture
def written(tmp_path: Path) -> Written:
    """Write the page about timelines to a file."""

    def write(made: Sequence[Timeline]) -> Path:
        path = tmp_path / "größe.html"
        path.write_bytes(html.render(page_of(made)))
        return path

    return write


@pytest.fixture(scope="session")
def chromium() -> str:
    """Where Chromium is; without it the test is skipped, or fails where it must not be."""
    found = shutil.which("chromium")
    if found is None and os.environ.get(REQUIRED):
        pytest.fail("chromium is not here, and the page has to be seen")
    if found is None:
        pytest.skip("chromium is not here (Debian: apt install chromium), so nobody looked at the page")
    return found


@pytest.fixture(scope="module")
def browser(chromium: str) -> Iterator[Browser]:
    """A browser for the tests of a module; each opens a window of its own.

    Playwright runs an event loop in this thread for as long as it lives, and no other may run meanwhile.
    """
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=list(FLAGS), chromium_sandbox=False)
        yield browser
        browser.close()
