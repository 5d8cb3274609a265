"""Model listings, read by JMESPath that the dialect's table or the provider's row states."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from msgspec import structs

from contracts.facts import Fault, Listing
from contracts.listed import Model
from contracts.text.scrub import scrub
from contracts.wire.status import is_success

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from contracts.dialects import EndpointQuery, ListingQuery
    from contracts.facts import AnswerKind

MAX_MODELS = 250_000  # the largest public catalogues have some thousand
MAX_FAULTS = 16
MAX_ID_CHARS = 256
MAX_CURSOR_CHARS = 2048
MAX_COMPONENTS = 32  # of a price; the largest public catalogue has eight
IDS = ("id", "name", "model_id", "model", "slug")  # tried where the stated member is missing
EXTRA = ("chat", "aliases", "deprecated", "replacement", "prices", "context_tokens", "output_tokens", "quantization",
         "parameters")  # fmt: skip
LONG_BYTES = 64 * 1024  # a shorter one is read whole in less time than making a decoder for it takes
LISTS = ("data", "models", "items")


def read(value: object, query: ListingQuery) -> Listing:
    """Read a listing: its models, and each way in which its shape departs from what `query` states."""
    faults: dict[str, Fault] = {}
    items = _items(value, query, faults)
    get_id = getter(query.id)
    extra = [(n, getter(p)) for n in EXTRA if (p := getattr(query, n))]
    models: dict[str, Model] = {}
    for position, item in enumerate(items[:MAX_MODELS]):
        identity = get_id(item) if isinstance(item, dict) else None
        if not isinstance(identity, str) or not identity:
            _note(faults, "no-id", f"entry {position} has no text at '{query.id}'")
            identity = (
                next((item[k] for k in IDS if isinstance(item.get(k), str)), None) if isinstance(item, dict) else None
            )
            if not identity:
                continue
        identity = identity[:MAX_ID_CHARS]
        if identity in models:
            _note(faults, "duplicate-id", f"'{scrub(identity, 80)}' is listed more than once")
        else:
            models[identity] = shortened(_model(identity, item, extra), query)
    if len(items) > MAX_MODELS:
        _note(faults, "too-many", f"more than {MAX_MODELS} entries")
    onward = following(value, query)
    more = bool(getter(query.more)(value)) if query.more else bool(onward)
    return Listing(models=tuple(models.values()), faults=tuple(faults.values()), more=more, next=onward if more else ())


def read_long(data: bytes, query: ListingQuery) -> Listing | None:
    """Read a listing that is long and in order in a tenth of the time; None for any other."""
    if len(data) < LONG_BYTES:
        return None
    from contracts.dialects import long_listing

    return long_listing.read(data, query)


def kind_of(value: object, status: int) -> AnswerKind:
    """Tell what an answer is where neither method nor path told, by its members."""
    if is_success(status):
        if isinstance(value, list):
            return "listing"
        if isinstance(value, dict) and "choices" not in value:
            lists = any(isinstance(value.get(k), list) for k in LISTS)
            return "listing" if lists and not value.get("error") else "chat"
    return "chat"


def following(value: object, query: ListingQuery) -> tuple[tuple[str, str], ...]:
    """Find the parameters that ask for the next page; none where any of them is missing."""
    said = [(name, getter(path)(value)) for name, path in (query.next or {}).items()]
    said += [(name, _one_more(getter(path)(value))) for name, path in (query.next_number or {}).items()]
    if not all(isinstance(v, (str, int)) and not isinstance(v, bool) and v != "" for _, v in said):
        return ()
    return tuple((name, str(v)[:MAX_CURSOR_CHARS]) for name, v in said)


def _one_more(number: object) -> int | None:
    """Give the number of the next page, None where the present one has none."""
    return number + 1 if isinstance(number, int) and not isinstance(number, bool) and number >= 0 else None


def read_endpoints(value: object, query: EndpointQuery, model: str) -> tuple[int | None, Listing | None]:
    """Read what serves one model: how many endpoints, and their prices as entries of that model."""
    found = getter(query.count)(value)
    count = len(found) if isinstance(found, list) else int(found) if isinstance(found, (bool, int)) else None
    if query.prices is None:
        return count, None
    said = getter(query.prices)(value)
    entries = tuple(Model(id=model, prices=prices(one)) for one in said) if isinstance(said, list) else ()
    if not entries or len(entries) < (count or 0):
        entries += (Model(id=model),)  # an endpoint without a price, which may cost anything
    return count, Listing(models=entries)


def _items(value: object, query: ListingQuery, faults: dict[str, Fault]) -> list[Any]:
    """Find the list of entries; where it is not in its place, note that and read it where it is."""
    items = getter(query.items)(value) if isinstance(value, dict) or query.items in ("@", "[]") else None
    if isinstance(items, list):
        return items
    found = (
        "a bare list" if isinstance(value, list) else "an object without it" if isinstance(value, dict) else "no object"
    )
    _note(faults, "no-list", f"expected a list at '{query.items}', found {found}")
    if isinstance(value, list):
        return value
    if isinstance(value, dict):
        return next((value[k] for k in LISTS if isinstance(value.get(k), list)), [])
    return []


def _model(identity: str, item: dict[str, Any], extra: list[tuple[str, Callable[[Any], Any]]]) -> Model:
    """Read one entry."""
    if not extra:
        return Model(id=identity)
    said = {name: get(item) for name, get in extra}
    chat = said.get("chat")
    return Model(
        id=identity,
        chat=chat if isinstance(chat, bool) else None,
        aliases=texts(said.get("aliases")),
        deprecated=text(said.get("deprecated")),
        replacement=text(said.get("replacement")),
        prices=prices(said.get("prices")),
        context_tokens=whole(said.get("context_tokens")),
        output_tokens=whole(said.get("output_tokens")),
        quantization=text(said.get("quantization")),
        parameters=tuple(sorted(texts(said.get("parameters")))),
    )


def shortened(model: Model, query: ListingQuery) -> Model:
    """Add the id without the parts that a request may leave out to a model's aliases."""
    short = model.id.removeprefix(query.prefix).removesuffix(query.suffix)
    if short in ("", model.id):
        return model
    return structs.replace(model, aliases=(*model.aliases, short))


