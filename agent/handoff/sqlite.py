"""Handoffs in `handoffs.sqlite` beside the data; several processes may use it at once."""

import sqlite3
import time
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from datetime import UTC, datetime
from pathlib import Path

from pydantic import ValidationError

from agent.errors import HandoffError
from agent.handoff import transitions
from agent.handoff.base import Handoff, Handoffs, Packet, Resolution, State
from agent.sqlite_files import BUSY_S, connected, transaction

FILE_NAME = "handoffs.sqlite"
_SCHEMA = """
CREATE TABLE IF NOT EXISTS handoffs (
    id TEXT PRIMARY KEY,
    created TEXT NOT NULL,
    state TEXT NOT NULL,
    record TEXT NOT NULL
) WITHOUT ROWID
"""
_BY_PREFIX = "SELECT id, record FROM handoffs WHERE substr(id, 1, length(?1)) = ?1 ORDER BY id"
_LIST = "SELECT record FROM handoffs WHERE ?1 IS NULL OR state = ?1 ORDER BY created, id"


def utc_now() -> datetime:
    return datetime.now(UTC)


class SqliteHandoffs:
    """A connection a call, so that threads and forks need no care. Implements `HandoffStore`.

    The file is made by the first `add`; nothing else creates it.
    """

    def __init__(self, data_dir: Path, now: Callable[[], datetime] = utc_now) -> None:
        self._path = data_dir / FILE_NAME
        self._now = now

    def add(self, packet: Packet) -> Handoff:
        new = Handoff(packet=packet, state="open")
        with self._translated():
            self._create()
            with self._writing() as connection:
                connection.execute(
                    "INSERT INTO handoffs VALUES (?, ?, ?, ?) ON CONFLICT (id) DO NOTHING",
                    (new.id, packet.created, new.state, new.model_dump_json()),
                )
                stored = _find(connection, new.id)
        if (stored.packet.thread_id, stored.packet.turn) != (packet.thread_id, packet.turn):
            raise HandoffError(
                f"{new.id} already belongs to turn {stored.packet.turn} of another thread.",
                "ask the question again in a new thread",
            )
        return stored

    def list(self, state: State | None = None) -> Handoffs:
        if not self._path.is_file():
            return []
        with self._translated(), closing(self._connect()) as connection:
            if not _is_ready(connection):
                return []
            rows = connection.execute(_LIST, (state,)).fetchall()
            return [_parse(record) for (record,) in rows]

    def get(self, id: str) -> Handoff:
        self._require_file(id)
        with self._translated(), closing(self._connect()) as connection:
            return _find(connection, id)

    def claim(self, id: str, who: str) -> Handoff:
        return self._change(id, lambda h: transitions.claimed(h, who, self._stamp()))

    def resolve(self, id: str, resolution: Resolution) -> Handoff:
        return self._change(id, lambda h: transitions.resolved(h, resolution))

    def mark_delivered(self, id: str) -> Handoff:
        return self._change(id, transitions.delivered)

    def reject(self, id: str, reason: str, by: str) -> Handoff:
        return self._change(id, lambda h: transitions.rejected(h, reason, by, self._stamp()))

    def _change(self, id: str, transition: Callable[[Handoff], Handoff]) -> Handoff:
        """Reads, decides and writes under SQLite's write lock: of two at once, one comes second
        and sees what the first did."""
        self._require_file(id)
        with self._translated(), self._writing() as connection:
            after = transition(_find(connection, id))
            connection.execute(
                "UPDATE handoffs SET state = ?, record = ? WHERE id = ?",
                (after.state, after.model_dump_json(), after.id),
            )
            return after

    def _stamp(self) -> str:
        return self._now().astimezone(UTC).isoformat(timespec="seconds").replace("+00:00", "Z")

    def _require_file(self, id: str) -> None:
        if not self._path.is_file():
            raise _unknown(id)

    def _create(self) -> None:
        with closing(self._connect("rwc")) as connection:
            if _is_ready(connection):
                return
            _switch_to_wal(connection)
            with transaction(connection):
                connection.execute(_SCHEMA)
                connection.execute("PRAGMA user_version = 1")

    @contextmanager
    def _writing(self) -> Iterator[sqlite3.Connection]:
        with closing(self._connect()) as connection, transaction(connection):
            yield connection

    def _connect(self, mode: str = "rw") -> sqlite3.Connection:
        connection = connected(self._path, mode)
        connection.execute("PRAGMA synchronous = FULL")
        return connection

    @contextmanager
    def _translated(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, ValidationError) as error:
            reason = str(error).splitlines()[0]
            raise HandoffError(
                f"The handoff store {self._path} cannot be used: {reason}.",
                "check that the data directory is writable and has room; zaiko doctor says if it is "
                "damaged, and what to do",
            ) from error


def _switch_to_wal(connection: sqlite3.Connection) -> None:
    """SQLite does not wait its busy time for this one statement, so it is tried again here."""
    deadline = time.monotonic() + BUSY_S
    while True:
        try:
            connection.execute("PRAGMA journal_mode = WAL")
            return
        except sqlite3.OperationalError:
            if time.monotonic() > deadline:
                raise
            time.sleep(0.02)


def _is_ready(connection: sqlite3.Connection) -> bool:
    """False while another process is still creating the file."""
    version: int = connection.execute("PRAGMA user_version").fetchone()[0]
    return version > 0


def _find(connection: sqlite3.Connection, id: str) -> Handoff:
    wanted = id.strip().lower()
    if not wanted or not _is_ready(connection):
        raise _unknown(id)
    full = wanted if wanted.startswith("h-") else f"h-{wanted}"
    found = connection.execute(_BY_PREFIX, (full,)).fetchall()
    exact = [record for found_id, record in found if found_id == full]
    if not found:
        raise _unknown(id)
    if len(found) > 1 and not exact:
        some = ", ".join(found_id for found_id, _ in found[:3])
        raise HandoffError(
            f"{len(found)} handoffs begin with {id}: {some}{' …' if len(found) > 3 else ''}",
            "give more of the id",
        )
    return _parse(exact[0] if exact else found[0][1])


def _parse(record: str) -> Handoff:
    return Handoff.model_validate_json(record)


def _unknown(id: str) -> HandoffError:
    return HandoffError(f"There is no handoff {id!r}.", "`zaiko handoff list` shows all of them")
