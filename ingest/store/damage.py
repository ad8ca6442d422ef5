"""What is damaged in a generation, part by part, and the way out.

The parts: the tables (warehouse, catalog, quarantine), the documents of each knowledge base (its
index), and the manifest, without which nothing else is sure.
"""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import ExitStack
from functools import partial
from pathlib import Path
from typing import NamedTuple

import duckdb

from ingest.index import open_index
from ingest.store.catalog import load_catalog
from ingest.store.checksums import changed_files
from ingest.store.errors import StoreBroken, StoreError
from ingest.store.generations import Generations
from ingest.store.manifest import (
    CATALOG,
    INDEX,
    QUARANTINE,
    WAREHOUSE,
    FileEntry,
    Manifest,
    read_manifest,
    read_quarantine,
    rewritten,
)
from ingest.store.quoting import quoted
from ingest.store.records import TableRecord
from ingest.store.searcher import openable
from ingest.store.settings import ServerSettings
from ingest.tables.connection import open_duckdb

MANIFEST_PART = "manifest"
TABLES_PART = "tables"
_PATHS_NAMED = 20


class Damage(NamedTuple):
    """`part` is `manifest`, `tables` or `documents`; these are of the knowledge base `kb`."""

    part: str
    reason: str
    kb: str | None = None

    @property
    def name(self) -> str:
        return self.part if self.kb is None else f"{self.part} of {self.kb}"

    def to_json(self) -> dict[str, str]:
        return {"part": self.name, "reason": self.reason}


class Examined(NamedTuple):
    """The live generation; `manifest` is None when it cannot be read."""

    revision: int
    manifest: Manifest | None
    damage: tuple[Damage, ...]


def examine_generation(generation: Path, server: ServerSettings, *, deep: bool) -> Examined:
    """Compares the files with their checksums; where there are none, or `deep`, also opens every
    part and reads the tables through. `server`: where the indexes are that only point to one."""
    revision = int(generation.name)
    try:
        manifest = read_manifest(generation)
    except StoreBroken as error:
        return Examined(revision, None, (Damage(MANIFEST_PART, error.message),))
    try:
        unsure = rewritten(manifest)
        files = changed_files(generation, but=unsure)
    except StoreBroken as error:
        return Examined(revision, manifest, (Damage(MANIFEST_PART, error.message),))
    found = {d.name: d for d in reversed([_of_file(f.path, str(f)) for f in files or ()])}
    if files is None or unsure or deep:
        for damage in open_parts(generation, manifest, server, found):
            found[damage.name] = damage
    return Examined(revision, manifest, tuple(found[name] for name in sorted(found)))


def open_parts(
    generation: Path, manifest: Manifest, server: ServerSettings, without: Iterable[str] = ()
) -> Iterator[Damage]:
    """Opens each part and compares it with the manifest; parts named in `without` are left."""
    skipped = set(without)
    if manifest.tables and TABLES_PART not in skipped:
        tables = Damage(TABLES_PART, "")
        yield from _tried(tables, partial(_check_tables, generation, manifest))
    for kb in manifest.knowledge_bases():
        documents = Damage("documents", "", kb)
        if documents.name not in skipped:
            yield from _tried(documents, partial(_check_index, generation, manifest, kb, server))


def lost_files(manifest: Manifest, damage: Sequence[Damage]) -> list[FileEntry]:
    """The files whose content must be taken in again to mend the damage: also documents with
    tables of their own, and both entries of a workbook with notes, which is read as one."""
    parts, kbs = {d.part for d in damage}, {d.kb for d in damage if d.kb is not None}
    lost = [
        entry
        for entry in manifest.files
        if MANIFEST_PART in parts
        or (TABLES_PART in parts and (entry.kind == "table" or entry.tables))
        or entry.kb in kbs
    ]
    workbooks = {e.path for e in manifest.files if e.kind == "table"} & {e.path for e in lost}
    return [entry for entry in manifest.files if entry in lost or entry.path in workbooks]


