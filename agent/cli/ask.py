"""`zaiko ask`: one question, its answer and the proof."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import closing
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from agent.cli import session
from agent.cli.boundary import EXIT_FAILURE, exit_with
from agent.cli.options import DataDir, Json, Kb, Today, settings_of, text_of, today_of
from agent.cli.output import emit_json, say, show
from agent.errors import UsageError

if TYPE_CHECKING:
    from agent.answer import Answer
    from agent.charts import ChartFile
    from agent.export import TableFile
    from tools.evidence import Evidence

MAX_SHOWN_QUERY = 300


def ask(
    question: Annotated[str, typer.Argument(help="The question; - reads it from stdin.")],
    kb: Kb = None,
    today: Today = None,
    thread: Annotated[str | None, typer.Option("--thread", help="Go on with this thread.")] = None,
    chart: Annotated[
        Path | None,
        typer.Option("--chart", help="Draw the figures: a .png, .svg or .vl.json file."),
    ] = None,
    table: Annotated[
        Path | None,
        typer.Option("--table", help="Save the answer's table, whole: a .csv or .xlsx file."),
    ] = None,
    data_dir: DataDir = None,
    json_: Json = False,
) -> None:
    """Ask a question. Exit: 0 answered or partial, 3 handed off, 4 not found."""
    target = None if chart is None else _chart_file(chart)
    saved_as = None if table is None else _table_file(table)
    day, text = today_of(today), text_of(question, "question")
    path, settings = settings_of(data_dir)
    if thread is not None:
        text_of(thread, "thread")
    with session.open_agent(settings, path, today=day, kbs=kb, on_event=_hear) as agent:
        if thread and _is_new(path, thread):
            say(f"note: there is no thread {thread!r} yet: this question begins it")
        answer = agent.ask(text, thread_id=thread)
        evidence = agent.evidence(answer.thread_id) if target or saved_as else {}
    if json_:
        emit_json(answer.to_json())
    else:
        show(render_answer(answer))
    is_saved = saved_as is None or _save(answer, evidence, saved_as)
    if target is not None and not _draw(answer, evidence, target):
        is_saved = False
    if not is_saved:
        exit_with(answer.exit_code or EXIT_FAILURE)
    exit_with(answer.exit_code)


def _chart_file(path: Path) -> ChartFile:
    from agent.charts import ChartFile  # noqa: PLC0415  only for a chart

    return ChartFile.at(path)


def _draw(answer: Answer, evidence: Mapping[str, Evidence], target: ChartFile) -> bool:
    """Whether the chart was saved. The answer has been given: what went wrong is said beside it."""
    from agent.charts import chart, letters_note  # noqa: PLC0415
    from agent.errors import ChartError  # noqa: PLC0415

    try:
        spec = chart(answer, evidence)
        saved = target.save(spec)
    except ChartError as error:
        say(f"no chart: {error.message}")
        if error.hint:
            say(f"next: {error.hint}")
        return False
    except OSError as error:
        say(f"no chart: {error.filename or target.spec}: {error.strerror or error}")
        say("next: check the path, its permissions and the free space")
        return False
    drawn = spec["usermeta"]["zaiko"]
    say(f"chart: {' and '.join(map(str, saved))} ({drawn['mark']} of {drawn['evidence_id']})")
    for note in drawn["notes"]:
        say(f"  note: {note}")
    letters = letters_note(spec) if target.picture is not None else ""
    if letters:
        say(f"  note: {letters}; {target.spec} has them all")
    return True


def _table_file(path: Path) -> TableFile:
    from agent.export import TableFile  # noqa: PLC0415  only for a table

    return TableFile.at(path)


def _save(answer: Answer, evidence: Mapping[str, Evidence], target: TableFile) -> bool:
    """Whether the table was saved. The answer has been given: what went wrong is said beside it."""
    from agent.export import main_table  # noqa: PLC0415

    found = main_table(answer, evidence)
    if found is None:
        say(f"no table: the answer rests on none, {target.path} is not written")
        return False
    try:
        target.save(found)
    except UsageError as error:
        say(f"no table: {error.message}")
        say(f"next: {error.hint}")
        return False
    except OSError as error:
        say(f"no table: {error.filename or target.path}: {error.strerror or error}")
        say("next: check the path, its permissions and the free space")
        return False
    say(f"table: {target.path} ({len(found.rows)} rows of {found.id})")
    if found.truncated:
        say(f"  note: the result has {found.row_count} rows; raise rows_kept under [sql] for all")
    return True


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
