"""What a row says of its provider's ways: pages by number, a listing beside the base URL, a key in another header."""

from __future__ import annotations

import json
import socket
from collections.abc import Callable
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contracts.evidence import plan
from contracts.evidence.memory import Memory
from contracts.model import Provider
from contracts.state.opening import open_state
from tests.live.conftest import FREE, KEY, Check, row
from tests.live.test_raw_wire import raw

PAGES = [["größe/eins", "größe/zwei"], ["größe/drei"], [FREE]]
NUMBERED = {
    "path": "/models",
    "more": "pagination.current_page < pagination.total_pages",
    "next_number": {"page": "pagination.current_page"},
}


class Wire:
    """Answers with listings, and keeps the requests."""

    def __init__(self, answer: Callable[[str], object]) -> None:
        self.asked: list[bytes] = []
        self._answer = answer

    def __call__(self, connection: socket.socket) -> None:
        said = connection.recv(65536)
        self.asked.append(said)
        data = json.dumps(self._answer(said.split(b" ")[1].decode()), ensure_ascii=False).encode()
        head = b"HTTP/1.1 200 OK\r\nConnection: close\r\nContent-Type: application/json\r\nContent-Length: %d\r\n\r\n"
        connection.sendall(head % len(data) + data)

    @property
    def targets(self) -> list[str]:
        return [said.split(b" ")[1].decode() for said in self.asked]


def numbered(target: str) -> object:
    number = int(dict(p.split("=") for p in urlsplit(target).query.split("&") if p).get("page", 1))
    return {
        "data": [{"id": model} for model in PAGES[number - 1]],
        "pagination": {"current_page": number, "total_pages": len(PAGES)},
    }


def test_pages_that_are_counted_are_read_to_the_last(check: Check) -> None:
    wire = Wire(numbered)
    with raw(wire) as port:
        got = check(
            {"cafe": row(f"http://127.0.0.1:{port}/v1", api_key=None, listing=NUMBERED, models=[FREE, "größe/vier"])},
            contracts=("models.resolve", "models.shape"),
        )
    assert wire.targets == ["/v1/models", "/v1/models?page=2", "/v1/models?page=3"]
    assert {f.model: f.outcome for f in got.report.findings} == {None: "holds", FREE: "holds", "größe/vier": "violated"}


def test_a_page_that_says_no_number_is_not_asked_beyond(check: Check) -> None:
    wire = Wire(lambda _: {"data": [{"id": FREE}], "pagination": {"current_page": "eins", "total_pages": 9}})
    listing = {**NUMBERED, "more": "pagination.total_pages"}
    with raw(wire) as port:
        got = check(
            {"cafe": row(f"http://127.0.0.1:{port}/v1", api_key=None, listing=listing, models=["größe/vier"])},
            contracts=("models.resolve",),
        )
    assert wire.targets == ["/v1/models"]
    assert got.outcome("models.resolve") == "unknown"


def test_a_listing_beside_the_base_url_is_asked_for_there(check: Check) -> None:
    wire = Wire(lambda _: [{"id": FREE}])
    listing = {"path": "/../catalog/models?a=b", "items": "@"}
    with raw(wire) as port:
        got = check(
            {"cafe": row(f"http://127.0.0.1:{port}/inference", api_key=None, listing=listing)},
            contracts=("models.resolve",),
        )
    assert wire.targets == ["/catalog/models?a=b"]
    assert got.outcome("models.resolve") == "holds"


STEP = st.sampled_from(["..", ".", "v1", "größe", "", "@evil.example", "//evil.example", "http:", "%2e%2e", ";x"])


@given(st.lists(STEP, max_size=8), st.sampled_from(["https://api.acme.example/v1", "http://127.0.0.1:8000"]))
def test_no_path_leads_off_the_host(steps: list[str], base: str) -> None:
    url = plan.listing_url(
        Provider(name="a", dialect="openai-chat", base_url=base, listing={"path": "/../" + "/".join(steps)})
    )
    assert (urlsplit(url).scheme, urlsplit(url).netloc) == (urlsplit(base).scheme, urlsplit(base).netloc)


WAYS = [
    ({"header": "api-key"}, f"api-key: {KEY}"),
    ({"header": "x-api-key"}, f"x-api-key: {KEY}"),
    ({"header": "Authorization", "scheme": "Api-Key"}, f"Authorization: Api-Key {KEY}"),
]


@pytest.mark.parametrize(("auth", "header"), WAYS, ids=[header.split(":", maxsplit=1)[0] for _, header in WAYS])
def test_a_key_goes_in_the_header_that_the_row_names_and_into_no_report(
    auth: dict[str, str], header: str, check: Check
) -> None:
    zero = {"prompt": "0", "completion": "0"}
    wire = Wire(lambda _: {"data": [{"id": FREE, "pricing": zero}], "größe": KEY})
    with raw(wire) as port:
        got = check({"cafe": row(f"http://127.0.0.1:{port}/v1", auth=auth)})
    carried = {said.split(b" ")[0]: header.encode() in said for said in wire.asked if KEY.encode() in said}
    assert carried == {b"GET": True, b"POST": True}
    assert sum(KEY.encode() in said for said in wire.asked) == 2, "the listing and the free chat, and not the probe"
    assert all(
        said.lower().count(b"authorization:") == (auth["header"] == "Authorization")
        for said in wire.asked
        if KEY.encode() in said
    )
    assert KEY not in repr(got.report)
    assert (got.report.requests.refused, got.report.requests.post_paid) == (0, 0)


def test_a_row_that_was_pointed_elsewhere_begins_anew(check: Check, tmp_path: Path) -> None:
    first, second = Wire(lambda _: {"data": [{"id": "größe/alt"}]}), Wire(lambda _: {"data": [{"id": FREE}]})
    state = open_state(str(tmp_path / "größe.db"))
    memory: Memory = state
    try:
        with raw(first) as there, raw(second) as elsewhere:

            def drift(port: int) -> str:
                rows = {"cafe": row(f"http://127.0.0.1:{port}/v1", api_key=None, models=[])}
                got = check(rows, memory=memory, contracts=("models.drift",))
                return got.outcome("models.drift")

            assert [drift(there), drift(there)] == ["holds", "holds"]
            assert drift(elsewhere) == "holds"
            assert drift(elsewhere) == "holds"
    finally:
        state.close()


def test_a_provider_that_lists_something_else_at_the_same_place_drifts(check: Check, tmp_path: Path) -> None:
    listed = ["größe/alt"]
    state = open_state(str(tmp_path / "größe.db"))
    try:
        with raw(Wire(lambda _: {"data": [{"id": listed[0]}]})) as port:
            rows = {"cafe": row(f"http://127.0.0.1:{port}/v1", api_key=None, models=[])}
            check(rows, memory=state, contracts=("models.drift",))
            listed[0] = "größe/neu"
            assert check(rows, memory=state, contracts=("models.drift",)).outcome("models.drift") == "violated"
    finally:
        state.close()
