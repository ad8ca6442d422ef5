"""`zaiko handoff`: the questions that wait for a person."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, cast, get_args

import typer

from agent.cli import session
from agent.cli.ask import render_answer
from agent.cli.options import DataDir, Json, existing_dir_of, settings_of, text_of
from agent.cli.output import emit_json, print_table, show
from agent.cli.who import Who, who
from agent.errors import HandoffError, UsageError

if TYPE_CHECKING:
    from agent.handoff import Handoff, HandoffStore, State

app = typer.Typer(
    help="Questions that wait for a person.", no_args_is_help=True, rich_markup_mode=None
)
Id = Annotated[str, typer.Argument(help="The handoff id, or its beginning.")]


@app.command("list")
def list_(
    state: Annotated[
        str | None, typer.Option("--state", help="open, claimed, resolved or rejected.")
    ] = None,
    data_dir: DataDir = None,
    json_: Json = False,
) -> None:
    """List handoffs, newest last."""
    found = _existing(data_dir).list(state=_state(state))
    if json_:
        emit_json({"handoffs": [h.model_dump(mode="json") for h in found]})
        return
    rows = [
        (h.packet.id, h.state, h.claimed_by, h.packet.created, h.packet.question[:80])
        for h in found
    ]
    print_table(["id", "state", "claimed by", "created", "question"], rows)


@app.command("show")
def show_(id: Id, data_dir: DataDir = None, json_: Json = False) -> None:
    """Show a handoff with everything that was found."""
    found = _existing(data_dir).get(id)
    if json_:
        emit_json(found.model_dump(mode="json"))
    else:
        show(_render(found))


@app.command()
def claim(id: Id, by: Who = None, data_dir: DataDir = None, json_: Json = False) -> None:
    """Take a handoff, so that nobody else works on it."""
    found = _existing(data_dir).claim(id, who(by))
    _tell(found, json_, f"{found.packet.id} is claimed by {found.claimed_by}")


@app.command()
def resolve(
    id: Id,
    text: Annotated[str, typer.Option("--text", help="The answer.")],
    sql: Annotated[str | None, typer.Option("--sql", help="A query that proves it.")] = None,
    by: Who = None,
    data_dir: DataDir = None,
    json_: Json = False,
) -> None:
    """Answer a handoff: the same thread goes on and delivers it."""
    if not text_of(text, "answer").strip():
        raise HandoffError("the answer is empty", 'give it with --text "…"')
    found = _existing(data_dir).get(id)
    _resume(data_dir, found, {"text": text, "sql": sql, "by": who(by)}, json_)


@app.command()
def reject(
    id: Id,
    reason: Annotated[str, typer.Option("--reason", help="Why it cannot be answered.")] = "",
    by: Who = None,
    data_dir: DataDir = None,
    json_: Json = False,
) -> None:
    """Close a handoff without an answer."""
    found = _existing(data_dir).get(id)
    reason = text_of(reason, "reason")
    _resume(data_dir, found, {"rejected": True, "text": reason, "by": who(by)}, json_)


def _resume(data_dir: Path | None, found: Handoff, resolution: dict[str, Any], json_: bool) -> None:
    path, settings = settings_of(data_dir)
    with session.open_agent(settings, path) as agent:
        answer = agent.resume(found.packet.thread_id, resolution, turn=found.packet.turn)
    if json_:
        emit_json(answer.to_json())
    else:
        show(render_answer(answer))


def _existing(data_dir: Path | None) -> HandoffStore:
    """The handoffs of a data directory that exists; reading creates nothing."""
    from agent.handoff import open_handoffs  # noqa: PLC0415

    return open_handoffs(existing_dir_of(data_dir))


def _state(given: str | None) -> State | None:
    from agent.handoff import State  # noqa: PLC0415

    if given is None:
        return None
    if given not in get_args(State):
        raise UsageError(f"there is no state {given!r}", f"use {', '.join(get_args(State))}")
    return cast(State, given)


def _tell(found: Handoff, json_: bool, text: str) -> None:
    if json_:
        emit_json(found.model_dump(mode="json"))
    else:
        show(text)


def _render(found: Handoff) -> str:
    packet = found.packet
    lines = [
        f"{packet.id}   {found.state}" + (f" by {found.claimed_by}" if found.claimed_by else ""),
        f"question   {packet.question}",
        f"reading    {packet.reading}",
        f"settle     {packet.settle}",
        f"confidence {packet.confidence:.2f}",
        "unsure",
        *(f"  {u.what}: {u.why}" for u in packet.unsure),
        "draft",
        *(f"  {line}" for line in (packet.draft or "(none)").splitlines()),
        "evidence",
        *(f"  {e['id']} {e['kind']} {e['source']} {e['locator']}" for e in packet.evidence),
        "steps",
        *(f"  {s['tool']} {'ok' if s['ok'] else 'failed'}: {s['summary']}" for s in packet.steps),
        f"thread {packet.thread_id}   trace {packet.trace_id}",
    ]
    if found.resolution:
        lines.append(f"resolved by {found.resolution.by}: {found.resolution.text}")
    if found.reason:
        lines.append(f"rejected: {found.reason}")
    return "\n".join(lines)
