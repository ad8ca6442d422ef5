"""`zaiko ask`: one question, its answer and the proof."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from agent.cli import session
from agent.cli.boundary import exit_with
from agent.cli.options import DataDir, Json, Kb, Today, settings_of, text_of, today_of
from agent.cli.output import emit_json, say, show
from agent.errors import UsageError

if TYPE_CHECKING:
    from agent.answer import Answer

MAX_SHOWN_QUERY = 300


def ask(
    question: Annotated[str, typer.Argument(help="The question; - reads it from stdin.")],
    kb: Kb = None,
    today: Today = None,
    thread: Annotated[str | None, typer.Option("--thread", help="Go on with this thread.")] = None,
    chart: Annotated[Path | None, typer.Option("--chart", hidden=True)] = None,
    data_dir: DataDir = None,
    json_: Json = False,
) -> None:
    """Ask a question. Exit: 0 answered or partial, 3 handed off, 4 not found."""
    if chart is not None:
        raise UsageError("charts are not part of this version", "leave --chart out")
    day, text = today_of(today), text_of(question, "question")
    path, settings = settings_of(data_dir)
    if thread is not None:
        text_of(thread, "thread")
    with session.open_agent(settings, path, today=day, kbs=kb, on_event=_hear) as agent:
        if thread and _is_new(path, thread):
            say(f"note: there is no thread {thread!r} yet: this question begins it")
        answer = agent.ask(text, thread_id=thread)
    if json_:
        emit_json(answer.to_json())
    else:
        show(render_answer(answer))
    exit_with(answer.exit_code)


def _is_new(data_dir: Path, thread: str) -> bool:
    from agent.memory import Memory  # noqa: PLC0415  the agent has made its file

    with closing(Memory(data_dir)) as memory:
        return memory.last_turn(thread) is None


def _hear(kind: str, text: str) -> None:
    say(f"  {kind}: {text}")


def render_answer(answer: Answer) -> str:
    """The answer for a person: text, citations, evidence, confidence, steps, trace."""
    lines = [answer.text, ""]
    if answer.status == "handed_off" and answer.draft:
        lines += ["Draft (not proved):", *_indented(answer.draft), ""]
    lines.append(f"status      {answer.status}   confidence {answer.confidence:.2f}")
    lines += [f"  [{c.n}] {c.evidence_id}  {c.source}  {c.locator}" for c in answer.citations]
    lines.append("evidence")
    for item in answer.evidence:
        note = f"  {item.status_note}" if item.status_note else ""
        lines.append(f"  {item.id} {item.kind}  {item.source}  {item.locator}{note}")
        lines += _indented(_content(item.query, item.kind, item.text), 6)
    lines.append("steps")
    for number, step in enumerate(answer.steps, start=1):
        mark = "ok" if step.ok else "failed"
        lines.append(f"  {number}. {step.tool} {mark} {step.ms:.0f} ms  {step.summary}")
        if step.goal or step.reason:
            lines.append(f"      {step.goal} — {step.reason}")
    lines.append(_cost(answer))
    lines.append(f"reading     {answer.audit.reading}")
    lines.append(f"thread {answer.thread_id}   trace {answer.trace_id}")
    return "\n".join(lines)


def _content(query: str | None, kind: str, text: str | None) -> str:
    shown = query if kind in ("rows", "calculation") else text
    return " ".join((shown or "").split())[:MAX_SHOWN_QUERY]


def _cost(answer: Answer) -> str:
    usage: Any = answer.usage
    cost = f", cost {usage.cost}" if usage.cost is not None else ""
    return (
        f"usage       {usage.llm_calls} model calls, {usage.input_tokens} tokens in"
        f" ({usage.cached_input_tokens} cached), {usage.output_tokens} out{cost},"
        f" {answer.timing.total_ms / 1000:.1f} s"
    )


def _indented(text: str, by: int = 2) -> list[str]:
    return [" " * by + line for line in text.splitlines()]
