"""A run that outgrows the context is shortened once, then append-only again."""

from agent.models.base import Message
from agent.transcript import MARK, compacted, outgrown

SYSTEM = Message(role="system", content="rules")
LONG = "x" * 3000


def tool(text: str) -> Message:
    return Message(role="tool", content=text, tool_call_id="call_1")


def said(text: str) -> Message:
    return Message(role="user", content=text)


def test_a_prompt_that_leaves_room_for_the_reply_is_kept() -> None:
    assert not outgrown([SYSTEM, said("short")], 8192, 400)


def test_a_prompt_without_room_for_the_reply_is_outgrown() -> None:
    # 6 × 3,000 characters are about 4,500 tokens; 4,096 hold neither them nor a reply.
    assert outgrown([SYSTEM, *[said(LONG)] * 6], 4096, 400)


def test_the_question_and_every_result_stay_each_cut() -> None:
    short = compacted([SYSTEM, said("q"), tool("[E1] 5"), tool("[E2] " + LONG)], "How many?")
    assert short[0] == SYSTEM
    assert len(short) == 2
    assert "Question: How many?" in short[1].content
    assert "[E1] 5" in short[1].content
    assert "[E2] " in short[1].content
    assert len(short[1].content) < 1000


def test_a_second_shortening_keeps_the_results_of_the_first() -> None:
    first = compacted([SYSTEM, said("q"), tool("[E1] 5")], "How many?")
    second = compacted([*first, tool("[E2] 7")], "How many?")
    assert second[1].content.count(MARK) == 1
    assert "[E1] 5" in second[1].content
    assert second[1].content.endswith("[E2] 7")
