"""Pairs in `pairs.sqlite` beside the data; several processes may use it at once.

Without a write-ahead log: a reader makes no file beside it, and reading a store on a read-only
disk works.
"""

import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from pydantic import ValidationError

from agent.errors import PairError
from agent.pairs.base import Pair
from agent.pairs.similar import Vector
from agent.sqlite_files import connected, transaction

PAIRS_FILE = "pairs.sqlite"
_SCHEMA = """
CREATE TABLE IF NOT EXISTS pairs (
    id TEXT PRIMARY KEY, record TEXT NOT NULL, masked TEXT NOT NULL, embedder TEXT, vector BLOB
) WITHOUT ROWID
"""


@dataclass(frozen=True)
class Stored:
    """A pair with what finds it: its masked question, and the vector of that by the embedder of
    this model hash."""

    pair: Pair
    masked: str
    embedder: str | None = None
    vector: Vector | None = None


StoredPairs = list[Stored]


class SqlitePairs:
    """A connection a call. The file is made by the first `change`; nothing else creates it.

    All methods raise `agent.errors.PairError`.
    """

    def __init__(self, data_dir: Path) -> None:
        self._path = data_dir / PAIRS_FILE

    @property
    def exists(self) -> bool:
        return self._path.is_file()

    def list(self) -> StoredPairs:
        """In the order of their ids; [] where there is no store."""
        if not self.exists:
            return []
        # What a killed writer left half done is rolled back by whoever opens the file to write.
        mode = "rw" if self._path.with_name(f"{PAIRS_FILE}-journal").exists() else "ro"
        with self._translated(), closing(connected(self._path, mode)) as connection:
            return _all(connection) if _has_table(connection) else []

    def change(self, decide: Callable[[Sequence[Stored]], Sequence[Stored]]) -> None:
        """Stores what `decide` makes of all pairs, at once: nobody else changes them meanwhile.
        One that is there is replaced."""
        with self._translated(), self._writing("rwc") as connection:
            connection.execute(_SCHEMA)
            changed = decide(_all(connection))
            connection.executemany(
                "INSERT OR REPLACE INTO pairs VALUES (?, ?, ?, ?, ?)", map(_row, changed)
            )

    def remove(self, id: str) -> bool:
        """False when there is no such pair. Its text does not stay in the file either."""
        if not self.exists:
            return False
        with self._translated(), self._writing("rw") as connection:
            if not _has_table(connection):
                return False
            return connection.execute("DELETE FROM pairs WHERE id = ?", (id,)).rowcount > 0

    @contextmanager
    def _writing(self, mode: str) -> Iterator[sqlite3.Connection]:
        with closing(connected(self._path, mode)) as connection:
            connection.execute("PRAGMA secure_delete = ON")
            with transaction(connection):
                yield connection

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, ValidationError) as error:
            reason = str(error).splitlines()[0]
            raise PairError(
                f"the pairs in {self._path} cannot be used: {reason}",
                "check that the data directory is writable and has room; zaiko doctor says if it is "
                "damaged, and what to do",
            ) from error


def _all(connection: sqlite3.Connection) -> list[Stored]:
    rows = connection.execute("SELECT record, masked, embedder, vector FROM pairs")
    return [_stored(row) for row in rows]


def _has_table(connection: sqlite3.Connection) -> bool:
    """False while another process is still creating the file."""
    found = connection.execute("SELECT 1 FROM sqlite_master WHERE name = 'pairs'").fetchone()
    return found is not None


def _row(stored: Stored) -> tuple[object, ...]:
    vector = None if stored.vector is None else stored.vector.astype("<f4").tobytes()
    record = stored.pair.model_dump_json()
    return (stored.pair.id, record, stored.masked, stored.embedder, vector)


def _stored(row: tuple[str, str, str | None, bytes | None]) -> Stored:
    record, masked, embedder, vector = row
    read = None if vector is None else np.frombuffer(vector, dtype="<f4").astype(np.float32)
    return Stored(Pair.model_validate_json(record), masked, embedder, read)
