"""Listings are read without the garbage collector looking through all of them every few hundred models."""

from __future__ import annotations

import gc
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

COLLECT_AFTER = 200_000  # objects of a few hundred bytes; a listing of 1,000 models has some thousand


@contextmanager
def fewer_collections() -> Iterator[None]:
    """Collect garbage less often within a block."""
    before = gc.get_threshold()
    gc.set_threshold(COLLECT_AFTER, *before[1:])
    try:
        yield
    finally:
        gc.set_threshold(*before)
