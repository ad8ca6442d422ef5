"""The llm reranker: the model of the role `judge` rates the passages of a search."""

import asyncio
import re
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from agent.errors import ModelConfigError, ModelReplyError
from agent.judge import judge_by_hand, make_judge
from agent.models.base import Capabilities, ChatModel, Message, Reply
from agent.models.scripted import Request, ScriptedModel, Step, data, text
from agent.models.settings import ModelSettings
from agent.settings import Role, Settings
from agent.usage_log import read_usage
from reranker import RerankerSettings
from reranker.settings import LlmSettings
from tests.support.desk import Desk, said, search
from tools.base import ToolContext
from tools.errors import ToolUnavailable
from tools.knowledge.arguments import KnowledgeArguments

LLM = Settings(reranker=RerankerSettings(kind="llm", llm=LlmSettings(low=1.0)))
"""Asked of every search, however sure the second stage is."""
RETURNS = "Customers may return goods within 30 days of delivery."
Opened = Callable[..., Desk]


def rated(request: Request) -> Message:
    """5 for the passage with the answer, 1 for every other."""
    _, *parts = re.split(r"^\[(\d+)\] ", request.messages[-1].content, flags=re.MULTILINE)
    passages = zip(parts[::2], parts[1::2], strict=True)
    ratings = [
        {"passage": int(n), "score": 5 if "30 days" in words else 1, "reason": "states the days"}
        for n, words in passages
    ]
    return data({"ratings": ratings})


class Slow(ScriptedModel):
    async def complete(self, *_: Any, **__: Any) -> Reply:
        await asyncio.sleep(60)
        raise AssertionError("it was waited for")


def found(desk: Desk, *steps: Step, judge: ChatModel | None = None) -> Any:
    """What a search of the agent's own tool finds, while the judge plays these steps."""
    desk.roles["judge"] = judge or ScriptedModel(steps)
    tool = desk.agent.workbench.tools["knowledge_search"]
    context = ToolContext(store=desk.agent.store, today=date(2026, 11, 30))
    return tool.run(KnowledgeArguments(query_text="return policy"), context)


def small_model() -> ScriptedModel:
    model = ScriptedModel()
    model.capabilities = Capabilities(
        native_tools=False, json_schema=True, thinking=False, context_tokens=8192
    )
    return model


def test_the_model_of_the_role_judge_rates_the_passages_of_a_question(opened: Opened) -> None:
    desk = opened(settings=LLM)
    desk.play(search(), said(RETURNS, "E1"))
    desk.roles["judge"] = judge = ScriptedModel([rated])
    answer = desk.agent.ask("What is the return policy?")
    assert answer.status == "answered"
    best = answer.evidence[0]
    assert best.score is not None and best.score >= 0.6  # six tenths for a rating of 5
    assert (best.reason or "").startswith("model 5/5: states the days; cosine ")
    assert [r.max_tokens for r in judge.requests] == [400]
    assert judge.requests[0].output is not None


def test_what_the_judge_costs_is_in_the_usage_log_under_the_trace(opened: Opened) -> None:
    desk = opened(settings=LLM)
    desk.play(search(), said(RETURNS, "E1"))
    desk.roles["judge"] = ScriptedModel([rated])
    answer = desk.agent.ask("What is the return policy?")
    lines = read_usage(desk.agent.data_dir)
    assert [line["role"] for line in lines] == ["plan", "judge", "answer"]
    assert {line["trace_id"] for line in lines} == {answer.trace_id}


def test_a_judge_that_cannot_work_makes_the_search_an_error(opened: Opened) -> None:
    desk = opened(settings=LLM)
    with pytest.raises(ToolUnavailable, match="the llm reranker: no key") as raised:
        found(desk, ModelConfigError("no key", "set one"))
    assert raised.value.kind == "reranker_failed"
    assert raised.value.hint == 'set one; or set reranker.kind = "deterministic"'


def test_a_judge_that_takes_too_long_is_left(opened: Opened) -> None:
    graph = LLM.graph.model_copy(update={"tool_seconds": 0.1})
    desk = opened(settings=LLM.model_copy(update={"graph": graph}))
    with pytest.raises(ToolUnavailable, match=r"no rating within 0\.1 s") as raised:
        found(desk, judge=Slow())
    assert "graph.tool_seconds" in raised.value.hint


@pytest.mark.parametrize("reply", [text("the first one"), ModelReplyError("cut off")])
def test_a_reply_without_ratings_keeps_the_second_stage_and_says_so(
    opened: Opened, reply: Step
) -> None:
    result = found(opened(settings=LLM), reply)
    assert result.passages
    assert all("could not be read" in p.reason for p in result.passages)


def test_a_small_model_is_known_as_one(tmp_path: Path) -> None:
    models: dict[Role, ChatModel] = {"judge": small_model()}
    judge = make_judge(models, LLM, tmp_path, asyncio.run)
    assert judge is not None and judge.small


def test_without_the_setting_there_is_no_judge(tmp_path: Path) -> None:
    models: dict[Role, ChatModel] = {"judge": small_model()}
    assert make_judge(models, Settings(), tmp_path, asyncio.run) is None


def test_a_model_that_is_not_configured_is_an_error_by_hand_too(tmp_path: Path) -> None:
    settings = LLM.model_copy(update={"model": ModelSettings(provider="openai_compatible")})
    with pytest.raises(ModelConfigError, match="base_url"), judge_by_hand(settings, tmp_path):
        pass
