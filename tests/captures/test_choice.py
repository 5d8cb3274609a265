"""Which reader a file gets: its ending decides, and its content where the ending says nothing or two things."""

from __future__ import annotations

import json
import os

import pytest

from contracts import captures
from contracts.model import Exchange

TEXT = "— e\u0301 世界 👨\u200d👩\u200d👧"
DUMP = f"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n\r\n{TEXT}"
RESPONSE = {"status": 200, "headers": [], "content": {"text": TEXT}}
HAR = json.dumps({"log": {"entries": [{"request": {"method": "GET", "url": "/é"}, "response": RESPONSE}]}})
INTERACTION = {"request": {"uri": "/é"}, "response": {"status": {"code": 200}, "body": {"string": TEXT}}}
JSON_CASSETTE = json.dumps({"interactions": [INTERACTION], "version": 1}, ensure_ascii=False)
CASSETTE = f"""\
interactions:
- request: {{uri: /é}}
  response:
    status: {{code: 200}}
    body: {{string: {TEXT}}}
version: 1
"""


def read(folder: os.PathLike[str], name: str, text: str) -> Exchange:
    path = os.path.join(folder, name)
    with open(path, "w", encoding="utf-8", newline="") as file:
        file.write(text)
    (exchange,) = captures.read(path)
    return exchange


@pytest.mark.parametrize(
    ("name", "text", "numbered"),
    [
        ("größe.http", DUMP, False),
        ("größe.TXT", DUMP, False),
        ("größe.har", HAR, True),
        ("größe.json", HAR, True),
        ("größe.json", JSON_CASSETTE, True),
        ("größe.yaml", CASSETTE, True),
        ("größe.yml", "# née\n---\n" + CASSETTE, True),
        ("größe", DUMP, False),
        ("größe.dump", "\ufeff" + DUMP, False),
        ("größe.saved", " \n" + HAR, True),
        ("größe.saved", JSON_CASSETTE, True),
        ("größe.v2", CASSETTE, True),
        ("größe.v2", "\n# née\n" + CASSETTE, True),
        ("größe.v2", "recorded: {note: é}\n" + CASSETTE, True),
    ],
)
def test_every_format_is_known_by_its_ending_or_its_content(
    tmp_path: os.PathLike[str], name: str, text: str, *, numbered: bool
) -> None:
    exchange = read(tmp_path, name, text)
    assert (exchange.status, b"".join(exchange.body)) == (200, TEXT.encode())
    assert exchange.ref == os.path.join(tmp_path, name) + ("#0" if numbered else "")
