"""What `zaiko doctor` says of the data directory: each part of the live generation, each database.

Reads only, and creates nothing, also not the files that SQLite keeps beside a database.
"""

import sqlite3
from collections.abc import Iterator
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal
from urllib.parse import quote

from agent.handoff.sqlite import FILE_NAME as HANDOFFS_FILE
from agent.memory import MEMORY_FILE, STATE_FILE
from agent.pairs.sqlite import PAIRS_FILE
from ingest.store.damage import Examined, examine_generation, way_out
from ingest.store.errors import StoreError
from ingest.store.generations import Generations, lease_live
from ingest.store.settings import ServerSettings

Severity = Literal["ok", "warning", "error"]
BUSY_S = 5.0
DATABASES = (
    ("handoffs", HANDOFFS_FILE, "open handoffs and their resolutions are lost, data are not"),
    ("threads", STATE_FILE, "handed-off questions cannot be resumed, data are not lost"),
    ("memory", MEMORY_FILE, "conversations begin anew, data are not lost"),
    ("pairs", PAIRS_FILE, "confirmed questions with their SQL are lost, data are not"),
)


@dataclass(frozen=True)
class Check:
    """`remedy` is the next step when `severity` is not ok."""

    name: str
    severity: Severity
    message: str
    remedy: str = ""

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


def check_parts(data_dir: Path, server: ServerSettings) -> Iterator[Check]:
    """One check a part of the live generation: its files as published, and opened."""
    generations = Generations(data_dir.absolute())
    try:
        revision, lease = lease_live(generations)
    except StoreError:  # said when the store was opened
        return
    try:
        examined = examine_generation(generations.path(revision), server, deep=True)
    finally:
        lease.release()
    if examined.damage:
        remedy = way_out(generations, examined)
        for damage in examined.damage:
            said = f"{damage.kb}: {damage.reason}" if damage.kb else damage.reason
            yield Check(damage.part, "error", said, remedy)
    yield from _whole_parts(examined)


def _whole_parts(examined: Examined) -> Iterator[Check]:
    manifest = examined.manifest
    names = {damage.name for damage in examined.damage}
    if manifest is None or "manifest" in names:
        return
    if manifest.tables and "tables" not in names:
        rows = sum(table.rows for table in manifest.tables)
        yield Check("tables", "ok", f"{len(manifest.tables)} tables, {rows:,} rows")
    for kb in manifest.knowledge_bases():
        if f"documents of {kb}" not in names:
            yield Check("documents", "ok", f"{kb}: {manifest.chunks(kb):,} chunks")


def check_databases(data_dir: Path) -> Iterator[Check]:
    """SQLite's own integrity check of each database that is there."""
    for name, file, lost in DATABASES:
        path = data_dir / file
        if not path.exists():
            continue
        wrong = _integrity(path)
        if wrong:
            remedy = (
                "end every zaiko process, then put a backup in its place, or move it away with "
                f"its -wal and -shm files: {lost}"
            )
            yield Check(name, "error", f"{path} is damaged: {wrong}", remedy)
        else:
            yield Check(name, "ok", str(path))


def _integrity(path: Path) -> str:
    """What is wrong; "" for a whole database."""
    # Without a log or journal nobody is writing, and SQLite need not make its files to read.
    at_rest = not _is_written(path)
    wrong = _examined(path, "&immutable=1" if at_rest else "")
    if wrong and at_rest and _is_written(path):
        return _examined(path, "")  # a writer began meanwhile
    return wrong


def _is_written(path: Path) -> bool:
    return any(path.with_name(f"{path.name}{log}").exists() for log in ("-wal", "-journal"))


def _examined(path: Path, option: str) -> str:
    address = f"file:{quote(str(path.absolute()))}?mode=ro{option}"
    try:
        with closing(sqlite3.connect(address, uri=True, timeout=BUSY_S)) as connection:
            (said,) = connection.execute("PRAGMA integrity_check(1)").fetchone()
    except sqlite3.Error as error:
        return str(error).splitlines()[0]
    return "" if said == "ok" else " ".join(str(said).split())
