"""The ollama SDK: chat and generate."""

from __future__ import annotations

from typing import Any

from tests.oracles.sdks import ASKED, MESSAGES, Sdks
from tests.oracles.told import Notes


def ollama(sdks: Sdks, notes: Notes, stream: bool, path: str) -> None:
    """`chat`, or `generate` where that was asked."""
    if path.endswith("/generate"):
        answer = sdks.ollama.generate(model=sdks.model, prompt=ASKED, stream=stream)
    else:
        answer = sdks.ollama.chat(model=sdks.model, messages=MESSAGES, stream=stream)
    for part in answer if stream else [answer]:
        _ollama(notes, part)


def _ollama(notes: Notes, part: Any) -> None:
    if hasattr(part, "response"):
        notes.text(part.response)
        notes.reasoning += part.thinking or ""
    else:
        notes.text(part.message.content or "")
        notes.reasoning += part.message.thinking or ""
        for call in part.message.tool_calls or ():
            notes.call(notes.next_call(), call.function.name, dict(call.function.arguments))
    if part.done:
        notes.finishes.append(part.done_reason or "stop")
        if part.eval_count is not None or part.prompt_eval_count is not None:
            notes.usage = (part.prompt_eval_count or 0, part.eval_count or 0)
