"""The google-genai SDK, on the native API."""

from __future__ import annotations

from typing import Any

from tests.oracles.sdks import ASKED, Sdks
from tests.oracles.told import Notes


def gemini(sdks: Sdks, notes: Notes, stream: bool, _: str) -> None:
    """`models.generate_content`, or `generate_content_stream`."""
    models = sdks.genai.models
    ask = models.generate_content_stream if stream else models.generate_content
    answer = ask(model=sdks.model, contents=ASKED)
    for response in answer if stream else [answer]:
        _gemini(notes, response)


def _gemini(notes: Notes, response: Any) -> None:
    for position, candidate in enumerate(response.candidates or ()):
        index = position if candidate.index is None else candidate.index
        for part in (candidate.content and candidate.content.parts) or ():
            if part.function_call:
                notes.call(notes.next_call(), part.function_call.name, part.function_call.args)
            elif part.text and part.thought:
                notes.reasoning += part.text
            elif part.text:
                notes.text(part.text, index)
        if candidate.finish_reason:
            notes.finishes.append(candidate.finish_reason.value)
    if response.prompt_feedback and response.prompt_feedback.block_reason:
        notes.finishes.append(f"blocked:{response.prompt_feedback.block_reason.value}")
    usage = response.usage_metadata
    if usage and usage.total_token_count is not None:
        notes.usage = (usage.prompt_token_count or 0, usage.candidates_token_count or 0)
