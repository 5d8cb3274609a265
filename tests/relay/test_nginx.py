"""A real reverse proxy: nginx, as it should be set up for streams of a provider, and as it is by default."""

from __future__ import annotations

import re
from collections.abc import Callable

from contracts.relay.check import check
from contracts.relay.question import RelaySettings
from contracts.relay.told import Checked
from contracts_cli.commands import relay_check
from tests.relay.conftest import ROOT, Real
from tests.relay.relays import broken

STREAMING = 'proxy_http_version 1.1; proxy_set_header Connection "";'
Started = Callable[[str], Real]


def told(real: Real, *scenarios: str) -> Checked:
    """What comes of a run."""
    settings = RelaySettings(url=real.url, listen=real.upstream, scenarios=scenarios)
    return check(settings, lambda _: None, real.environ)


def test_nginx_that_does_not_buffer_holds_in_every_trial(proxied: Started) -> None:
    found = told(proxied(f"{STREAMING} proxy_buffering off;"))
    assert found.findings == ()
    assert {one.outcome for one in found.trials} == {"holds"}
    assert {one.notes for one in found.trials} <= {(), ("content coding: gzip became identity",)}


def test_nginx_that_compresses_holds_as_what_is_decoded_is_the_same(proxied: Started) -> None:
    directives = f"{STREAMING} proxy_buffering off; gzip on; gzip_types *; gzip_min_length 1; gzip_proxied any;"
    found = told(proxied(directives), "honest", "whole:honest", "pause-mid-stream", "chunked-cut", "server-error")
    assert found.findings == ()
    assert {one.notes for one in found.trials if one.name != "server-error"} == {
        ("content coding: identity became gzip",)
    }


def test_nginx_that_buffers_and_asks_by_chunks_changes_nothing(proxied: Started) -> None:
    found = told(proxied(f"{STREAMING} proxy_buffering on;"), "honest", "chunked-cut", "chunk-cut", "reset-mid-event")
    assert (found.outcome, found.findings) == ("holds", ())


def test_nginx_as_it_comes_buffers_and_makes_a_clean_end_of_a_cut_as_the_documentation_shows(proxied: Started) -> None:
    # What 1.22 does unasked. Asked by HTTP/1.0 a provider sends no chunks, and a cut looks like an end.
    found = told(proxied("proxy_http_version 1.0; proxy_set_header Connection close; proxy_buffering on;"))
    assert broken(found) == {"relay.buffering": {"pause-mid-stream"}, "relay.end": {"chunked-cut", "chunk-cut"}}
    shown = re.sub(r"127\.0\.0\.1:\d+", "127.0.0.1:8080", relay_check.view(found, 100, colour=False, verbose=False))
    shown = re.sub(r"\d+ ms", "… ms", shown)
    page = (ROOT / "docs" / "relay-check.md").read_text(encoding="utf-8")
    assert shown in page
