"""Listings: of a wrong shape, without end, changing, or not to be believed about a model."""
# ruff: noqa: ARG001 - all functions of a stage are called alike

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from contracts.testing import listing
from contracts.testing.answer import Answer
from contracts.testing.ask import Ask
from contracts.testing.listing import Entry, Page
from contracts.testing.scenario import scenario

HUGE = 100_000
PER_PAGE = 20


@scenario("listing", violates="models.shape")
def listing_bare(page: Page, ask: Ask) -> None:
    """Sends a bare list where an object with data is the rule."""
    page.is_bare = True


@scenario("listing", violates="models.shape")
def listing_duplicate(page: Page, ask: Ask) -> None:
    """Lists every model twice."""
    page.entries = [e for entry in page.entries for e in (entry, entry)]


@scenario("listing", violates="models.shape", also=("models.resolve",))
def listing_without_ids(page: Page, ask: Ask) -> None:
    """Calls the id of every model slug."""
    page.entries = [{("slug" if k == ask.writer.ID else k): v for k, v in entry.items()} for entry in page.entries]


@scenario("answer", violates="models.shape", kinds=("listing",), also=("http.media-type",), shown="listing")
def listing_text(answer: Answer, ask: Ask) -> Answer:
    """Sends the listing as plain text, one id on each line."""
    return answer.with_body("loopback/café\nloopback/libre\n".encode(), "text/plain; charset=utf-8")


@scenario("listing")
def listing_huge(page: Page, ask: Ask) -> None:
    """Lists 100,000 models more."""
    page.entries = chained(page.entries, (listing.brief(f"loopback/model-{n}", ask.writer) for n in range(HUGE)))


def chained(first: Iterable[Entry], then: Iterable[Entry]) -> Iterator[Entry]:
    """Give the entries of both, as they are asked for."""
    yield from first
    yield from then


@scenario("listing", needs=("pages",))
def listing_endless(page: Page, ask: Ask) -> None:
    """Lists twenty models a page, and there is always one page more."""
    number = int(n) if (n := next(iter(ask.query.values()), "0").rpartition("-")[2]).isascii() and n.isdigit() else 0
    own = page.entries if number == 0 else ()
    numbers = range(number, number + PER_PAGE)
    page.entries = chained(own, (listing.brief(f"loopback/page-{n}", ask.writer) for n in numbers))
    last = f"loopback/page-{number + PER_PAGE}"
    page.members = {"has_more": True, "last_id": last, "nextPageToken": last, "next_page_token": last}


@scenario("listing", violates="models.resolve")
def unlisted(page: Page, ask: Ask) -> None:
    """Does not list the models that it serves."""
    page.entries = []


@scenario("listing", violates="models.resolve")
def other_case(page: Page, ask: Ask) -> None:
    """Lists its models in capitals, and serves them in small letters."""
    page.entries = [{**entry, ask.writer.ID: entry[ask.writer.ID].upper()} for entry in page.entries]


@scenario("listing", needs=("chat-flag",))
def not_for_chat(page: Page, ask: Ask) -> None:
    """Says of its models, where a row knows to look, that they give embeddings and do not chat."""
    change(page, ask.writer.NOT_FOR_CHAT)


@scenario("listing", needs=("deprecation",))
def deprecated(page: Page, ask: Ask) -> None:
    """Says of its models when they will be gone, and what replaces them."""
    change(page, ask.writer.DEPRECATED)


@scenario("endpoints", needs=("endpoints",))
def no_endpoints(endpoints: Iterable[Entry], ask: Ask) -> list[Entry]:
    """Lists a model and no endpoint that serves it, so that it does not resolve."""
    return []


@scenario("listing", violates="models.drift")
def listing_changes(page: Page, ask: Ask) -> None:
    """Asks money for every model at every second poll, and gives it half the context, as far as a listing says so."""
    if ask.turn % 2 == 0:
        change(page, ask.writer.CHANGED)


@scenario("listing", violates="models.drift")
def models_vanish(page: Page, ask: Ask) -> None:
    """Lists at every poll but the first one model less, and one that is new."""
    if ask.turn > 1:
        page.entries = chained(list(page.entries)[1:], [ask.writer.entry(f"loopback/nouveau-{ask.turn}", "0.000001")])


def change(page: Page, members: Mapping[str, Any]) -> None:
    """Give every entry these members."""
    page.entries = [{**entry, **members} for entry in page.entries]


def price(page: Page, **components: str | None) -> None:
    """Change components of every price; None leaves one out."""
    entries = []
    for entry in page.entries:
        pricing = {k: v for k, v in {**entry["pricing"], **components}.items() if v is not None}
        entries.append({**entry, "pricing": pricing})
    page.entries = entries


@scenario("listing", needs=("prices",))
def price_hidden(page: Page, ask: Ask) -> None:
    """Asks nothing for tokens, and a cent for each request."""
    price(page, prompt="0", completion="0", request="0.01")


@scenario("listing", needs=("prices",))
def price_tiny(page: Page, ask: Ask) -> None:
    """Asks a price so small that it is zero as a floating-point number."""
    price(page, prompt="1e-400", completion="0")


@scenario("listing", needs=("prices",))
def price_negative(page: Page, ask: Ask) -> None:
    """Says -1, which means that the price is told later."""
    price(page, prompt="-1", completion="-1")


@scenario("listing", needs=("prices",))
def price_words(page: Page, ask: Ask) -> None:
    """Words its prices: free, and NaN."""
    price(page, prompt="free", completion="NaN")


@scenario("listing", needs=("prices",))
def price_partial(page: Page, ask: Ask) -> None:
    """Asks nothing for the prompt and does not say what a completion costs."""
    price(page, prompt="0", completion=None)


@scenario("listing", needs=("prices",))
def price_missing(page: Page, ask: Ask) -> None:
    """Names no prices."""
    page.entries = [{k: v for k, v in entry.items() if k != "pricing"} for entry in page.entries]


@scenario("listing", violates="models.shape", needs=("prices",))
def price_repeated(page: Page, ask: Ask) -> None:
    """Lists every model three times: free, paid, and free again."""
    free, paid = {"pricing": listing.prices("0")}, {"pricing": listing.prices("0.000002")}
    page.entries = [{**entry, **said} for entry in page.entries for said in (free, paid, free)]


@scenario("listing", needs=("prices",))
def price_in_listing_only(page: Page, ask: Ask) -> None:
    """Lists every model as free; what its endpoints say of prices is the truth."""
    change(page, {"pricing": listing.prices("0")})
