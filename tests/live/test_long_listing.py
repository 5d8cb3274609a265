"""A long listing is read as a short one is: the same Listing, or the other reader is asked."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from contracts.dialects import ListingQuery, listing, long_listing

QUERY = ListingQuery(
    prices="pricing", context_tokens="context_length", output_tokens="top_provider.most", parameters="parameters",
    deprecated="gone", aliases="aliases", chat="chat", quantization="quantization", more="has_more",
    next={"after": "last"},
)  # fmt: skip

TEXT = st.text(max_size=12)
ANY = st.none() | st.booleans() | st.integers(-3, 10**20) | st.floats(allow_nan=False, allow_infinity=False) | TEXT
PRICES = st.dictionaries(TEXT, ANY | st.sampled_from(["0", "0.00", "-1", "1e-9"]), max_size=4)
ENTRY = st.fixed_dictionaries(
    {"id": st.text(min_size=1, max_size=6)},
    optional={
        "pricing": PRICES | ANY,
        "context_length": ANY,
        "top_provider": st.fixed_dictionaries({}, optional={"most": ANY}) | ANY,
        "parameters": st.lists(ANY, max_size=3) | ANY,
        "gone": ANY,
        "aliases": st.lists(TEXT, max_size=3),
        "chat": ANY,
        "quantization": ANY,
        "rest": st.lists(ANY, max_size=2),
    },
)
PAGE = st.fixed_dictionaries({"data": st.lists(ENTRY, max_size=6)}, optional={"has_more": ANY, "last": ANY})


@given(PAGE, st.booleans(), st.sampled_from([None, 1]))
def test_both_readers_read_the_same(page: dict[str, Any], escaped: bool, indent: int | None) -> None:
    data = json.dumps(page, ensure_ascii=escaped, indent=indent).encode("utf-8", "surrogatepass")
    found = long_listing.read(data, QUERY)
    want = listing.read(json.loads(data), QUERY)
    if found is not None:
        assert found.models == want.models
        assert (found.more, found.next) == (want.more, want.next)
        assert [(f.kind, f.count) for f in found.faults] == [(f.kind, f.count) for f in want.faults]


def test_a_usual_listing_is_read_by_the_reader_of_long_ones() -> None:
    entries = [{"id": f"café-{n}", "pricing": {"prompt": "0.1", "completion": "0"}} for n in range(3)]
    found = long_listing.read(json.dumps({"data": entries}).encode(), QUERY)
    assert found is not None
    assert found.models[2].prices == (("completion", "0"), ("prompt", "0.1"))


FREE = b'{"prompt":"0","completion":"0"}'
LEFT = {
    "a number for an id": b'{"data":[{"id":7}]}',
    "no id": b'{"data":[{"slug":"caf\xc3\xa9"}]}',
    "an empty id": b'{"data":[{"id":""}]}',
    "a bare list": b'[{"id":"a"}]',
    "no list": b'{"data":{"id":"a"}}',
    "an entry that is none": b'{"data":["a"]}',
    "a price named twice, free at last": b'{"data":[{"id":"a","pricing":{"prompt":"1"},"pricing":' + FREE + b"}]}",
    "a price named twice in disguise": b'{"data":[{"id":"a","pricing":{"prompt":"1"},"pr\\u0069cing":' + FREE + b"}]}",
    "a component named twice": b'{"data":[{"id":"a","pricing":{"prompt":"1","prompt":"0","completion":"0"}}]}',
    "an infinite price": b'{"data":[{"id":"a","pricing":{"prompt":1e999}}]}',
    "no JSON": b'{"data":[{"id":"a"}',
    "bytes that are no UTF-8": b'{"data":[{"id":"caf\xe9"}]}',
}


@pytest.mark.parametrize("name", LEFT)
def test_what_is_not_plainly_in_order_is_left_to_the_other_reader(name: str) -> None:
    assert long_listing.read(LEFT[name], QUERY) is None
