"""The last look at a draft before it is published: does it hold what its manifest says?"""

from __future__ import annotations

from ingest.index import open_index
from ingest.pipeline.draft import Draft
from ingest.store.errors import StoreBroken
from ingest.store.manifest import Manifest, read_manifest
from ingest.store.settings import ServerSettings
from ingest.tables.connection import open_duckdb
from ingest.tables.staging import quoted


def check_draft(draft: Draft, server: ServerSettings) -> None:
    """Raises `StoreBroken` when a part does not open or its counts differ."""
    manifest = read_manifest(draft.directory)
    _check_tables(draft, manifest)
    for kb in manifest.knowledge_bases():
        _check_index(draft, manifest, kb, server)


def _check_tables(draft: Draft, manifest: Manifest) -> None:
    if not manifest.tables:
        return
    connection = open_duckdb(draft.warehouse, read_only=True)
    try:
        for table in manifest.tables:
            counting = f"SELECT count(*) FROM {quoted(table.name)}"
            found = connection.execute(counting).fetchone()
            rows = found[0] if found else None
            _compare(f"rows in the table {table.name}", table.rows, rows)
    finally:
        connection.close()


def _check_index(draft: Draft, manifest: Manifest, kb: str, server: ServerSettings) -> None:
    index = open_index(manifest.index, draft.index_path(kb), read_only=True, server=server)
    try:
        _compare(f"chunks in the knowledge base {kb}", manifest.chunks(kb), index.count())
    finally:
        index.close()


def _compare(what: str, expected: int, found: object) -> None:
    if found != expected:
        raise StoreBroken(f"{found} {what}, {expected} expected")
