"""Errors to one clear line with the next step, and to the documented exit codes."""

import sqlite3
import sys
import traceback
from dataclasses import dataclass
from functools import cache
from typing import Any, NoReturn

import typer
from typer.main import get_command

from agent.cli import INTERRUPTED
from agent.cli.output import emit_json, finish, prepare, say

EXIT_FAILURE, EXIT_USAGE, EXIT_INTERRUPTED = 1, 2, INTERRUPTED
# Typer's parent of all errors in how a command is called; it has no public name.
_CallError: type[Exception] = typer.BadParameter.__bases__[0]


@dataclass(frozen=True)
class _Told:
    """An error as it is shown: `kind` is its stable JSON name."""

    kind: str
    message: str
    hint: str
    code: int = EXIT_FAILURE


def run(arguments: list[str]) -> int:
    """Runs a command line and returns its exit status; prints no traceback without --debug."""
    words = arguments[: arguments.index("--")] if "--" in arguments else arguments
    debug, as_json = "--debug" in words, "--json" in words
    rest = arguments[len(words) :]
    prepare()
    try:
        code = _invoke([w for w in words if w != "--debug"] + rest)
        finish()
        return code
    except (KeyboardInterrupt, typer.Abort):
        return _interrupted()
    except BrokenPipeError:
        finish()
        return EXIT_FAILURE
    except Exception as error:  # noqa: BLE001  the one boundary
        if debug:
            traceback.print_exc()
        if _came_from_interruption(error):
            return _interrupted()
        if type(error).__name__ == "NoArgsIsHelpError":  # its text is the help of the group
            say(str(error))
            return EXIT_USAGE
        return _report(_told(error), as_json)


@cache
def _command() -> Any:
    """Typer reads every signature anew each time; what it makes keeps nothing of a call."""
    from agent.cli.app import app  # noqa: PLC0415  after the boundary stands

    return get_command(app)


def _invoke(arguments: list[str]) -> int:
    """Typer's own `main` would turn an interruption and a closed pipe into exits of its own."""
    command = _command()
    try:
        with command.make_context("zaiko", arguments) as context:
            command.invoke(context)
    except typer.Exit as stop:
        return stop.exit_code
    return 0


def _told(error: Exception) -> _Told:
    """Sorted by who acts next; the trees of the rooms are imported only when something failed."""
    while isinstance(error, ExceptionGroup):
        error = error.exceptions[0]
    if isinstance(error, _CallError):
        return _called_wrongly(error)
    from agent.errors import (  # noqa: PLC0415
        AgentError,
        HandoffError,
        ModelConfigError,
        PairError,
        SettingsError,
        UsageError,
    )
    from ingest.store import errors as store  # noqa: PLC0415
    from reranker.errors import RerankerError  # noqa: PLC0415
    from tools.errors import ToolError  # noqa: PLC0415

    configuration = (
        *(UsageError, SettingsError, ModelConfigError, HandoffError, PairError, RerankerError),
        *(store.BadRequest, store.StoreMissing, store.EmbedderMismatch),
        *(store.UnknownKnowledgeBase, store.MissingExtra),
    )
    if isinstance(error, AgentError | store.IngestError | RerankerError | ToolError):
        code = EXIT_USAGE if isinstance(error, configuration) else EXIT_FAILURE
        return _Told(error.kind, error.message, error.hint, code)
    return _of_the_machine(error)


def _came_from_interruption(error: BaseException | None) -> bool:
    """A compiled library that is interrupted while it loads raises an ImportError of its own."""
    seen: set[int] = set()  # an error that is raised again may stand in its own context
    while error is not None and id(error) not in seen:
        if isinstance(error, KeyboardInterrupt):
            return True
        seen.add(id(error))
        error = error.__cause__ or error.__context__
    return False


def _called_wrongly(error: Exception) -> _Told:
    context = getattr(error, "ctx", None)
    path = context.command_path if context is not None else "zaiko"
    text = error.format_message() if hasattr(error, "format_message") else str(error)
    hint = f"{path} --help"
    if type(error).__name__ == "NoSuchOption":
        hint += "; a text that begins with - goes after --"
    return _Told("usage", " ".join(text.split()), hint, EXIT_USAGE)


def _of_the_machine(error: Exception) -> _Told:
    """A disk or a database under the data directory; anything else is our defect."""
    text = (str(error).splitlines() or [""])[0]
    if isinstance(error, sqlite3.Error):
        hint = "check that the data directory is writable and has room; zaiko doctor says which"
        hint += " file is damaged, and what is lost when it is moved away"
        return _Told("state", f"the threads' database cannot be used: {text}", hint)
    if isinstance(error, OSError):
        where = f"{error.filename}: " if error.filename else ""
        hint = "check the path, its permissions and the free space"
        return _Told("os", f"{where}{error.strerror or text}", hint)
    hint = "this is a defect of zaiko; run again with --debug"
    return _Told("internal", f"{type(error).__name__}: {text}", hint)


def _report(told: _Told, as_json: bool) -> int:
    error = {"kind": told.kind, "message": told.message, "hint": told.hint}
    try:
        if as_json:
            emit_json({"error": error})
        say(f"error: {' '.join(told.message.split())}")
        if told.hint:
            say(f"next: {' '.join(told.hint.split())}")
    except OSError:
        pass  # nobody can be told: the pipe is closed or the disk is full
    finish()
    return told.code


def _interrupted() -> int:
    try:
        say("interrupted; what was finished is kept")
    except OSError:
        pass
    except KeyboardInterrupt:
        sys.stderr.flush()
    finish()
    return EXIT_INTERRUPTED


def exit_with(code: int) -> NoReturn:
    raise typer.Exit(code)