def way_out(generations: Generations, examined: Examined) -> str:
    """The command that mends the damage; an earlier generation first, where one is whole."""
    if generations.earlier() is not None:
        return "run: zaiko rollback, then ingest again what changed since"
    manifest = examined.manifest
    lost = lost_files(manifest, examined.damage) if manifest else []
    if manifest is None or not lost:
        return "run: zaiko ingest PATH… again, with every path that was ingested"
    kbs = sorted({entry.kb for entry in lost if entry.kb is not None})
    if len(kbs) > 1:
        tables = [e for e in lost if e.kb is None]
        parts = [[e for e in lost if e.kb == kb] for kb in kbs]
        each = "; ".join(_command(manifest, p) for p in [[*parts[0], *tables], *parts[1:]])
        return f"ingest each knowledge base into a new directory (--data-dir NEW): {each}"
    return f"run: {_command(manifest, lost)}"


def _command(manifest: Manifest, lost: Sequence[FileEntry]) -> str:
    """The directories that were ingested and hold a lost file, and the files outside them."""
    kb = next((entry.kb for entry in lost if entry.kb is not None), None)
    roots = [r.path for r in manifest.roots if kb in (None, r.kb)]
    used = [r for r in roots if any(Path(e.path).is_relative_to(r) for e in lost)]
    outermost = [r for r in used if not any(r != o and Path(r).is_relative_to(o) for o in used)]
    alone = [e.path for e in lost if not any(Path(e.path).is_relative_to(r) for r in used)]
    paths = list(dict.fromkeys([*outermost, *alone]))
    more = [f"… ({len(paths) - _PATHS_NAMED} more)"] if len(paths) > _PATHS_NAMED else []
    name = ["--kb", shlex.quote(kb)] if kb not in (None, "default") else []
    named = [shlex.quote(path) for path in paths[:_PATHS_NAMED]]
    return " ".join(["zaiko ingest", *named, *more, *name])


def _of_file(path: str, reason: str) -> Damage:
    parts = path.split("/")
    if parts[0] == INDEX and len(parts) > 2:
        return Damage("documents", reason, parts[1])
    if path == CATALOG:
        reason += "; edits belong in the catalog.yaml of the data directory"
    return Damage(TABLES_PART if path in (WAREHOUSE, CATALOG, QUARANTINE) else "manifest", reason)


def _tried(part: Damage, check: Callable[[], None]) -> Iterator[Damage]:
    try:
        check()
    except StoreError as error:
        yield part._replace(reason=error.message)
    except duckdb.Error as error:
        yield part._replace(reason=f"{WAREHOUSE} is damaged: {str(error).strip().splitlines()[0]}")


def _check_tables(generation: Path, manifest: Manifest) -> None:
    names = [table.name for table in load_catalog(generation / CATALOG).tables]
    if sorted(names) != sorted(table.name for table in manifest.tables):
        raise StoreBroken(f"{CATALOG} names other tables than the manifest: {', '.join(names)}")
    read_quarantine(generation)
    connection = open_duckdb(generation / WAREHOUSE, read_only=True)
    try:
        for table in manifest.tables:
            found = connection.execute(_reading_all(table)).fetchone()
            _compare(f"rows in the table {table.name}", table.rows, found and found[0])
    finally:
        connection.close()


def _reading_all(table: TableRecord) -> str:
    """A count alone does not read the columns, whose blocks DuckDB checks as it reads them."""
    columns = ", ".join(f"bit_xor(hash({quoted(column.name)}))" for column in table.columns)
    return f"SELECT count(*), {columns} FROM {quoted(table.name)}"


def _check_index(generation: Path, manifest: Manifest, kb: str, server: ServerSettings) -> None:
    with ExitStack() as copies:
        path = openable(generation / INDEX / kb, copies)
        index = open_index(manifest.index, path, read_only=True, server=server)
        copies.callback(index.close)
        _compare(f"chunks in the knowledge base {kb}", manifest.chunks(kb), index.count())


def _compare(what: str, expected: int, found: object) -> None:
    if found != expected:
        raise StoreBroken(f"{found} {what}, {expected} expected")