def text(value: object) -> str | None:
    """Show a short text; a time stamp may be a number."""
    if isinstance(value, (str, int)) and not isinstance(value, bool):
        return scrub(str(value), 120) or None
    return None


def texts(value: object) -> tuple[str, ...]:
    """Give the texts of a list, at most 64."""
    return tuple(scrub(v, 80) for v in value if isinstance(v, str))[:64] if isinstance(value, list) else ()


def whole(value: object) -> int | None:
    """Give a whole number, or None."""
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def prices(value: object) -> tuple[tuple[str, str], ...]:
    """Give the components of a price as the listing writes them; one that is no number is kept in words too."""
    if not isinstance(value, dict):
        return ()
    shown = tuple((scrub(str(k), 40), scrub(str(v), 40)) for k, v in sorted(value.items())[:MAX_COMPONENTS])
    left = len(value) - MAX_COMPONENTS
    # What is left out may cost something, and this is no amount that anybody takes for zero.
    return (*shown, ("…", f"{left} more")) if left > 0 else shown


def getter(path: str) -> Callable[[Any], Any]:
    """Compile a path; a plain member name needs no JMESPath, whose import costs three interpreters."""
    if path == "@":
        return lambda value: value
    if path.isidentifier():
        return lambda value: value.get(path) if isinstance(value, dict) else None
    parts = path.split(".")
    if all(part.removesuffix("[]").isidentifier() for part in parts) and path.count("[]") <= 1:
        return lambda value: _chain(value, parts)
    import jmespath

    expression = jmespath.compile(path)

    def search(value: Any) -> Any:
        """Search, taking a path that does not fit the value for one that finds nothing."""
        try:
            return expression.search(value)
        except jmespath.exceptions.JMESPathError:
            return None

    return search


def _chain(value: Any, parts: Sequence[str]) -> Any:
    """Follow `a.b` and `a[].b`, which is all of JMESPath that most rows need: `[]` flattens, and drops what is null."""
    for position, part in enumerate(parts, 1):
        name = part.removesuffix("[]")
        value = value.get(name) if isinstance(value, dict) else None
        if name != part:
            if not isinstance(value, list):
                return None
            flat = [one for item in value for one in (item if isinstance(item, list) else [item])]
            found = [_chain(one, parts[position:]) for one in flat]
            return [one for one in found if one is not None]
    return value


def _note(faults: dict[str, Fault], kind: str, detail: str) -> None:
    """Count a kind of fault, keeping the first words about it."""
    known = faults.get(kind)
    if known is not None:
        faults[kind] = Fault(kind=kind, detail=known.detail, count=known.count + 1)
    elif len(faults) < MAX_FAULTS:
        faults[kind] = Fault(kind=kind, detail=detail)
