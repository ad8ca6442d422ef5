"""SQLite files, through Python's own reader: each table and view is a grid of text."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any

from ingest.store.errors import FileRejected
from ingest.tables.grid import Grid, Row
from ingest.tables.workbook import cell_text

_MAGIC = b"SQLite format 3\0"


def read_sqlite(path: Path) -> list[Grid]:
    """Raises `FileRejected` for what is no SQLite file, is damaged, or holds no table.

    Values are typed over all rows as in any other file: SQLite itself holds a column to nothing,
    and many programs keep dates and codes there as text.
    """
    with path.open("rb") as file:
        if file.read(len(_MAGIC)) != _MAGIC:
            raise FileRejected(
                f"{path.name} is not a SQLite file.", "Export it again, or give it its own suffix."
            )
    with _reading(path), closing(_open(path)) as database:
        kinds = dict(
            database.execute(
                "SELECT name, type FROM sqlite_master WHERE type IN ('table', 'view') "
                "AND name NOT LIKE 'sqlite\\_%' ESCAPE '\\' ORDER BY name"
            )
        )
        grids = [
            _grid(path, database, name, alone=len(kinds) == 1, view=kind == "view")
            for name, kind in kinds.items()
        ]
    if not grids:
        raise FileRejected(f"{path.name} holds no table.", "Check that it is the right file.")
    return grids


def _open(path: Path) -> sqlite3.Connection:
    """Read only. Without a write-ahead log nothing is created beside the file either."""
    log = path.with_name(f"{path.name}-wal")
    immutable = "" if log.exists() and log.stat().st_size else "&immutable=1"
    database = sqlite3.connect(f"{path.resolve().as_uri()}?mode=ro{immutable}", uri=True)
    database.text_factory = _decoded
    return database


def _decoded(text: bytes) -> str:
    try:
        return text.decode()
    except UnicodeDecodeError:
        return text.decode("cp932", "backslashreplace")


@contextmanager
def _reading(path: Path) -> Iterator[None]:
    try:
        yield
    except sqlite3.Error as error:
        raise FileRejected(
            f"{path.name} cannot be read as SQLite ({error}).",
            "Close the program that writes it, or check it with PRAGMA integrity_check.",
        ) from error


def _grid(path: Path, database: sqlite3.Connection, name: str, *, alone: bool, view: bool) -> Grid:
    quoted = '"' + name.replace('"', '""') + '"'
    cursor = database.execute(f"SELECT * FROM {quoted} LIMIT 0")
    header = tuple(column[0] for column in cursor.description)

    def rows() -> Iterator[Row]:
        with _reading(path), closing(_open(path)) as opened:
            for row in opened.execute(f"SELECT * FROM {quoted}"):
                yield [_text(value) for value in row]

    notes = ("Is a view: what it shows stands in other tables of the file, too.",) if view else ()
    return Grid(rows=rows, sheet=None if alone else name, header=header, notes=notes)


def _text(value: Any) -> str:
    if value is None:
        return ""
    # As SQLite writes it: bare hexadecimal digits may be a number.
    return f"x'{value.hex()}'" if isinstance(value, bytes) else cell_text(value)
