"""The command line. `main` is the one boundary where errors become a line and an exit code."""

import sys
from collections.abc import Sequence

from agent.cli.boundary import run


def main(arguments: Sequence[str] | None = None) -> None:
    """Entry point of the command `zaiko`."""
    sys.exit(run(sys.argv[1:] if arguments is None else list(arguments)))
