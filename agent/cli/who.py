"""Who a person at the command line is: never invented."""

import getpass
from typing import Annotated

import typer

from agent.cli.options import text_of
from agent.errors import UsageError

Who = Annotated[str | None, typer.Option("--by", help="Who you are (default: the login name).")]


def who(given: str | None) -> str:
    """The name that was given, else the login name. Raises UsageError where there is none."""
    if given is not None and given.strip():
        return text_of(given, "name")
    try:
        return getpass.getuser()
    except (KeyError, OSError):
        raise UsageError("this account has no login name", "say who you are with --by") from None
