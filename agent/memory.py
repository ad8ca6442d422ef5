"""What a thread remembers: its turns, its evidence and the calls that were run.

Kept in `memory.sqlite` (WAL, many processes), apart from the checkpoints in `state.sqlite`: a
write here that waited for the saver's lock would hold up the loop which the saver needs to end.
Evidence ids are given here: once in a thread, in call order, never renumbered.
"""

import asyncio
import json
import sqlite3
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from threading import Lock

from agent.models.base import Frozen
from agent.sqlite_files import BUSY_S, transaction
from agent.state import Turn
from tools.evidence import Evidence

STATE_FILE = "state.sqlite"
MEMORY_FILE = "memory.sqlite"

_SCHEMA = """
CREATE TABLE IF NOT EXISTS zaiko_turns (
    thread_id TEXT, number INTEGER, question TEXT, reading TEXT, answer TEXT,
    PRIMARY KEY (thread_id, number));
CREATE TABLE IF NOT EXISTS zaiko_evidence (
    thread_id TEXT, number INTEGER, body TEXT, PRIMARY KEY (thread_id, number));
CREATE TABLE IF NOT EXISTS zaiko_calls (
    thread_id TEXT, revision INTEGER, call TEXT, body TEXT,
    PRIMARY KEY (thread_id, revision, call));
"""

_EVIDENCE = "SELECT body FROM zaiko_evidence WHERE thread_id = ? ORDER BY number"


class PastCall(Frozen):
    """A call that is not run again in its thread and data revision."""

    ok: bool
    shown: str
    evidence_ids: tuple[str, ...] = ()


class Memory:
    """Threads of one data directory. Safe from several threads and processes.

    Writes are coroutines that wait in a thread, so that a writer of another process holds up no
    event loop. Reads have a connection of their own and never wait for a writer.
    """

    def __init__(self, data_dir: Path) -> None:
        self._lock, self._read_lock = Lock(), Lock()
        self._db = _connect(data_dir / MEMORY_FILE)
        self._db.execute("PRAGMA journal_mode=WAL")
        self._db.executescript(_SCHEMA)
        self._reader = _connect(data_dir / MEMORY_FILE)

    def close(self) -> None:
        self._db.close()
        self._reader.close()

    async def begin_turn(self, thread_id: str, question: str) -> int:
        """Opens the thread's next turn and returns its number, from 1."""
        return await asyncio.to_thread(self._begin_turn, thread_id, question)

    async def end_turn(self, thread_id: str, number: int, reading: str, answer: str) -> None:
        await asyncio.to_thread(
            self._change,
            "UPDATE zaiko_turns SET reading = ?, answer = ? WHERE thread_id = ? AND number = ?",
            (reading, answer, thread_id, number),
        )

    async def add_evidence(self, thread_id: str, drafts: Sequence[Evidence]) -> list[Evidence]:
        """The drafts with their ids, stored. Content already in the thread keeps its id."""
        return await asyncio.to_thread(self._add_evidence, thread_id, drafts)

    async def remember_call(self, thread_id: str, revision: int, call: str, past: PastCall) -> None:
        await asyncio.to_thread(
            self._change,
            "INSERT OR REPLACE INTO zaiko_calls VALUES (?, ?, ?, ?)",
            (thread_id, revision, call, past.model_dump_json()),
        )

    def _begin_turn(self, thread_id: str, question: str) -> int:
        with self._write() as db:
            number = _next(db, "zaiko_turns", thread_id)
            db.execute(
                "INSERT INTO zaiko_turns VALUES (?, ?, ?, NULL, NULL)",
                (thread_id, number, question),
            )
        return number

    def history(self, thread_id: str, before: int, limit: int) -> list[Turn]:
        """The last `limit` finished turns before turn `before`, oldest first."""
        rows = self._read(
            "SELECT question, reading, answer FROM zaiko_turns WHERE thread_id = ? AND number < ?"
            " AND answer IS NOT NULL ORDER BY number DESC LIMIT ?",
            (thread_id, before, limit),
        )
        return [Turn(question=q, reading=r, answer=a) for q, r, a in reversed(rows)]

    def last_turn(self, thread_id: str) -> int | None:
        """The number of the thread's newest turn; None for a thread that does not exist."""
        rows = self._read("SELECT max(number) FROM zaiko_turns WHERE thread_id = ?", (thread_id,))
        return None if rows[0][0] is None else int(rows[0][0])

    def _add_evidence(self, thread_id: str, drafts: Sequence[Evidence]) -> list[Evidence]:
        with self._write() as db:
            stored = map(_evidence, db.execute(_EVIDENCE, (thread_id,)).fetchall())
            known = {(e.kind, e.hash, e.query, e.chunk_id): e for e in stored}
            numbered = []
            for draft in drafts:
                key = (draft.kind, draft.hash, draft.query, draft.chunk_id)
                if key not in known:
                    number = _next(db, "zaiko_evidence", thread_id)
                    known[key] = draft.model_copy(update={"id": f"E{number}"})
                    db.execute(
                        "INSERT INTO zaiko_evidence VALUES (?, ?, ?)",
                        (thread_id, number, known[key].model_dump_json()),
                    )
                numbered.append(known[key])
        return numbered

    def evidence(self, thread_id: str) -> dict[str, Evidence]:
        """All evidence of a thread by id, in the order of the ids."""
        return {e.id: e for e in map(_evidence, self._read(_EVIDENCE, (thread_id,)))}

    def past_call(self, thread_id: str, revision: int, call: str) -> PastCall | None:
        rows = self._read(
            "SELECT body FROM zaiko_calls WHERE thread_id = ? AND revision = ? AND call = ?",
            (thread_id, revision, call),
        )
        return PastCall.model_validate_json(rows[0][0]) if rows else None

    def _change(self, sql: str, values: tuple[object, ...]) -> None:
        with self._write() as db:
            db.execute(sql, values)

    def _read(self, sql: str, values: tuple[object, ...]) -> list[tuple[str, ...]]:
        with self._read_lock:
            return self._reader.execute(sql, values).fetchall()

    @contextmanager
    def _write(self) -> Iterator[sqlite3.Connection]:
        with self._lock, transaction(self._db):
            yield self._db


def _connect(path: Path) -> sqlite3.Connection:
    return sqlite3.connect(path, timeout=BUSY_S, check_same_thread=False, isolation_level=None)


def _evidence(row: tuple[str, ...]) -> Evidence:
    return Evidence.model_validate(json.loads(row[0]))


def _next(db: sqlite3.Connection, table: str, thread_id: str) -> int:
    row = db.execute(
        f"SELECT coalesce(max(number), 0) + 1 FROM {table} WHERE thread_id = ?", (thread_id,)
    ).fetchone()
    return int(row[0])
