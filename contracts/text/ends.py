"""Finish reasons of all dialects and what they say of an answer, or of there being none; compared in lower case."""

from __future__ import annotations

LIMITS = frozenset({
    "length", "max_tokens", "max_output_tokens", "model_length", "incomplete", "model_context_window_exceeded",
})  # fmt: skip
FILTERS = frozenset({
    "content_filter", "content_filtered", "refusal", "safety", "recitation", "prohibited_content", "blocklist", "spii",
    "image_safety", "guardrail_intervened", "error_toxic", "language", "model_armor", "escalation",
    "pup_limited_disabled", "image_prohibited_content", "image_recitation",
})  # fmt: skip
_BLOCKED = "blocked:"  # what stands before Gemini's reasons of a prompt that was not let through
CALLS = frozenset({"tool_calls", "tool_call", "tool_use", "function_call"})
BAD_CALLS = frozenset({"malformed_function_call", "unexpected_tool_call"})
ERRORS = frozenset({"error", "failed", "error_limit"})
# Silence that is nobody's fault: a run in the background or to be continued, a model loaded, the client's own stop.
SILENT = frozenset({
    "queued", "in_progress", "cancelled", "steered", "pause_turn", "load", "unload", "stop_sequence",
})  # fmt: skip


def is_withheld(finish: str) -> bool:
    """Tell whether a filter kept an answer back, or a prompt away from the model."""
    return finish in FILTERS or finish.startswith(_BLOCKED)
