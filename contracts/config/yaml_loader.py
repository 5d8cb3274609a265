"""One strict YAML loader: events of libyaml's parser to plain values, places on demand.

Places cost nothing until somebody asks: the file is parsed once without them, and once more, with them, when an
error has to be said. Merge keys (`<<`) are refused: YAML 1.2 has none, so a plain reading would turn what the
writer meant as a merge into a strange key. Only texts are keys: `1:`, `true:` and `null:` need quotes.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from msgspec import Struct

from contracts.config.places import Path, Place, Places
from contracts.config.words import KINDS, show
from contracts.config.yaml_faults import check_bytes, not_yaml, unreadable
from contracts.errors import ConfigError


class Rules(Struct, frozen=True, kw_only=True):
    """What a file may hold. `max_nodes` counts an alias as all that it stands for."""

    max_bytes: int
    max_depth: int
    max_nodes: int
    cassette: bool


# A hundred contracts are 0.1 MB, ten thousand model ids 0.4 MB; msgspec and people both stop short of 32 levels.
CONFIG = Rules(max_bytes=8 << 20, max_depth=32, max_nodes=300_000, cassette=False)
# vcrpy writes with PyYAML, so its plain scalars mean what YAML 1.1 says, and bytes come as !!binary.
CASSETTE = Rules(max_bytes=256 << 20, max_depth=64, max_nodes=5_000_000, cassette=True)


class Document:
    """One YAML document: `value` in plain Python types, `name` as messages shall call the file."""

    __slots__ = ("_data", "_places", "_rules", "name", "value")

    def __init__(self, value: Any, name: str, data: bytes, rules: Rules = CONFIG) -> None:
        """Keep `data`, the bytes that `value` was read from, for the places."""
        self.value = value
        self.name = name
        self._data = data
        self._rules = rules
        self._places: Places | None = None

    def place(self, path: Path) -> Place:
        """Where the value at `path` stands (keys and list indices); of its nearest parent where it is missing."""
        return self._known().value(path)

    def key_place(self, path: Path) -> Place:
        """Where the key that `path` ends with stands; the value's place where the last step is an index."""
        return self._known().key(path)

    def at(self, path: Path) -> str:
        """`file:line:column` of the value at `path`."""
        place = self.place(path)
        return f"{self.name}:{place.line}:{place.column}"

    def at_key(self, path: Path) -> str:
        """`file:line:column` of the key that `path` ends with."""
        place = self.key_place(path)
        return f"{self.name}:{place.line}:{place.column}"

    def _known(self) -> Places:
        if self._places is None:
            self._places = Places()
            _Builder(self.name, self._data, self._rules, self._places).build()
        return self._places


def load(data: bytes, name: str, rules: Rules = CONFIG) -> Document:
    """Read one document.

    Args:
        data: UTF-8, a byte order mark allowed.
        name: how messages shall call the file.
        rules: CONFIG, or CASSETTE for what vcrpy wrote.

    Raises:
        ConfigError: with `file:line:column: expected …, found …` for the first thing that is not strict YAML.
    """
    check_bytes(data, name, rules.max_bytes)
    return Document(_Builder(name, data, rules, None).build(), name, data, rules)


_SCALARS: dict[bool, dict[str, Any]] = {False: {}, True: {}}
# A cassette of a hundred thousand distinct numbers must not stay in memory.
_MEMO_LIMIT = 10_000
_NO_KEY: Any = object()
_COLLECTION_TAGS = {dict: ("!", "tag:yaml.org,2002:map"), list: ("!", "tag:yaml.org,2002:seq")}


class _Open:
    """An anchor whose collection has not ended yet."""


