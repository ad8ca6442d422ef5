"""What a model call leaves in usage.jsonl and in the answer, also when its reply is of no use."""

from agent.errors import ModelReplyError
from agent.models.base import Usage
from agent.usage_log import read_usage
from tests.support.desk import SIMPLE, Desk, said, sql


def unusable(usage: Usage | None) -> ModelReplyError:
    error = ModelReplyError("it is not JSON", "ask again")
    error.usage = usage
    return error


def test_a_reply_that_cannot_be_read_is_counted(desk: Desk) -> None:
    before = len(read_usage(desk.agent.data_dir))
    spent = Usage(llm_calls=1, input_tokens=1000, cached_input_tokens=900, output_tokens=70)
    done = (sql(), said("There are 19 units.", "E1"))
    plain = desk.ask(SIMPLE, *done).usage
    answer = desk.ask(SIMPLE, unusable(spent), *done)
    assert answer.usage.llm_calls == plain.llm_calls + 1
    assert answer.usage.input_tokens >= plain.input_tokens + 1000
    assert answer.usage.output_tokens == plain.output_tokens + 70
    lines = read_usage(desk.agent.data_dir)[before + 2 :]
    assert len(lines) == 3
    assert (lines[0]["role"], lines[0]["input_tokens"], lines[0]["output_tokens"]) == (
        "plan", 1000, 70,
    )  # fmt: skip


def test_a_failure_whose_tokens_nobody_knows_is_no_line(desk: Desk) -> None:
    before = len(read_usage(desk.agent.data_dir))
    desk.ask(SIMPLE, unusable(None), sql(), said("There are 19 units.", "E1"))
    assert len(read_usage(desk.agent.data_dir)) == before + 2
