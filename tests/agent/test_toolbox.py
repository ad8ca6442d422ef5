import json

from agent.toolbox import split_arguments, tool_specs
from tools.dates import DatesTool
from tools.knowledge.arguments import KnowledgeArguments
from tools.sql.tool import SqlTool


def test_a_tool_is_declared_with_what_the_model_says_first() -> None:
    (spec,) = tool_specs({"sql": SqlTool()})
    assert spec.name == "sql"
    assert list(spec.parameters["properties"]) == ["goal", "next_step", "reason", "query"]
    assert spec.parameters["required"] == ["goal", "next_step", "reason", "query"]
    assert spec.parameters["additionalProperties"] is False


def test_the_same_tools_are_declared_in_the_same_bytes_and_in_order() -> None:
    first, second = (
        json.dumps([s.model_dump() for s in tool_specs({"sql": SqlTool(), "dates": DatesTool()})])
        for _ in range(2)
    )
    assert first == second
    assert first.index('"sql"') < first.index('"dates"')


def test_what_the_model_says_is_split_from_the_tools_own_arguments() -> None:
    given = {"goal": "g", "reason": "r", "query": "SELECT 1", "limit": None}
    assert split_arguments(given) == ({"goal": "g", "reason": "r"}, {"query": "SELECT 1"})


def test_the_model_cannot_set_filters_of_a_search() -> None:
    assert set(KnowledgeArguments.model_fields) == {
        "action", "kb_id", "kb_ids", "query_text", "top_k"
    }  # fmt: skip
