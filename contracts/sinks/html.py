"""One page for people, whole in itself: what every provider's contracts come to and came to, poll by poll.

The page is a template of `contracts/library/templates`. It loads nothing, and the browser is told so: the policy in
its head allows the one style and the one script that stand in it, by their hashes, and nothing else.
"""

from __future__ import annotations

import hashlib
import os
from base64 import b64encode
from typing import TYPE_CHECKING

from jinja2 import Environment, FileSystemLoader, StrictUndefined

import contracts
from contracts.model import Severity
from contracts.sinks import html_parts as parts

if TYPE_CHECKING:
    from contracts.sinks.html_values import Page

FOLDER = os.path.join(os.path.dirname(contracts.__file__), "library", "templates")

# https://www.w3.org/TR/CSP3/, read 2026-11-30. `data:` is for the empty icon, without which a browser asks for one.
POLICY = (
    "default-src 'none'; style-src '{style}'; script-src '{script}'; img-src data:; base-uri 'none'; form-action 'none'"
)


def render(page: Page) -> bytes:
    """Give the page in UTF-8.

    Whatever text is in it is scrubbed by the environment's `finalize` and escaped by its `autoescape`, or by a part.
    """
    environment = Environment(
        loader=FileSystemLoader(FOLDER), autoescape=True, undefined=StrictUndefined, finalize=parts.scrubbed,
        trim_blocks=True, keep_trailing_newline=True, auto_reload=False,
    )  # fmt: skip
    light = [p.contract is not None and p.contract.severity is not Severity.ERROR for p in page.promises]
    for part in (parts.instant, parts.state, parts.counts, parts.strip, parts.letter, parts.names, parts.is_link):
        environment.filters[part.__name__] = part
    environment.filters["cells"] = parts.cells_of(light)
    style, script = _read("report.css"), _read("report.js")
    text = environment.get_template("report.html").render(
        page=page,
        title=_title(page),
        style=style,
        script=script,
        policy=parts.Piece(POLICY.format(style=_hash(style), script=_hash(script))),
    )
    return text.encode()


def _read(name: str) -> str:
    with open(os.path.join(FOLDER, name), encoding="utf-8") as file:
        return file.read()


def _hash(text: str) -> str:
    return f"sha256-{b64encode(hashlib.sha256(text.encode()).digest()).decode()}"


def _title(page: Page) -> str:
    bad = dict(page.counts).get("violated", 0)
    return f"{bad} violated of {len(page.providers)} – provider contracts" if bad else "Provider contracts"
