"""The clients and what they read, made once for all tests of a module, and the environment that they find."""

from __future__ import annotations

import os
from collections.abc import Iterator

import pytest

from tests.oracles import sdks as official
from tests.oracles import variants
from tests.oracles.behaviour import Seen, Stage, readings, whole
from tests.oracles.loopback import Player
from tests.oracles.recordings import Recording, chats


@pytest.fixture(scope="module")
def stage(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stage]:
    """A player and clients that ask it, with nothing of the user's own."""
    with pytest.MonkeyPatch.context() as patch:
        for name in filter(official.is_theirs, list(os.environ)):
            patch.delenv(name)
        patch.setenv("HOME", str(tmp_path_factory.mktemp("home")))
        with Player() as player, official.Sdks(player.url) as clients:
            yield Stage(player, clients)


@pytest.fixture(scope="module")
def recorded() -> list[Recording]:
    """Every recorded chat answer."""
    return chats()


@pytest.fixture(scope="module")
def legal(recorded: list[Recording], tmp_path_factory: pytest.TempPathFactory) -> list[Recording]:
    """Streams that hold, in every legal way of writing them."""
    return variants.written(recorded, tmp_path_factory.mktemp("legal"))


@pytest.fixture(scope="module")
def broken_off(recorded: list[Recording], tmp_path_factory: pytest.TempPathFactory) -> list[Recording]:
    """The same streams, whose transfer breaks off."""
    return variants.broken_off(recorded, tmp_path_factory.mktemp("broken"))


@pytest.fixture(scope="module")
def mislabelled(recorded: list[Recording], tmp_path_factory: pytest.TempPathFactory) -> list[Recording]:
    """The same streams, whose label declares another charset."""
    return variants.mislabelled(recorded, tmp_path_factory.mktemp("labels"))


@pytest.fixture(scope="module")
def every(
    recorded: list[Recording], legal: list[Recording], mislabelled: list[Recording], broken_off: list[Recording]
) -> list[Recording]:
    """All of them."""
    return [*recorded, *legal, *mislabelled, *broken_off]


@pytest.fixture(scope="module")
def seen(every: list[Recording], stage: Stage) -> list[Seen]:
    """What every client does with every recording that comes in one piece."""
    return list(readings(every, stage, whole))
