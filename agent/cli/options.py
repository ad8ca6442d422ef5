"""Options that many commands share."""

from __future__ import annotations

import os
import sys
from datetime import date, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from agent.errors import UsageError

if TYPE_CHECKING:
    from agent.settings import Settings


def _named(given: str) -> Path:
    """`Path("")` is the working directory; an empty variable of a script does not mean that."""
    if not given:
        raise typer.BadParameter("an empty text is no path")
    return Path(given)


Paths = Annotated[
    list[Path], typer.Argument(help="Files and directories.", parser=_named, metavar="PATH")
]
DataDir = Annotated[
    Path | None,
    typer.Option(
        "--data-dir",
        parser=_named,
        metavar="DIR",
        help="The data directory (ZAIKO_DATA_DIR; default ./zaiko-data).",
    ),
]
Json = Annotated[bool, typer.Option("--json", help="Print JSON on stdout.")]
Kb = Annotated[list[str] | None, typer.Option("--kb", help="Only this knowledge base.")]
Today = Annotated[str | None, typer.Option("--today", help="Fix the clock: 2026-11-30.")]


def data_dir_of(given: Path | None) -> Path:
    from agent.settings import data_dir_from  # noqa: PLC0415

    return data_dir_from() if given is None else given


def settings_of(given: Path | None) -> tuple[Path, Settings]:
    """The data directory and its settings. Raises SettingsError; creates nothing."""
    from agent.settings import load_settings  # noqa: PLC0415

    path = data_dir_of(given)
    return path, load_settings(path)


def existing_dir_of(given: Path | None) -> Path:
    """The data directory, which must be there. Raises the store's errors."""
    from ingest.store import Store  # noqa: PLC0415

    path = data_dir_of(given)
    if not path.is_dir():
        Store.open(path).close()
    return path


def today_of(given: str | None) -> date | None:
    return day_of(given, "--today")


def day_of(given: str | None, option: str) -> date | None:
    if given is None:
        return None
    try:
        return datetime.strptime(given, "%Y-%m-%d").date()
    except ValueError:
        raise UsageError(f"{option} {given!r} is not a date", "write it as 2026-11-30") from None


def text_of(given: str, what: str) -> str:
    """The text, read from stdin when it is `-`. Raises UsageError for bytes that are no text."""
    text = _stdin(what) if given == "-" else given
    try:
        # In an ASCII locale Python hands over the bytes of an argument as surrogates.
        foreign = any("\ud800" <= c <= "\udfff" for c in text)
        return os.fsencode(text).decode("utf-8") if foreign else text
    except UnicodeError:
        raise UsageError(f"the {what} is not valid UTF-8 text", "write it in UTF-8") from None


def _stdin(what: str) -> str:
    if sys.stdin is None:
        raise UsageError(f"stdin is closed, so there is no {what}", "pipe the text in")
    try:
        buffer = getattr(sys.stdin, "buffer", None)
        return sys.stdin.read() if buffer is None else str(buffer.read(), "utf-8-sig")
    except UnicodeDecodeError as error:
        raise UsageError(
            f"the {what} on stdin is not UTF-8 text (byte {error.start + 1})", "write it in UTF-8"
        ) from None
