"""What was embedded and is not published yet: a run that is killed does not pay for it twice.

`<data dir>/embedded.sqlite` holds vectors by (model, text), both as hashes; it is gone once a
generation with them is live. It only saves time: where it cannot be written or read, the run goes
on without it.
"""

from __future__ import annotations

import hashlib
import sqlite3
from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path

import numpy as np

from ingest.embedders import Embedder, Encoded
from ingest.sparse import SparseVector

JOURNAL = "embedded.sqlite"
_SCHEMA = (
    "CREATE TABLE IF NOT EXISTS vectors"
    " (key BLOB PRIMARY KEY, dense BLOB, indices BLOB, weights BLOB) WITHOUT ROWID"
)


class EmbeddingJournal:
    """For one writer, which holds the lock of the data directory, and one thread."""

    def __init__(self, data_dir: Path, embedder: Embedder) -> None:
        self._path = data_dir / JOURNAL
        self._model = f"{embedder.model_hash}:{embedder.dimension}:".encode()
        self._known: set[bytes] = set()
        self._database: sqlite3.Connection | None = None
        with suppress(sqlite3.Error):
            self._open()

    def read(self, texts: Sequence[str]) -> dict[str, Encoded]:
        """The vectors of those texts that are here."""
        found: dict[str, Encoded] = {}
        keys = {text: key for text in texts if (key := self._key(text)) in self._known}
        if self._database is None:
            return found
        with suppress(sqlite3.Error):
            for text, key in keys.items():
                row = self._database.execute(
                    "SELECT dense, indices, weights FROM vectors WHERE key = ?", (key,)
                ).fetchone()
                if row is not None:
                    found[text] = _encoded(*row)
        return found

    def write(self, texts: Sequence[str], encoded: Iterable[Encoded]) -> None:
        """They are there for the next run once this returns, whatever becomes of this one."""
        if self._database is None:
            return
        rows = [(self._key(t), *_row(e)) for t, e in zip(texts, encoded, strict=True)]
        try:
            with self._database:
                self._database.executemany(
                    "INSERT OR REPLACE INTO vectors VALUES (?, ?, ?, ?)", rows
                )
        except sqlite3.Error:
            self.close()
            return
        self._known.update(row[0] for row in rows)

    def close(self) -> None:
        if self._database is not None:
            with suppress(sqlite3.Error):
                self._database.close()
            self._database = None

    def _open(self) -> None:
        database = sqlite3.connect(self._path)
        try:
            database.execute("PRAGMA journal_mode=WAL")
            database.execute("PRAGMA synchronous=NORMAL")
            database.execute(_SCHEMA)
            self._known = {key for (key,) in database.execute("SELECT key FROM vectors")}
        except sqlite3.Error:
            # Damaged, or no room: what it holds can be computed again.
            database.close()
            return
        self._database = database

    def _key(self, text: str) -> bytes:
        return hashlib.sha256(self._model + text.encode("utf-8", "surrogatepass")).digest()


def remove_journal(data_dir: Path) -> None:
    for suffix in ("", "-wal", "-shm"):
        with suppress(OSError):
            (data_dir / f"{JOURNAL}{suffix}").unlink()


def _row(encoded: Encoded) -> tuple[bytes, bytes | None, bytes | None]:
    sparse = encoded.sparse
    if sparse is None:
        return encoded.dense.tobytes(), None, None
    indices = np.asarray(sparse.indices, dtype=np.int64).tobytes()
    return encoded.dense.tobytes(), indices, np.asarray(sparse.values, dtype=np.float64).tobytes()


def _encoded(dense: bytes, indices: bytes | None, weights: bytes | None) -> Encoded:
    vector = np.frombuffer(dense, dtype=np.float32)
    if indices is None or weights is None:
        return Encoded(vector)
    places = np.frombuffer(indices, dtype=np.int64).tolist()
    values = np.frombuffer(weights, dtype=np.float64).tolist()
    return Encoded(vector, SparseVector(tuple(places), tuple(values)))
