"""Where the keys and values of a YAML file stand."""

from __future__ import annotations

from msgspec import Struct

Path = tuple[str | int, ...]


class Place(Struct, frozen=True):
    """Line and column, both counted from 1; columns count characters."""

    line: int
    column: int


class Places:
    """Where keys and values stand, by path. An alias is followed to what it stands for."""

    __slots__ = ("aliases", "keys", "values")

    def __init__(self) -> None:
        """Start with no places."""
        self.keys: dict[Path, Place] = {}
        self.values: dict[Path, Place] = {}
        self.aliases: dict[Path, Path] = {}

    def value(self, path: Path) -> Place:
        """Of the value, or of its nearest parent."""
        path = self._follow(path)
        while path and path not in self.values:
            path = path[:-1]
        return self.values.get(path, Place(1, 1))

    def key(self, path: Path) -> Place:
        """Of the key, or else as `value`."""
        path = self._follow(path)
        return self.keys.get(path) or self.value(path)

    def _follow(self, path: Path) -> Path:
        # Each step rewrites a prefix to an anchor that stands earlier in the file, so this ends.
        cut = 1
        while cut < len(path):
            if path[:cut] in self.aliases:
                path = self.aliases[path[:cut]] + path[cut:]
                cut = 0
            cut += 1
        return path
