"""stdout carries results only; messages and progress go to stderr."""

import json
import sys
from collections.abc import Sequence
from typing import Any

from rich.console import Console
from rich.table import Table
from rich.text import Text


def emit_json(value: Any) -> None:
    """One JSON document on one line."""
    print(json.dumps(value, ensure_ascii=False, default=str), flush=True)


def say(text: str) -> None:
    print(text, file=sys.stderr, flush=True)


def print_table(columns: Sequence[str], rows: Sequence[Sequence[object]]) -> None:
    """A plain table, as wide as its content."""
    table = Table(box=None, pad_edge=False)
    for column in columns:
        table.add_column(Text(column))
    for row in rows:
        table.add_row(*(Text("" if v is None else str(v)) for v in row))
    console = Console(highlight=False, width=None if sys.stdout.isatty() else 200)
    console.print(table)
