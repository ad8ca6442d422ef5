"""Options that many commands share."""

from datetime import date, datetime
from pathlib import Path
from typing import Annotated

import typer

from agent.errors import UsageError
from agent.settings import Settings, data_dir_from, load_settings

DataDir = Annotated[
    Path | None,
    typer.Option("--data-dir", help="The data directory (ZAIKO_DATA_DIR; default ./zaiko-data)."),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON on stdout.")]
Kb = Annotated[list[str] | None, typer.Option("--kb", help="Only this knowledge base.")]
Today = Annotated[str | None, typer.Option("--today", help="Fix the clock: 2026-11-30.")]


def data_dir_of(given: Path | None) -> Path:
    return data_dir_from() if given is None else given


def settings_of(given: Path | None) -> tuple[Path, Settings]:
    path = data_dir_of(given)
    return path, load_settings(path)


def today_of(given: str | None) -> date | None:
    if given is None:
        return None
    try:
        return datetime.strptime(given, "%Y-%m-%d").date()
    except ValueError:
        raise UsageError(f"--today {given!r} is not a date", "write it as 2026-11-30") from None
