"""The command line. `boundary` is the one place where errors become a line and an exit code."""

import sys
from collections.abc import Sequence

INTERRUPTED = 130


def main(arguments: Sequence[str] | None = None) -> None:
    """Entry point of the command `zaiko`."""
    try:
        from agent.cli.boundary import run  # noqa: PLC0415  may be interrupted, too

        sys.exit(run(sys.argv[1:] if arguments is None else list(arguments)))
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        sys.exit(INTERRUPTED)
