"""`zaiko pairs`: questions whose SQL a person confirmed, and that later questions learn from."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from agent.cli import session
from agent.cli.options import DataDir, Json, Today, existing_dir_of, settings_of, text_of, today_of
from agent.cli.output import emit_json, print_table, say, show
from agent.cli.who import Who, who
from agent.errors import UsageError

if TYPE_CHECKING:
    from agent.pairs import Checked, Pair, PairLibrary
    from agent.settings import Settings

app = typer.Typer(
    help="Questions with the SQL that a person confirmed.",
    no_args_is_help=True,
    rich_markup_mode=None,
)


@app.command("list")
def list_(data_dir: DataDir = None, json_: Json = False) -> None:
    """List the pairs, newest confirmation first."""
    from agent.pairs.sqlite import SqlitePairs  # noqa: PLC0415
    from agent.pairs.transitions import list_pairs  # noqa: PLC0415

    found = list_pairs(SqlitePairs(existing_dir_of(data_dir)))
    if json_:
        emit_json({"pairs": [p.model_dump(mode="json") for p in found]})
        return
    rows = [
        (p.id, p.state, p.origin, p.confirmed_by or "nobody", p.confirmed_at, p.question, p.sql)
        for p in found
    ]
    shown = ["id", "state", "SQL by", "confirmed by", "confirmed at", "question", "SQL"]
    print_table(shown, rows)
    for pair in found:
        if pair.why:
            say(f"{pair.id} is retired: {pair.why}")


@app.command()
def add(
    question: Annotated[str, typer.Argument(help="The question, or - for stdin.")] = "",
    sql: Annotated[str, typer.Option("--sql", help="The query that answers it.")] = "",
    thread: Annotated[
        str | None, typer.Option("--thread", help="Confirm the last answer of this thread instead.")
    ] = None,
    unconfirmed: Annotated[
        bool,
        typer.Option("--unconfirmed", help="A model made it: kept and marked, but never used."),
    ] = False,
    by: Who = None,
    today: Today = None,
    data_dir: DataDir = None,
    json_: Json = False,
) -> None:
    """Keep a question with the SQL that you know to answer it."""
    if thread is not None:
        if question or sql or unconfirmed:
            raise UsageError("--thread names its question and SQL itself", "give it alone")
        path, settings = settings_of(data_dir)
        with session.open_agent(settings, path) as agent:
            pair = agent.confirm(thread, by=who(by))
    else:
        text, query = text_of(question, "question"), text_of(sql, "SQL")
        if not text.strip() or not query.strip():
            raise UsageError("a question and its SQL are needed", 'zaiko pairs add "…" --sql "…"')
        name = None if unconfirmed else who(by)
        day = today_of(today) or date.today()
        with _library(data_dir) as library:
            pair = library.add(
                text, query, by=name, origin="person" if name else "model", asked_on=day
            )
    _tell(pair, json_, f"{pair.id} is {pair.state}")


@app.command()
def remove(
    id: Annotated[str, typer.Argument(help="The pair's id, or its beginning.")],
    data_dir: DataDir = None,
    json_: Json = False,
) -> None:
    """Take a pair out: no later prompt has it."""
    from agent.pairs.sqlite import SqlitePairs  # noqa: PLC0415
    from agent.pairs.transitions import remove_pair  # noqa: PLC0415

    pair = remove_pair(SqlitePairs(existing_dir_of(data_dir)), text_of(id, "id"))
    _tell(pair, json_, f"{pair.id} is removed")


@app.command()
def check(data_dir: DataDir = None, json_: Json = False) -> None:
    """Bind every pair against the tables as they are now."""
    with _library(data_dir) as library:
        done = library.check()
    if json_:
        emit_json(_as_json(done))
        return
    print(f"{done.live} live, {len(done.retired)} retired now, {len(done.back)} back")
    tell_check(done)


def check_after_change(data_dir: Path, settings: Settings) -> None:
    """After the data changed: what no longer binds is retired, and told on stderr. What keeps
    that from being done is told, too: the change itself stands."""
    from agent.errors import PairError  # noqa: PLC0415
    from agent.pairs.sqlite import SqlitePairs  # noqa: PLC0415
    from ingest.store.errors import IngestError  # noqa: PLC0415

    if not SqlitePairs(data_dir).exists:
        return
    try:
        with _opened(data_dir, settings) as library:
            tell_check(library.check(anew=False))
    except (PairError, IngestError) as error:
        say(f"the confirmed pairs were not checked: {error.message}")
        say("next: zaiko pairs check")


def tell_check(done: Checked) -> None:
    for pair in done.retired:
        say(f"pair {pair.id} is retired: {pair.why}")
    for pair in done.back:
        say(f"pair {pair.id} binds again")


@contextmanager
def _library(given: Path | None) -> Iterator[PairLibrary]:
    path, settings = settings_of(given)
    with _opened(path, settings) as library:
        yield library


@contextmanager
def _opened(path: Path, settings: Settings) -> Iterator[PairLibrary]:
    """The pairs over the live generation. Raises the store's errors; reading creates nothing."""
    from agent.pairs import PairLibrary  # noqa: PLC0415
    from ingest.store import Store  # noqa: PLC0415
    from tools.sql.tool import SqlTool  # noqa: PLC0415

    tool = SqlTool(settings.sql)
    with Store.open(path, settings.ingest_with_kb) as store:
        try:
            yield PairLibrary(path, store, tool.bind)
        finally:
            tool.close()


def _as_json(done: Checked) -> dict[str, Any]:
    return {
        "live": done.live,
        "retired": [p.model_dump(mode="json") for p in done.retired],
        "back": [p.model_dump(mode="json") for p in done.back],
    }


def _tell(pair: Pair, as_json: bool, text: str) -> None:
    if as_json:
        emit_json(pair.model_dump(mode="json"))
    else:
        show(text)
