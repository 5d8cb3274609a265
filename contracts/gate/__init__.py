"""The CI gate: a provider row that a change adds or alters may not be merged until its contracts hold."""

from __future__ import annotations

from contracts.gate.judged import Gated, gate
from contracts.gate.settings import GateSettings

__all__ = ["GateSettings", "Gated", "gate"]
