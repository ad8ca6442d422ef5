"""The graph, on one screen.

gate ─▶ decompose ─▶ plan ─▶ act ─▶ plan …
  │                   │       ├──▶ reflect ─▶ plan …
  │                   │       └──▶ second_query ─▶ answer
  └────────▶ answer ◀─┴───────────────┘
               │ ▲
             verify ──▶ deliver
               └──────▶ hand_off ─▶ await_person ─▶ resolve
"""

from typing import Any, Literal, TypeAlias

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime

from agent.deps import Deps
from agent.nodes.act import act
from agent.nodes.answer import answer
from agent.nodes.common import failures_in_a_row, limit_reached
from agent.nodes.decompose import decompose
from agent.nodes.deliver import await_person, deliver, hand_off, resolve
from agent.nodes.gate import gate
from agent.nodes.plan import current_task, plan
from agent.nodes.reflect import reflect
from agent.nodes.second_query import second_query, wants_second_query
from agent.nodes.traced import traced
from agent.nodes.verify import needs_revision, verify
from agent.state import State

REFLECT_AFTER_FAILURES = 2
Graph: TypeAlias = CompiledStateGraph[State, Deps, Any, Any]


def build_graph(checkpointer: BaseCheckpointSaver[Any] | None = None) -> Graph:
    graph = StateGraph(State, context_schema=Deps)
    for node in (
        gate, decompose, plan, act, reflect, second_query, answer, verify, deliver, hand_off,
        await_person, resolve
    ):  # fmt: skip
        graph.add_node(node.__name__, traced(node))
    graph.add_edge(START, "gate")
    graph.add_conditional_edges("gate", after_gate)
    graph.add_edge("decompose", "plan")
    graph.add_conditional_edges("plan", after_plan)
    graph.add_conditional_edges("act", after_act)
    graph.add_conditional_edges("reflect", after_reflect)
    graph.add_edge("second_query", "answer")
    graph.add_edge("answer", "verify")
    graph.add_conditional_edges("verify", after_verify)
    graph.add_edge("deliver", END)
    graph.add_edge("hand_off", "await_person")
    graph.add_edge("await_person", "resolve")
    graph.add_edge("resolve", END)
    return graph.compile(checkpointer=checkpointer)


def after_gate(state: State) -> Literal["decompose", "answer"]:
    return "decompose" if state["retrieve"] else "answer"


def after_plan(state: State) -> Literal["act", "answer"]:
    return "act" if state["calls"] else "answer"


def after_act(
    state: State, runtime: Runtime[Deps]
) -> Literal["plan", "reflect", "second_query", "answer"]:
    """reflect after every 2 steps and after 2 failures in a row, while something is open; a
    limit goes to plan, which makes no call then and notes it, and so does what a rule plans."""
    number, task = current_task(state)
    if task is None:
        return "second_query" if wants_second_query(state, runtime.context) else "answer"
    if task.rule or limit_reached(state, runtime.context):
        return "plan"
    own = [s for s in state["steps"] if s.sub_task == number]
    fresh = [s for s in state["steps"][state.get("reflected_at", 0) :] if s.sub_task == number]
    # A turn may bring several steps: what counts is that a beat was passed since the last look.
    past_second_failure = failures_in_a_row(own) - REFLECT_AFTER_FAILURES
    due = len(fresh) >= runtime.context.settings.graph.reflect_every
    return "reflect" if due or 0 <= past_second_failure < len(fresh) else "plan"


def after_reflect(state: State) -> Literal["plan", "answer"]:
    return "answer" if state.get("limit") else "plan"


def after_verify(state: State, runtime: Runtime[Deps]) -> Literal["answer", "deliver", "hand_off"]:
    if needs_revision(state):
        return "answer"
    threshold = runtime.context.settings.graph.threshold
    return "deliver" if state["confidence"] >= threshold else "hand_off"
