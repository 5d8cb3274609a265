"""Model listings, read by JMESPath that the dialect's table or the provider's row states."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from contracts.facts import Fault, Listing, Model
from contracts.text.scrub import scrub

if TYPE_CHECKING:
    from collections.abc import Callable

    from contracts.dialects import ListingQuery

MAX_MODELS = 250_000  # the largest public catalogues have some thousand
MAX_FAULTS = 16
MAX_ID_CHARS = 256
IDS = ("id", "name", "model_id", "model", "slug")  # tried where the stated member is missing
LISTS = ("data", "models", "items")


def read(value: object, query: ListingQuery) -> Listing:
    """Read a listing: its models, and each way in which its shape departs from what `query` states."""
    faults: dict[str, Fault] = {}
    items = _items(value, query, faults)
    get_id = _getter(query.id)
    extra = [(n, _getter(p)) for n in ("chat", "aliases", "deprecated", "replacement") if (p := getattr(query, n))]
    models: dict[str, Model] = {}
    for position, item in enumerate(items[:MAX_MODELS]):
        identity = get_id(item) if isinstance(item, dict) else None
        if not isinstance(identity, str) or not identity:
            _note(faults, "no-id", f"entry {position} has no text at '{query.id}'")
            identity = next((item[k] for k in IDS if isinstance(item.get(k), str)), None) if isinstance(item, dict) else None
            if not identity:
                continue
        identity = identity[:MAX_ID_CHARS]
        if identity in models:
            _note(faults, "duplicate-id", f"'{scrub(identity, 80)}' is listed more than once")
        else:
            models[identity] = _model(identity, item, extra)
    if len(items) > MAX_MODELS:
        _note(faults, "too-many", f"more than {MAX_MODELS} entries")
    more = bool(_getter(query.more)(value)) if query.more else False
    return Listing(models=tuple(models.values()), faults=tuple(faults.values()), more=more)


def _items(value: object, query: ListingQuery, faults: dict[str, Fault]) -> list[Any]:
    """Find the list of entries; where it is not in its place, note that and read it where it is."""
    items = _getter(query.items)(value) if isinstance(value, dict) or query.items in ("@", "[]") else None
    if isinstance(items, list):
        return items
    found = "a bare list" if isinstance(value, list) else "an object without it" if isinstance(value, dict) else "no object"
    _note(faults, "no-list", f"expected a list at '{query.items}', found {found}")
    if isinstance(value, list):
        return value
    if isinstance(value, dict):
        return next((value[k] for k in LISTS if isinstance(value.get(k), list)), [])
    return []


def _model(identity: str, item: dict[str, Any], extra: list[tuple[str, Callable[[Any], Any]]]) -> Model:
    """Read one entry."""
    said = {name: get(item) for name, get in extra}
    chat, aliases = said.get("chat"), said.get("aliases")
    deprecated, replacement = said.get("deprecated"), said.get("replacement")
    return Model(
        id=identity,
        chat=chat if isinstance(chat, bool) else None,
        aliases=tuple(a for a in aliases if isinstance(a, str))[:16] if isinstance(aliases, list) else (),
        deprecated=scrub(deprecated, 40) if isinstance(deprecated, str) else None,
        replacement=scrub(replacement, 120) if isinstance(replacement, str) else None,
    )


def _getter(path: str) -> Callable[[Any], Any]:
    """Compile a path; a plain member name needs no JMESPath, whose import costs three interpreters."""
    if path == "@":
        return lambda value: value
    if path.isidentifier():
        return lambda value: value.get(path) if isinstance(value, dict) else None
    import jmespath  # noqa: PLC0415 - only for rows that need it

    expression = jmespath.compile(path)

    def search(value: Any) -> Any:  # noqa: ANN401 - any JSON value
        """Search, taking a path that does not fit the value for one that finds nothing."""
        try:
            return expression.search(value)
        except jmespath.exceptions.JMESPathError:
            return None

    return search


def _note(faults: dict[str, Fault], kind: str, detail: str) -> None:
    """Count a kind of fault, keeping the first words about it."""
    known = faults.get(kind)
    if known is not None:
        faults[kind] = Fault(kind=kind, detail=known.detail, count=known.count + 1)
    elif len(faults) < MAX_FAULTS:
        faults[kind] = Fault(kind=kind, detail=detail)
