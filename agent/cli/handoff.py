"""`zaiko handoff`: the questions that wait for a person."""

import getpass
from pathlib import Path
from typing import Annotated, Any, cast, get_args

import typer

from agent.cli.ask import render_answer
from agent.cli.options import DataDir, Json, settings_of
from agent.cli.output import emit_json, print_table
from agent.errors import HandoffError
from agent.handoff import Handoff, HandoffStore, State, open_handoffs
from agent.settings import Settings
from ingest.store import Store

app = typer.Typer(
    help="Questions that wait for a person.", no_args_is_help=True, rich_markup_mode=None
)
Who = Annotated[str | None, typer.Option("--by", help="Who you are (default: the login name).")]
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


@app.command()
def show(id: Id, data_dir: DataDir = None, json_: Json = False) -> None:
    """Show a handoff with everything that was found."""
    found = _existing(data_dir).get(id)
    if json_:
        emit_json(found.model_dump(mode="json"))
    else:
        print(_render(found))


@app.command()
def claim(id: Id, by: Who = None, data_dir: DataDir = None, json_: Json = False) -> None:
    """Take a handoff, so that nobody else works on it."""
    found = _existing(data_dir).claim(id, by or getpass.getuser())
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
    if not text.strip():
        raise HandoffError("the answer is empty", 'give it with --text "…"')
    path, settings = settings_of(data_dir)
    _check_sql(path, sql)
    found = _existing(data_dir).get(id)
    _resume(path, settings, found, {"text": text, "sql": sql, "by": by or getpass.getuser()}, json_)


@app.command()
def reject(
    id: Id,
    reason: Annotated[str, typer.Option("--reason", help="Why it cannot be answered.")] = "",
    by: Who = None,
    data_dir: DataDir = None,
    json_: Json = False,
) -> None:
    """Close a handoff without an answer."""
    path, settings = settings_of(data_dir)
    found = _existing(data_dir).get(id)
    who = by or getpass.getuser()
    _resume(path, settings, found, {"rejected": True, "text": reason, "by": who}, json_)


def _resume(
    path: Path, settings: Settings, found: Handoff, resolution: dict[str, Any], json_: bool
) -> None:
    from agent.api import Agent  # noqa: PLC0415  the heavy part

    with Agent(settings, path) as agent:
        answer = agent.resume(found.packet.thread_id, resolution, turn=found.packet.turn)
    if json_:
        emit_json(answer.to_json())
    else:
        print(render_answer(answer))


def _check_sql(path: Path, sql: str | None) -> None:
    """A query that does not run is refused before anything is stored."""
    from agent.cli.tools import _ran  # noqa: PLC0415

    if sql is not None:
        with _ran("sql", {"query": sql}, path):
            pass


def _existing(data_dir: Path | None) -> HandoffStore:
    """The handoffs of a data directory that exists; reading creates nothing."""
    path, settings = settings_of(data_dir)
    Store.open(path, settings.ingest_with_kb).close()
    return open_handoffs(path)


def _state(given: str | None) -> State | None:
    if given is None:
        return None
    for state in get_args(State):
        if given == state:
            return cast(State, state)
    raise HandoffError(f"there is no state {given!r}", "open, claimed, resolved or rejected")


def _tell(found: Handoff, json_: bool, text: str) -> None:
    if json_:
        emit_json(found.model_dump(mode="json"))
    else:
        print(text)


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
