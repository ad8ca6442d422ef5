"""`zaiko batch`: thousands of questions, one finished line each, safe to kill and run again."""

from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Annotated

import typer

from agent.cli import session
from agent.cli.boundary import exit_with
from agent.cli.options import DataDir, Json, Kb, Today, settings_of, today_of
from agent.cli.output import emit_json, say
from agent.errors import UsageError


def batch(
    questions: Annotated[Path, typer.Argument(help='JSON lines: {"id", "question", …}.')],
    out: Annotated[Path, typer.Option("--out", help="JSON lines, one a finished question.")],
    concurrency: Annotated[int, typer.Option("--concurrency", min=1, max=64)] = 1,
    max_cost: Annotated[str | None, typer.Option("--max-cost", help="Stop at this cost.")] = None,
    engine: Annotated[str, typer.Option("--engine", help="local")] = "local",
    kb: Kb = None,
    today: Today = None,
    data_dir: DataDir = None,
    json_: Json = False,
) -> None:
    """Answer many questions. Exit 1 when some failed; run it again to try those once more."""
    from agent.batch import make_engine, read_questions  # noqa: PLC0415  the heavy part

    runner = make_engine(engine)
    day, limit = today_of(today), _money(max_cost)
    path, settings = settings_of(data_dir)
    asked = read_questions(questions)
    if out.exists() and out.samefile(questions):
        raise UsageError(f"--out is the file of questions {questions}", "name another --out file")
    with session.open_agent(settings, path, today=day, kbs=kb) as agent:
        summary = runner.run(
            agent, asked, out, concurrency=concurrency, max_cost=limit, progress=say
        )
    if json_:
        emit_json(summary.to_json())
    else:
        print(summary.line())
    exit_with(0 if summary.ok else 1)


def _money(given: str | None) -> Decimal | None:
    if given is None:
        return None
    try:
        value = Decimal(given)
    except InvalidOperation:
        value = Decimal(-1)
    if not value.is_finite() or value < 0:
        raise UsageError(f"--max-cost {given!r} is not an amount", "give a number such as 2.50")
    return value
