"""Spans of nodes that a LangGraph graph runs, also side by side and up to an interrupt."""

import operator
from pathlib import Path
from typing import Annotated, TypedDict

from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, StateGraph
from langgraph.types import Command, interrupt

from agent.telemetry import Telemetry, load_trace, node_span, tool_span, trace_id_of


class State(TypedDict):
    seen: Annotated[list[str], operator.add]


async def left(state: State) -> State:
    with node_span("left"), tool_span("sql"):
        return {"seen": ["left"]}


async def right(state: State) -> State:
    with node_span("right"), tool_span("calc"):
        return {"seen": ["right"]}


async def wait(state: State) -> State:
    with node_span("await_person"):
        return {"seen": [interrupt("?")]}


async def test_parents_are_right_and_an_interrupt_is_no_error(
    telemetry: Telemetry, tmp_path: Path
) -> None:
    graph = StateGraph(State)
    for node in (left, right, wait):
        graph.add_node(node)
    graph.add_edge(START, "left")
    graph.add_edge(START, "right")
    graph.add_edge(["left", "right"], "wait")
    graph.add_edge("wait", END)
    compiled = graph.compile(InMemorySaver())
    config: RunnableConfig = {"configurable": {"thread_id": "t1"}}
    with telemetry.root() as asked:
        await compiled.ainvoke({"seen": []}, config)
    with telemetry.root() as resumed:
        result = await compiled.ainvoke(Command(resume="yes"), config)

    assert result["seen"][-1] == "yes"
    spans = {s.name: s for s in load_trace(tmp_path, trace_id_of(asked)).spans}
    root = spans["invoke_agent zaiko"].span_id
    assert [spans[n].parent_id for n in ("left", "right", "await_person")] == [root] * 3
    assert spans["execute_tool sql"].parent_id == spans["left"].span_id
    assert spans["execute_tool calc"].parent_id == spans["right"].span_id
    assert spans["await_person"].error is None
    again = load_trace(tmp_path, trace_id_of(resumed))
    assert [s.name for s in again.spans] == ["invoke_agent zaiko", "await_person"]
