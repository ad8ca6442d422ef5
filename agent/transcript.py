"""Compaction: a run that outgrows the model's context is shortened once, then grows again."""

from collections.abc import Sequence

from agent.models.base import Message
from agent.prompts import prompt
from tools.tokens import estimate_tokens

RESULT_CHARACTERS = 400
MARGIN_TOKENS = 256
MARK = "The conversation so far was shortened. Its results:"


def outgrown(messages: Sequence[Message], context_tokens: int, max_tokens: int) -> bool:
    """Whether the prompt and its longest reply may not fit the context (tokens, estimated)."""
    size = sum(estimate_tokens(message.content) + 8 for message in messages)
    return size + max_tokens + MARGIN_TOKENS > context_tokens


def compacted(transcript: Sequence[Message], question: str) -> list[Message]:
    """The system prompt, the question, and every result so far, each cut to 400 characters (a
    passage's text, or whole lines: a line with source and status is there to its end or not).

    Evidence is not lost: the full data stay in the evidence store under the same ids.
    """
    results = [shortened(m.content) for m in transcript if m.role == "tool"]
    already = next((m.content for m in transcript[1:2] if MARK in m.content), "")
    if already:
        content = "\n".join([already, *results])
    else:
        content = prompt("compacted", question=question, mark=MARK, results=results)
    return [transcript[0], Message(role="user", content=content)]


def shortened(result: str, limit: int = RESULT_CHARACTERS) -> str:
    """The lines that fit; of the first that does not, the beginning, if it is a passage's text or
    nothing else would stay."""
    kept: list[str] = []
    for line in result.split("\n"):
        room = limit - sum(len(k) + 1 for k in kept)
        if len(line) > room:
            if room > 0 and (line.startswith("> ") or not kept):
                kept.append(line[:room])
            break
        kept.append(line)
    return "\n".join(kept)
