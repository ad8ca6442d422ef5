"""One call of a tool: its arguments checked, its time bounded, its defects turned into errors."""

import asyncio
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from agent.deps import Deps
from agent.figures import unproved_figures
from agent.models.base import ToolCall
from agent.nodes.advance import Known
from agent.nodes.plan import RULE, is_confirmed
from agent.telemetry import tool_span
from tools.base import Prepared, Result, ToolContext
from tools.errors import ToolError, ToolRetry, ToolUnavailable

GRACE = 1.5


@dataclass(frozen=True)
class Asked:
    """The question that the calls are to answer, and the confirmed SQL shown beside it. `alone`:
    there is one sub-task, for rows."""

    question: str
    said: str = ""
    alone: bool = False


async def execute(
    call: ToolCall, arguments: dict[str, Any], asked: Asked, known: Known, deps: Deps
) -> Result:
    """Runs one call within its limit. Raises only `ToolError`."""
    if call.error is not None:
        raise ToolRetry("unreadable_arguments", call.error, "send the arguments as one JSON object")
    tool = deps.tools.get(call.name)
    if tool is None:
        names = ", ".join(deps.tools)
        raise ToolRetry("unknown_tool", f"there is no tool {call.name!r}", f"use one of: {names}")
    try:
        parsed = tool.arguments.model_validate(arguments)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(str(p) for p in first["loc"])
        raise ToolRetry("bad_arguments", f"{where}: {first['msg']}", "correct it") from None
    if call.name == "calculate" and not call.id.startswith(RULE):
        _require_proved_figures(str(arguments.get("code", "")), known, asked.question)
    context = ToolContext(
        store=deps.store,
        today=deps.today,
        evidence=known,
        kbs=deps.kbs,
        question=None if is_confirmed(call) else asked.question,
        said=asked.said,
        alone=asked.alone,
    )
    limit = deps.settings.graph.tool_seconds
    with tool_span(call.name, call_id=call.id):
        try:
            if isinstance(tool, Prepared):
                await asyncio.to_thread(tool.prepare, parsed)
            # The tool's own limit is the same; this one is for a tool that breaks it.
            return await asyncio.wait_for(
                asyncio.to_thread(tool.run, parsed, context), limit * GRACE
            )
        except TimeoutError:
            raise ToolRetry("time_limit", f"no result within {limit:g} s", "ask for less") from None
        except ToolError:
            raise
        except Exception as error:  # The boundary: a tool's defect ends no question.
            what = f"{call.name} failed: {type(error).__name__}: {error}"
            raise ToolUnavailable("tool_defect", what, "go on with another tool") from error


def _require_proved_figures(code: str, evidence: Known, question: str) -> None:
    wrong = unproved_figures(code, list(evidence.values()), question)
    if wrong:
        known = ", ".join(evidence) or "none yet"
        raise ToolRetry(
            "figure_without_proof",
            f"{', '.join(wrong)} stands in no result and not in the question",
            f"read figures with value('E1') or rows('E1'); results: {known}",
        )
