"""A span around every node."""

from collections.abc import Coroutine
from typing import Any, Protocol

from langgraph.runtime import Runtime

from agent.deps import Deps
from agent.state import State
from agent.telemetry import names, node_span


class Node(Protocol):
    """A node: the state and the runtime in, the state's update out."""

    __name__: str

    def __call__(
        self, state: State, runtime: Runtime[Deps]
    ) -> Coroutine[Any, Any, dict[str, Any]]: ...


def traced(node: Node) -> Node:
    """The node inside a span of its name."""
    name = node.__name__

    async def run(state: State, runtime: Runtime[Deps]) -> dict[str, Any]:
        with node_span(name) as current:
            update = await node(state, runtime)
            if update.get("evidence_ids"):
                current.set_attribute(names.EVIDENCE_IDS, update["evidence_ids"])
            return update

    run.__name__ = name
    return run
