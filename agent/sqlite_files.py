"""What the stores beside the data have in common: how a SQLite file is opened and written."""

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

BUSY_S = 30.0
"""So long one waits for another process that writes."""


def connected(path: Path, mode: str) -> sqlite3.Connection:
    """`mode` ro, rw (opens, never creates) or rwc. Transactions are left to `transaction`."""
    uri = f"{path.absolute().as_uri()}?mode={mode}"
    return sqlite3.connect(uri, uri=True, timeout=BUSY_S, isolation_level=None)


@contextmanager
def transaction(connection: sqlite3.Connection) -> Iterator[sqlite3.Connection]:
    """All that is done inside, or nothing, under SQLite's write lock."""
    connection.execute("BEGIN IMMEDIATE")
    try:
        yield connection
    except BaseException:
        connection.execute("ROLLBACK")
        raise
    connection.execute("COMMIT")