class _Builder:
    """Turns the events of one document into values."""

    def __init__(self, name: str, data: bytes, rules: Rules, places: Places | None) -> None:
        self.name, self.rules, self.places, self.data = name, rules, places, data
        self.resolve: Callable[[str], Any] = str
        self.memo = _SCALARS[rules.cassette]
        self.anchors: dict[str, tuple[Any, int, Path]] = {}
        self.nodes = 0
        # One frame for each collection that is open around the present one: itself, its path, anchor, nodes before.
        self.frames: list[tuple[Any, Path, str | None, int]] = []
        self.into: Any = None
        self.key: Any = _NO_KEY
        self.path: Path = ()
        self.anchor: str | None = None
        self.before = 0
        self.root: Any = None
        self.documents = 0
        self.event: Any = None

    def build(self) -> Any:
        import yaml

        from contracts.config.scalars import BadScalarError, core, yaml_1_1

        self.resolve = yaml_1_1() if self.rules.cassette else core
        try:
            self._run(yaml, _parser(yaml, self.data).get_event)
        except yaml.reader.ReaderError as error:
            raise ConfigError(unreadable(self.name, self.data)) from error
        except yaml.MarkedYAMLError as error:
            raise ConfigError(not_yaml(self.name, self.data, error)) from error
        except BadScalarError as error:
            raise self._problem(str(error)) from error
        return self.root

    def _run(self, yaml: Any, get: Any) -> None:  # noqa: C901 - one branch for each event, in the hot loop
        scalar, mapping, sequence = yaml.ScalarEvent, yaml.MappingStartEvent, yaml.SequenceStartEvent
        ends = (yaml.MappingEndEvent, yaml.SequenceEndEvent)
        from contracts.config.scalars import tagged

        memo, max_nodes = self.memo, self.rules.max_nodes
        while True:
            event = self.event = get()
            kind = event.__class__
            if kind is scalar:
                value = event.value
                plain = event.implicit[0]
                if event.tag is not None:
                    value = tagged(event.tag, value, binary=self.rules.cassette)
                elif plain:
                    value = memo[value] if value in memo else self._scalar(value)
                self._put(value, plain=plain)
            elif kind is mapping or kind is sequence:
                self._open({} if kind is mapping else [])
            elif kind in ends:
                self._close()
            elif kind is yaml.AliasEvent:
                self._alias(event.anchor)
            elif kind is yaml.DocumentStartEvent:
                self.documents += 1
                if self.documents > 1:
                    raise self._problem("expected one document, found a second one")
            elif kind is yaml.StreamEndEvent:
                return
            if self.nodes > max_nodes:
                raise self._problem(f"expected at most {max_nodes} values (aliases expanded), found more")

    def _scalar(self, text: str) -> Any:
        value = self.resolve(text)
        if len(self.memo) < _MEMO_LIMIT:
            self.memo[text] = value
        return value

    def _put(self, value: Any, *, plain: bool = False) -> None:
        self.nodes += 1
        if value.__class__ is str and not value.isascii():
            self._check_text(value)
        into = self.into
        if into.__class__ is dict and self.key is _NO_KEY:
            self._take_key(value, plain=plain)
            return
        if self.event.anchor is not None:
            self.anchors[self.event.anchor] = (value, 1, self._here())
        if self.places is not None:
            self.places.values[self._here()] = self._mark()
        self._store(value)

    def _check_text(self, text: str) -> None:
        # The pure Python parser lets the escape of half a character pass; libyaml does not.
        try:
            text.encode("utf-8")
        except UnicodeEncodeError as error:
            raise self._problem("expected whole characters, found the escape of a surrogate") from error

    def _take_key(self, key: Any, *, plain: bool) -> None:
        if key.__class__ is not str:
            raise self._problem(f"expected a text as key, found {show(key)} (quote it)")
        if plain and key == "<<":
            raise self._problem("expected a key, found the merge key '<<' (YAML 1.2 has none; write the keys out)")
        if key in self.into:
            raise self._problem(f"expected each key once, found {show(key)} again")
        if self.event.anchor is not None:
            self.anchors[self.event.anchor] = (key, 1, self.path)
        self.key = key
        if self.places is not None:
            self.places.keys[(*self.path, key)] = self._mark()

    def _store(self, value: Any) -> None:
        into = self.into
        if into.__class__ is dict:
            into[self.key] = value
            self.key = _NO_KEY
        elif into is None:
            self.root = value
        else:
            into.append(value)

    def _open(self, value: Any) -> None:
        event = self.event
        if event.tag is not None and event.tag not in _COLLECTION_TAGS[value.__class__]:
            shown = show(event.tag.replace("tag:yaml.org,2002:", "!!"))
            raise self._problem(f"expected no tag but those of the core schema, found {shown}")
        if self.into.__class__ is dict and self.key is _NO_KEY:
            raise self._problem(f"expected a text as key, found {KINDS[value.__class__]}")
        if len(self.frames) >= self.rules.max_depth:
            raise self._problem(f"expected at most {self.rules.max_depth} levels, found more")
        path = self._here() if self.places is not None else ()
        if self.places is not None:
            self.places.values[path] = self._mark()
        if event.anchor is not None:
            self.anchors[event.anchor] = (_Open, 0, path)
        self._store(value)
        self.frames.append((self.into, self.path, self.anchor, self.before))
        self.into, self.path, self.anchor, self.before = value, path, event.anchor, self.nodes
        self.nodes += 1

    def _close(self) -> None:
        if self.anchor is not None:
            self.anchors[self.anchor] = (self.into, self.nodes - self.before, self.path)
        self.into, self.path, self.anchor, self.before = self.frames.pop()

    def _alias(self, anchor: str) -> None:
        if anchor not in self.anchors:
            raise self._problem(f"expected an anchor that stands above, found the alias {show(anchor)}")
        value, nodes, path = self.anchors[anchor]
        if value is _Open:
            raise self._problem(f"expected a value that ends, found the alias {show(anchor)} inside its own anchor")
        if self.into.__class__ is dict and self.key is _NO_KEY:
            raise self._problem(f"expected a key, found an alias ({show(value)})")
        self.nodes += nodes
        if self.places is not None:
            self.places.values[self._here()] = self._mark()
            self.places.aliases[self._here()] = path
        self._store(value)

    def _here(self) -> Path:
        """Path of the value that comes next; only right while places are kept."""
        if self.into is None:
            return ()
        return (*self.path, self.key if self.into.__class__ is dict else len(self.into))

    def _mark(self) -> Place:
        mark = self.event.start_mark
        return Place(mark.line + 1, mark.column + 1)

    def _problem(self, text: str) -> ConfigError:
        place = self._mark()
        return ConfigError(f"{self.name}:{place.line}:{place.column}: {text}")


def _parser(yaml: Any, data: bytes) -> Any:
    """Open libyaml's parser; the pure Python one, about ten times as slow, where PyYAML was built without it."""
    if yaml.__with_libyaml__:
        return import_module("yaml.cyaml").CParser(data)

    class Parser(yaml.reader.Reader, yaml.scanner.Scanner, yaml.parser.Parser):  # type: ignore[misc] # bases known at run time only
        def __init__(self, stream: bytes) -> None:
            yaml.reader.Reader.__init__(self, stream)
            yaml.scanner.Scanner.__init__(self)
            yaml.parser.Parser.__init__(self)

    return Parser(data)
