"""Where the providers file is looked for."""

from __future__ import annotations

from pathlib import Path

import pytest

from contracts.config.search import find, places
from contracts.errors import ConfigError


@pytest.fixture
def tree(tmp_path: Path) -> Path:
    """A repository with folders in it, and homes beside it."""
    for folder in ("répo/.git", "répo/a/b", "home/.config/contracts", "xdg/contracts"):
        (tmp_path / folder).mkdir(parents=True)
    return tmp_path


def put(path: Path) -> str:
    path.write_bytes(b"")
    return str(path)


def test_the_option_comes_before_the_variable_and_both_before_any_folder(tree: Path) -> None:
    one, two = put(tree / "eins.yaml"), put(tree / "zwei.yaml")
    put(tree / "répo/providers.yaml")
    environ = {"CONTRACTS_CONFIG": two}
    assert find(one, environ, str(tree / "répo")) == one
    assert find(None, environ, str(tree / "répo")) == two


@pytest.mark.parametrize("by", ["option", "variable"])
def test_a_file_that_was_named_has_to_be_there(tree: Path, by: str) -> None:
    put(tree / "répo/providers.yaml")
    named = str(tree / "fehlt.yaml")
    option, environ = (named, {}) if by == "option" else (None, {"CONTRACTS_CONFIG": named})
    with pytest.raises(
        ConfigError, match=r"fehlt\.yaml: expected a file \((--config|CONTRACTS_CONFIG)\), found nothing"
    ):
        find(option, environ, str(tree / "répo"))
    with pytest.raises(ConfigError, match="found a folder"):
        find(str(tree), {}, str(tree))


def test_the_nearest_file_up_to_the_root_of_the_repository_is_taken(tree: Path) -> None:
    outside = put(tree / "providers.yaml")
    environ = {"HOME": str(tree / "home")}
    assert find(None, environ, str(tree / "répo/a/b")) is None or find(None, environ, str(tree / "répo/a/b")) != outside
    root = put(tree / "répo/providers.yaml")
    assert find(None, environ, str(tree / "répo/a/b")) == root
    near = put(tree / "répo/a/providers.yaml")
    assert find(None, environ, str(tree / "répo/a/b")) == near


def test_outside_a_repository_only_the_folder_itself_is_looked_at(tree: Path) -> None:
    (tree / "lose/innen").mkdir(parents=True)
    outside = put(tree / "lose/providers.yaml")
    environ = {"HOME": str(tree / "home")}
    assert find(None, environ, str(tree / "lose")) == outside
    assert outside not in list(places(environ, str(tree / "lose/innen")))


def test_the_homes_come_last_in_their_order(tree: Path) -> None:
    environ = {"HOME": str(tree / "home"), "XDG_CONFIG_HOME": str(tree / "xdg")}
    tried = list(places(environ, str(tree / "répo")))
    assert tried[-2:] == [str(tree / "xdg/contracts/providers.yaml"), "/etc/contracts/providers.yaml"]
    environ["XDG_CONFIG_HOME"] = "relative"
    assert list(places(environ, str(tree / "répo")))[-2] == str(tree / "home/.config/contracts/providers.yaml")
    assert find(None, {**environ, "XDG_CONFIG_HOME": str(tree / "xdg")}, str(tree / "répo")) is None
    config = put(tree / "xdg/contracts/providers.yaml")
    assert find(None, {**environ, "XDG_CONFIG_HOME": str(tree / "xdg")}, str(tree / "répo")) == config
