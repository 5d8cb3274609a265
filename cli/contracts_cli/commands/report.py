"""`contracts report`: one page about all providers, made of the state of earlier runs."""

from __future__ import annotations

import os
from datetime import UTC, datetime

from msgspec import Struct

from contracts.errors import ConfigError
from contracts_cli import stored, terminal

STANDARD_OUTPUT = "-"


class Settings(Struct, frozen=True, kw_only=True):
    """What was asked for. `html` is where the page goes; without it there is nothing to do."""

    providers: tuple[str, ...] = ()
    html: str | None = None
    polls: int | None = None
    config: str | None = None
    state: str | None = None


def run(settings: Settings) -> int:
    """Write the page.

    Raises:
        ConfigError: where no file is named or it cannot be written, and where there is no state to tell of.
    """
    if not settings.html:
        raise ConfigError("report: expected --html FILE, or --html - for standard output, found neither")
    from contracts import __version__
    from contracts.config import catalogue, search
    from contracts.state.timeline import Timeline

    known = catalogue.load(search.find(settings.config, os.environ, ""))
    polls = stored.POLLS if settings.polls is None else settings.polls
    with stored.opened(settings.state) as state:
        found = stored.timelines(state, settings.providers, polls)
    if not settings.providers:
        polled = {one.provider for one in found}
        found += [Timeline(provider=name, polls=(), lines=()) for name in known.providers if name not in polled]
    from contracts.sinks import html, html_view, whole_file

    page = html_view.view(
        found,
        known.contracts,
        rows=None if known.config is None else known.providers,
        made_at=datetime.now(UTC),
        version=__version__,
        polls=polls,
    )
    data = html.render(page)
    if settings.html == STANDARD_OUTPUT:
        terminal.write_bytes(data)
    else:
        whole_file.write(settings.html, data)
    return 0
