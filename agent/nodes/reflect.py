"""reflect: is the plan still right? Two looks in a row without progress end the loop."""

from typing import Any

from langgraph.runtime import Runtime

from agent.deps import Deps
from agent.nodes.common import Exchange, schema, string
from agent.prompts import prompt
from agent.state import Reflection, State

_OUTPUT = schema(
    "reflection",
    progress={"type": "boolean"},
    verdict={"type": "string", "enum": ["continue", "change", "stop"]},
    reason=string(160),
)
NO_PROGRESS = "no progress"


async def reflect(state: State, runtime: Runtime[Deps]) -> dict[str, Any]:
    """A reflection that cannot be read counts as one that sees no progress."""
    deps = runtime.context
    deps.on_event("reflect", "checking the progress")
    exchange = Exchange(state, deps)
    value = await exchange.ask_json("plan", prompt("reflect"), _OUTPUT)
    seen = (
        Reflection.model_validate(value)
        if value is not None
        else Reflection(progress=False, verdict="continue", reason="unreadable")
    )
    last = state.get("reflections", [])[-1:]
    stuck = not seen.progress and bool(last) and not last[0].progress
    ended = stuck or seen.verdict == "stop"
    return {
        **exchange.update(),
        "reflections": [seen],
        "reflected_at": len(state.get("steps", [])),
        "limit": NO_PROGRESS if ended else "",
    }
