"""The generation being built: a copy of the live one, changed file by file."""

from __future__ import annotations

import shutil
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path

from ingest.index import copy_index
from ingest.store.manifest import (
    CATALOG,
    INDEX,
    QUARANTINE,
    WAREHOUSE,
    EmbedderEntry,
    FileEntry,
    Manifest,
    Root,
    installed_version,
    read_quarantine,
    write_manifest,
    write_quarantine,
)
from ingest.store.records import DocumentRecord, QuarantinedCell, TableRecord
from ingest.store.settings import ServerSettings

Key = tuple[str | None, str]
PARTS = ("zaiko", "duckdb", "qdrant-edge-py", "sudachipy", "sudachidict-core")


@dataclass
class Draft:
    """`directory` is where it is built; the rest becomes its manifest.

    `changed` is set by whatever changes it: a draft that nothing changed is not published.
    """

    directory: Path
    revision: int
    index: str
    parent: int | None = None
    entries: dict[Key, FileEntry] = field(default_factory=dict)
    documents: dict[str, DocumentRecord] = field(default_factory=dict)
    tables: dict[str, TableRecord] = field(default_factory=dict)
    quarantine: list[QuarantinedCell] = field(default_factory=list)
    roots: tuple[Root, ...] = ()
    embedder: EmbedderEntry | None = None
    average_length: dict[str, float] = field(default_factory=dict)
    changed: bool = False

    @property
    def warehouse(self) -> Path:
        return self.directory / WAREHOUSE

    def index_path(self, kb: str) -> Path:
        return self.directory / INDEX / kb

    def put(self, entry: FileEntry, old: FileEntry | None = None) -> None:
        if old is not None:
            self.entries.pop(old.key, None)
        self.entries[entry.key] = entry
        self.changed = True

    def forget(self, entry: FileEntry) -> None:
        self.entries.pop(entry.key, None)
        self.changed = True

    def bases(self) -> list[str]:
        """The knowledge bases that hold documents."""
        return sorted({record.kb for record in self.documents.values()})

    def of_kb(self, kb: str) -> list[DocumentRecord]:
        return [record for record in self.documents.values() if record.kb == kb]

    def manifest(self) -> Manifest:
        return Manifest(
            revision=self.revision,
            parent=self.parent,
            created_at=datetime.now(UTC),
            versions={name: found for name in PARTS if (found := installed_version(name))},
            index=self.index,
            roots=self.roots,
            files=tuple(sorted(self.entries.values(), key=lambda e: (e.kb or "", e.path))),
            embedder=self.embedder,
            bm25_average_length=self.average_length,
            documents=tuple(sorted(self.documents.values(), key=lambda d: (d.kb, d.source))),
            tables=tuple(sorted(self.tables.values(), key=lambda t: t.name)),
            warehouse_bytes=self.warehouse.stat().st_size if self.tables else 0,
        )

    def write(self) -> Manifest:
        manifest = self.manifest()
        write_quarantine(self.quarantine, self.directory)
        write_manifest(manifest, self.directory)
        return manifest


def start_draft(directory: Path, revision: int, live: Manifest | None, index: str) -> Draft:
    if live is None:
        return Draft(directory, revision, index)
    return Draft(
        directory,
        revision,
        live.index,
        parent=live.revision,
        entries={entry.key: entry for entry in live.files},
        documents={record.doc_id: record for record in live.documents},
        tables={record.name: record for record in live.tables},
        roots=live.roots,
        embedder=live.embedder,
        average_length=dict(live.bm25_average_length),
    )


def copy_parts(draft: Draft, live: Path, server: ServerSettings) -> None:
    """Copy the files of the live generation's parts that the draft has records of; the manifest
    is written anew."""
    copy_files(draft, live)
    for kb in draft.bases():
        draft.index_path(kb).parent.mkdir(exist_ok=True)
        copy_index(live / INDEX / kb, draft.index_path(kb), server=server)


def copy_files(draft: Draft, live: Path) -> None:
    """All but the vector indexes."""
    if not draft.tables:
        return
    for name in (WAREHOUSE, CATALOG, QUARANTINE):
        if (live / name).exists():
            shutil.copy2(live / name, draft.directory / name)
    draft.quarantine = read_quarantine(live)
