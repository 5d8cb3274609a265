"""The cache of parsed YAML: a warm run needs no parser, and whatever is odd about an entry makes it not there."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from contracts.config.cache import Cache, cached_load, default_folder, key_of
from contracts.config.yaml_loader import CASSETTE, CONFIG
from contracts.errors import ConfigError

ROOT = Path(__file__).parents[2]
DATA = "é: [1, 2.5, null, true, '木', !!binary aGk=]\n".encode()
VALUE = {"é": [1, 2.5, None, True, "木", b"hi"]}
WARM = """
import os, sys
from contracts.config import catalogue
read = catalogue.load("providers.yaml")
assert read.provider("openrouter").models
print(sorted({"yaml", "jsonschema_rs", "jmespath", "hashlib", "difflib", "pathlib"} & set(sys.modules)))
"""


def loaded(cache: Cache) -> Any:
    return cached_load("é.yaml", DATA, CASSETTE, cache=cache)


def entries(folder: Path) -> list[Path]:
    return sorted(folder.iterdir()) if folder.exists() else []


def test_what_was_kept_is_what_was_read(tmp_path: Path) -> None:
    cache = Cache(str(tmp_path / "c"))
    assert loaded(cache) == VALUE
    (entry,) = entries(tmp_path / "c")
    before = entry.stat().st_ino
    assert loaded(cache) == VALUE
    assert entries(tmp_path / "c")[0].stat().st_ino == before
    assert entry.stat().st_mode & 0o777 == 0o600
    assert (tmp_path / "c").stat().st_mode & 0o777 == 0o700


def test_a_warm_run_imports_no_parser(tmp_path: Path) -> None:
    environ = {**os.environ, "XDG_CACHE_HOME": str(tmp_path), "PYTHONPATH": str(ROOT)}
    environ.pop("CACHE_DIRECTORY", None)
    seen = [
        subprocess.run(
            [sys.executable, "-c", WARM], env=environ, cwd=ROOT, capture_output=True, text=True, check=True
        ).stdout
        for _ in range(2)
    ]
    assert "yaml" in seen[0]
    assert seen[1] == "[]\n"


@pytest.mark.parametrize("at", [0, 20, 60, 90, -1])
def test_an_entry_with_one_changed_byte_is_not_there(tmp_path: Path, at: int) -> None:
    cache = Cache(str(tmp_path))
    loaded(cache)
    (entry,) = entries(tmp_path)
    good = entry.read_bytes()
    bad = bytearray(good)
    bad[at] ^= 1
    entry.write_bytes(bad)
    assert loaded(cache) == VALUE
    assert entry.read_bytes() == good


@pytest.mark.parametrize("length", [0, 1, 16, 17, 80, 81, 90])
def test_an_entry_that_was_cut_short_is_not_there(tmp_path: Path, length: int) -> None:
    cache = Cache(str(tmp_path))
    loaded(cache)
    (entry,) = entries(tmp_path)
    entry.write_bytes(entry.read_bytes()[:length])
    assert loaded(cache) == VALUE


def planted(cache: Cache, folder: Path) -> Path:
    """An entry that says something else under the right key, as only its owner could have written it."""
    cache.put(key_of([DATA], CASSETTE), [{"é": "gepflanzt"}])
    assert loaded(cache) == {"é": "gepflanzt"}
    (entry,) = entries(folder)
    return entry


def test_an_entry_that_others_can_read_or_write_is_not_trusted(tmp_path: Path) -> None:
    for mode in (0o640, 0o602, 0o620, 0o604):
        cache = Cache(str(tmp_path))
        planted(cache, tmp_path).chmod(mode)
        assert loaded(cache) == VALUE


def test_an_entry_that_is_a_link_is_not_followed(tmp_path: Path) -> None:
    cache = Cache(str(tmp_path / "c"))
    entry = planted(cache, tmp_path / "c")
    entry.rename(tmp_path / "elsewhere")
    entry.symlink_to(tmp_path / "elsewhere")
    assert loaded(cache) == VALUE


def test_an_entry_that_is_a_pipe_or_a_folder_stops_nobody(tmp_path: Path) -> None:
    cache = Cache(str(tmp_path))
    entry = planted(cache, tmp_path)
    entry.unlink()
    os.mkfifo(entry, 0o600)
    assert loaded(cache) == VALUE
    entry.unlink(missing_ok=True)
    entry.mkdir()
    assert loaded(cache) == VALUE


def test_nothing_is_kept_in_a_folder_that_others_can_write_to(tmp_path: Path) -> None:
    tmp_path.chmod(0o777)
    assert loaded(Cache(str(tmp_path))) == VALUE
    assert entries(tmp_path) == []


def test_a_folder_that_cannot_be_made_is_done_without(tmp_path: Path) -> None:
    (tmp_path / "é").write_bytes(b"")
    assert loaded(Cache(str(tmp_path / "é" / "c"))) == VALUE
    assert loaded(Cache(None)) == VALUE


def test_the_key_tells_contents_their_borders_and_rules_apart() -> None:
    one, two = "é".encode(), "ü".encode()
    keys = {
        key_of([one], CONFIG),
        key_of([one], CASSETTE),
        key_of([two], CONFIG),
        key_of([one, two], CONFIG),
        key_of([two, one], CONFIG),
        key_of([one + two], CONFIG),
        key_of([b"", one + two], CONFIG),
        key_of([], CONFIG),
    }
    assert len(keys) == 8
    assert key_of([one], CONFIG) == key_of([one], CONFIG)


def test_a_number_that_msgpack_cannot_hold_is_read_every_time(tmp_path: Path) -> None:
    cache = Cache(str(tmp_path))
    big = f"é: {10**40}\n".encode()
    assert cached_load("é.yaml", big, CONFIG, cache=cache) == {"é": 10**40}
    assert entries(tmp_path) == []


def test_a_file_that_is_no_yaml_is_told_every_time(tmp_path: Path) -> None:
    for _ in range(2):
        with pytest.raises(ConfigError, match=r"ä\.yaml:1:4: "):
            cached_load("ä.yaml", b"a: `", CONFIG, cache=Cache(str(tmp_path)))
    assert entries(tmp_path) == []


def test_old_entries_make_room(tmp_path: Path) -> None:
    cache = Cache(str(tmp_path))
    for number in range(402):
        (tmp_path / f"{number}.yaml.msgpack").write_bytes(b"")
        os.utime(tmp_path / f"{number}.yaml.msgpack", (number, number))
    loaded(cache)
    left = {entry.name for entry in entries(tmp_path)}
    assert len(left) == 400
    assert "401.yaml.msgpack" in left
    assert "2.yaml.msgpack" not in left


@pytest.mark.parametrize(
    ("environ", "folder"),
    [
        ({"CACHE_DIRECTORY": "/var/cache/é:/x", "XDG_CACHE_HOME": "/c", "HOME": "/h"}, "/var/cache/é"),
        ({"XDG_CACHE_HOME": "/c", "HOME": "/h"}, "/c/contracts"),
        ({"XDG_CACHE_HOME": "relative", "HOME": "/hé"}, "/hé/.cache/contracts"),
        ({"HOME": ""}, None),
        ({}, None),
    ],
)
def test_the_cache_is_where_the_system_says(environ: dict[str, str], folder: str | None) -> None:
    assert default_folder(environ) == folder
