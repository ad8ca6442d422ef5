"""Errors to one clear line with the next step, and to the documented exit codes."""

import contextlib
import os
import sys
import traceback
from typing import NoReturn

import click

from agent.cli.output import emit_json, say
from agent.errors import AgentError, HandoffError, ModelConfigError, SettingsError, UsageError
from ingest.store.errors import (
    EmbedderMismatch,
    IngestError,
    StoreMissing,
    UnknownKnowledgeBase,
)
from reranker.errors import RerankerError
from tools.errors import ToolError

_KNOWN = (AgentError, IngestError, RerankerError, ToolError)
_CONFIGURATION = (
    UsageError,
    SettingsError,
    ModelConfigError,
    HandoffError,
    StoreMissing,
    EmbedderMismatch,
    UnknownKnowledgeBase,
    RerankerError,
)
EXIT_FAILURE, EXIT_USAGE, EXIT_INTERRUPTED = 1, 2, 130


def run(arguments: list[str]) -> int:
    """Runs a command line and returns its exit status; prints no traceback without --debug."""
    from agent.cli.app import app  # noqa: PLC0415  after the boundary stands

    debug = "--debug" in arguments
    as_json = "--json" in arguments
    arguments = [a for a in arguments if a != "--debug"]
    try:
        result = app(args=arguments, prog_name="zaiko", standalone_mode=False)
        return result if isinstance(result, int) else 0
    except click.exceptions.Exit as stop:
        return stop.exit_code
    except click.ClickException as error:
        error.show(sys.stderr)
        return EXIT_USAGE
    except (KeyboardInterrupt, click.Abort):
        say("interrupted; what was finished is kept")
        return EXIT_INTERRUPTED
    except BrokenPipeError:
        _close_stdout()
        return EXIT_FAILURE
    except _KNOWN as error:
        if debug:
            traceback.print_exc()
        _report(getattr(error, "kind", "error"), str(error), getattr(error, "hint", ""), as_json)
        return EXIT_USAGE if isinstance(error, _CONFIGURATION) else EXIT_FAILURE
    except Exception as error:  # noqa: BLE001  the last boundary: anything else is our defect
        if debug:
            traceback.print_exc()
        text = f"{type(error).__name__}: {error}".splitlines()[0]
        _report("internal", text, "this is a defect of zaiko; run again with --debug", as_json)
        return EXIT_FAILURE


def _report(kind: str, message: str, hint: str, as_json: bool) -> None:
    if as_json:
        emit_json({"error": {"kind": kind, "message": message, "hint": hint}})
    say(f"error: {message}")
    if hint:
        say(f"next: {hint}")


def _close_stdout() -> None:
    """The reader is gone: nothing more is written, also not at exit."""
    with contextlib.suppress(OSError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def exit_with(code: int) -> NoReturn:
    raise click.exceptions.Exit(code)
