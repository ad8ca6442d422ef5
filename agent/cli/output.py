"""stdout carries results only; messages and progress go to stderr."""

import contextlib
import io
import json
import logging
import os
import sys
from collections.abc import Sequence
from typing import Any, TextIO


def prepare() -> None:
    """What a terminal cannot show is written as an escape; nothing printed can fail by it. What the
    SQL parser logs of a query is told in our own errors."""
    logging.getLogger("sqlglot").addHandler(logging.NullHandler())
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):
            stream.reconfigure(errors="backslashreplace")


def finish() -> None:
    """Writes out what is buffered; where the reader is gone, drops it, also at exit."""
    for stream in (sys.stdout, sys.stderr):
        try:
            if stream is not None:
                stream.flush()
        except (OSError, ValueError):
            _drop(stream)


def _drop(stream: TextIO) -> None:
    with contextlib.suppress(OSError, ValueError):
        null = os.open(os.devnull, os.O_WRONLY)
        os.dup2(null, stream.fileno())
        os.close(null)


def emit_json(value: Any) -> None:
    """One JSON document on one line; in escapes where the encoding of stdout lacks a character."""
    text = json.dumps(value, ensure_ascii=False, default=str)
    try:
        text.encode(getattr(sys.stdout, "encoding", None) or "utf-8")
    except (UnicodeEncodeError, LookupError):
        text = json.dumps(value, default=str)
    print(text, flush=True)


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def show(text: object) -> None:
    """A text of the data or the model on stdout: it cannot steer the terminal."""
    print("\n".join(map(printable, str(text).split("\n"))))


def printable(value: object) -> str:
    """One line: line breaks and tabs are spaces, other control characters �."""
    text = "" if value is None else str(value)
    if text.isprintable():
        return text
    spaced = text.replace("\r\n", " ").translate({9: " ", 10: " ", 13: " ", 0x3000: "\u3000"})
    return "".join(c if c.isprintable() or c == "\u3000" else "\ufffd" for c in spaced)


def print_table(columns: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """A plain table with a line a row, as wide as its content; on a terminal it is wrapped."""
    cells = [[printable(c) for c in columns], *([printable(v) for v in row] for row in rows)]
    if sys.stdout is not None and sys.stdout.isatty():
        _print_wrapped(cells)
        return
    from rich.cells import cell_len  # noqa: PLC0415

    widths = [max(map(cell_len, column)) for column in zip(*cells, strict=True)]
    for line in cells:
        padded = (c + " " * (w - cell_len(c)) for c, w in zip(line, widths, strict=True))
        print("  ".join(padded).rstrip())


def _print_wrapped(cells: Sequence[Sequence[str]]) -> None:
    from rich.console import Console  # noqa: PLC0415
    from rich.table import Table  # noqa: PLC0415
    from rich.text import Text  # noqa: PLC0415

    table = Table(box=None, pad_edge=False)
    for column in cells[0]:
        table.add_column(Text(column), overflow="fold")
    for row in cells[1:]:
        table.add_row(*map(Text, row))
    Console(highlight=False).print(table)
