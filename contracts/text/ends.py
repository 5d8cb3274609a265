"""Finish reasons of all dialects and what they say of an answer, or of there being none; compared in lower case."""

from __future__ import annotations

# The answer was over; what ran in circles does not come to that.
STOPS = frozenset({
    "stop", "end_turn", "complete", "completed", "stop_sequence", "eos", "eos_token", "finished", "stop_criteria_met",
})  # fmt: skip
# The last is vLLM's, where its own watch for repetition stepped in.
LIMITS = frozenset({
    "length", "max_tokens", "max_output_tokens", "model_length", "incomplete", "model_context_window_exceeded",
    "max_messages", "repetition",
})  # fmt: skip
FILTERS = frozenset({
    "content_filter", "content_filtered", "refusal", "safety", "recitation", "prohibited_content", "blocklist", "spii",
    "image_safety", "guardrail_intervened", "error_toxic", "language", "model_armor", "escalation",
    "pup_limited_disabled", "image_prohibited_content", "image_recitation", "sensitive",
})  # fmt: skip
_BLOCKED = "blocked:"  # what stands before Gemini's reasons of a prompt that was not let through
CALLS = frozenset({"tool_calls", "tool_call", "tool_use", "function_call"})
BAD_CALLS = frozenset({"malformed_function_call", "unexpected_tool_call"})
ERRORS = frozenset({
    "error", "failed", "error_limit", "timeout", "abort", "network_error", "insufficient_system_resource",
})  # fmt: skip
# Silence that is not the model's fault: a run in the background or to be continued, a model loaded, a summary in place
# of an answer, the client's own stop, or what its request lacked.
SILENT = frozenset({
    "queued", "in_progress", "cancelled", "steered", "pause_turn", "continuation", "compaction", "load", "unload",
    "stop_sequence", "stop_criteria_met", "missing_thought_signature",
})  # fmt: skip


def is_own(finish: str) -> bool:
    """Tell whether an answer ended by its own decision, be it to stop or to call a tool."""
    return finish in STOPS or finish in CALLS


def is_withheld(finish: str) -> bool:
    """Tell whether a filter kept an answer back, or a prompt away from the model."""
    return finish in FILTERS or finish.startswith(_BLOCKED)
